"""What a campaign leaves: every file, and every figure that is known beforehand."""
import json
import re
import tomllib
import unittest

import bench
import results
import toy_data

EPOCHS, BLOCKS, STEPS = 2, 2, 8
SETTINGS = ["--no-verify", "--blocks", str(BLOCKS), "--epochs", str(EPOCHS), "--warm-up-steps", "3", "--seed", "7"]


class TheResultsFolder(bench.BenchTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        arms = [*bench.arm(batch_size="8"), *bench.arm(name="other", batch_size="16", pace_us="200")]
        words = cls.bench.campaign(*arms, *SETTINGS)
        place = words.index("--batch-size")
        cls.ended = cls.bench.run(*words[:place], *words[place + 2:])
        cls.results = results.Results(cls.bench.folder / "results")
        cls.trials = cls.results.trials("good")

    def test_it_holds_these_files_and_no_others(self):
        runs = ["trials/b{:03}_tiny_{}/{}".format(block, arm, name) for block in (1, 2) for arm in ("good", "other")
                for name in ("output.txt", "predictions.csv", "record.json", "s.log", "steps.npy")]
        self.assertEqual(self.results.files(), sorted(runs + [
            "design.json", "environment.json", "experiment.toml", "summary.json", "summary.txt",
            "tiny_net_good.csv", "tiny_net_other.csv"]), self.ended)

    def test_the_csv_has_exactly_nine_columns_and_a_row_a_run(self):
        lines = self.results.csv_file("other").read_text().splitlines()
        self.assertEqual(lines[0], results.COLUMNS)
        self.assertEqual(len(lines), 1 + BLOCKS)
        for row in self.results.rows("other"):
            self.assertRegex(row.pop("timestamp"), r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$")
            self.assertGreater(float(row.pop("memory_peak_mb")), 1)
            # Two epochs of four steps of 200 microseconds; half of the labels are class 0.
            self.assertGreaterEqual(float(row.pop("train_time_sec")), 0.0016)
            self.assertEqual(row, {"framework": "other", "model": "tiny_net", "device": "cpu", "batch_size": "16",
                                   "accuracy_pct": "50.00", "gpu_util_pct": ""})

    def test_each_log_keeps_its_grammar_and_tells_every_step(self):
        for trial in self.results.trials():
            self.assertRegex(trial.log, results.LOG)
        for trial in self.trials:
            self.assertIn("START TRAINING: good\n", trial.log)
            self.assertIn("DATA: train_samples=64, test_samples=16, batch_size=8\n", trial.log)
            self.assertEqual(trial.log.count("time=0.000100s\n"), EPOCHS * STEPS)
            self.assertEqual(re.findall(r"EPOCH_(\d)_START: step_time_avg=0\.000100s", trial.log), ["1", "2"])
            self.assertEqual(re.findall(r"EPOCH_(\d)_END: accuracy=0\.5000, loss=0\.5000", trial.log), ["1", "2"])

    def test_predictions_are_in_the_users_own_labels_with_ids_from_one(self):
        for trial in self.trials:
            lines = (trial.folder / "predictions.csv").read_text().splitlines()
            self.assertEqual(lines, ["ImageId,Label"] + ["{},cat".format(i) for i in range(1, toy_data.TEST + 1)])

    def test_step_times_are_kept_raw(self):
        for trial in self.trials:
            code, shape, stamps = trial.steps()
            self.assertEqual((code, shape), ("<i8", (EPOCHS * STEPS, 2)))
            self.assertEqual({end - begin for begin, end in zip(stamps[::2], stamps[1::2])}, {100_000})

    def test_the_record_holds_what_is_known_of_a_run(self):
        for block, trial in enumerate(self.trials, 1):
            record = trial.record
            self.assertEqual(record["outcome"]["kind"], "completed")
            self.assertEqual((record["arm"], record["framework"], record["block"]), ("good", "fake", block))
            self.assertEqual((record["batch_size"], record["threads_asked"], record["warm_up_steps"]), (8, 1, 3))
            self.assertEqual(record["parameters"], toy_data.PARAMETERS)
            self.assertEqual(record["versions"]["fake"], "1.2.3")
            self.assertEqual(record["facts"], {"threads": "1", "cpus": "1"})
            self.assertEqual(record["usage"]["allocator_bytes"], {"fake_pool": 123456})
            self.assertAlmostEqual(record["median_step_sec"], 1e-4)
            self.assertEqual([(epoch["steps"], epoch["loss"], epoch["accuracy"]) for epoch in record["epochs"]],
                             [(STEPS, 0.5, 0.5)] * EPOCHS)
            self.assertLessEqual({"start", "import", "build", "weights", "load_data", "first_step", "train",
                                  "shutdown"}, set(record["phases_ns"]))
            for name, (begin, end) in record["phases_ns"].items():
                self.assertLessEqual(begin, end, name)

    def test_the_experiment_is_written_with_every_default_and_leads_to_the_same_plan(self):
        text = self.results.text("experiment.toml")
        told = tomllib.loads(text)
        self.assertEqual((told["epochs"], told["blocks"], told["seed"], told["verify"]), (EPOCHS, BLOCKS, 7, False))
        self.assertEqual([(arm["name"], arm["batch_size"], arm["options"]) for arm in told["arm"]],
                         [("good", 8, {}), ("other", 16, {"pace_us": "200"})])
        ended = self.bench.run("run", "results/experiment.toml", "--out", "again")
        self.assertEqual(ended.code, 0, ended)
        again = results.Results(self.bench.folder / "again")
        self.assertEqual(again.text("experiment.toml"), text)
        self.assertEqual(again.files(), self.results.files())
        for one, other in zip(self.results.trials(), again.trials()):
            self.assertEqual((one.folder.name, one.record["position"], one.record["seed"]),
                             (other.folder.name, other.record["position"], other.record["seed"]))
            self.assertEqual(len(one.digests()), 1 + EPOCHS)
            self.assertEqual(one.digests(), other.digests())

    def test_arms_of_a_block_get_the_same_weights_and_blocks_differ(self):
        first, second = self.trials
        (other, _) = self.results.trials("other")
        self.assertEqual(first.digests()[0], other.digests()[0])
        self.assertNotEqual(first.digests(), second.digests())
        self.assertNotEqual(first.digests()[1], first.digests()[2], "two epochs have one order")

    def test_the_design_is_fixed_before_the_first_run(self):
        design = json.loads(self.results.text("design.json"))
        self.assertEqual((design["seed"], design["blocks"]), (7, BLOCKS))
        self.assertLessEqual(design["written_at"], min(trial.record["started_at"] for trial in self.trials))

    def test_the_environment_is_recorded(self):
        environment = json.loads(self.results.text("environment.json"))
        for key in ("lockstep", "kernel", "cpu_model", "cores_usable", "variables"):
            self.assertIn(key, environment)

    def test_the_table_is_printed_and_kept(self):
        self.assertIn(self.results.text("summary.txt"), self.ended.out)
        self.assertTrue(self.ended.out.endswith("\nResults: {}\n".format(self.results.folder)), self.ended)


class OtherData(bench.BenchTest):
    def test_without_labels_of_the_test_images_accuracy_is_absent_and_predictions_are_not(self):
        data = toy_data.write_csv(self.bench.folder / "unlabelled", labels=("7", "9"), test_labels=())
        ended = self.bench.run_campaign(*bench.arm(), *bench.UNCHECKED, data=data)
        self.assertEqual(ended.code, 0, ended)
        found = results.Results(self.bench.folder / "results")
        (trial,), (row,) = found.trials(), found.rows("good")
        self.assertEqual(row["accuracy_pct"], "")
        self.assertNotIn("accuracy", trial.record)
        self.assertRegex(trial.log, results.LOG)
        self.assertNotIn("accuracy", trial.log)
        self.assertTrue((trial.folder / "predictions.csv").read_text().startswith("ImageId,Label\n1,7\n2,7\n"))

    def test_an_arms_own_settings_stand_against_those_for_all_arms(self):
        ended = self.bench.run_campaign(*bench.arm(name="own", batch_size="16"), *bench.arm(), *bench.UNCHECKED,
                                        out="own")
        self.assertEqual(ended.code, 0, ended)
        found = results.Results(self.bench.folder / "own")
        self.assertEqual([row["batch_size"] for arm in ("own", "good") for row in found.rows(arm)], ["16", "8"])


if __name__ == "__main__":
    unittest.main()
