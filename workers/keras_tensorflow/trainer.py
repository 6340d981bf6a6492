"""The worker for Keras 3 on TensorFlow: fit and predict over tf.data pipelines."""
import lockstep_sdk as sdk  # first: it stamps the start of the process

import numpy as np
import tensorflow as tf

import tf_machine
from fitting import KerasTrainer, float_pictures
from pipeline import locked_pipeline, pictures_pipeline


class Trainer(KerasTrainer):
    resource_errors = tf_machine.RESOURCE_ERRORS
    jit_option = "xla"

    def identity(self):
        versions = tf_machine.versions()
        return sdk.Identity(
            name="keras_tensorflow", versions={"keras": versions.pop("keras"), **versions},
            precisions=("float32", "bfloat16"), inputs=("locked", "native"), devices=("cpu", "gpu"),
            options=("xla",) + tf_machine.OPTIONS, seen=tf_machine.seen_devices())

    def prepare(self, job):
        tf_machine.prepare(job, self.warn)

    def machine_facts(self):
        return tf_machine.facts()

    def gradients(self, images, labels):
        with tf.GradientTape() as tape:
            logits = self.model(images, training=True)
            loss = self.model.compute_loss(y=tf.constant(labels), y_pred=logits)
        found = tape.gradient(loss, [variable.value for _, variable in self.variables()])
        return sdk.Gradients(np.array(logits), float(loss), {
            name: np.array(gradient) for name, gradient in zip(self.names, found)})

    def train(self, run):
        with tf_machine.profiled(self.job, self.warn):
            super().train(run)

    def locked_batches(self, pictures, labels, order):
        # repeat(), so that fit() makes one iterator only
        return locked_pipeline(pictures.bytes, labels, pictures.scale, order, self.job.batch).repeat()

    def picture_batches(self, pictures):
        return pictures_pipeline(pictures.bytes, pictures.scale, self.job.batch)

    def allocator_bytes(self):
        return tf_machine.allocator_bytes(self.job)

    def pixels(self, data, count, native):
        if native:
            return float_pictures(data.train_images.bytes[:count])
        pipeline = locked_pipeline(data.train_images.bytes, data.train_labels, data.train_images.scale,
                                   np.arange(count), count)
        return next(iter(pipeline))[0].numpy()

    def compile_all(self, network, job):
        images = np.zeros((job.batch,) + network.input, np.uint8)
        labels = np.zeros(job.batch, np.int32)
        if job.input == "native":
            self.model.fit(images.astype("float32"), labels, batch_size=job.batch, verbose=0)
        else:
            pipeline = locked_pipeline(images, labels, np.float32(1), np.arange(job.batch), job.batch)
            self.model.fit(pipeline.repeat(), epochs=1, steps_per_epoch=1, shuffle=False, verbose=0)
        self.model.predict(pictures_pipeline(images, np.float32(1), job.batch), verbose=0)


if __name__ == "__main__":
    sdk.serve(Trainer())
