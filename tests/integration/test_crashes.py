"""Workers that end by themselves."""
import unittest

from campaign_test import CampaignTest, FaultyCampaign


class WorkersThatCrash(FaultyCampaign, CampaignTest):
    misdeeds = ("exits_at_start", "aborts_in_build", "raises_in_build", "faults_in_train", "exits_with_0_in_train",
                "killed_in_train", "dies_in_mid_answer", "dies_with_a_child_on_the_pipe",
                "dies_after_binary_output", "kills_its_keeper", "exits_with_1_at_shutdown")

    def test_one_that_exits_at_its_start_is_told_with_its_exit_code_and_its_last_words(self):
        for trial in self.expect("exits_at_start", "crashed", "hello",
                                 r"exits_at_start ended with exit code 3 while starting\."):
            self.assertEqual(trial.outcome["tail"], "a module that is not there")
        self.assertIn("a module that is not there", self.ended.err)

    def test_one_that_aborts_while_it_builds_is_told_with_its_signal(self):
        self.expect("aborts_in_build", "crashed", "build",
                    r"aborts_in_build stopped with signal 6 while building tiny\.")

    def test_one_that_raises_shows_its_traceback(self):
        for trial in self.expect("raises_in_build", "crashed", "build",
                                 r"raises_in_build ended with exit code 1 while building tiny\."):
            self.assertIn("RuntimeError: a framework's own words", trial.outcome["tail"])

    def test_one_that_faults_while_it_trains_is_told_with_its_signal(self):
        self.expect("faults_in_train", "crashed", "train",
                    r"faults_in_train stopped with signal 11 while training tiny\.")

    def test_one_that_leaves_with_exit_code_0_has_crashed_all_the_same(self):
        self.expect("exits_with_0_in_train", "crashed", "train",
                    r"exits_with_0_in_train ended with exit code 0 while training tiny\.")

    def test_one_that_was_killed_hints_at_memory(self):
        self.expect("killed_in_train", "crashed", "train",
                    r"killed_in_train stopped with signal 9 while training tiny\.", ".*memory ran out.*")

    def test_one_that_dies_in_mid_answer_has_crashed(self):
        self.expect("dies_in_mid_answer", "crashed", "train",
                    r"dies_in_mid_answer ended with exit code 3 while training tiny\.")

    def test_one_whose_child_keeps_the_pipe_open_is_not_taken_for_a_silent_one(self):
        self.expect("dies_with_a_child_on_the_pipe", "crashed", "train",
                    r"dies_with_a_child_on_the_pipe stopped with signal 6 while training tiny\.")

    def test_its_last_words_are_plain_text_whatever_bytes_it_wrote(self):
        for trial in self.expect("dies_after_binary_output", "crashed", "train", r"dies_after_.* exit code 3 .*\."):
            tail = trial.outcome["tail"]
            self.assertTrue(tail.endswith("\nlast words"), tail)
            self.assertNotIn("\x1b", tail)
            self.assertLess(len(tail), 1000)
        self.assertNotIn("\x1b", self.ended.err)

    def test_one_that_kills_its_keeper_was_ended_from_outside(self):
        self.expect("kills_its_keeper", "crashed", "train",
                    r"kills_its_keeper was ended from outside, with its keeper, while training tiny\.")

    def test_one_that_fails_at_its_shutdown_is_not_trusted(self):
        self.expect("exits_with_1_at_shutdown", "crashed", "shutdown",
                    r"exits_with_1_at_shutdown ended with exit code 1 while shutting down\.")


if __name__ == "__main__":
    unittest.main()
