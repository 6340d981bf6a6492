"""One training: its order, its stamps, its epochs. Used by the SDK's own loop and by workers whose
framework owns the loop."""
from __future__ import annotations

import math
import time

import numpy

from . import npy


class Run:
    """A framework that owns its loop calls, for each epoch: begin_epoch(); begin_step() and end_step() for
    each of steps(epoch) steps; end_epoch(). Nothing between begin_step() and end_step() allocates, formats
    or writes. `native`: the framework feeds by its own means, and only the number of steps counts."""

    def __init__(self, trainer, channel, data, orders, batch, native=False, limit=None, predictions=None):
        self.data = data
        self.batch = batch
        self.native = native
        self.orders = []             # one int64 array an epoch, as far as the limit goes
        self._trainer = trainer
        self._channel = channel
        self._predictions = predictions
        left = math.inf if limit is None else limit
        for order in orders:
            steps = int(min(len(order) // batch, left))
            if steps:
                self.orders.append(numpy.array(order[: steps * batch]))
            left -= steps
        self.whole_steps = len(orders[0]) // batch if orders else 0  # of an epoch that no limit cuts
        self.total = sum(len(order) for order in self.orders) // batch
        self.stamps = numpy.zeros((self.total, 2), numpy.int64)
        self.losses = numpy.full(self.total, numpy.nan, numpy.float32)
        self.knows_losses = True     # of every step
        self.done = 0
        self.epochs = []             # what the reply says of each epoch
        self.evaluations = []
        self.prediction_files = []
        self._begin = 0

    def steps(self, epoch):
        """How many steps epoch 0, 1, ... has."""
        return len(self.orders[epoch]) // self.batch

    def begin_epoch(self):
        self._first = self.done
        self._epoch_begin = time.monotonic_ns()

    def begin_step(self):
        self._begin = time.monotonic_ns()

    def end_step(self, loss=None):
        """Requires: all work of the step is done. `loss`: the batch's mean loss, if the framework tells."""
        end = time.monotonic_ns()
        if loss is None:
            self.knows_losses = False
            loss = math.nan
        self.record(self._begin, end, loss)

    def record(self, begin, end, loss):
        done = self.done
        self.stamps[done, 0] = begin
        self.stamps[done, 1] = end
        self.losses[done] = loss
        self.done = done + 1
        self._channel.progress(done + 1, self.total, len(self.epochs) + 1)

    def end_epoch(self, loss=None):
        """Closes the epoch and evaluates when asked. `loss`: the framework's own mean over the epoch; absent:
        from the losses of its steps."""
        end = time.monotonic_ns()
        if loss is None and self.knows_losses:
            loss = float(numpy.mean(self.losses[self._first: self.done], dtype=numpy.float64))
        self.epochs.append({"begin": self._epoch_begin, "end": end, "steps": self.done - self._first,
                            "loss": loss})
        if self._predictions is not None:
            self._evaluate()

    def batches(self, epoch, room):
        """(images, labels) of one epoch in the locked order, gathered into `room` one after the other."""
        images, labels = self.data.train_images, self.data.train_labels
        order = self.orders[epoch]
        for first in range(0, len(order), self.batch):
            indices = order[first: first + self.batch]
            yield images.gather(indices, room), labels[indices]

    def train_by_steps(self, trainer):
        """The SDK's own loop. In locked input a batch stands ready before its step begins; in native input
        the step's stamps hold the wait for it."""
        clock, step, record = time.monotonic_ns, trainer.step, self.record
        room = None if self.native else self.data.train_images.room(self.batch)
        for epoch in range(len(self.orders)):
            if self.native:
                batches = trainer.native_batches(self.data)
                self.begin_epoch()
                batches = iter(batches)
                for _ in range(self.steps(epoch)):
                    begin = clock()
                    images, labels = next(batches)
                    loss = step(images, labels)
                    record(begin, clock(), loss)
            else:
                self.begin_epoch()
                for images, labels in self.batches(epoch, room):
                    begin = clock()
                    loss = step(images, labels)
                    record(begin, clock(), loss)
            self.end_epoch()

    def _evaluate(self):
        path = self._predictions.replace("{epoch}", str(len(self.epochs)))
        begin = time.monotonic_ns()
        classes = self._trainer.predict_all(self.data.test_images)
        self.evaluations.append([begin, time.monotonic_ns()])
        self.prediction_files.append(npy.write(path, classes, numpy.int32))
