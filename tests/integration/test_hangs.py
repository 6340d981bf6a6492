"""Workers that give no sign, or live on when they should not."""
import unittest

from campaign_test import CampaignTest, FaultyCampaign


class AWorkerThatNeverSaysAWord(FaultyCampaign, CampaignTest):
    misdeeds = ("hangs_at_start",)
    blocks = 1
    good = "null"  # starts in no time, so that the limit can be short on a busy machine, too
    words = ["--no-verify", "--start-limit", "3"]

    def test_it_is_ended_after_the_start_limit(self):
        self.expect("hangs_at_start", "hung", "hello", r"hangs_at_start did not answer within 3 s of its start\.",
                    r"If it was still at work, allow it more time\..*")


class WorkersThatHang(FaultyCampaign, CampaignTest):
    misdeeds = ("hangs_in_build", "hangs_in_train", "stops_itself", "ignores_signals", "closes_its_pipe")
    blocks = 1
    words = ["--no-verify", "--build-limit", "4", "--silence-limit", "3.5"]

    def test_one_that_hangs_while_it_builds_is_ended_after_the_build_limit(self):
        self.expect("hangs_in_build", "hung", "build", r"hangs_in_build gave no sign for 4 s while building tiny\.")

    def test_one_that_hangs_while_it_trains_is_ended_after_the_silence_limit_with_its_last_words(self):
        for trial in self.expect("hangs_in_train", "hung", "train",
                                 r"hangs_in_train gave no sign for 3\.5 s while training tiny\."):
            self.assertTrue(trial.outcome["tail"].endswith("the last thing that it said"), trial.outcome)

    def test_one_that_stops_itself_is_ended_too(self):
        self.expect("stops_itself", "hung", "train", r"stops_itself gave no sign for 3\.5 s while training tiny\.")

    def test_one_that_ignores_signals_is_ended_too(self):
        self.expect("ignores_signals", "hung", "train",
                    r"ignores_signals gave no sign for 3\.5 s while training tiny\.")

    def test_one_that_closes_its_pipe_and_lives_on_has_broken_the_protocol(self):
        self.expect("closes_its_pipe", "garbage", "train",
                    r"closes_its_pipe closed its end of the protocol while training tiny, but lived on\.")


class AWorkerThatOutlivesItsShutdown(FaultyCampaign, CampaignTest):
    misdeeds = ("outlives_shutdown",)
    blocks = 1  # ten seconds each

    def test_it_is_ended_and_not_trusted(self):
        self.expect("outlives_shutdown", "hung", "shutdown",
                    r"outlives_shutdown lived on for 10 s after it was told to shut down\.")


if __name__ == "__main__":
    unittest.main()
