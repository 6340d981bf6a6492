"""What each campaign with misbehaving workers has to fulfil: every class runs one, with an arm for each
misdeed and a good one, and looks at it test by test."""
import bench
import results


class CampaignTest(bench.BenchTest):
    """A subclass names `misdeeds`, each of which becomes an arm of that name, and may give more `words` for the
    command line. `good` is the framework of the good arm. `blocks` is two, so that a good run follows upon a
    bad one, except where that would take long."""
    misdeeds = ()
    good = "fake"
    words = ["--no-verify"]
    blocks = 2

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        arms = bench.arm("", framework=cls.good) + sum(map(bench.arm, cls.misdeeds), [])
        cls.ended = cls.bench.run_campaign(*arms, *cls.words, "--blocks", cls.blocks)
        cls.results = results.Results(cls.bench.folder / "results")

    def expect(self, arm, kind, stage, reason, remedy=""):
        """Every run of `arm` had this outcome, in its record, its log, its row and on the console."""
        trials = self.results.trials(arm)
        self.assertEqual(len(trials), self.blocks, self.ended)
        for trial in trials:
            outcome = trial.outcome
            self.assertEqual((outcome["kind"], outcome["stage"]), (kind, stage), outcome)
            self.assertRegex(outcome["reason"], "^" + reason + "$")
            self.assertRegex(outcome["remedy"], "^" + remedy + "$" if remedy else "^[^\n]*$")
            self.assertIn("WARNING: {}: {}\n".format(kind, outcome["reason"]), trial.log)
            self.assertIn(" tiny {}: {}. {}".format(arm, kind, outcome["reason"]), self.ended.err)
        for row in self.results.rows(arm):
            cells = [row["train_time_sec"], row["accuracy_pct"], row["gpu_util_pct"]]
            self.assertEqual(cells, ["", "", ""], "the CSV file shows figures of a run that is not trusted")
        self.assertIn(self.results.standing(arm)["verdict"], ("failed", "skipped"))
        return trials

    def expect_completed(self, arm):
        trials = self.results.trials(arm)
        self.assertEqual([trial.outcome["kind"] for trial in trials], ["completed"] * self.blocks, self.ended)
        return trials


class FaultyCampaign:
    """Tests that every such campaign has to pass."""

    def test_the_good_arm_completes_all_its_runs(self):
        self.expect_completed("good")
        self.assertEqual(self.results.standing("good")["failed"], 0)

    def test_the_exit_code_says_that_a_run_failed(self):
        self.assertEqual(self.ended.code, 1, self.ended)

    def test_every_run_has_its_files_and_nothing_half_written_is_left(self):
        for trial in self.results.trials():
            self.assertRegex(trial.log, results.LOG)
            found = {path.name for path in trial.folder.iterdir()}
            kept = {"record.json", "s.log", "output.txt"} | ({"steps.npy", "losses.npy"} & found)
            kept |= {"steps.npy", "predictions.csv"} if trial.completed else set()
            self.assertEqual(found, kept, trial.folder.name)
        for arm in ("good",) + tuple(self.misdeeds):
            self.assertEqual(len(self.results.rows(arm)), self.blocks, arm)
