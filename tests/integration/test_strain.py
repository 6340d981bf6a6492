"""Workers that answer well and strain the machine beside it: their runs complete, nothing of them is left."""
import unittest

import bench
from campaign_test import CampaignTest


class WorkersThatStrainTheMachine(CampaignTest):
    misdeeds = ("floods_its_output", "floods_its_events", "takes_300_mb", "talks_from_threads", "warns")
    blocks = 1

    def test_a_hundred_megabytes_of_output_harm_no_one(self):
        (trial,) = self.expect_completed("floods_its_output")
        self.assertLess(len((trial.folder / "record.json").read_bytes()), 100_000)

    def test_output_and_replies_do_not_mix(self):
        self.expect_completed("talks_from_threads")

    def test_a_flood_of_events_is_no_answer_and_no_fault(self):
        self.expect_completed("floods_its_events")

    def test_the_peak_of_the_memory_shows_300_mb_that_were_given_back(self):
        self.expect_completed("takes_300_mb")
        (taken,), (good,) = self.results.rows("takes_300_mb"), self.results.rows("good")
        self.assertGreater(float(taken["memory_peak_mb"]), 300)
        self.assertLess(float(good["memory_peak_mb"]), 100)

    def test_a_warning_stands_in_the_record_and_in_the_log_on_one_line(self):
        (trial,) = self.expect_completed("warns")
        self.assertEqual(trial.record["warnings"], ["no GPU was found, the CPU is used"])
        self.assertIn("WARNING: no GPU was found, the CPU is used\n", trial.log)

    def test_the_exit_code_says_that_all_is_well(self):
        self.assertEqual(self.ended.code, 0, self.ended)


class WorkersThatLeaveADaemon(bench.BenchTest):
    """Each in a campaign of its own: their pid is noted in one place."""

    def leave(self, misdeed):
        ended = self.bench.run_campaign(*bench.arm(misdeed), *bench.UNCHECKED, out=misdeed)
        self.assertEqual(ended.code, 0, ended)
        pid = int((self.bench.notes / "daemon").read_text())
        bench.wait_for(lambda: not bench.alive(pid), "the end of the daemon")

    def test_a_daemon_in_a_session_of_its_own_is_ended(self):
        self.leave("leaves_a_daemon")

    def test_a_daemon_that_has_shed_its_environment_is_ended_too(self):
        self.leave("leaves_a_daemon_without_environment")


if __name__ == "__main__":
    unittest.main()
