"""The worker for TensorFlow itself: one tf.function a training step."""
import lockstep_sdk as sdk  # first: it stamps the start of the process

import numpy as np
import tensorflow as tf

import tf_machine
from network import Network
from optimizer import OPTIMIZERS


class Trainer(sdk.Trainer):
    resource_errors = tf_machine.RESOURCE_ERRORS
    job = None
    pipeline = None

    def identity(self):
        return sdk.Identity(
            name="tensorflow", versions=tf_machine.versions(), precisions=("float32", "bfloat16"),
            inputs=("locked", "native"), devices=("cpu", "gpu"), options=("xla",) + tf_machine.OPTIONS,
            seen=tf_machine.seen_devices())

    def build(self, network, job):
        self.job = job
        tf_machine.prepare(job, self.warn)
        self.network = Network(network, job)
        self.variables = list(self.network.variables.values())
        self.optimizer = OPTIMIZERS[job.optimizer.kind](job.optimizer, self.variables)
        xla = job.flag("xla", False)
        compiled = {"jit_compile": True} if xla else {}
        self.training_step = tf.function(self._training_step, **compiled)
        self.prediction = tf.function(lambda images: self.network.logits(images, training=False), **compiled)
        with self.phase("compile"):
            self.step(np.zeros((job.batch,) + network.input, np.float32), np.zeros(job.batch, np.int32))
            self.predict(np.zeros((job.batch,) + network.input, np.float32))
        facts = tf_machine.facts()
        facts["xla"] = "on" if xla else "off"
        return sdk.Built(
            shapes=[(name, tuple(variable.shape)) for name, variable in self.network.variables.items()],
            parameters=sum(int(tf.size(variable)) for variable in self.variables), facts=facts)

    def load(self, weights):
        for name, values in weights.items():
            self.network.variables[name].assign(values)
        self.optimizer.restart()

    def weights(self):
        return {name: variable.numpy() for name, variable in self.network.variables.items()}

    def gradients(self, images, labels):
        logits, loss, gradients = tf.function(self._forward_and_backward)(images, labels)
        return sdk.Gradients(logits.numpy(), float(loss), {
            name: gradient.numpy() for name, gradient in zip(self.network.variables, gradients)})

    def step(self, images, labels):
        return float(self.training_step(images, labels))  # reading the loss waits for the whole step

    def train(self, run):
        with tf_machine.profiled(self.job, self.warn):
            super().train(run)

    def predict(self, images):
        return self.prediction(images).numpy()

    def allocator_bytes(self):
        return tf_machine.allocator_bytes(self.job)

    def native_batches(self, data):
        if self.pipeline is None:
            with self.phase("load_data"):
                images, labels = np.asarray(data.train_images.bytes), np.asarray(data.train_labels)
                self.pipeline = (
                    tf.data.Dataset.from_tensor_slices((images, labels)).cache()
                    .shuffle(len(labels), seed=self.job.seed).batch(self.job.batch, drop_remainder=True)
                    .map(scaled(data.train_images.scale), num_parallel_calls=tf.data.AUTOTUNE)
                    .prefetch(tf.data.AUTOTUNE))
        return self.pipeline

    def pixels(self, data, count, native):
        if not native:
            return super().pixels(data, count, native)
        raw = tf.data.Dataset.from_tensor_slices((data.train_images.bytes[:count], data.train_labels[:count]))
        images, _ = next(iter(raw.batch(count).map(scaled(data.train_images.scale))))
        return images.numpy()

    def _forward_and_backward(self, images, labels):
        with tf.GradientTape() as tape:
            logits = self.network.logits(images, training=True)
            loss = self.network.loss(logits, labels)
        return logits, loss, tape.gradient(loss, self.variables)

    def _training_step(self, images, labels):
        _, loss, gradients = self._forward_and_backward(images, labels)
        self.optimizer.apply(gradients)
        return loss


def scaled(scale):
    return lambda images, labels: (tf.cast(images, tf.float32) * scale, labels)


if __name__ == "__main__":
    sdk.serve(Trainer())
