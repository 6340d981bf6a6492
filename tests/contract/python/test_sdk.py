"""The Python SDK by itself: what it refuses, how it tells failures, what it writes. Needs numpy.

    python3 -m unittest discover -s tests/contract/python
"""
import json
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "workers" / "sdk" / "python"))

import numpy  # noqa: E402

import lockstep_sdk as sdk  # noqa: E402
from lockstep_sdk import channel, failures, job, server  # noqa: E402


class Pipe:
    """A channel whose written lines can be read back."""

    def __init__(self):
        self._requests, self.to_worker = os.pipe()
        self._written, from_worker = os.pipe()
        with mock.patch.object(channel.threading, "Thread"):  # nobody listens, so nothing ends the test
            self.channel = channel.Channel(self._requests, from_worker)

    def messages(self):
        text = os.read(self._written, 1 << 20).decode()
        return [json.loads(line) for line in text.splitlines()]


class Events(unittest.TestCase):
    def test_progress_is_told_at_most_four_times_a_second(self):
        pipe = Pipe()
        start = pipe.channel._last_event
        for step in range(1, 1001):  # one step a millisecond
            with mock.patch.object(channel.time, "monotonic_ns", lambda: start + step * 1_000_000):
                pipe.channel.progress(step, 1000, 1)
        self.assertEqual([message["done"] for message in pipe.messages()], [250, 500, 750, 1000])

    def test_a_number_that_is_not_finite_travels_as_null(self):
        pipe = Pipe()
        pipe.channel.reply(3, {"loss": numpy.float32("nan"), "losses": numpy.array([1, numpy.inf])})
        self.assertEqual(pipe.messages(), [{"id": 3, "ok": {"loss": None, "losses": [1.0, None]}}])


class Failures(unittest.TestCase):
    def kind_of(self, failure, **more):
        with mock.patch.object(sys, "stderr"):
            return failures.described(failure, **more)["kind"]

    def test_each_failure_has_its_kind(self):
        self.assertEqual(self.kind_of(sdk.Unsupported("no")), "unsupported")
        self.assertEqual(self.kind_of(failures.ProtocolError("what?")), "protocol")
        self.assertEqual(self.kind_of(MemoryError()), "resources")
        self.assertEqual(self.kind_of(KeyError("x")), "framework")
        self.assertEqual(self.kind_of(KeyError("x"), resource_errors=(KeyError,)), "resources")

    def test_the_message_is_one_line_and_the_layer_is_named(self):
        self.assertEqual(failures.described(sdk.Unsupported("no such\nlayer", "bn1")),
                         {"kind": "unsupported", "message": "no such layer", "layer": "bn1"})
        with mock.patch.object(sys, "stderr"):
            found = failures.described(RuntimeError("first line\nsecond line"))
        self.assertEqual(found["message"], "RuntimeError: first line")


class Jobs(unittest.TestCase):
    def requests(self, folder, pattern):
        for path in sorted((ROOT / "protocol" / "transcripts" / folder).glob(pattern)):
            lines = [json.loads(line[2:]) for line in path.read_text().splitlines() if line.startswith("> ")]
            yield path.name, [line for line in lines if isinstance(line, dict) and line.get("do") == "build"]

    def test_every_good_job_is_read(self):
        count = 0
        for name, builds in self.requests("good", "*.jsonl"):
            for build in builds:
                with self.subTest(name):
                    network, asked = job.parsed(build)
                    self.assertEqual(len(network.layers), len(build["network"]["layers"]))
                    self.assertEqual(asked.batch, build["batch"])
                    count += 1
        self.assertGreater(count, 0)

    def test_a_job_of_the_wrong_types_is_a_protocol_error(self):
        for name in ("a_batch_of_text", "a_batch_of_zero", "a_negative_seed", "an_option_that_is_not_text"):
            for _, builds in self.requests("bad", "build_with_{}.jsonl".format(name)):
                with self.subTest(name), self.assertRaises(failures.ProtocolError):
                    job.parsed(builds[-1])

    def test_an_option_takes_only_its_values(self):
        asked = job.Job(batch=1, optimizer=None, options={"xla": "maybe", "threads": "0"})
        with self.assertRaises(failures.ProtocolError):
            asked.flag("xla", False)
        with self.assertRaises(failures.ProtocolError):
            asked.number("threads", 2)


class Pictures(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        path = os.path.join(self.folder.name, "images.npy")
        numpy.save(path, numpy.arange(256, dtype=numpy.uint8).reshape(16, 4, 2, 2))
        self.images = sdk.Images(path, 0.00392156862745098)

    def test_a_batch_is_the_float32_product_with_1_over_255(self):
        indices = numpy.array([3, 0, 15])
        found = self.images.gather(indices, self.images.room(3))
        wanted = self.images.bytes[indices].astype(numpy.float32) * numpy.float32(1 / 255)
        self.assertEqual(found.dtype, numpy.float32)
        self.assertTrue((found == wanted).all())

    def test_an_order_outside_the_data_is_refused(self):
        for wrong in (-1, 16):
            with self.assertRaises(failures.ProtocolError):
                self.images.checked(numpy.array([0, wrong]))

    def test_the_last_batch_is_shorter(self):
        self.assertEqual([len(batch) for batch in self.images.batches(6)], [6, 6, 4])


class Abilities(unittest.TestCase):
    def test_two_replicas_are_refused_by_a_worker_for_one(self):
        network = job.Network("n", "n", (2, 2, 1), 2, [job.Layer("dense", "dense1", (4,), (2,))])
        asked = job.Job(batch=1, optimizer=job.Optimizer("adam", 1e-3), replicas=2)
        with self.assertRaises(sdk.Unsupported):
            server.require_ability(sdk.Identity("x", {}), network, asked)


if __name__ == "__main__":
    unittest.main()
