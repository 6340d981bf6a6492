"""The worker for Keras 3 on TensorFlow: Sequential, compile, fit and predict, as its users write them."""
import lockstep_sdk as sdk  # first: it stamps the start of the process

import keras
import numpy as np
import tensorflow as tf

import tf_machine
from network import sequential
from pipeline import locked_pipeline, pictures_pipeline


class Trainer(sdk.Trainer):
    resource_errors = tf_machine.RESOURCE_ERRORS
    job = None
    arrays = None

    def identity(self):
        versions = tf_machine.versions()
        return sdk.Identity(
            name="keras_tensorflow", versions={"keras": versions.pop("keras"), **versions},
            precisions=("float32", "bfloat16"), inputs=("locked", "native"), devices=("cpu", "gpu"),
            options=("xla",) + tf_machine.OPTIONS, seen=tf_machine.seen_devices())

    def build(self, network, job):
        self.job = job
        tf_machine.prepare(job, self.warn)
        keras.utils.set_random_seed(job.seed % 2 ** 32)
        if job.precision == "bfloat16":
            keras.config.set_dtype_policy("mixed_bfloat16")
        self.model = sequential(network, job)
        rule = job.optimizer
        self.model.compile(
            optimizer=keras.optimizers.Adam(rule.learning_rate, rule.beta1, rule.beta2, epsilon=rule.epsilon)
            if rule.kind == "adam" else keras.optimizers.SGD(rule.learning_rate, momentum=rule.momentum),
            loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"],
            **({"jit_compile": job.flag("xla", False)} if "xla" in job.options else {}))
        self.names = [name for name, _ in network.shapes()]
        with self.phase("compile"):
            self._throw_away_step(network, job)
        facts = tf_machine.facts()
        facts.update({"jit_compile": str(self.model.jit_compile), "metrics": "accuracy"})
        return sdk.Built(
            shapes=[(name, tuple(variable.shape)) for name, variable in self._variables()],
            parameters=self.model.count_params(), facts=facts, step_includes=("input",))

    def load(self, weights):
        self.model.set_weights([weights[name] for name in self.names])
        rate = self.model.optimizer.learning_rate
        for variable in self.model.optimizer.variables:
            if variable is not rate:
                variable.assign(np.zeros(variable.shape, variable.dtype))

    def weights(self):
        return {name: variable.numpy() for name, variable in self._variables()}

    def gradients(self, images, labels):
        with tf.GradientTape() as tape:
            logits = self.model(images, training=True)
            loss = self.model.compute_loss(y=tf.constant(labels), y_pred=logits)
        found = tape.gradient(loss, [variable.value for _, variable in self._variables()])
        return sdk.Gradients(np.array(logits), float(loss), {
            name: np.array(gradient) for name, gradient in zip(self.names, found)})

    def predict(self, images):
        return self.model.predict_on_batch(images)

    def predict_all(self, images):
        logits = self.model.predict(pictures_pipeline(images.bytes, images.scale, self.job.batch), verbose=0,
                                    callbacks=[Liveliness(self.alive)])
        return np.argmax(logits, axis=1).astype(np.int32)

    def train(self, run):
        if run.native:
            self._fit_arrays(run)
            return
        with self.phase("load_data"):
            batches = locked_pipeline(
                run.data.train_images.bytes, run.data.train_labels, run.data.train_images.scale,
                np.concatenate(run.orders), self.job.batch).repeat()  # so that fit() makes one iterator only
        run.begin_epoch()
        self.model.fit(batches, epochs=len(run.orders), steps_per_epoch=run.steps(0), shuffle=False,
                       verbose=0, callbacks=[Stamps(run)])

    def allocator_bytes(self):
        return tf_machine.allocator_bytes(self.job)

    def pixels(self, data, count, native):
        if native:
            return np.array(data.train_images.bytes[:count]).astype("float32") / 255
        pipeline = locked_pipeline(data.train_images.bytes, data.train_labels, data.train_images.scale,
                                   np.arange(count), count)
        return next(iter(pipeline))[0].numpy()

    def _fit_arrays(self, run):
        """As most users feed Keras: whole arrays of float32. They are cut to whole batches, since the
        contract drops the last partial one."""
        if self.arrays is None:
            with self.phase("load_data"):
                self.arrays = (np.array(run.data.train_images.bytes).astype("float32") / 255,
                               np.array(run.data.train_labels))
        whole = run.whole_steps * self.job.batch
        run.begin_epoch()
        self.model.fit(self.arrays[0][:whole], self.arrays[1][:whole], batch_size=self.job.batch,
                       epochs=len(run.orders), shuffle=True, verbose=0, callbacks=[Stamps(run)])

    def _throw_away_step(self, network, job):
        """Traces and compiles what training and prediction will use; load() undoes what it changes."""
        images = np.zeros((job.batch,) + network.input, np.uint8)
        labels = np.zeros(job.batch, np.int32)
        if job.input == "native":
            self.model.fit(images.astype("float32"), labels, batch_size=job.batch, verbose=0)
        else:
            pipeline = locked_pipeline(images, labels, np.float32(1), np.arange(job.batch), job.batch)
            self.model.fit(pipeline.repeat(), epochs=1, steps_per_epoch=1, shuffle=False, verbose=0)
        self.model.predict(pictures_pipeline(images, np.float32(1), job.batch), verbose=0)

    def _variables(self):
        return list(zip(self.names, self.model.trainable_variables))


class Stamps(keras.callbacks.Callback):
    """Stamps the steps that `fit` does by itself, and evaluates between epochs."""

    def __init__(self, run):
        super().__init__()
        self.run = run

    def on_epoch_begin(self, epoch, logs=None):
        self.steps = 0
        self.sum = 0.0
        if epoch > 0:  # the first one begins before fit() does its own preparations
            self.run.begin_epoch()

    def on_train_batch_begin(self, batch, logs=None):
        self.run.begin_step()

    def on_train_batch_end(self, batch, logs=None):
        self.steps += 1
        before, self.sum = self.sum, logs["loss"] * self.steps  # Keras tells the mean of the epoch so far
        self.run.end_step(self.sum - before)
        if self.run.done == self.run.total:
            self.model.stop_training = True

    def on_epoch_end(self, epoch, logs=None):
        self.run.end_epoch(logs["loss"])


class Liveliness(keras.callbacks.Callback):
    """Tells lockstep that a long prediction is not a hang."""

    def __init__(self, alive):
        super().__init__()
        self.alive = alive

    def on_predict_batch_end(self, batch, logs=None):
        self.alive()


if __name__ == "__main__":
    sdk.serve(Trainer())
