"""Mistakes on the command line, in data and about folders: one sentence what, one what to do, exit code 2."""
import os
import unittest

import toy_data
from refusal_test import RefusalTest

ANY = ".+"


class MistakesOnTheCommandLine(RefusalTest):
    def test_an_unknown_command_or_option_names_the_nearest(self):
        self.refuse(["rnu"], ".*rnu.*", ".*Did you mean run.*")
        self.refuse_run(["--epoch", "1"], ".*--epoch.*", ".*Did you mean --epochs.*")

    def test_no_command_at_all_points_to_the_help(self):
        self.refuse([], ANY, ".*--help.*")

    def test_an_unknown_framework_names_the_nearest(self):
        self.refuse_run(["-f", "fak"], r'There is no framework "fak"\.', r"Did you mean fake\?")
        self.refuse_run(["--arm", "framework=nul"], r'There is no framework "nul"\.', r"Did you mean null\?")

    def test_an_unknown_model_names_the_nearest(self):
        self.refuse_run(["--models", "cn2"], r'There is no model "cn2"\.', r"Did you mean cnn2\?.*")

    def test_an_unknown_value_names_the_nearest(self):
        for option, value, near in (("--precision", "flot32", "float32"), ("--device", "gpux", "gpu"),
                                    ("--input", "nativ", "native"), ("--optimizer", "adm", "adam"),
                                    ("--padding", "vald", "valid")):
            self.refuse_run([option, value], '"{}" is not a value of {}.'.format(value, option[2:]),
                            r'Did you mean "{}"\?.*'.format(near))

    def test_an_unknown_arm_names_the_nearest(self):
        self.refuse_run(["--only", "fak"], r'There is no arm "fak"\.', r"Did you mean fake\?.*")
        self.refuse_run(["--baseline", "fakes"], r'The baseline "fakes" is not one of the arms\.', ".*fake.*")

    def test_threads_go_from_one_to_the_number_of_cores(self):
        for count in ("0", "-1"):
            self.refuse_run(["--threads", count], count + r" threads cannot train anything\.",
                            r"Give a number from 1 to \d+.*")
        more = len(os.sched_getaffinity(0)) + 1
        self.refuse_run(["--threads", str(more)], r"{} threads were asked for, but .* {} cores? only\.".format(
            more, more - 1), r"Give a number from 1 to {}.*".format(more - 1))
        self.refuse(["run", "--data", "data", "--arm", "framework=fake,threads=0", "--out", "results"],
                    r"0 threads cannot train anything\.", ANY)

    def test_numbers_must_be_numbers(self):
        self.refuse_run(["--threads", "two"], ".*--threads.*two.*", ANY)
        self.refuse_run(["--arm", "framework=fake,threads=two"], r"threads=two is not a whole number\.", ANY)

    def test_batches_epochs_and_blocks_are_at_least_one(self):
        self.refuse_run(["--batch-size", "0"], r"A batch of 0 images is none\.", ANY)
        self.refuse_run(["--epochs", "0"], "0 is not a value of epochs.", "Give epochs a number from 1 to .*")
        self.refuse_run(["--blocks", "0"], "0 is not a value of blocks.", "Give blocks a number from 1 to .*")

    def test_other_numbers_have_the_bounds_that_an_experiment_file_has(self):
        for option, value in (("--warm-up-steps", "-1"), ("--seed", "-1"), ("--settle-ms", "-1"),
                              ("--start-limit", "0"), ("--build-limit", "-3"), ("--silence-limit", "nan"),
                              ("--learning-rate", "nan"), ("--learning-rate", "-1"), ("--beta1", "1"),
                              ("--epsilon", "0")):
            words = [option, value] + (["--blocks", "1"] if option == "--settle-ms" else [])
            self.refuse_run(words, ".*{}.*".format(option[2:].replace("-", "[-_ ]")), "Give .*")

    def test_arms_have_a_framework_and_a_name_of_their_own(self):
        self.refuse_run(["--arm", "name=x"], r'The arm "name=x" names no framework\.', ANY)
        self.refuse_run(["--arm", "fake"], r'"fake" in the arm "fake" is not of the form key=value\.', ANY)
        self.refuse_run(["-f", "fake,fake"], r'Two arms are called "fake"\.', ANY)
        self.refuse_run(["--arm", "framework=fake,name=a/b"], r'"a/b" cannot be an arm\'s name\.', ANY)
        self.refuse_run(["--option", "pace"], r"--option pace is not of the form key=value\.", ANY)

    def test_two_models_may_not_share_a_name(self):
        model = self.bench.model
        self.refuse_run(["--models", "{},{}".format(model, model)], "Two models are called .*tiny.*", ANY)


class MistakesInData(RefusalTest):
    def test_no_data_is_told_with_what_can_be_given(self):
        self.refuse(["run", "-f", "fake"], r"No data is named\.", "Give --data .*")

    def test_data_that_is_not_there_is_told(self):
        self.refuse_run(["--data", "nowhere"], r'There is no data set "nowhere".*', ANY)
        self.refuse_run(["--data", "fashion-mnits"], r'There is no data set "fashion-mnits".*',
                        ".*you mean fashion-mnist.*")

    def test_a_csv_file_where_a_folder_is_meant_is_told_with_the_way_to_import_it(self):
        self.refuse_run(["--data", self.bench.data / "train.csv"],
                        r".*train\.csv is a file where a folder is expected\.", ".*lockstep data import .*")

    def test_a_folder_without_data_or_without_training_data_is_told(self):
        (self.bench.folder / "empty").mkdir()
        self.refuse_run(["--data", "empty"], "empty holds no data that lockstep knows.", ANY)
        self.file("half/test.csv", toy_data.table(4, 1))
        self.refuse_run(["--data", "half"], "half holds test data .*, but no training data.", ANY)

    def test_a_broken_table_is_told_with_file_and_line(self):
        good = toy_data.table(4, 1)
        for name, text in (("ragged", good + "cat,1,2,3\n"), ("high", good.replace("\ncat,", "\ncat,300,", 1)),
                           ("words", good + "cat," + ",".join(["x"] * 64) + "\n"), ("empty_file", "")):
            self.file(name + "/train.csv", text)
            self.file(name + "/test.csv", good)
            self.refuse_run(["--data", name], r"{}/train\.csv.*\.".format(name), ANY)

    def test_more_images_than_there_are_is_told_with_their_number(self):
        self.refuse_run(["--batch-size", "65"], "A batch of 65 images is more than the 64 .*", ANY)
        for count in ("65", "0"):
            self.refuse_run(["--train-samples", count], "A part cannot have {} of 64 images.".format(count),
                            "Give a count from 1 to 64.")


class MistakesAboutFolders(RefusalTest):
    def test_a_folder_that_cannot_be_made_is_told(self):
        for out in ("/proc/results", self.bench.model / "results"):
            self.refuse_run(["--out", out], r"The results folder .* cannot be made: .+\.", ".* --out.")

    @unittest.skipIf(os.geteuid() == 0, "root may write to every folder")
    def test_a_folder_that_may_not_be_written_is_told(self):
        locked = self.bench.folder / "locked"
        locked.mkdir()
        locked.chmod(0o500)
        self.refuse_run(["--out", locked], r"The results folder .* cannot be written: .+\.", ANY)
        self.refuse_run(["--out", locked / "results"], r"The results folder .* cannot be made: .+\.", ANY)

    def test_a_folder_with_earlier_results_is_told_with_the_way_to_go_on(self):
        (self.bench.folder / "earlier" / "trials").mkdir(parents=True)
        self.refuse_run(["--out", "earlier"], "The results folder earlier holds the results of an earlier run.",
                        "Go on with it by `lockstep run --resume earlier`.*")

    def test_only_a_results_folder_can_be_resumed(self):
        for folder in ("nowhere", "data"):
            self.refuse(["run", "--resume", folder], "{} is not a results folder.*".format(folder), ANY)


if __name__ == "__main__":
    unittest.main()
