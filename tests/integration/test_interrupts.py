"""Campaigns that are stopped: what is measured is kept, no process is left, resuming ends with the same."""
import os
import re
import signal
import unittest

import bench
import results

BLOCKS = 2
WAITS = bench.arm("waits_until_told", **{"env.FAKE_WAITS_IN": "b002_"})


class Interrupts(bench.BenchTest):
    def tearDown(self):
        for note in self.bench.notes.iterdir():
            note.unlink()
        super().tearDown()

    def go(self):
        (self.bench.notes / "go").touch()

    def words(self, out):
        return self.bench.campaign(*bench.arm(), *WAITS, "--no-verify", "--blocks", str(BLOCKS), out=out)

    def start_and_wait(self, out):
        """A campaign in the midst of its second block."""
        process = self.bench.start(*self.words(out))
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.wait_for((self.bench.notes / "waiting").exists, process)
        return process

    def wait_for(self, condition, process):
        bench.wait_for(lambda: condition() or process.poll() is not None, "the right moment")
        if process.poll() is not None:
            self.fail("ended too early: {}".format(self.bench.finish(process)))

    def whole(self, out):
        """Every run in the folder has its record, nothing else lies there."""
        found = results.Results(self.bench.folder / out)
        runs = [path.name for path in (found.folder / "trials").iterdir()]
        self.assertEqual(sorted(runs), [trial.folder.name for trial in found.trials()])
        self.assertTrue(all(trial.completed for trial in found.trials()))
        self.assertFalse([name for name in found.files() if re.search(r"staging|\.tmp|\.lock", name)])
        return found

    def assert_same_as_undisturbed(self, out):
        self.go()
        ended = self.bench.run(*self.words(out + "-undisturbed"))
        self.assertEqual(ended.code, 0, ended)
        found, wanted = self.whole(out), self.whole(out + "-undisturbed")
        self.assertEqual(found.files(), wanted.files())
        for one, other in zip(found.trials(), wanted.trials()):
            self.assertEqual(one.digests(), other.digests(), one.folder.name)
            for key in ("arm", "block", "position", "seed", "parameters", "accuracy", "train_samples"):
                self.assertEqual(one.record[key], other.record[key], one.folder.name)
        for name in ("good", "waits_until_told"):
            self.assertEqual(len(found.rows(name)), BLOCKS)
        self.assertEqual(found.text("experiment.toml"), wanted.text("experiment.toml"))

    def test_ctrl_c_keeps_what_is_measured_and_resume_ends_with_the_same(self):
        process = self.start_and_wait("int")
        os.killpg(process.pid, signal.SIGINT)  # as a terminal sends it: to the whole group
        ended = self.bench.finish(process)
        self.assertEqual(ended.code, 1, ended)
        self.assertEqual(self.bench.left_behind(), {})
        found = self.whole("int")
        count = len(found.trials())
        self.assertIn(count, (2, 3))
        self.assertIn("{} of 4 runs are missing. Go on with: lockstep run --resume {}\n".format(
            4 - count, found.folder), ended.out)
        self.assertTrue((found.folder / "summary.txt").exists())
        kept = {trial.folder.name: trial.record for trial in found.trials()}
        self.go()
        ended = self.bench.run("run", "--resume", found.folder)
        self.assertEqual(ended.code, 0, ended)
        for trial in found.trials():
            self.assertEqual(kept.get(trial.folder.name, trial.record), trial.record, "a run was made again")
        self.assert_same_as_undisturbed("int")

    def test_a_killed_lockstep_leaves_no_process_and_resume_ends_with_the_same(self):
        process = self.start_and_wait("kill")
        process.kill()
        process.wait()
        self.assertEqual(self.bench.left_behind(), {})
        self.go()
        ended = self.bench.run("run", "--resume", self.bench.folder / "kill")
        self.assertEqual(ended.code, 0, ended)
        self.assert_same_as_undisturbed("kill")

    def test_other_wishes_to_end_are_heeded_too(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number.name):
                process = self.start_and_wait(number.name)
                process.send_signal(number)
                ended = self.bench.finish(process)
                self.assertEqual(ended.code, 1, ended)
                self.whole(number.name)
                (self.bench.notes / "waiting").unlink()

    def test_a_second_ctrl_c_ends_it_at_once(self):
        process = self.start_and_wait("twice")
        process.send_signal(signal.SIGSTOP)  # so that both come before it can act on the first
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
        self.assertIn(self.bench.finish(process).code, (-signal.SIGINT, -signal.SIGTERM))

    def test_ctrl_c_during_the_check_ends_it(self):
        process = self.bench.start(*self.bench.campaign(*bench.arm("hangs_in_build"), out="gate"))
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.wait_for((self.bench.folder / "gate" / "gate" / "tiny_hangs_in_build.txt").exists, process)
        os.killpg(process.pid, signal.SIGINT)
        ended = self.bench.finish(process)
        self.assertEqual(ended.code, 1, ended)
        self.assertIn("Go on with: lockstep run --resume ", ended.out)

    def test_a_folder_in_use_is_refused_and_the_run_in_it_not_disturbed(self):
        process = self.start_and_wait("used")
        folder = self.bench.folder / "used"
        for words in (self.words("used"), ["run", "--resume", folder]):
            ended = self.bench.run(*words)
            self.assertEqual((ended.code, ended.out), (2, ""), ended)
            self.assertRegex(ended.err, r"\Alockstep: The results folder .*/used is in use by another run\.\n.+\n")
        self.go()
        ended = self.bench.finish(process)
        self.assertEqual(ended.code, 0, ended)
        self.assertEqual(len(self.whole("used").trials()), 2 * BLOCKS)


class Resuming(bench.BenchTest):
    def test_a_campaign_that_is_complete_is_left_as_it_is(self):
        self.bench.run_campaign(*bench.arm(), *bench.UNCHECKED, out="done")
        found = results.Results(self.bench.folder / "done")
        before = {name: (found.folder / name).read_bytes() for name in found.files()}
        ended = self.bench.run("run", "--resume", found.folder)
        self.assertEqual(ended.code, 0, ended)
        self.assertEqual({name: (found.folder / name).read_bytes() for name in found.files()}, before)

    def test_options_that_would_change_the_experiment_are_refused(self):
        self.bench.run_campaign(*bench.arm(), *bench.UNCHECKED, out="fixed")
        ended = self.bench.run("run", "--resume", "fixed", "--blocks", "3")
        self.assertEqual(ended.code, 2, ended)
        self.assertIn("--blocks", ended.err)

    def test_only_repeats_the_failed_runs_of_an_arm(self):
        ended = self.bench.run_campaign(*bench.arm(), *bench.arm("dies_once"), *bench.UNCHECKED, out="once")
        self.assertEqual(ended.code, 1, ended)
        ended = self.bench.run("run", "--resume", "once", "--only", "dies_once")
        self.assertEqual(ended.code, 0, ended)
        found = results.Results(self.bench.folder / "once")
        self.assertEqual([trial.completed for trial in found.trials()], [True, True])
        self.assertEqual(len(found.rows("dies_once")), 1)

    def test_an_arm_that_fails_three_times_in_a_row_is_given_up_and_that_is_said(self):
        ended = self.bench.run_campaign(*bench.arm(), *bench.arm("exits_at_start"), "--no-verify", "--blocks", "4",
                                        out="given_up")
        found = results.Results(self.bench.folder / "given_up")
        self.assertEqual(len(found.trials("exits_at_start")), 3)
        self.assertEqual(len(found.trials("good")), 4)
        self.assertEqual(ended.code, 1, ended)
        self.assertRegex(ended.err + ended.out, "exits_at_start.*(given up|not tried again)")


if __name__ == "__main__":
    unittest.main()
