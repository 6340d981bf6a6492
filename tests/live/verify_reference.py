"""The float64 reference against independent frameworks run in float64: logits, losses, the gradient of every
parameter, and the parameters after 5 steps.

Needs LOCKSTEP_BINARY and LOCKSTEP_REFERENCE_ANSWERS, the program verify_reference_answers. A framework that lockstep
has not installed is skipped with the reason that `lockstep frameworks` gives.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import suite  # noqa: E402

# Float64 rounds to 1.1e-16; the longest sums here, 12,544 products, then err by some 1e-14 of their size, and a
# gradient passes several such sums.
LIMIT = 1e-12
# Workers whose interpreters hold the frameworks, and what verify_reference_asked.py calls them.
WORKERS = {"tensorflow": "tensorflow", "pytorch": "torch", "jax": "jax"}


class Reference(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        listed = subprocess.run([os.environ["LOCKSTEP_BINARY"], "frameworks", "--json"], stdout=subprocess.PIPE,
                                check=True)
        cls.rows = {row["name"]: row for row in json.loads(listed.stdout)}
        folder = tempfile.TemporaryDirectory(prefix="lockstep-reference-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        subprocess.run([os.environ["LOCKSTEP_REFERENCE_ANSWERS"], cls.folder], check=True)
        cls.cases = {path.parent.name for path in pathlib.Path(cls.folder).glob("*/case.json")}

    def answers(self, worker, expected):
        """Asks the framework of `worker`; `expected`: the cases whose optimizer it lacks."""
        row = self.rows.get(worker, {"state": worker + " is not known here."})
        if row["state"] != "ready":
            self.skipTest(row["state"])
        asked = subprocess.run([row["where"], str(HERE / "verify_reference_asked.py"), WORKERS[worker], self.folder],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2"})
        self.assertEqual(asked.returncode, 0, asked.stderr)
        found = json.loads(asked.stdout.splitlines()[-1])
        self.assertEqual(self.cases - set(found), set(expected))
        for case, distances in sorted(found.items()):
            worst = max(distances, key=distances.get)
            print("  {} {:13} {} quantities, the furthest {} by {:.1e}".format(
                worker, case, len(distances), worst, distances[worst]), flush=True)
            for quantity, distance in distances.items():
                with self.subTest(case=case, quantity=quantity):
                    self.assertLess(distance, LIMIT)

    def test_it_computes_what_tensorflow_does(self):
        self.answers("tensorflow", {"adam_classic", "dampened"})

    def test_it_computes_what_pytorch_does(self):
        self.answers("pytorch", {"same", "valid", "batch_of_one", "cnn2"})

    def test_it_computes_what_jax_does(self):
        self.answers("jax", {"adam_classic", "nesterov", "dampened"})


if __name__ == "__main__":
    sys.exit(suite.run(unittest.defaultTestLoader.loadTestsFromTestCase(Reference)))
