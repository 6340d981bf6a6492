"""Workers whose figures contradict what was asked or what the harness saw itself. Each must be caught."""
import unittest

from campaign_test import CampaignTest, FaultyCampaign

CORRECT = r"Correct the worker: its figures cannot be used\."


class WorkersThatLie(FaultyCampaign, CampaignTest):
    misdeeds = ("miscounts_parameters", "loses_its_loss", "reports_an_epoch_too_many", "reports_a_step_too_many",
                "leaves_a_stamp_out", "leaves_no_stamps", "cuts_its_stamps_short", "stamps_in_another_type",
                "stamps_backwards", "stamps_the_future", "stamps_the_past", "predicts_a_class_too_high",
                "predicts_a_negative_class", "predicts_too_few", "leaves_no_predictions", "names_no_predictions")
    blocks = 1

    def test_another_number_of_parameters_is_told_beside_the_model_files_own(self):
        self.expect("miscounts_parameters", "lied", "build",
                    r"miscounts_parameters built tiny with 87 parameters; the model file gives 86\.")

    def test_a_loss_that_is_no_number_is_not_finite(self):
        self.expect("loses_its_loss", "not finite", "train",
                    r"The loss of loses_its_loss became NaN or infinite in epoch 1\.", ".*smaller learning rate.*")

    def test_an_epoch_too_many_is_a_lie(self):
        self.expect("reports_an_epoch_too_many", "lied", "train",
                    r"reports_an_epoch_too_many reported 2 epochs where 1 were asked for\.", CORRECT)

    def test_a_step_too_many_is_a_lie(self):
        self.expect("reports_a_step_too_many", "lied", "train",
                    r"reports_a_step_too_many reported an epoch of 9 steps where there are 8\.", CORRECT)

    def test_stamps_that_are_missing_short_cut_or_of_another_type_are_none(self):
        for arm in ("leaves_a_stamp_out", "leaves_no_stamps", "cuts_its_stamps_short", "stamps_in_another_type"):
            with self.subTest(arm):
                self.expect(arm, "lied", "train", arm + r" left no stamps of 8 steps\.", CORRECT)

    def test_stamps_that_run_backwards_or_lie_outside_of_the_training_are_a_lie(self):
        for arm in ("stamps_backwards", "stamps_the_future", "stamps_the_past"):
            with self.subTest(arm):
                self.expect(arm, "lied", "train", arm + r" reported step stamps that run backwards or lie outside "
                            r"of its training\.", CORRECT)

    def test_a_class_that_there_is_not_is_a_lie(self):
        for arm in ("predicts_a_class_too_high", "predicts_a_negative_class"):
            with self.subTest(arm):
                self.expect(arm, "lied", "train", arm + r" predicted a class outside of 0 to 1\.", CORRECT)

    def test_predictions_that_are_missing_are_told_with_their_number(self):
        for arm in ("predicts_too_few", "leaves_no_predictions"):
            with self.subTest(arm):
                self.expect(arm, "lied", "train", arm + r" left no predictions of 16 images\.", CORRECT)
        self.expect("names_no_predictions", "lied", "train", r"names_no_predictions left no predictions\.", CORRECT)


class WorkersThatLieAboutTime(FaultyCampaign, CampaignTest):
    """Their step stamps are sound, so that nothing but these figures can give them away."""
    misdeeds = ("reports_epochs_before_training", "reports_epochs_after_training",
                "reports_epochs_without_their_steps", "reports_an_evaluation_of_an_hour", "started_in_the_future")
    blocks = 1

    def test_an_epoch_outside_of_the_training_is_a_lie(self):
        for arm in ("reports_epochs_before_training", "reports_epochs_after_training"):
            with self.subTest(arm):
                self.expect(arm, "lied", "train", arm + r" .+\.", CORRECT)

    def test_an_epoch_that_does_not_hold_its_steps_is_a_lie(self):
        self.expect("reports_epochs_without_their_steps", "lied", "train",
                    r"reports_epochs_without_their_steps .+\.", CORRECT)

    def test_an_evaluation_outside_of_the_training_is_a_lie(self):
        self.expect("reports_an_evaluation_of_an_hour", "lied", "train",
                    r"reports_an_evaluation_of_an_hour .+\.", CORRECT)

    def test_a_start_in_the_future_is_a_lie(self):
        self.expect("started_in_the_future", "lied", "hello", r"started_in_the_future .+\.")


if __name__ == "__main__":
    unittest.main()
