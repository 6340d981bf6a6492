"""What would make a result untrue without a word: another experiment, other data, foreign files, no one who reads."""
import json
import os
import shutil
import subprocess
import unittest

import bench
import results
import toy_data

QUICK = [*bench.arm(), *bench.UNCHECKED]


class Trust(bench.BenchTest):
    def measured(self, out, **where):
        ended = self.bench.run_campaign(*QUICK, out=out, **where)
        self.assertEqual(ended.code, 0, ended)
        return self.bench.folder / out

    def assert_not_resumed(self, folder, reason):
        before = results.Results(folder).files()
        ended = self.bench.run("run", "--resume", str(folder))
        self.assertEqual(ended.code, 2, ended)
        self.assertIn(reason, ended.err)
        self.assertEqual(results.Results(folder).files(), before)

    def test_an_edited_experiment_is_not_resumed(self):
        folder = self.measured("edited")
        file = folder / "experiment.toml"
        text = file.read_text()
        self.assertIn("warm_up_steps = 10", text)
        file.write_text(text.replace("warm_up_steps = 10", "warm_up_steps = 1"))
        self.assert_not_resumed(folder, "experiment.toml in {} is not the one that was begun".format(folder))
        file.write_text(text)
        (folder / "design.json").unlink()
        self.assert_not_resumed(folder, "holds no readable design.json")

    def test_a_campaign_is_not_resumed_on_other_data(self):
        data = self.bench.folder / "changing"
        shutil.copytree(self.bench.data, data)
        folder = self.measured("other_data", data=data)
        rows = (data / "train.csv").read_text().splitlines()
        (data / "train.csv").write_text("\n".join(rows[:-1]) + "\n")
        self.assert_not_resumed(folder, "are not those that {} was begun with".format(folder))

    def test_an_experiment_can_be_run_again_from_any_folder(self):
        here = self.bench.folder / "here"
        toy_data.write_csv(here / "pictures")
        toy_data.write_model(here / "net.toml")
        words = ["run", "--data", "pictures", "--models", "net.toml", *bench.SMALL, *QUICK]
        process = subprocess.run([bench.binary(), *words, "--out", "first"], cwd=here, capture_output=True,
                                 env=self.bench.environment(), check=False)
        self.assertEqual(process.returncode, 0, process.stderr)
        again = self.bench.run("run", str(here / "first" / "experiment.toml"), "--out", "elsewhere")
        self.assertEqual(again.code, 0, again)

    def test_results_are_not_written_among_other_files(self):
        other = self.bench.folder / "other"
        (other / "staging").mkdir(parents=True)
        (other / "staging" / "mine").write_text("precious")
        ended = self.bench.run_campaign(*QUICK, out="other")
        self.assertEqual(ended.code, 2, ended)
        self.assertIn("is not empty: it holds staging", ended.err)
        self.assertEqual((other / "staging" / "mine").read_text(), "precious")
        self.assertEqual(os.listdir(other), ["staging"])

    def test_a_check_keeps_its_scratch_out_of_the_folder_for_its_tables(self):
        tables = self.bench.folder / "tables"
        (tables / "staging").mkdir(parents=True)
        (tables / "staging" / "mine").write_text("precious")
        ended = self.bench.run("verify", "--frameworks", "onednn", "--models", str(self.bench.model), "--data",
                               str(self.bench.data), "--batch-size", "8", "--out", str(tables))
        self.assertEqual(ended.code, 0, ended)
        self.assertEqual((tables / "staging" / "mine").read_text(), "precious")
        self.assertEqual(sorted(os.listdir(tables)), ["staging", "tiny_onednn.json", "tiny_onednn.txt"])

    def test_leaving_out_belongs_to_all(self):
        ended = self.bench.run("install", "fake", "--without", "onednn")
        self.assertEqual(ended.code, 2, ended)
        self.assertIn("--without leaves frameworks out of all", ended.err)

    def test_nobody_needs_to_read_what_is_said(self):
        with open("/dev/full", "wb") as full:
            process = subprocess.run([bench.binary(), *self.bench.campaign(*QUICK, out="unheard")],
                                     cwd=self.bench.folder, env=self.bench.environment(), check=False,
                                     stdout=subprocess.DEVNULL, stderr=full)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(len(results.Results(self.bench.folder / "unheard").rows("good")), 1)

    def test_a_campaign_that_could_only_be_skipped_measured_nothing(self):
        ended = self.bench.run_campaign(*bench.arm("does_not_support_it"), *bench.UNCHECKED, out="skipped")
        self.assertEqual(ended.code, 2, ended)
        self.assertIn("Nothing was measured", ended.err)

    def test_more_blocks_than_anyone_can_wait_for_are_refused(self):
        for option in ("--blocks", "--epochs"):
            ended = self.bench.run_campaign(*bench.arm(), "--no-verify", option, "1000000000", out="endless")
            self.assertEqual(ended.code, 2, ended)
            self.assertIn("from 1 to 10000", ended.err)

    def test_what_failed_can_be_repeated_by_the_words_that_are_printed(self):
        ended = self.bench.run_campaign(*bench.arm(), *bench.arm("aborts_in_build"), *bench.UNCHECKED, out="fell")
        self.assertEqual(ended.code, 1, ended)
        folder = self.bench.folder / "fell"
        self.assertIn("Repeat what failed: lockstep run --resume {} --only aborts_in_build".format(folder), ended.out)

    def test_the_title_names_no_batch_size_when_arms_differ_in_it(self):
        ended = self.bench.run_campaign(*bench.arm(name="one", threads=1), *bench.arm(name="other", batch_size=4),
                                        *bench.UNCHECKED, out="differ")
        self.assertEqual(ended.code, 0, ended)
        tables = json.loads((self.bench.folder / "differ" / "summary.json").read_text())
        titles = [table["title"] for table in tables]
        self.assertEqual(titles, ["tiny 8x8, 1 thread"])


if __name__ == "__main__":
    unittest.main()
