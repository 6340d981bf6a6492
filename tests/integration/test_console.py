"""What is said while a campaign runs: plain lines on a pipe, a line that is redrawn on a terminal."""
import os
import pty
import re
import select
import time
import unittest

import bench


PROGRESS_OF_THE_SECOND_RUN = r"run 2 of 2  tiny waits_until_told +\d+ %  about .* left"


class TheConsole(bench.BenchTest):
    def test_on_a_pipe_every_line_is_plain(self):
        ended = self.bench.run_campaign(*bench.arm(), *bench.arm("aborts_in_build"), *bench.UNCHECKED)
        for text in (ended.out, ended.err):
            self.assertNotIn("\x1b", text)
            self.assertNotIn("\r", text)
        self.assertRegex(ended.err, r"\A\w+: 64 images of 8x8x1 to train on, 16 to test, 2 classes; "
                                    r"1 block x 1 network x 2 arms = 2 runs; seed 42\n")
        self.assertRegex(ended.err, r"run \d of 2  block 1  tiny good: 0\.100 ms a step, .* 50\.00 % right")

    def test_on_a_terminal_progress_is_drawn_with_the_time_left(self):
        arm = bench.arm("waits_until_told", **{"env.FAKE_WAITS_IN": "b002_"})
        text = self.on_a_terminal(self.bench.campaign(*arm, "--no-verify", "--blocks", "2", out="terminal"))
        self.assertIn("\r\x1b[K", text)
        self.assertRegex(text, PROGRESS_OF_THE_SECOND_RUN)

    def on_a_terminal(self, words):
        """What is shown; the worker that waits is told to go on once its progress has been drawn."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.bench.folder)
            os.execve(bench.binary(), [bench.binary(), *map(str, words)], self.bench.environment(TERM="xterm"))
        seen = b""
        deadline = time.monotonic() + bench.PATIENCE
        while time.monotonic() < deadline:
            if re.search(PROGRESS_OF_THE_SECOND_RUN.encode(), seen):
                (self.bench.notes / "go").touch()
            try:
                if select.select([terminal], [], [], 0.1)[0]:
                    seen += os.read(terminal, 65536)
            except OSError:  # the other end was closed: it has ended
                break
        os.close(terminal)
        _, status = os.waitpid(pid, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0, seen.decode(errors="replace"))
        return seen.decode()


if __name__ == "__main__":
    unittest.main()
