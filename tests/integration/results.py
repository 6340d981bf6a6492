"""A results folder as tests read it."""
import csv
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "contract"))

import npy_values

COLUMNS = "timestamp,framework,model,device,batch_size,train_time_sec,accuracy_pct,memory_peak_mb,gpu_util_pct"
_STAMP = r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] "
# The grammar of s.log: lines in this order, figures only where they are known.
_WARNING = r"(WARNING: [^\n]+\n)"
LOG = re.compile(
    _STAMP + r"START TRAINING: [\w.-]+\n"
    + _STAMP + r"ENV: GPU=\d+, CPU_CORES=\d+, CUDA_VERSION=(none|\d+(\.\d+)*)\n"
    + _STAMP + r"MODEL: \w+\n"
    + _STAMP + r"DATA: train_samples=\d+, test_samples=\d+, batch_size=\d+\n"
    + "(" + _STAMP + r"MEMORY_PRE: CPU=\d+\.\d+GB\n)?" + _WARNING + "*"
    + "(" + _STAMP + r"EPOCH_\d+_START: step_time_avg=\d+\.\d+s\n"
    + r"(\[STEP_\d+\] time=\d+\.\d+s\n)+"
    + _STAMP + r"EPOCH_\d+_END: (accuracy=\d\.\d+, )?loss=\d+\.\d+\n)*"
    + "(" + _STAMP + r"MEMORY_PEAK: CPU=\d+\.\d+GB\n)?" + _WARNING + "?"
    + _STAMP + r"END TRAINING: (total_time=\d+\.\d+s|no total_time, the run did not complete)\n")


class Trial:
    def __init__(self, folder):
        self.folder = folder
        self.record = json.loads((folder / "record.json").read_text())
        self.log = (folder / "s.log").read_text()
        self.output = (folder / "output.txt").read_bytes() if (folder / "output.txt").exists() else b""

    @property
    def outcome(self):
        return self.record["outcome"]

    @property
    def completed(self):
        return self.outcome["kind"] == "completed"

    def steps(self):
        return npy_values.read(self.folder / "steps.npy")

    def digests(self):
        """What the fake worker printed of the weights and the orders that it was given."""
        return re.findall(r"^(weights|order) (\w+)$", self.output.decode(errors="replace"), re.MULTILINE)


class Results:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def trials(self, arm=None):
        """In the order of their names."""
        found = [Trial(path.parent) for path in sorted(self.folder.glob("trials/*/record.json"))]
        return [trial for trial in found if arm in (None, trial.record["arm"])]

    def csv_file(self, arm, model="tiny_net"):
        return self.folder / "{}_{}.csv".format(model, arm)

    def rows(self, arm, model="tiny_net"):
        with open(self.csv_file(arm, model), newline="") as file:
            return list(csv.DictReader(file))

    def files(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file())

    def text(self, name):
        return (self.folder / name).read_text()

    def standing(self, arm):
        (table,) = json.loads(self.text("summary.json"))
        (row,) = [row for row in table["arms"] if row["arm"] == arm]
        return row
