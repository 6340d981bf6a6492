"""The images and labels that every worker shares: mapped files, and batches gathered from them."""
from __future__ import annotations

import numpy

from . import npy
from .failures import ProtocolError


class Images:
    """Pictures in a mapped file, N x height x width x channels of uint8; `len()` is N."""

    def __init__(self, path, scale):
        self.bytes = npy.mapped(path, numpy.uint8, 4)
        self.scale = numpy.float32(scale)
        self.shape = self.bytes.shape[1:]
        self._rows = self.bytes.reshape(len(self.bytes), -1)

    def __len__(self):
        return len(self.bytes)

    def room(self, count):
        """Memory for gather(): one batch of bytes, and the same as float32."""
        return (numpy.empty((count, self._rows.shape[1]), numpy.uint8),
                numpy.zeros((count,) + self.shape, numpy.float32))

    def gather(self, indices, room):
        """The pictures at `indices` as float32 in 0..1, in the front of `room`.

        Requires: every index is in range (see checked()). Allocates nothing that grows with the batch.
        """
        raw, scaled = room
        count = len(indices)
        numpy.take(self._rows, indices, axis=0, out=raw[:count], mode="clip")
        numpy.multiply(raw[:count], self.scale, out=scaled[:count].reshape(count, -1), dtype=numpy.float32)
        return scaled[:count]

    def batches(self, batch):
        """All pictures in their own order, as float32, in batches; the last one may be shorter. Each batch
        is valid until the next one is asked for."""
        room = self.room(min(batch, len(self)))
        for first in range(0, len(self), batch):
            yield self.gather(numpy.arange(first, min(first + batch, len(self))), room)

    def checked(self, order):
        """`order` itself, if it names pictures of this file only."""
        if len(order) and (order.min() < 0 or order.max() >= len(self)):
            raise ProtocolError("an order names image {} or {}, but there are {}".format(
                order.min(), order.max(), len(self)))
        return order


class Dataset:
    """What `data` named. `train_images` and `train_labels`, `test_images`: None where not given."""

    def __init__(self, request):
        try:
            scale = request["scale"]
            train, test = request.get("train"), request.get("test")
            self.train_images = Images(train["images"], scale) if train else None
            self.train_labels = npy.mapped(train["labels"], numpy.int32, 1) if train else None
            self.test_images = Images(test["images"], scale) if test else None
        except (KeyError, TypeError) as failure:
            raise ProtocolError("data: {} is missing or of the wrong form".format(failure))
        if train and len(self.train_images) != len(self.train_labels):
            raise ProtocolError("{} training images have {} labels".format(
                len(self.train_images), len(self.train_labels)))
