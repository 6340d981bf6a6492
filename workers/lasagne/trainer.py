"""The worker for Lasagne: one theano.function a training step, over shared variables."""
import lockstep_sdk as sdk  # first: it stamps the start of the process

import theano_machine  # before Lasagne: it prepares and imports Theano

import lasagne
import numpy as np
import theano
import theano.tensor as T
from lasagne.layers import get_output
from lasagne.objectives import categorical_crossentropy

from network import parameters, stacked


class Trainer(sdk.Trainer):
    shared_data = None  # the Dataset that lies in the shared variables

    def identity(self):
        return sdk.Identity(
            name="lasagne", versions={"lasagne": lasagne.__version__, **theano_machine.versions()},
            convolution="OIHW", flipped=True, dense="in_out", flatten="CHW", inputs=("locked", "native"),
            options=theano_machine.OPTIONS + ("convolution",))

    def build(self, network, job):
        theano_machine.prepare(job)
        convolution = job.options.get("convolution", "stock")
        if convolution not in ("stock", "half"):
            raise sdk.Unsupported("option convolution is \"{}\". It takes stock or half".format(convolution))
        self.job = job
        self.random = np.random.RandomState(job.seed % 2 ** 32)
        lasagne.random.set_rng(np.random.RandomState(job.seed % 2 ** 32))
        self.images, self.labels = T.tensor4("images"), T.ivector("labels")
        self.logits, self.probabilities = stacked(network, job, self.images)
        self.loss = categorical_crossentropy(get_output(self.probabilities), self.labels).mean()
        variables = parameters(self.probabilities)
        self.variables = dict(zip((name for name, _ in network.shapes()), variables))
        rule = job.optimizer
        if rule.kind == "adam":
            self.updates = lasagne.updates.adam(self.loss, variables, rule.learning_rate, rule.beta1, rule.beta2,
                                                rule.epsilon)
        else:
            self.updates = lasagne.updates.momentum(self.loss, variables, rule.learning_rate, rule.momentum)
        self.locked_step = self.native_step = None
        with self.phase("compile"), theano_machine.signs_of_life(self):
            self.predict_images = theano.function(
                [self.images], get_output(self.logits, deterministic=True))
            self._compile_step(network)
        facts = theano_machine.facts(self.native_step or self.locked_step)
        facts["convolution"] = convolution
        return sdk.Built(
            shapes=[(name, variable.get_value(borrow=True).shape) for name, variable in self.variables.items()],
            parameters=lasagne.layers.count_params(self.probabilities, trainable=True), facts=facts)

    def load(self, weights):
        for name, values in weights.items():
            self.variables[name].set_value(values)
        for variable in self.updates:  # what the optimizer keeps beside the parameters
            if variable not in self.variables.values():
                variable.get_value(borrow=True).fill(0)

    def weights(self):
        return {name: variable.get_value() for name, variable in self.variables.items()}

    def gradients(self, images, labels):
        with theano_machine.signs_of_life(self):
            function = theano.function(
                [self.images, self.labels],
                [get_output(self.logits), self.loss] + theano.grad(self.loss, list(self.variables.values())))
        logits, loss, *found = function(channels_first(images), labels)
        return sdk.Gradients(logits, float(loss), dict(zip(self.variables, found)))

    def step(self, images, labels):
        if labels is None:  # native_batches() gives numbers of batches
            return float(self.native_step(images))
        if self.locked_step is None:
            self._compile_locked_step()
        return float(self.locked_step(channels_first(images), labels))

    def predict(self, images):
        return self.predict_images(channels_first(images))

    def native_batches(self, data):
        """The whole training set lies in shared variables; a new permutation goes into another one."""
        count = len(data.train_images)
        if self.shared_data is not data:
            self.shared_data = data
            with self.phase("load_data"):
                self.shared_images.set_value(as_float(data.train_images.bytes), borrow=True)
                self.shared_labels.set_value(np.array(data.train_labels), borrow=True)
        self.shared_order.set_value(self.random.permutation(count), borrow=True)
        return ((number, None) for number in range(count // self.job.batch))

    def pixels(self, data, count, native):
        if not native:
            return super().pixels(data, count, native)
        return as_float(data.train_images.bytes[:count]).transpose(0, 2, 3, 1)

    def _compile_step(self, network):
        """Compiles the step of the job's input and takes one step with it."""
        height, width, channels = network.input
        images = np.zeros((self.job.batch, height, width, channels), np.float32)
        labels = np.zeros(self.job.batch, np.int32)
        self.predict(images)
        if self.job.input == "native":
            self._compile_native_step(channels_first(images), labels)
            self.step(0, None)
        else:
            self.step(images, labels)

    def _compile_locked_step(self):
        with theano_machine.signs_of_life(self):
            self.locked_step = theano.function([self.images, self.labels], self.loss, updates=self.updates)

    def _compile_native_step(self, images, labels):
        self.shared_images, self.shared_labels = theano.shared(images), theano.shared(labels)
        self.shared_order = theano.shared(np.arange(len(labels)))
        number, batch = T.lscalar("number"), self.job.batch
        chosen = self.shared_order[number * batch: (number + 1) * batch]
        self.native_step = theano.function([number], self.loss, updates=self.updates, givens={
            self.images: self.shared_images[chosen], self.labels: self.shared_labels[chosen]})


def channels_first(images):
    """Copies only where there is more than one channel."""
    return np.ascontiguousarray(images.transpose(0, 3, 1, 2))


def as_float(pictures):
    return channels_first(np.asarray(pictures)).astype(np.float32) / np.float32(255)


if __name__ == "__main__":
    sdk.serve(Trainer())
