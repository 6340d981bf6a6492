"""The agreement check before the runs. A fake worker computes in it for once, in plain Python."""
import json
import unittest

from campaign_test import CampaignTest


class TheGate(CampaignTest):
    misdeeds = ("computes_with_other_weights", "leaves_a_gradient_out", "does_not_support_it", "aborts_in_build",
                "miscounts_parameters")
    words = []
    blocks = 1

    def gate(self, arm):
        (line,) = [line for line in self.ended.err.splitlines() if line.startswith("gate  tiny {}: ".format(arm))]
        return line.partition(": ")[2]

    def test_a_worker_that_computes_the_same_agrees(self):
        self.assertRegex(self.gate("good"), r"^agrees, 86 parameters, first loss \d\.\d{6}, \d+ units .*float64$")
        self.assertEqual(self.results.standing("good")["verdict"], "baseline")
        self.expect_completed("good")

    def test_a_worker_with_other_weights_departs_and_its_first_layer_is_named(self):
        self.assertRegex(self.gate("computes_with_other_weights"), r"^departs\. .*conv1.*")
        table = json.loads(self.results.text("gate/tiny_computes_with_other_weights.json"))
        self.assertFalse(table["agrees"])

    def test_what_departs_is_run_all_the_same_and_never_ranked(self):
        self.expect_completed("computes_with_other_weights")
        row = self.results.standing("computes_with_other_weights")
        self.assertEqual(row["verdict"], "unranked")
        self.assertNotIn("ratio", row)
        self.assertIn("conv1", row["note"])

    def test_what_cannot_be_checked_is_not_run(self):
        for arm, word, reason in (
                ("leaves_a_gradient_out", "failed", "left no file for gradient.conv1.kernel"),
                ("does_not_support_it", "skipped", "A dense layer of 2 units is not to its taste."),
                ("aborts_in_build", "failed", "aborts_in_build stopped with signal 6 while building tiny."),
                ("miscounts_parameters", "failed", "with 87 parameters; the model file gives 86.")):
            with self.subTest(arm):
                self.assertTrue(self.gate(arm).startswith(word + ". "), self.gate(arm))
                self.assertIn(reason, self.gate(arm))
                self.assertEqual(self.results.trials(arm), [])
                row = self.results.standing(arm)
                self.assertEqual(row["verdict"], word)
                self.assertIn(reason, row["note"])

    def test_the_exit_code_says_that_a_framework_is_mistrusted(self):
        self.assertEqual(self.ended.code, 1, self.ended)

    def test_the_output_of_each_check_is_kept(self):
        for arm in ("good",) + self.misdeeds:
            self.assertTrue((self.results.folder / "gate" / "tiny_{}.txt".format(arm)).exists(), arm)

    def test_verify_alone_says_the_same(self):
        arms = self.bench.campaign()[1:5] + self.bench.campaign()[7:]
        ended = self.bench.run("verify", *arms, "--arm", "framework=fake,name=good")
        self.assertEqual(ended.code, 0, ended)
        self.assertRegex(ended.err, r"gate  tiny good: agrees, 86 parameters.* \(shown earlier\)\n")
        ended = self.bench.run("verify", *arms, "--arm",
                               "framework=fake,name=other,env.FAKE=computes_with_other_weights")
        self.assertEqual(ended.code, 1, ended)
        self.assertRegex(ended.err, r"gate  tiny other: departs\. .*conv1.*")


if __name__ == "__main__":
    unittest.main()
