#!/usr/bin/env python3
"""How fast `lockstep data import` reads a table of images, beside `wc -l`, `cat` and five Python readers.

    python3 tests/bench/csv_bench.py --lockstep build/release/lockstep --folder /tmp/csv-bench --make
    python3 tests/bench/csv_bench.py --lockstep build/release/lockstep --folder /tmp/csv-bench [--repeats 3]
        [--only ours,wc,cat,pandas,polars,duckdb,pyarrow,numpy] [--size 28 | --size 224]

--make writes two tables from Fashion-MNIST by lockstep's own commands: 28.csv and 224.csv (images enlarged).
Then every reader gets each file as often as --repeats says, taking turns, on one processor, after one reading
that puts the file into the page cache. Shown: the median rate in MB/s (10^6 bytes of text a second), the ratio
to `wc -l`, and the largest resident memory of the process.

What is timed: for lockstep, `wc` and `cat` the whole process, from its start to its end; lockstep also writes
the data set. For the Python readers only the call that reads and the cast to uint8, not the start of Python and
its imports. Readers whose package is not there are skipped. The interpreter that runs this runs them.
"""
import argparse
import importlib.util
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

# Each reads `path` with the types that its interface takes, into uint8 pixels and int32 labels.
READERS = {
    "pandas": """
import pandas
def read(path, names):
    types = dict.fromkeys(names, 'uint8')
    types['label'] = 'int32'
    table = pandas.read_csv(path, dtype=types)
    return table.drop(columns='label').to_numpy(), table['label'].to_numpy()
""",
    "polars": """
import polars
def read(path, names):
    types = dict.fromkeys(names, polars.UInt8)
    types['label'] = polars.Int32
    table = polars.read_csv(path, schema_overrides=types)
    return table.drop('label').to_numpy(), table['label'].to_numpy()
""",
    "duckdb": """
import duckdb, numpy
def read(path, names):
    connection = duckdb.connect()
    connection.execute('set threads to 1')
    columns = "{'label': 'INTEGER', " + ', '.join("'%s': 'UTINYINT'" % name for name in names) + '}'
    table = connection.execute(
        "select * from read_csv('%s', header=true, delim=',', max_line_size=10000000, columns=%s)"
        % (path, columns)).fetchnumpy()
    return numpy.stack([table[name] for name in names], axis=1), table['label']
""",
    "pyarrow": """
import numpy, pyarrow, pyarrow.csv
def read(path, names):
    types = dict.fromkeys(names, pyarrow.uint8())
    types['label'] = pyarrow.int32()
    table = pyarrow.csv.read_csv(
        path, read_options=pyarrow.csv.ReadOptions(use_threads=False, block_size=1 << 24),
        convert_options=pyarrow.csv.ConvertOptions(column_types=types))
    return numpy.stack([table[name].to_numpy() for name in names], axis=1), table['label'].to_numpy()
""",
    "numpy": """
import numpy
def read(path, names):
    table = numpy.loadtxt(path, dtype='int32', delimiter=',', skiprows=1)
    return table[:, 1:].astype('uint8'), table[:, 0]
""",
}
DRIVER = """
import resource, sys, time
path = sys.argv[1]
with open(path) as file:
    names = file.readline().strip().split(',')[1:]
begin = time.monotonic()
pixels, labels = read(path, names)
seconds = time.monotonic() - begin
assert pixels.shape == (len(labels), len(names)) and pixels.dtype == 'uint8', (pixels.shape, pixels.dtype)
print(seconds, int(pixels.sum(dtype='int64')))
"""


def run(command, out=subprocess.PIPE):
    """(seconds, peak MB, standard output) of a process on one processor."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    begin = time.monotonic()
    process = subprocess.Popen([str(word) for word in command], stdout=out, stderr=subprocess.PIPE,
                               env=environment, preexec_fn=lambda: os.sched_setaffinity(0, {max(CORES)}))
    said = process.stdout.read().decode() if process.stdout else ""
    error = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begin
    if status:
        raise RuntimeError("{} failed: {}".format(command[0], error.decode(errors="replace").strip()[-300:]))
    return seconds, usage.ru_maxrss * 1024 / 1e6, said


CORES = os.sched_getaffinity(0)


def measure(name, path, given):
    if name == "ours":
        out = given.folder / "imported"
        shutil.rmtree(out, ignore_errors=True)
        found = run([given.lockstep, "data", "import", path, "--out", out])
        shutil.rmtree(out)
        return found[:2]
    if name in ("wc", "cat"):
        return run(["wc", "-l", path] if name == "wc" else ["cat", path], subprocess.DEVNULL)[:2]
    seconds, memory, out = run([sys.executable, "-c", READERS[name] + DRIVER, path])
    return float(out.split()[0]), memory


def make(given):
    """The same images in both sizes: all of Fashion-MNIST at 28x28, and a part of it at 224x224."""
    folder = given.folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    own = dict(os.environ, LOCKSTEP_HOME=str(folder / "home"))

    def lockstep(*words):
        subprocess.run([given.lockstep, "data", *map(str, words)], check=True, env=own, stdout=subprocess.DEVNULL)

    for size, images in ((28, given.rows_28), (224, given.rows_224)):
        lockstep("split", "fashion-mnist", "--drop-test", "--test", "10", "--train", images, "--stratify",
                 "--seed", "42", "--out", folder / "part")
        lockstep("export", folder / "part", "--format", "idx", "--out", folder / "idx")
        lockstep("import", folder / "idx" / "train-images-idx3-ubyte", "--size", "{0}x{0}".format(size),
                 "--out", folder / "sized")
        lockstep("export", folder / "sized", "--format", "csv", "--out", folder / "csv")
        (folder / "csv" / "train.csv").rename(folder / "{}.csv".format(size))
        for name in ("part", "idx", "sized", "csv"):
            shutil.rmtree(folder / name)
    shutil.rmtree(folder / "home")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lockstep", required=True, type=os.path.abspath)
    parser.add_argument("--folder", required=True, type=pathlib.Path, help="of the tables; emptied by --make")
    parser.add_argument("--make", action="store_true", help="write the tables and end")
    parser.add_argument("--rows-28", type=int, default=59990)
    parser.add_argument("--rows-224", type=int, default=2500)
    parser.add_argument("--size", choices=("28", "224"), action="append")
    parser.add_argument("--only", default="ours,wc,cat,pandas,polars,duckdb,pyarrow,numpy")
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    if given.make:
        return make(given)
    readers = []
    for name in given.only.split(","):
        if name in READERS and importlib.util.find_spec(name) is None:
            print("{} is not installed: skipped".format(name))
        else:
            readers.append(name)
    for size in given.size or ("28", "224"):
        path = given.folder / (size + ".csv")
        megabytes = path.stat().st_size / 1e6
        run(["cat", path], subprocess.DEVNULL)
        found = {name: [] for name in readers}
        for _ in range(given.repeats):
            for name in readers:
                try:
                    found[name].append(measure(name, path, given))
                except RuntimeError as error:
                    print("{}: {}".format(name, error))
        rates = {name: statistics.median(megabytes / seconds for seconds, _ in runs)
                 for name, runs in found.items() if runs}
        print("{0}x{0}: {1:.0f} MB, median of {2}".format(size, megabytes, given.repeats))
        print("{:<9} {:>9} {:>11} {:>9}".format("reader", "MB/s", "x wc -l", "peak MB"))
        for name, rate in rates.items():
            ratio = "{:.3f}".format(rate / rates["wc"]) if "wc" in rates else ""
            print("{:<9} {:>9.0f} {:>11} {:>9.0f}".format(name, rate, ratio, max(memory for _, memory in found[name])))
        peers = [rate for name, rate in rates.items() if name in READERS]
        if peers and "ours" in rates:
            print("lockstep: {:.1f} times the fastest of the Python readers".format(rates["ours"] / max(peers)))
        print(flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
