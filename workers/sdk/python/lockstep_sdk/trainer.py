"""The one class that the author of a Python worker fills in."""
from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, field
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy

from .failures import Unsupported


@dataclass
class Identity:
    """What this worker is; the answer to the handshake. Must not need a built network."""

    name: str                               # as in worker.toml
    versions: Dict[str, str]                # the framework's own first
    convolution: str = "HWIO"               # how it keeps its kernels: HWIO, OIHW
    flipped: bool = False                   # kernels turned by 180 degrees: it convolves, not correlates
    dense: str = "in_out"                   # in_out, out_in
    flatten: str = "HWC"                    # order of a flattened image: HWC, CHW
    layers: Sequence[str] = ("convolution", "max_pool", "flatten", "dense", "dropout")
    optimizers: Sequence[str] = ("adam", "sgd")
    precisions: Sequence[str] = ("float32",)
    inputs: Sequence[str] = ("locked",)
    devices: Sequence[str] = ("cpu",)
    options: Sequence[str] = ()             # names that build() understands
    seen: Sequence[dict] = ({"kind": "cpu", "index": 0, "name": "cpu"},)  # devices that the framework sees


@dataclass
class Built:
    """What build() really made, for the record."""

    shapes: List[Tuple[str, tuple]]         # ("conv1.kernel", shape) in the declared layout
    parameters: Optional[int] = None        # their number as the framework counts it; absent: from `shapes`
    facts: Dict[str, str] = field(default_factory=dict)
    adam: str = "epsilon_hat"               # or "classic"
    step_includes: Sequence[str] = ()       # "input": a step's stamps also hold the fetching of its batch


class Gradients(NamedTuple):
    logits: numpy.ndarray                   # count x classes
    loss: float                             # mean over the batch
    tensors: Dict[str, numpy.ndarray]       # of the mean loss, in the declared layout


class Trainer:
    """Images are float32 in 0..1, count x height x width x channels; labels int32, one an image. Both are
    valid only during the call. Weights and gradients are float32 arrays by canonical name ("conv1.kernel"),
    in the layout that identity() declares.
    """

    # The framework's exceptions for memory or a device that ran out.
    resource_errors: tuple = ()

    # -- what every worker fills in ---------------------------------------------------------------

    def identity(self) -> Identity:
        raise NotImplementedError

    def build(self, network, job) -> Built:
        """Builds and compiles all that a step needs for job.batch images, so that the first step does no
        work of preparation. Called once; layer kinds, optimizer, device, ... are those of identity()."""
        raise NotImplementedError

    def load(self, weights):
        """Assigns every parameter and puts the optimizer back to its start. May be called at any time."""
        raise NotImplementedError

    def weights(self):
        raise NotImplementedError

    def gradients(self, images, labels) -> Gradients:
        """Forward and backward on job.batch images, no update. Only asked for when job.dropout is off."""
        raise NotImplementedError

    def step(self, images, labels) -> float:
        """One update on exactly job.batch images; returns the mean loss before it, when all work is done,
        on the device too. Timed: allocate, print and copy nothing here that training does not need."""
        raise NotImplementedError

    def predict(self, images):
        """Logits, count x classes, of 1..job.batch images, dropout off."""
        raise NotImplementedError

    # -- what a worker may fill in ----------------------------------------------------------------

    def allocator_bytes(self) -> Dict[str, int]:
        """Peak figures of the framework's own allocator under their own names. Empty when it has none."""
        return {}

    def native_batches(self, data):
        """For native input: an iterable of one epoch's whole batches (images, labels), as step() takes them,
        by the framework's own pipeline. Asked for before each epoch; iter() is called in it."""
        raise Unsupported("this worker has no native input")

    def pixels(self, data, count, native):
        """The first `count` training images as the input path gives them to the network, as float32. A
        worker whose input path is not the SDK's own shows its own here."""
        if native:
            raise Unsupported("this worker has no native input")
        return data.train_images.gather(numpy.arange(count), data.train_images.room(count))

    def predict_all(self, images):
        """Classes of all `images` (an Images), int32. For a framework that predicts a data set by itself."""
        found = numpy.empty(len(images), numpy.int32)
        done = 0
        for batch in images.batches(self.batch):
            found[done: done + len(batch)] = numpy.argmax(self.predict(batch), axis=1)
            done += len(batch)
            self.alive()
        return found

    def train(self, run):
        """The whole training, for a framework that owns its loop (see Run)."""
        run.train_by_steps(self)

    # -- what the SDK gives to a worker -----------------------------------------------------------

    batch = 0                               # job.batch, set before build()
    _channel = None
    _phases: Dict[str, list] = {}

    def warn(self, message):
        """Tells lockstep what a reader should know: a fall-back, a setting that was not taken."""
        if self._channel:
            self._channel.warn(message)

    def alive(self):
        """Tells lockstep that this worker is busy, at most four times a second. Never inside a step."""
        if self._channel:
            self._channel.alive()

    @contextlib.contextmanager
    def phase(self, name):
        """Stamps work that belongs to a phase of its own: `with self.phase("compile"): ...`"""
        begin = time.monotonic_ns()
        try:
            yield
        finally:
            self._phases[name] = [begin, time.monotonic_ns()]
