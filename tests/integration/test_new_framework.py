"""Adding a framework is copying the template and editing inside the copy: nothing else is touched."""
import os
import shutil
import subprocess
import unittest

import bench
import results

PYTHON = os.environ.get("LOCKSTEP_TEST_PYTHON", "/usr/bin/python3")


def lacks_numpy():
    try:
        found = subprocess.run([PYTHON, "-c", "import numpy"], capture_output=True, timeout=bench.PATIENCE)
        return found.returncode != 0
    except OSError:
        return True


@unittest.skipIf(lacks_numpy(), PYTHON + " has no numpy: install python3-numpy, or set LOCKSTEP_TEST_PYTHON")
class TheTemplateInPython(bench.BenchTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = cls.bench.folder / "elsewhere" / "my_framework"
        shutil.copytree(bench.SOURCE / "workers" / "_template" / "python", cls.folder)
        for name in ("worker.toml", "trainer.py"):
            path = cls.folder / name
            path.write_text(path.read_text().replace('"template_python"', '"my_framework"'))
        cls.workers = {"LOCKSTEP_WORKERS": str(cls.folder.parent)}

    def test_it_is_listed(self):
        ended = self.bench.run("frameworks", **self.workers)
        self.assertEqual(ended.code, 0, ended)
        self.assertRegex(ended.out, r"(?m)^my_framework +cpu +my_framework is not installed\. Get it with: lockstep "
                                    r"install my_framework\.$")

    def test_it_agrees_with_the_reference_and_trains(self):
        ended = self.bench.run(*self.bench.campaign("-f", "my_framework", "--python", PYTHON, "--blocks", "1",
                                                    "--epochs", "3"), **self.workers)
        self.assertEqual(ended.code, 0, ended)
        self.assertRegex(ended.err, r"gate  tiny my_framework: agrees, 86 parameters, .*")
        found = results.Results(self.bench.folder / "results")
        (trial,), (row,) = found.trials("my_framework"), found.rows("my_framework")
        self.assertTrue(trial.completed, trial.outcome)
        self.assertRegex(trial.log, results.LOG)
        self.assertGreater(float(row["train_time_sec"]), 0)
        losses = [epoch["loss"] for epoch in trial.record["epochs"]]
        self.assertLess(losses[-1], losses[0])

    def test_it_agrees_on_the_models_that_come_along(self):
        ended = self.bench.run("verify", "--data", self.bench.data, "--models", "cnn2,cnn3", "--batch-size", "8",
                               "--threads", "1", "-f", "my_framework", "--python", PYTHON, **self.workers)
        self.assertEqual(ended.code, 0, ended)
        self.assertEqual(ended.err.count(" my_framework: agrees, "), 2, ended)


if __name__ == "__main__":
    unittest.main()
