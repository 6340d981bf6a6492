"""Workers that say that they cannot: what they say becomes the reason, and unsupported is no failure."""
import unittest

import bench
from campaign_test import CampaignTest, FaultyCampaign


class WorkersThatReportAnError(FaultyCampaign, CampaignTest):
    misdeeds = ("reports_an_error", "runs_out_of_memory", "does_not_understand")
    blocks = 1

    def test_a_frameworks_error_is_told_in_plain_words_on_one_line(self):
        self.expect("reports_an_error", "failed", "train",
                    r"reports_an_error reported an error while training tiny: the device is gone\.")

    def test_out_of_resources_hints_at_a_smaller_batch(self):
        self.expect("runs_out_of_memory", "failed", "build",
                    r"runs_out_of_memory ran out of resources while building tiny: no room for 12 GB\.",
                    r"Try a smaller batch\.")

    def test_a_request_that_was_not_understood_says_that_the_two_do_not_fit(self):
        self.expect("does_not_understand", "failed", "weights_in",
                    r"does_not_understand did not understand the request while taking the weights: .+\.",
                    "Worker and lockstep do not fit together: .+")


class WorkersThatDoNotSupportIt(CampaignTest):
    misdeeds = ("does_not_support_it", "lacks_a_layer")
    blocks = 1

    @classmethod
    def setUpClass(cls):
        cls.words = ["--no-verify", *bench.arm(name="misspelt", paceus="5"),
                     *bench.arm(name="elsewhere", python="/nowhere/python")]
        super().setUpClass()

    def test_the_workers_own_words_are_the_reason(self):
        self.expect("does_not_support_it", "skipped", "build", r"A dense layer of 2 units is not to its taste\.")

    def test_a_layer_that_the_worker_does_not_have_is_named(self):
        self.expect("lacks_a_layer", "skipped", "hello",
                    r"lacks_a_layer has no layer of kind max_pool, which tiny needs\.")

    def test_an_option_that_the_worker_does_not_have_names_the_nearest(self):
        self.expect("misspelt", "skipped", "hello", r'misspelt has no option "paceus"; did you mean "pace_us"\.')

    def test_an_interpreter_that_is_not_there_is_told_before_the_runs(self):
        self.assertRegex(self.ended.err, r"gate  tiny elsewhere: skipped\. /nowhere/python is not a program\. .+")
        self.assertEqual(self.results.trials("elsewhere"), [])

    def test_each_stands_in_the_table_as_skipped_with_its_reason(self):
        for arm in ("does_not_support_it", "lacks_a_layer", "misspelt", "elsewhere"):
            with self.subTest(arm):
                row = self.results.standing(arm)
                self.assertEqual((row["verdict"], row["failed"]), ("skipped", 0))

    def test_what_is_skipped_is_no_failure(self):
        self.expect_completed("good")
        self.assertEqual(self.ended.code, 0, self.ended)


if __name__ == "__main__":
    unittest.main()
