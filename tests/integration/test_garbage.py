"""Workers that break the protocol."""
import unittest

from campaign_test import CampaignTest, FaultyCampaign


class WorkersThatBreakTheProtocol(FaultyCampaign, CampaignTest):
    misdeeds = ("talks_nonsense", "talks_bytes", "sends_a_loss_of_nan", "sends_a_list", "sends_a_long_line",
                "sends_a_line_without_end", "answers_another_request", "answers_twice", "leaves_out_a_field",
                "sends_text_for_a_number", "speaks_a_later_version", "speaks_an_earlier_version")
    blocks = 1

    def test_a_line_that_is_no_json_is_shown(self):
        self.expect("talks_nonsense", "garbage", "build",
                    r"talks_nonsense sent a line that is no message while building tiny "
                    r"\(\"Epoch 1/1: 100%\|#+\|\"\): .+\.")

    def test_bytes_that_are_no_text_are_shown_as_plain_text(self):
        for trial in self.expect("talks_bytes", "garbage", "build",
                                 r"talks_bytes sent a line that is no message while building tiny .+\."):
            self.assertTrue(trial.outcome["reason"].isprintable(), trial.outcome)

    def test_a_nan_is_no_json(self):
        self.expect("sends_a_loss_of_nan", "garbage", "train",
                    r"sends_a_loss_of_nan sent a line that is no message while training tiny .+\.")

    def test_json_that_is_no_object_is_no_message(self):
        self.expect("sends_a_list", "garbage", "build",
                    r"sends_a_list sent a line that is no message while building tiny .+\.")

    def test_a_line_of_two_mib_is_too_long(self):
        self.expect("sends_a_long_line", "garbage", "train",
                    r"sends_a_long_line sent a line longer than 1 MiB while training tiny\.")

    def test_a_line_that_never_ends_is_too_long_as_soon_as_it_is(self):
        self.expect("sends_a_line_without_end", "garbage", "train",
                    r"sends_a_line_without_end sent a line longer than 1 MiB while training tiny\.")

    def test_the_answer_to_another_request_is_none(self):
        self.expect("answers_another_request", "garbage", "build",
                    r"answers_another_request answered request 7 while building tiny, which was request 2\.")

    def test_a_second_answer_is_taken_for_none_to_the_next_request(self):
        self.expect("answers_twice", "garbage", "weights_in",
                    r"answers_twice answered request 2 while taking the weights, which was request 3\.")

    def test_a_field_that_is_left_out_is_named(self):
        self.expect("leaves_out_a_field", "garbage", "build",
                    r"leaves_out_a_field gave a wrong answer while building tiny: .*parameters.* is missing\.")

    def test_a_field_of_another_type_is_named(self):
        self.expect("sends_text_for_a_number", "garbage", "build",
                    r"sends_text_for_a_number gave a wrong answer while building tiny: .*parameters.* number\.")

    def test_a_later_version_says_that_lockstep_is_older(self):
        self.expect("speaks_a_later_version", "garbage", "hello",
                    r"speaks_a_later_version speaks version 2 of the protocol and lockstep version 1: "
                    r"lockstep is older\.", r"Update lockstep\.")

    def test_an_earlier_version_says_that_the_worker_is_older(self):
        self.expect("speaks_an_earlier_version", "garbage", "hello",
                    r"speaks_an_earlier_version speaks version 0 of the protocol and lockstep version 1: "
                    r"speaks_an_earlier_version is older\.", r"Update the worker\.")


if __name__ == "__main__":
    unittest.main()
