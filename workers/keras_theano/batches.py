"""keras.utils.Sequence over the shared pictures, as fit and predict take it."""
import numpy as np
from keras import backend as K
from keras.utils import Sequence


class Batches(Sequence):
    """Whole batches of `pictures` (an Images) in the given order; without `labels`, the pictures alone, where
    the last batch may be shorter. A batch is valid until the next one is asked for."""

    def __init__(self, pictures, order, batch, labels=None):
        self.pictures, self.order, self.batch, self.labels = pictures, order, batch, labels
        self.room = pictures.room(batch)

    def __len__(self):
        return -(-len(self.order) // self.batch)

    def __getitem__(self, number):
        chosen = self.order[number * self.batch: (number + 1) * self.batch]
        images = arranged(self.pictures.gather(chosen, self.room))
        return images if self.labels is None else (images, self.labels[chosen])


def arranged(images):
    """Images, height x width x channels, in Keras's own data format."""
    if K.image_data_format() == "channels_first":
        return np.ascontiguousarray(images.transpose(0, 3, 1, 2))
    return images
