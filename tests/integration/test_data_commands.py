"""`lockstep data` on the command line: split, export, validate, synth, fetch and info, as users meet them."""
import json
import os
import sys
import unittest

import bench
from refusal_test import RefusalTest

sys.path.insert(0, str(bench.SOURCE / "tests" / "contract"))

import npy_values

ANY = ".+"


class Commands(RefusalTest):
    """Each test has a folder of its own, named after it."""

    def setUp(self):
        self.own = self.bench.folder / self._testMethodName
        self.own.mkdir()

    def data(self, *words, code=0, **more):
        ended = self.bench.run("data", *words, **more)
        self.assertEqual(ended.code, code, ended)
        return ended.out

    def synth(self, *more):
        self.data("synth", "--rows", "30", "--size", "6x6", "--classes", "3", "--seed", "1",
                  "--out", self.own / "made", *more)
        return self.own / "made"

    def description(self, folder):
        return json.loads((folder / "dataset.json").read_text())


class SplitAndExport(Commands):
    def test_a_folder_with_one_part_becomes_a_data_set_of_two(self):
        self.data("split", self.synth("--test-rows", "0"), "--test", "0.2", "--stratify", "--seed", "42", "--out",
                  self.own / "two")
        about = self.description(self.own / "two")
        self.assertEqual((about["train_count"], about["test_count"]), (24, 6))
        labels = npy_values.read(self.own / "two" / "test_labels.npy")[2]
        self.assertEqual(sorted(labels), [0, 0, 1, 1, 2, 2])

    def test_index_files_name_every_image_once(self):
        self.data("split", self.synth("--test-rows", "0"), "--test", "7", "--seed", "42", "--indices", "--out",
                  self.own / "two")
        parts = [npy_values.read(self.own / "two" / name)[2] for name in ("train_indices.npy", "test_indices.npy")]
        self.assertEqual([len(part) for part in parts], [23, 7])
        self.assertEqual(sorted(sum(parts, [])), list(range(30)))

    def test_a_csv_file_can_be_split_at_once(self):
        self.data("split", self.bench.data / "train.csv", "--test", "0.25", "--stratify", "--seed", "1", "--out",
                  self.own / "two")
        self.assertEqual(self.description(self.own / "two")["test_count"], 16)

    def test_split_tells_what_it_cannot_do(self):
        made = self.synth()
        unseeded = ["data", "split", made, "--out", "results"]
        words = [*unseeded, "--seed", "1"]
        self.refuse(words, ".* has a test part of 6 images already.", ".*--drop-test.")
        self.refuse([*words, "--drop-test", "--test", "1.5"], "--test 1.5 is neither a share .*", "Write .*")
        self.refuse([*words, "--drop-test", "--test", "2", "--stratify"], "The test part of 2 images is .*", ANY)
        self.refuse([*unseeded, "--drop-test", "--seed", "4294967296"], ".*4294967296.*", ANY)

    def test_every_format_imports_to_the_same_pixels_and_classes(self):
        made = self.synth()
        for form in ("csv", "idx", "lmdb"):
            self.data("export", made, "--format", form, "--out", self.own / form)
            self.data("import", self.own / form, "--out", self.own / (form + "_again"))
            for name in ("train_images.npy", "train_labels.npy", "test_images.npy", "test_labels.npy"):
                self.assertEqual((made / name).read_bytes(), (self.own / (form + "_again") / name).read_bytes(),
                                 "{} of {}".format(name, form))
        self.data("export", made, "--format", "npy", "--out", self.own / "npy")
        self.assertEqual((made / "train_images.npy").read_bytes(),
                         (self.own / "npy" / "train_images.npy").read_bytes())

    def test_export_tells_what_it_cannot_do(self):
        made = self.synth()
        self.refuse(["data", "export", made, "--format", "xls", "--out", "results"], 'There is no format "xls".',
                    "Give --format csv, .*")
        self.refuse(["data", "export", made, "--format", "csv", "--out", self.bench.folder / "data"],
                    ".* exists and is not an empty folder.", ANY)


class Synthetic(Commands):
    def test_it_is_said_wherever_the_data_set_is_used(self):
        made = self.synth()
        self.assertIn("SYNTHETIC", self.data("info", made))
        self.assertTrue(self.description(made)["synthetic"])
        self.data("export", made, "--format", "csv", "--out", self.own / "csv")
        self.assertIn("made by a program", (self.own / "csv" / "SYNTHETIC.txt").read_text())
        self.data("import", self.own / "csv", "--synthetic", "--out", self.own / "again")
        self.assertIn("synthetic", self.description(self.own / "again")["name"])
        ended = self.bench.run_campaign("-f", "fake", "--no-verify", "--blocks", "1", data=made)
        self.assertEqual(ended.code, 0, ended)
        self.assertRegex(ended.err, r"(?m)^synthetic 6x6x1, 3 classes, seed 1: 30 images ")

    def test_what_cannot_be_made_is_told(self):
        words = ["data", "synth", "--out", "results", "--rows"]
        self.refuse([*words, "3", "--classes", "4"], "3 images are too few for 4 classes.", ANY)
        self.refuse([*words, "30", "--size", "6y6"], '.*"6y6".*', ANY)
        self.refuse([*words, "30", "--classes", "1"], "1 classes cannot be made.", ANY)


class Validate(Commands):
    WORKERS = str(bench.SOURCE / "tests" / "integration" / "_pixel_worker")

    def validate(self, code=0, **misdeeds):
        return self.data("validate", self.bench.data, "--frameworks", "pixels", code=code,
                         LOCKSTEP_WORKERS=self.WORKERS, **misdeeds)

    def test_the_data_alone_is_described(self):
        self.file(self.own / "set" / "train.csv",
                  "label,pixel0,pixel1,pixel2,pixel3\n0,1,2,3,4\n1,1,2,3,4\n1,5,2,6,7\n0,9,2,8,8\n")
        self.file(self.own / "set" / "test.csv", "label,pixel0,pixel1,pixel2,pixel3\n1,5,2,6,7\n0,0,0,0,0\n")
        out = self.data("validate", self.own / "set", "--data-only")
        self.assertIn("2 to 2 training images a class: 0=2 1=2", out)
        self.assertIn("1 image in train, 0 in test", out)
        self.assertIn("1 test image is also in train", out)
        self.assertIn("1 group of equal images with different labels", out)
        self.assertIn("1 of 4 pixels have one value", out)

    def test_the_same_pixels_pass_in_both_inputs(self):
        out = self.validate()
        self.assertRegex(out, r"pixels +locked +the same pixels")
        self.assertRegex(out, r"pixels +native +the same pixels")

    def test_a_difference_below_the_limit_passes_and_is_shown(self):
        self.assertRegex(self.validate(PIXELS_LOCKED="tiny"), r"locked +the same pixels; largest difference [45]\.?\d*e-07")

    def test_one_pixel_that_differs_is_named_with_framework_image_and_place(self):
        out = self.validate(1, PIXELS_NATIVE="shift")
        self.assertRegex(out, r"pixels +locked +the same pixels")
        self.assertRegex(out, r"pixels +native +DIFFERS: 1 value of 64 images, largest difference 0.0039; "
                              r"first in image 3, row 0, column 5, channel 0: ")

    def test_a_pixel_that_is_not_finite_differs(self):
        self.assertRegex(self.validate(1, PIXELS_LOCKED="nan"), r"DIFFERS: .* largest difference not finite; .* nan instead")

    def test_a_worker_that_gives_too_few_or_dies_is_told_and_the_rest_goes_on(self):
        out = self.validate(1, PIXELS_LOCKED="short", PIXELS_NATIVE="refuse")
        self.assertRegex(out, r"locked +failed: The pixels came as float32 of 63x8x8x1, not as float32 of 64x8x8x1\.")
        self.assertRegex(out, r"native +crashed: pixels ended with exit code 3")

    def test_an_unknown_framework_names_the_nearest(self):
        ended = self.bench.run("data", "validate", self.bench.data, "--frameworks", "fak")
        self.assertEqual(ended.code, 2, ended)
        self.assertIn("Did you mean fake?", ended.err)


class Fetch(Commands):
    def fetch(self, **tools):
        """`data fetch` with programs of the test's own in place of apt-get and dpkg-deb; never as root's."""
        folder = self.own / "bin"
        folder.mkdir(exist_ok=True)
        for name, text in tools.items():
            path = folder / name.replace("_", "-")
            path.write_text("#!/bin/sh\n" + text)
            path.chmod(0o755)
        return self.bench.run("data", "fetch", "fashion-mnist", PATH="{}:/usr/bin:/bin".format(folder))

    def test_an_unknown_name_names_the_nearest(self):
        self.refuse(["data", "fetch", "fashion-mnits"], 'There is no built-in data set "fashion-mnits".',
                    "Perhaps you mean fashion-mnist.")

    @unittest.skipIf(os.path.isdir("/usr/share/datasets/fashion-mnist"), "the package is installed here")
    def test_a_download_that_fails_is_told_with_its_last_words(self):
        ended = self.fetch(apt_get="echo 'E: Unable to locate package' >&2; exit 100\n")
        self.assertEqual(ended.code, 2, ended)
        self.assertIn("failed: E: Unable to locate package", ended.err)


if __name__ == "__main__":
    unittest.main()
