"""Keras 3 as its users write it, whatever the backend: Sequential, compile, fit, predict, and the stamps of the
steps that `fit` does by itself."""
import lockstep_sdk as sdk

import keras
import numpy as np

from network import sequential


class KerasTrainer(sdk.Trainer):
    """A backend fills in its side of the machine, its gradients and how its pictures are fed."""

    job = None
    arrays = None
    jit_option = None             # the option that sets `jit_compile` of compile(); absent: Keras decides
    data_formats = ("channels_last",)  # more than one: the option data_format chooses
    fetches_inside_steps = True   # fit says that a batch begins before it has fetched it

    # -- what a backend fills in ------------------------------------------------------------------

    def prepare(self, job):
        """Takes the job's device, threads and seed, before the first operation."""
        raise NotImplementedError

    def machine_facts(self):
        raise NotImplementedError

    def locked_batches(self, pictures, labels, order):
        """What fit takes: whole batches (images, labels) of `pictures` (an Images) in the given order."""
        raise NotImplementedError

    def picture_batches(self, pictures):
        """What predict takes: all `pictures` in their own order, the last batch shorter."""
        raise NotImplementedError

    def compile_all(self, network, job):
        """Traces and compiles what training and prediction will use; load() undoes what it changes."""
        raise NotImplementedError

    # -- what all backends share ------------------------------------------------------------------

    def build(self, network, job):
        self.job = job
        self.prepare(job)
        data_format = job.options.get("data_format", "channels_last")
        if data_format not in self.data_formats:
            raise sdk.Unsupported("option data_format is \"{}\". It takes {}".format(
                data_format, " or ".join(self.data_formats)))
        keras.config.set_image_data_format(data_format)
        keras.utils.set_random_seed(job.seed % 2 ** 32)
        if job.precision == "bfloat16":
            keras.config.set_dtype_policy("mixed_bfloat16")
        self.model = sequential(network, job)
        rule = job.optimizer
        self.loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        self.model.compile(
            optimizer=keras.optimizers.Adam(rule.learning_rate, rule.beta1, rule.beta2, epsilon=rule.epsilon)
            if rule.kind == "adam" else keras.optimizers.SGD(rule.learning_rate, momentum=rule.momentum),
            loss=self.loss, metrics=["accuracy"],
            **({"jit_compile": job.flag(self.jit_option, False)} if self.jit_option in job.options else {}))
        self.names = [name for name, _ in network.shapes()]
        with self.phase("compile"):
            self.compile_all(network, job)
        facts = self.machine_facts()
        facts.update({"jit_compile": str(self.model.jit_compile), "data_format": data_format,
                      "metrics": "accuracy"})
        return sdk.Built(
            shapes=[(name, tuple(variable.shape)) for name, variable in self.variables()],
            parameters=self.model.count_params(), facts=facts,
            step_includes=("input",) if self.fetches_inside_steps else ())

    def load(self, weights):
        self.model.set_weights([weights[name] for name in self.names])
        rate = self.model.optimizer.learning_rate
        for variable in self.model.optimizer.variables:
            if variable is not rate:
                variable.assign(np.zeros(variable.shape, variable.dtype))

    def weights(self):
        return {name: keras.ops.convert_to_numpy(variable) for name, variable in self.variables()}

    def predict(self, images):
        return self.model.predict_on_batch(arranged(images))

    def predict_all(self, images):
        logits = self.model.predict(self.picture_batches(images), verbose=0,
                                    callbacks=[Liveliness(self.alive)])
        return np.argmax(logits, axis=1).astype(np.int32)

    def train(self, run):
        if run.native:
            self._fit_arrays(run)
            return
        with self.phase("load_data"):
            batches = self.locked_batches(run.data.train_images, run.data.train_labels, np.concatenate(run.orders))
        run.begin_epoch()
        self.model.fit(batches, epochs=len(run.orders), steps_per_epoch=run.steps(0), shuffle=False,
                       verbose=0, callbacks=[Stamps(run, self.fetches_inside_steps)])

    def variables(self):
        return list(zip(self.names, self.model.trainable_variables))

    def _fit_arrays(self, run):
        """As most users feed Keras: whole arrays of float32. They are cut to whole batches, since the
        contract drops the last partial one."""
        if self.arrays is None:
            with self.phase("load_data"):
                self.arrays = (float_pictures(run.data.train_images.bytes), np.array(run.data.train_labels))
        whole = run.whole_steps * self.job.batch
        run.begin_epoch()
        self.model.fit(self.arrays[0][:whole], self.arrays[1][:whole], batch_size=self.job.batch,
                       epochs=len(run.orders), shuffle=True, verbose=0,
                       callbacks=[Stamps(run, self.fetches_inside_steps)])


def float_pictures(pictures):
    return arranged(np.array(pictures)).astype("float32") / 255


def arranged(images):
    """Images, height x width x channels, in Keras's own data format."""
    if keras.config.image_data_format() == "channels_first":
        return np.ascontiguousarray(images.transpose(0, 3, 1, 2))
    return images


class Stamps(keras.callbacks.Callback):
    """Stamps the steps that `fit` does by itself, and evaluates between epochs. Where `fit` fetches a batch
    before it says that the batch begins, a native step begins where the last one ended, so that it holds that
    too."""

    def __init__(self, run, fetches_inside_steps):
        super().__init__()
        self.run = run
        self.begins_early = run.native and not fetches_inside_steps

    def on_epoch_begin(self, epoch, logs=None):
        self.steps = 0
        self.sum = 0.0
        if epoch > 0:  # the first one begins before fit() does its own preparations
            self.run.begin_epoch()
        self.run.begin_step()

    def on_train_batch_begin(self, batch, logs=None):
        if not self.begins_early:
            self.run.begin_step()

    def on_train_batch_end(self, batch, logs=None):
        self.steps += 1
        before, self.sum = self.sum, logs["loss"] * self.steps  # Keras tells the mean of the epoch so far
        self.run.end_step(self.sum - before)
        if self.run.done == self.run.total:
            self.model.stop_training = True
        if self.begins_early:
            self.run.begin_step()

    def on_epoch_end(self, epoch, logs=None):
        self.run.end_epoch(logs["loss"])


class Liveliness(keras.callbacks.Callback):
    """Tells lockstep that a long prediction is not a hang."""

    def __init__(self, alive):
        super().__init__()
        self.alive = alive

    def on_predict_batch_end(self, batch, logs=None):
        self.alive()
