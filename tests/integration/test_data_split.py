"""`lockstep data split` draws what scikit-learn's train_test_split draws, and refuses what it refuses.

Needs an interpreter with scikit-learn: the one that runs the tests, or the one that LOCKSTEP_SCIKIT_PYTHON names.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import pathlib
import unittest

import bench

CASES = 300


def indices(path):
    """The bytes of the values of a .npy file of format 1.0 or 2.0."""
    content = path.read_bytes()
    length = 2 if content[6] == 1 else 4
    return content[8 + length + int.from_bytes(content[8: 8 + length], "little"):]


def interpreter():
    """One with scikit-learn, or None."""
    for python in (os.environ.get("LOCKSTEP_SCIKIT_PYTHON"), sys.executable):
        if python and shutil.which(python):
            found = subprocess.run([python, "-c", "import sklearn.model_selection"], capture_output=True)
            if found.returncode == 0:
                return python
    return None


class SplitsAreThoseOfScikitLearn(bench.BenchTest):
    @classmethod
    def setUpClass(cls):
        python = interpreter()
        if python is None:
            raise unittest.SkipTest("scikit-learn is not importable: name a python that has it in "
                                    "LOCKSTEP_SCIKIT_PYTHON")
        super().setUpClass()
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="lockstep-splits-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        script = pathlib.Path(__file__).with_name("scikit_splits.py")
        subprocess.run([python, script, cls.folder, str(CASES)], check=True, stdout=subprocess.DEVNULL)
        cls.cases = json.loads((cls.folder / "cases.json").read_text())

    def split(self, number, case):
        words = ["data", "split", self.folder / str(number), "--indices", "--seed", case["seed"],
                 "--out", self.folder / str(number) / "out"]
        words += ["--stratify"] if case["stratify"] else []
        for part in ("test", "train"):
            words += ["--" + part, repr(case[part])] if part in case else []
        return self.bench.run(*words)

    def test_300_random_label_vectors_give_the_same_indices_or_are_refused_by_both(self):
        accepted = 0
        for number, case in enumerate(self.cases):
            with self.subTest(number=number, **case):
                ended = self.split(number, case)
                if case["refused"] is not None:
                    self.assertEqual(ended.code, 2, "scikit-learn: {}\n{}".format(case["refused"], ended))
                    continue
                self.assertEqual(ended.code, 0, ended)
                accepted += 1
                for part in ("train", "test"):
                    own = indices(self.folder / str(number) / "out" / (part + "_indices.npy"))
                    peer = indices(self.folder / str(number) / (part + ".npy"))
                    self.assertTrue(own == peer, "the {} part differs".format(part))
        self.assertGreater(accepted, CASES // 2, "too few cases were accepted to show anything")


if __name__ == "__main__":
    unittest.main()
