"""What the checks of the contract test share: pictures, weights and live workers."""
import contextlib
import json
import math
import pathlib

import layouts
import npy_values
import tiny_network
from worker_process import WorkerProcess

STEPS = 5  # of the agreement check
# float32 rounds to 6e-8; sums here have at most 100 terms of size one. A wrong formula is off by percents.
CLOSE = 2e-5


class Skip(Exception):
    """The check does not apply to this worker; the reason."""


class Bench:
    """Data, and workers that the checks share: a framework's import takes seconds, and `weights_in` starts
    afresh. A worker is given up when a check fails on it or `spends` it. Files lie in `folder`."""

    def __init__(self, given, folder):
        self.given = given
        self.folder = pathlib.Path(folder)
        self.train = tiny_network.pictures(tiny_network.TRAIN, 11)
        self.labels = tiny_network.labels(tiny_network.TRAIN, 12)
        self.test = tiny_network.pictures(tiny_network.TEST, 13)
        side = [tiny_network.HEIGHT, tiny_network.WIDTH, tiny_network.CHANNELS]
        self.data = {
            "train": {"images": self.write("images", "|u1", [len(self.train)] + side, flat(self.train)),
                      "labels": self.write("labels", "<i4", [len(self.labels)], self.labels)},
            "test": {"images": self.write("test", "|u1", [len(self.test)] + side, flat(self.test))},
            "scale": 0.00392156862745098}
        self._workers = {}

    def write(self, name, code, shape, values):
        return npy_values.write(self.folder / (name + ".npy"), code, shape, values)

    def place(self, name):
        return str(self.folder / name)

    @contextlib.contextmanager
    def greeted(self, spends=False):
        """A worker with nothing but hello behind it."""
        with self._shared("greeted", self._greeted, spends) as worker:
            yield worker

    @contextlib.contextmanager
    def built(self, spends=False, **job):
        """A worker with hello, data and build behind it; `job` as tiny_network.job takes it."""
        with self._shared(json.dumps(job), lambda: self._built(job), spends) as worker:
            yield worker

    @contextlib.contextmanager
    def _shared(self, key, make, spends):
        if key not in self._workers:
            self._workers[key] = make()
        keep = False
        try:
            yield self._workers[key]
            keep = not spends
        except Skip:
            keep = not spends
            raise
        finally:
            if not keep:
                self._workers.pop(key).kill()

    def end(self):
        for worker in self._workers.values():
            worker.kill()

    def _greeted(self):
        given = self.given
        places = {"python": given.python, "sdk": given.sdk, "bin": given.bin, "home": self.place("home"),
                  "threads": "1"}
        worker = WorkerProcess(given.worker, places, self.place("worker.log"))
        try:
            worker.hello = worker.get("hello", protocol=1, lockstep="0.1.0")
        except BaseException:
            worker.kill()
            raise
        return worker

    def _built(self, job):
        worker = self._greeted()
        try:
            worker.job = tiny_network.job(options=dict(self.given.option), **job)
            worker.get("data", **self.data)
            worker.build = worker.get("build", **worker.job)
            worker.arranged = layouts.arranged(worker.job["network"], worker.hello["layouts"])
        except BaseException:
            worker.kill()
            raise
        return worker

    def load(self, worker, weights):
        files = {}
        for name, (shape, places) in worker.arranged.items():
            files[name] = self.write("in." + name, "<f4", shape, layouts.to_declared(weights[name], places))
        worker.get("weights_in", files=files)

    def canonical(self, worker, files, prefix=""):
        """{name: flat canonical values} of the tensors that a reply names."""
        found = {}
        for name, (shape, places) in worker.arranged.items():
            code, written, values = npy_values.read(files[prefix + name])
            assert (code, list(written)) == ("<f4", shape), "{} is {} {}".format(prefix + name, code, written)
            found[name] = layouts.to_canonical(values, places)
        return found

    def batches(self, order):
        """[(pictures in 0..1, labels)] as the order gives them."""
        for first in range(0, len(order), tiny_network.BATCH):
            chosen = order[first: first + tiny_network.BATCH]
            yield [scaled(self.train[i]) for i in chosen], [self.labels[i] for i in chosen]

    def check_order(self):
        return (tiny_network.order(21) + tiny_network.order(22))[: STEPS * tiny_network.BATCH]

    def checked(self, worker):
        order = self.check_order()
        return worker.get("check", order=self.write("check_order", "<i8", [len(order)], order), steps=STEPS,
                          folder=self.place("check"))

    def orders(self, seeds):
        return [self.write("order{}".format(seed), "<i8", [len(tiny_network.order(seed))],
                           tiny_network.order(seed)) for seed in seeds]

    def trained(self, worker, seeds=(31, 32), **more):
        return worker.get("train", epochs=len(seeds), orders=self.orders(seeds),
                          stamps=self.place("stamps.npy"), evaluate=True,
                          predictions=self.place("epoch{epoch}.npy"), silence_ms=60000, **more)

    def compared(self):
        if self.given.without_arithmetic:
            raise Skip("this worker computes nothing")


def flat(rows):
    return [value for row in rows for value in row]


def scaled(picture):
    return [value / 255.0 for value in picture]


def assert_close(name, found, wanted, limit=CLOSE):
    """Within `limit` of the largest wanted value."""
    assert len(found) == len(wanted), "{}: {} values, not {}".format(name, len(found), len(wanted))
    size = max(max(abs(value) for value in wanted), 1e-3)
    worst = max(abs(a - b) if math.isfinite(a) else math.inf for a, b in zip(found, wanted))
    assert worst <= limit * size, "{} departs by {:.3g} where the largest value is {:.3g}".format(
        name, worst, size)
