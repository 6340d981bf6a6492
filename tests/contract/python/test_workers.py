"""The contract test on the Python workers, and on the contract test itself: a worker that computes something
else must fail. Needs numpy in the interpreter that runs this, or in LOCKSTEP_TEST_NUMPY_PYTHON.

The TensorFlow workers run when LOCKSTEP_TEST_TENSORFLOW_PYTHON names an interpreter that has TensorFlow.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
WORKERS = ROOT / "workers"
TEMPLATE = WORKERS / "_template" / "python"
NUMPY = os.environ.get("LOCKSTEP_TEST_NUMPY_PYTHON", sys.executable)
TENSORFLOW = os.environ.get("LOCKSTEP_TEST_TENSORFLOW_PYTHON")


def contract(folder, python, *more):
    """(exit code, output) of the contract test."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "contract" / "contract_test.py"), "--worker", str(folder),
         "--python", python, "--sdk", str(WORKERS / "sdk"), *more],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


class CopyOfTheTemplate(unittest.TestCase):
    def copied(self, name, *changes):
        """A new worker's folder: the template under another name, with (file, old, new) changed."""
        parent = tempfile.TemporaryDirectory()
        self.addCleanup(parent.cleanup)
        folder = pathlib.Path(parent.name) / name
        shutil.copytree(TEMPLATE, folder, ignore=shutil.ignore_patterns("__pycache__"))
        named = [(file, "template_python", name) for file in ("worker.toml", "trainer.py")]
        for file, old, new in (*named, *changes):
            text = (folder / file).read_text()
            self.assertIn(old, text)
            (folder / file).write_text(text.replace(old, new))
        return folder

    def assert_fails(self, check, *changes):
        code, output = contract(self.copied("liar", *changes), NUMPY, "--only", check)
        self.assertEqual(code, 1, output)
        self.assertIn("FAILED " + check, output)

    def test_the_template_passes_as_copied_under_a_new_name(self):
        code, output = contract(self.copied("my_framework"), NUMPY)
        self.assertEqual(code, 0, output)

    def test_a_worker_with_another_name_than_its_manifest_fails(self):
        self.assert_fails("hello_agrees_with_the_manifest", ("trainer.py", "name=\"liar\"", "name=\"other\""))

    def test_a_worker_that_sums_the_loss_fails(self):
        self.assert_fails("adam_and_same_padding_agree_with_the_reference",
                          ("trainer.py", "above /= np.float32(len(labels))", "pass"))

    def test_a_worker_that_keeps_its_moments_fails(self):
        self.assert_fails("adam_and_same_padding_agree_with_the_reference",
                          ("trainer.py", "        self.steps_done = 0\n", "        self.steps_done = 1\n"))

    def test_a_worker_without_momentum_fails(self):
        self.assert_fails("sgd_and_valid_padding_agree_with_the_reference",
                          ("trainer.py", "rule.momentum * m + gradient", "gradient"))

    def test_a_worker_that_predicts_the_last_partial_batch_wrongly_fails(self):
        self.assert_fails("predict_covers_the_last_partial_batch",
                          ("trainer.py", "        return self.forward(images, training=False)",
                           "        sign = 1 if len(images) == 4 else -1\n"
                           "        return sign * self.forward(images, training=False)"))

    def test_a_worker_that_crashes_in_a_step_fails(self):
        self.assert_fails("training_follows_the_order_over_two_epochs",
                          ("trainer.py", "        self.steps_done += 1\n", "        import os; os.abort()\n"))


@unittest.skipUnless(TENSORFLOW, "LOCKSTEP_TEST_TENSORFLOW_PYTHON names no interpreter with TensorFlow")
class TensorFlowWorkers(unittest.TestCase):
    def test_tensorflow_passes(self):
        code, output = contract(WORKERS / "tensorflow", TENSORFLOW)
        self.assertEqual(code, 0, output)

    def test_tensorflow_with_xla_agrees_with_the_reference(self):
        code, output = contract(WORKERS / "tensorflow", TENSORFLOW, "--option", "xla=on", "--only", "agree")
        self.assertEqual(code, 0, output)

    def test_keras_tensorflow_passes(self):
        code, output = contract(WORKERS / "keras_tensorflow", TENSORFLOW)
        self.assertEqual(code, 0, output)


if __name__ == "__main__":
    unittest.main()
