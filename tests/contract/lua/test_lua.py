"""The Lua SDK, its template and the Torch7 worker, on a machine that may have no Torch7. Needs luajit.

Without Torch7 its worker runs against a small stand-in that only these tests can reach and whose arithmetic is NaN:
files, messages and errors are checked, never a figure. With LOCKSTEP_TORCH7 the same contract runs on the real one.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parent))

import worker_process  # noqa: E402

SDK = ROOT / "workers" / "sdk"
TEMPLATE = ROOT / "workers" / "_template" / "lua"
TORCH7 = ROOT / "workers" / "torch7"
STAND_IN = HERE / "stand_in"
LUAJIT = shutil.which("luajit")
REAL = os.environ.get("LOCKSTEP_TORCH7")
LUA_PATH = "{0}/lua/?.lua;{0}/lua/?/init.lua;;".format(SDK)
NO_LUAJIT = "luajit was not found; install it: sudo apt install luajit"
NOT_FOUND = "Torch7 is in no package registry; point LOCKSTEP_TORCH7 at the luajit of an existing build."


def contract(folder, *more):
    """(exit code, output) of the contract test."""
    done = subprocess.run(
        [sys.executable, str(HERE.parent / "contract_test.py"), "--worker", str(folder), "--sdk", str(SDK), *more],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def temporary(test):
    folder = tempfile.TemporaryDirectory(prefix="lockstep-lua-")
    test.addCleanup(folder.cleanup)
    return pathlib.Path(folder.name)


def copied(test, source, name, *changes):
    """A copy of a worker's folder with (file, old, new) changed."""
    folder = temporary(test) / name
    shutil.copytree(source, folder)
    for file, old, new in changes:
        text = (folder / file).read_text()
        test.assertIn(old, text)
        (folder / file).write_text(text.replace(old, new))
    return folder


def with_stand_in(test, *changes):
    return copied(test, TORCH7, "torch7", ("worker.toml", "{home}/installs/torch7/bin/luajit", LUAJIT),
                  ("worker.toml", ";{folder}/?.lua", ";{folder}/?.lua;" + str(STAND_IN / "?.lua")), *changes)


def install(test, **variables):
    """The install script in a bare environment: (exit code, output, prefix)."""
    home = temporary(test)
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(home), "LOCKSTEP_PREFIX": str(home / "prefix"), **variables}
    done = subprocess.run([str(TORCH7 / "install")], env=environment, cwd=STAND_IN, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout, home / "prefix"


@unittest.skipUnless(LUAJIT, NO_LUAJIT)
class Files(unittest.TestCase):
    def test_every_lua_file_is_lua(self):
        folders = (SDK / "lua", TEMPLATE, TORCH7, HERE, ROOT / "tools" / "peer_scripts")
        files = [file for folder in folders for file in sorted(folder.rglob("*.lua"))]
        self.assertGreater(len(files), 15)
        for file in files:
            with self.subTest(file.name):
                done = subprocess.run([LUAJIT, "-bl", str(file)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_each_piece_of_the_sdk_does_what_it_says(self):
        done = subprocess.run([LUAJIT, str(HERE / "sdk_test.lua"), str(temporary(self))], text=True,
                              env=dict(os.environ, LUA_PATH=LUA_PATH), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreater(done.stdout.count("ok "), 10, done.stdout)

    def test_no_worker_can_reach_the_stand_in(self):
        for file in (*TORCH7.iterdir(), *(SDK / "lua").rglob("*.lua")):
            self.assertNotIn("stand_in", file.read_text(), file)


@unittest.skipUnless(LUAJIT, NO_LUAJIT)
class Template(unittest.TestCase):
    def started(self):
        worker = worker_process.WorkerProcess(TEMPLATE, {"sdk": str(SDK), "threads": "1"}, temporary(self) / "log")
        self.addCleanup(worker.kill)
        return worker

    def transcripts(self, folder, pattern):
        for path in sorted((ROOT / "protocol" / "transcripts" / folder).glob(pattern)):
            for line in path.read_bytes().splitlines():
                if line.startswith(b"> "):
                    yield path.name, line[2:]

    def test_the_template_passes_as_copied_under_a_new_name(self):
        code, output = contract(copied(self, TEMPLATE, "mine", ("worker.toml", "template_lua", "mine"),
                                       ("trainer.lua", "template_lua", "mine")))
        self.assertEqual(code, 0, output)

    def test_every_good_job_is_understood(self):
        worker, count = self.started(), 0
        for name, line in self.transcripts("good", "*.jsonl"):
            request = json.loads(line)
            if request.get("do") == "build" and request["network"]["input"][0] < 100:
                with self.subTest(name):
                    del request["id"], request["do"]
                    reply = worker.ask("build", **request)
                    self.assertNotEqual(reply.get("error", {}).get("kind"), "protocol", reply)
                    count += 1
        self.assertGreater(count, 0)

    def test_a_job_of_the_wrong_types_is_a_protocol_error(self):
        worker = self.started()
        for name in ("a_batch_of_text", "a_batch_of_zero", "a_negative_seed", "an_option_that_is_not_text"):
            for file, line in self.transcripts("bad", "build_with_{}.jsonl".format(name)):
                request = json.loads(line)
                if request.get("do") == "build":
                    with self.subTest(file):
                        del request["id"], request["do"]
                        self.assertEqual(worker.refusal("build", **request)["kind"], "protocol")

    def test_a_line_that_is_no_request_is_refused_and_the_worker_lives(self):
        worker = self.started()
        for line in (b"{", b"[1]", b'"text"', b'{"do": "hello"}', b'{"id": "1", "do": "hello"}', b'{"id": 1.5}',
                     b'{"id": 1, "do": "\xff"}', b"x" * (1 << 20) + b"y"):
            with self.subTest(line[:20]):
                os.write(worker._write_fd, line[:4096])
                for first in range(4096, len(line), 4096):
                    os.write(worker._write_fd, line[first: first + 4096])
                os.write(worker._write_fd, b"\n")
                reply = worker._next()
                self.assertEqual((reply["id"], reply["error"]["kind"]), (0, "protocol"))
        self.assertEqual(worker.get("hello", protocol=1)["worker"], "template_lua")

    def assert_fails(self, check, *changes):
        code, output = contract(copied(self, TEMPLATE, "template_lua", *changes), "--only", check)
        self.assertEqual(code, 1, output)
        self.assertIn("FAILED " + check, output)

    def test_a_worker_that_sums_the_loss_fails(self):
        self.assert_fails("adam_and_same_padding_agree_with_the_reference",
                          ("layers.lua", "and 1 or 0)) / count", "and 1 or 0))"))

    def test_a_worker_without_momentum_fails(self):
        self.assert_fails("sgd_and_valid_padding_agree_with_the_reference",
                          ("layers.lua", "rule.momentum * m[place] + g", "g"))

    def test_a_worker_that_keeps_its_moments_fails(self):
        self.assert_fails("adam_and_same_padding_agree_with_the_reference",
                          ("trainer.lua", "    self.steps_done = 0\n", "    self.steps_done = 1\n"))


@unittest.skipUnless(LUAJIT, NO_LUAJIT)
class Torch7WithoutTorch7(unittest.TestCase):
    def test_files_and_messages_are_right(self):
        code, output = contract(with_stand_in(self), "--without-arithmetic")
        self.assertEqual(code, 0, output)

    def assert_stops(self, check, words, *changes):
        code, output = contract(with_stand_in(self, *changes), "--without-arithmetic", "--only", check)
        self.assertEqual(code, 1, output)
        self.assertIn(words, output)

    def test_labels_from_0_are_refused_by_the_criterion(self):
        self.assert_stops("training_with_dropout", "cur_target", ("trainer.lua", "labels[place] + 1", "labels[place]"))

    def test_sgd_with_its_own_dampening_is_noticed(self):
        self.assert_stops("shutdown", "dampening", ("trainer.lua", ", dampening = 0 }", " }"))

    def test_a_tensor_made_before_the_default_type_is_noticed(self):
        self.assert_stops("shutdown", "default type",
                          ("trainer.lua", "torch.setdefaulttensortype(\"torch.FloatTensor\")", "local _ = 0"))

    def test_install_says_in_one_line_what_is_missing(self):
        code, output, prefix = install(self)
        self.assertEqual((code, output), (1, NOT_FOUND + "\n"))
        self.assertFalse((prefix / "bin").exists())

    def test_install_names_a_program_that_is_none(self):
        code, output, _ = install(self, LOCKSTEP_TORCH7="/no/such/luajit")
        self.assertEqual(code, 1)
        self.assertIn("LOCKSTEP_TORCH7 names /no/such/luajit, which is no program; ", output)

    def test_install_refuses_a_luajit_without_torch7(self):
        code, output, _ = install(self, LOCKSTEP_TORCH7=LUAJIT)
        self.assertEqual(code, 1)
        self.assertIn("which cannot load Torch7 (module 'torch' not found", output)

    def test_install_refuses_the_stand_in(self):
        code, output, prefix = install(self, LOCKSTEP_TORCH7=LUAJIT, LUA_PATH=str(STAND_IN / "?.lua") + ";;")
        self.assertEqual(code, 1)
        self.assertIn("its torch has no library libtorch", output)
        self.assertFalse((prefix / "bin").exists())


@unittest.skipUnless(REAL, "LOCKSTEP_TORCH7 names no luajit with Torch7")
class RealTorch7(unittest.TestCase):
    def test_torch7_passes(self):
        code, output, prefix = install(self, LOCKSTEP_TORCH7=REAL, **{
            name: os.environ[name] for name in ("LUA_PATH", "LUA_CPATH", "LD_LIBRARY_PATH") if name in os.environ})
        self.assertEqual(code, 0, output)
        worker = copied(self, TORCH7, "torch7",
                        ("worker.toml", "{home}/installs/torch7/bin/luajit", str(prefix / "bin" / "luajit")))
        code, output = contract(worker)
        self.assertEqual(code, 0, output)


if __name__ == "__main__":
    unittest.main()
