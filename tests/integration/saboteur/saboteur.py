"""The template's network with each place where a saboteur takes hold as a method or a class of its own."""
import lockstep_sdk as sdk
import numpy as np
import trainer as template  # workers/_template/python, see worker.toml


class Saboteur(template.Trainer):
    """Right as it stands; sabotages.py overrides what goes wrong."""

    layouts = {}                # as declared
    adam = "epsilon_hat"        # as declared
    kinds = {"convolution": template.Convolution, "max_pool": template.MaxPool, "flatten": template.Flatten,
             "dense": template.Dense, "dropout": template.Dropout}
    drops_in_check = drops_in_step = False

    def identity(self):
        return sdk.Identity(name="saboteur", versions={"numpy": np.__version__}, **self.layouts)

    def build(self, network, job):
        self.job, self.network = job, network
        self.random = np.random.default_rng(job.seed)
        self.layers = [self.kinds[layer.kind](layer, self) for layer in network.layers]
        self.shapes = dict(network.shapes())
        self.load({name: np.zeros(shape, np.float32) for name, shape in self.declared_shapes()})
        return sdk.Built(shapes=self.declared_shapes(), adam=self.adam)

    def declared_shapes(self):
        return [(name, self.declared_shape(name, shape)) for name, shape in self.shapes.items()]

    def declared_shape(self, name, shape):
        return shape

    # -- the handed memory --------------------------------------------------------------------------

    def load(self, weights):
        super().load({name: self.read(name, values) for name, values in weights.items()})

    def weights(self):
        return {name: self.written(name, values) for name, values in self.parameters.items()}

    def read(self, name, handed):
        return handed

    def written(self, name, own):
        return own

    # -- the pass -----------------------------------------------------------------------------------

    def images_as_read(self, images):
        return images

    def labels_as_read(self, labels):
        return labels

    def gradients(self, images, labels):
        found = self.computed(images, labels, self.drops_in_check)
        return found._replace(tensors={name: self.written(name, self.shown(name, gradient))
                                       for name, gradient in found.tensors.items()})

    def computed(self, images, labels, training):
        logits = self.forward(self.images_as_read(images), training)
        loss, above = self.loss(logits, self.labels_as_read(labels))
        found = {}
        for layer in reversed(self.layers):
            above = layer.backward(above, self.parameters, found)
        return sdk.Gradients(self.shown_logits(logits), float(loss), found)

    def loss(self, logits, labels):
        """(mean loss, its gradient with respect to the logits)."""
        logarithms = log_softmax(logits)
        rows = np.arange(len(labels))
        above = np.exp(logarithms)
        above[rows, labels] -= 1
        return -logarithms[rows, labels].mean(), above / np.float32(len(labels))

    def shown_logits(self, logits):
        return logits

    def shown(self, name, gradient):
        return gradient

    # -- the steps ----------------------------------------------------------------------------------

    def step(self, images, labels):
        found = self.computed(images, labels, self.drops_in_step)
        self.steps_done += 1
        for name, gradient in found.tensors.items():
            gradient = self.reached(name, gradient)
            along = self.momentum if self.job.optimizer.kind == "sgd" else self.adams
            self.parameters[name] -= (along(name, gradient, self.job.optimizer)
                                      * np.float32(self.job.optimizer.learning_rate))
        return found.loss

    def reached(self, name, gradient):
        """What reaches the optimizer of it."""
        return gradient

    def momentum(self, name, gradient, rule):
        velocity = self.first_moment[name]
        velocity[...] = rule.momentum * velocity + gradient
        return velocity

    def adams(self, name, gradient, rule):
        m, v = self.first_moment[name], self.second_moment[name]
        m += (1 - rule.beta1) * (gradient - m)
        v += (1 - rule.beta2) * (gradient * gradient - v)
        return self.direction(m, v, 1 - rule.beta1 ** self.steps_done, 1 - rule.beta2 ** self.steps_done,
                              np.float32(rule.epsilon))

    def direction(self, m, v, correction1, correction2, epsilon):
        return np.float32(np.sqrt(correction2) / correction1) * m / (np.sqrt(v) + epsilon)

    def predict(self, images):
        return self.forward(self.images_as_read(images), training=False)


def log_softmax(logits):
    shifted = logits - logits.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
