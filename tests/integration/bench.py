"""A temporary home for the built program, and the means to run it there and to see what it leaves behind."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

import toy_data

SOURCE = pathlib.Path(os.environ.get("LOCKSTEP_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
MARK = "LOCKSTEP_TEST_MARK"
PATIENCE = 180  # seconds for one command, on a machine that is busy and with sanitizers
SMALL = ["--batch-size", "8", "--threads", "1", "--settle-ms", "0"]
# For campaigns that are not about the check or about more than one block.
UNCHECKED = ["--no-verify", "--blocks", "1"]


def binary():
    path = os.environ.get("LOCKSTEP_BINARY")
    if not path:
        sys.exit("Set LOCKSTEP_BINARY, or start the tests by run_all.py --lockstep PATH.")
    return os.path.abspath(path)


class Ended:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __str__(self):
        return "exit code {}\n--- output\n{}\n--- errors\n{}".format(self.code, self.out, self.err)


class Bench:
    """`folder` holds everything: home/, notes/, data/ (a tiny data set), tiny.toml (a model)."""

    def __init__(self):
        self.mark = uuid.uuid4().hex
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lockstep-test-"))
        self.notes = self.folder / "notes"
        self.notes.mkdir()
        self.data = toy_data.write_csv(self.folder / "data")
        self.model = toy_data.write_model(self.folder / "tiny.toml")

    def close(self):
        for pid in self.left_behind(patience=0):
            os.kill(int(pid), signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def environment(self, **more):
        """Small, so that no variable of the tester's changes what is tested."""
        kept = {name: value for name, value in os.environ.items()
                if name in ("LD_LIBRARY_PATH", "LOCKSTEP_KEEPER") or name.endswith("SAN_OPTIONS")}
        path = "{}:/usr/bin:/bin".format(pathlib.Path(sys.executable).resolve().parent)
        return {**kept, "PATH": path, "HOME": str(self.folder), "TZ": "UTC", "LANG": "C.UTF-8",
                "PYTHONDONTWRITEBYTECODE": "1", "LOCKSTEP_HOME": str(self.folder / "home"),
                "LOCKSTEP_WORKERS": str(SOURCE / "tests" / "integration"), "FAKE_NOTES": str(self.notes),
                MARK: self.mark, **more}

    def start(self, *words, **more):
        """The process, the leader of a group of its own, as a shell starts it; its output goes to pipes."""
        return subprocess.Popen([binary(), *map(str, words)], cwd=self.folder, env=self.environment(**more),
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                process_group=0)

    def finish(self, process):
        try:
            out, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            raise AssertionError("did not end within {} s\n{}".format(PATIENCE, err.decode(errors="replace")))
        return Ended(process.returncode, out.decode(), err.decode())

    def run(self, *words, **more):
        return self.finish(self.start(*words, **more))

    def campaign(self, *words, out="results", model=None, data=None):
        """The words of `lockstep run` for a small campaign whose results go to `out`."""
        return ["run", "--data", str(data or self.data), "--models", str(model or self.model),
                "--out", str(self.folder / out), *SMALL, *words]

    def run_campaign(self, *words, **where):
        return self.run(*self.campaign(*words, **where))

    def left_behind(self, patience=10):
        """{pid: command} of the processes that carry this bench's mark, once `patience` seconds are over or
        none is left."""
        deadline = time.monotonic() + patience
        while True:
            found = {pid: _read(pid, "cmdline").replace(b"\0", b" ").decode(errors="replace")
                     for pid in filter(str.isdigit, os.listdir("/proc")) if self._marked(pid)}
            if not found or time.monotonic() >= deadline:
                return found
            time.sleep(0.05)

    def _marked(self, pid):
        return "{}={}".format(MARK, self.mark).encode() in _read(pid, "environ").split(b"\0")


def arm(misdeed="", name=None, **settings):
    """An --arm of the fake worker."""
    words = {"framework": "fake", "name": name or misdeed or "good", **settings}
    if misdeed:
        words["env.FAKE"] = misdeed
    return ["--arm", ",".join("{}={}".format(*pair) for pair in words.items())]


def alive(pid):
    stat = _read(pid, "stat")
    return bool(stat) and stat.rpartition(b")")[2].split()[0] != b"Z"


def wait_for(condition, what):
    """Returns what `condition` gives once it is true."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError("waited {} s in vain for {}".format(PATIENCE, what))


def _read(pid, name):
    try:
        return pathlib.Path("/proc", str(pid), name).read_bytes()
    except OSError:
        return b""


class BenchTest(unittest.TestCase):
    """A bench for each class; after each test no process may be left."""

    @classmethod
    def setUpClass(cls):
        cls.bench = Bench()
        cls.addClassCleanup(cls.bench.close)

    def tearDown(self):
        self.assertEqual(self.bench.left_behind(), {}, "processes were left behind")
