"""Native input as JAX's own examples feed: whole arrays in memory, a permutation an epoch, slices by it."""
import numpy as np


class Stream:
    """An iterable of one epoch's whole batches; every iter() shuffles anew."""

    def __init__(self, data, batch, seed):
        self.images = scaled(data.train_images.bytes)
        self.labels = np.array(data.train_labels)
        self.batch = batch
        self.random = np.random.RandomState(seed % 2 ** 32)

    def __iter__(self):
        order = self.random.permutation(len(self.labels))
        for first in range(0, len(order) - self.batch + 1, self.batch):
            chosen = order[first: first + self.batch]
            yield self.images[chosen], self.labels[chosen]


def scaled(pictures):
    return np.array(pictures).astype(np.float32) / np.float32(255)
