"""keras.utils.PyDataset over the shared pictures, as fit and predict take it on every backend."""
import keras
import numpy as np

from fitting import KerasTrainer, arranged, float_pictures


class Batches(keras.utils.PyDataset):
    """Batches of `pictures` (an Images) in the given order, the last one may be shorter; without `labels`, the
    pictures alone. Each batch has its own memory, since a backend may still read the one before."""

    def __init__(self, pictures, order, batch, labels=None):
        super().__init__()
        self.pictures, self.order, self.batch, self.labels = pictures, order, batch, labels

    def __len__(self):
        return -(-len(self.order) // self.batch)

    def __getitem__(self, number):
        chosen = self.order[number * self.batch: (number + 1) * self.batch]
        images = arranged(self.pictures.gather(chosen, self.pictures.room(len(chosen))))
        return (images,) if self.labels is None else (images, self.labels[chosen])


class BatchesTrainer(KerasTrainer):
    """A Keras worker that feeds by PyDataset: every backend but TensorFlow, which has its own pipelines."""

    def locked_batches(self, pictures, labels, order):
        return Batches(pictures, order, self.job.batch, labels)

    def picture_batches(self, pictures):
        return Batches(pictures, np.arange(len(pictures)), self.job.batch)

    def compile_all(self, network, job):
        images = arranged(np.zeros((job.batch,) + network.input, np.float32))
        self.model.fit(images, np.zeros(job.batch, np.int32), batch_size=job.batch, verbose=0)
        self.model.predict(images, batch_size=job.batch, verbose=0)

    def pixels(self, data, count, native):
        if native:
            return unarranged(float_pictures(data.train_images.bytes[:count]))
        return unarranged(Batches(data.train_images, np.arange(count), count)[0][0])


def unarranged(images):
    if keras.config.image_data_format() == "channels_first":
        return images.transpose(0, 2, 3, 1)
    return images
