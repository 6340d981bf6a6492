"""Verdicts and exit codes, of steps whose durations are made up: `pace_us` is exact, nothing is measured."""
import unittest

import bench
import results

FAST = ["--arm", "framework=fake,name=fast,pace_us=100"]
SLOW = ["--arm", "framework=fake,name=slow,pace_us=300"]


class Verdicts(bench.BenchTest):
    def compare(self, out, *words):
        ended = self.bench.run_campaign(*words, "--warm-up-steps", "0", out=out)
        return ended, results.Results(self.bench.folder / out)

    def test_six_blocks_resolve_a_threefold_difference(self):
        ended, found = self.compare("resolved", *FAST, *SLOW, "--blocks", "6")
        self.assertEqual(ended.code, 0, ended)
        row = found.standing("slow")
        self.assertEqual((row["verdict"], row["runs"]), ("slower", 6))
        self.assertAlmostEqual(row["ratio"], 3.0)
        self.assertAlmostEqual(found.standing("fast")["step_sec"], 1e-4)
        self.assertIn("fast is the fastest here.", ended.out)

    def test_too_few_blocks_leave_it_open(self):
        ended, found = self.compare("open", *FAST, *SLOW, "--blocks", "1")
        self.assertEqual(ended.code, 3, ended)
        self.assertEqual(found.standing("slow")["verdict"], "too few blocks")

    def test_a_twin_that_differs_from_its_baseline_refuses_every_claim(self):
        arm = ["--arm", "framework=fake,name=fast,pace_us=100,twin_pace_us=200"]
        ended, found = self.compare("refused", *arm, *SLOW, "--twin", "--blocks", "6")
        self.assertEqual(ended.code, 4, ended)
        self.assertEqual(found.standing("slow")["verdict"], "control failed")
        self.assertIn("The control failed: fast against itself came out at 2.00x", ended.out)


if __name__ == "__main__":
    unittest.main()
