"""The worker for Keras 2.3.1 on Theano: Sequential, compile, fit and predict, as its users write them."""
import lockstep_sdk as sdk  # first: it stamps the start of the process

import theano_machine  # before Keras: it prepares and imports Theano

import keras
import numpy as np
import theano.tensor as T
from keras import backend as K

from batches import Batches, arranged
from network import sequential

DATA_FORMATS = ("channels_last", "channels_first")


class Trainer(sdk.Trainer):
    arrays = (None, None, None)  # the Dataset, and its pictures and labels as fit takes them

    def identity(self):
        return sdk.Identity(
            name="keras_theano", versions={"keras": keras.__version__, **theano_machine.versions()},
            convolution="HWIO", flipped=True, dense="in_out", flatten="HWC", inputs=("locked", "native"),
            options=theano_machine.OPTIONS + ("data_format",))

    def build(self, network, job):
        theano_machine.prepare(job)
        data_format = job.options.get("data_format", "channels_last")
        if data_format not in DATA_FORMATS:
            raise sdk.Unsupported("option data_format is \"{}\". It takes {}".format(
                data_format, " or ".join(DATA_FORMATS)))
        K.set_image_data_format(data_format)
        self.job = job
        self.model = sequential(network, job)
        rule = job.optimizer
        self.model.compile(
            optimizer=keras.optimizers.Adam(rule.learning_rate, rule.beta1, rule.beta2, epsilon=rule.epsilon)
            if rule.kind == "adam" else keras.optimizers.SGD(rule.learning_rate, momentum=rule.momentum),
            loss=cross_entropy, metrics=["sparse_categorical_accuracy"])
        self.names = [name for name, _ in network.shapes()]
        with self.phase("compile"), theano_machine.signs_of_life(self):
            images = arranged(np.zeros((job.batch,) + network.input, np.float32))
            self.model.train_on_batch(images, np.zeros(job.batch, np.int32))
            self.model.predict_on_batch(images)
        facts = theano_machine.facts(self.model.train_function.function)
        facts.update({"data_format": data_format, "metrics": "sparse_categorical_accuracy"})
        return sdk.Built(
            shapes=[(name, K.int_shape(variable)) for name, variable in self._variables()],
            parameters=self.model.count_params(), facts=facts)

    def load(self, weights):
        K.batch_set_value([(variable, weights[name]) for name, variable in self._variables()])
        for variable in self.model.optimizer.weights:
            K.set_value(variable, np.zeros_like(K.get_value(variable)))

    def weights(self):
        return {name: K.get_value(variable) for name, variable in self._variables()}

    def gradients(self, images, labels):
        """Of the loss that `compile` made; the weights of the samples, which it takes too, are ones."""
        model = self.model
        variables = [variable for _, variable in self._variables()]
        with theano_machine.signs_of_life(self):
            function = K.function(
                model._feed_inputs + model._feed_targets + model._feed_sample_weights,
                [model.layers[-2].output, model.total_loss] + K.gradients(model.total_loss, variables))
        logits, loss, *found = function(
            [arranged(images), labels.reshape(-1, 1), np.ones(len(labels), np.float32)])
        return sdk.Gradients(logits, float(loss), dict(zip(self.names, found)))

    def predict(self, images):
        """Probabilities, whose order is that of the logits."""
        return self.model.predict_on_batch(arranged(images))

    def predict_all(self, images):
        found = self.model.predict(Batches(images, np.arange(len(images)), self.job.batch), workers=0,
                                   callbacks=[Liveliness(self.alive)])
        return np.argmax(found, axis=1).astype(np.int32)

    def train(self, run):
        run.begin_epoch()
        if run.native:
            self._fit_arrays(run)
            return
        batches = Batches(run.data.train_images, np.concatenate(run.orders), self.job.batch, run.data.train_labels)
        self.model.fit(batches, epochs=len(run.orders), steps_per_epoch=run.steps(0), shuffle=False, verbose=0,
                       workers=0, callbacks=[Stamps(run)])

    def pixels(self, data, count, native):
        if native:
            return np.array(data.train_images.bytes[:count]).astype("float32") / 255
        return Batches(data.train_images, np.arange(count), count)[0]

    def _fit_arrays(self, run):
        """As most users feed Keras: whole arrays of float32. They are cut to whole batches, since the
        contract drops the last partial one."""
        if self.arrays[0] is not run.data:
            with self.phase("load_data"):
                self.arrays = (run.data, arranged(np.array(run.data.train_images.bytes)).astype("float32") / 255,
                               np.array(run.data.train_labels))
        whole = run.whole_steps * self.job.batch
        _, images, labels = self.arrays
        self.model.fit(images[:whole], labels[:whole], batch_size=self.job.batch, epochs=len(run.orders),
                       shuffle=True, verbose=0, callbacks=[Stamps(run)])

    def _variables(self):
        return list(zip(self.names, self.model.trainable_weights))


def cross_entropy(labels, probabilities):
    """Of whole-number labels. Keras's own clips the probabilities, so that a large loss departs."""
    return T.nnet.categorical_crossentropy(probabilities, T.cast(T.flatten(labels), "int32"))


class Stamps(keras.callbacks.Callback):
    """Stamps the steps that `fit` does by itself, and evaluates between epochs. `fit` fetches a batch before
    it says that the batch begins; a native step begins where the last one ended, so that it holds that too."""

    def __init__(self, run):
        super().__init__()
        self.run = run

    def on_epoch_begin(self, epoch, logs=None):
        if epoch > 0:  # the first one begins before fit() does its own preparations
            self.run.begin_epoch()
        self.run.begin_step()

    def on_batch_begin(self, batch, logs=None):
        if not self.run.native:
            self.run.begin_step()

    def on_batch_end(self, batch, logs=None):
        self.run.end_step(logs["loss"])
        if self.run.done == self.run.total:
            self.model.stop_training = True
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


if __name__ == "__main__":
    sdk.serve(Trainer())
