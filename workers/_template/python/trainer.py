"""A worker that trains by numpy alone: copy this folder and put your framework in its place."""
import lockstep_sdk as sdk  # first: it stamps the start of the process

import platform

import numpy as np


class Trainer(sdk.Trainer):
    def identity(self):
        return sdk.Identity(
            name="template_python", versions={"numpy": np.__version__, "python": platform.python_version()})

    def build(self, network, job):
        self.job = job
        kinds = {"convolution": Convolution, "max_pool": MaxPool, "flatten": Flatten, "dense": Dense,
                 "dropout": Dropout}
        self.random = np.random.default_rng(job.seed)
        self.layers = [kinds[layer.kind](layer, self) for layer in network.layers]
        self.parameters = {name: np.zeros(shape, np.float32) for name, shape in network.shapes()}
        self.load(self.parameters)
        return sdk.Built(shapes=network.shapes(), facts={"arithmetic": "numpy matmul"})

    def load(self, weights):
        self.parameters = {name: values.copy() for name, values in weights.items()}
        self.first_moment = {name: np.zeros_like(values) for name, values in weights.items()}
        self.second_moment = {name: np.zeros_like(values) for name, values in weights.items()}
        self.steps_done = 0

    def weights(self):
        return self.parameters

    def gradients(self, images, labels):
        logits = self.forward(images, training=self.job.dropout)
        shifted = logits - logits.max(axis=1, keepdims=True)
        log_sum = np.log(np.exp(shifted).sum(axis=1, keepdims=True))
        rows = np.arange(len(labels))
        loss = float((log_sum[:, 0] - shifted[rows, labels]).mean())
        above = np.exp(shifted - log_sum)
        above[rows, labels] -= 1
        above /= np.float32(len(labels))
        found = {}
        for layer in reversed(self.layers):
            above = layer.backward(above, self.parameters, found)
        return sdk.Gradients(logits, loss, found)

    def step(self, images, labels):
        found = self.gradients(images, labels)
        self.steps_done += 1
        rule = self.job.optimizer
        for name, gradient in found.tensors.items():
            m, v = self.first_moment[name], self.second_moment[name]
            if rule.kind == "sgd":
                m[...] = rule.momentum * m + gradient
                self.parameters[name] -= rule.learning_rate * m
            else:
                rate = (rule.learning_rate * np.sqrt(1 - rule.beta2 ** self.steps_done)
                        / (1 - rule.beta1 ** self.steps_done))
                m += (1 - rule.beta1) * (gradient - m)
                v += (1 - rule.beta2) * (gradient * gradient - v)
                self.parameters[name] -= np.float32(rate) * m / (np.sqrt(v) + np.float32(rule.epsilon))
        return found.loss

    def predict(self, images):
        return self.forward(images, training=False)

    def forward(self, values, training):
        for layer in self.layers:
            values = layer.forward(values, self.parameters, training)
        return values


class Dense:
    def __init__(self, layer, trainer):
        self.kernel, self.bias = layer.name + ".kernel", layer.name + ".bias"
        self.relu = layer.activation == "relu"

    def forward(self, values, parameters, training):
        self.input = values
        self.output = values @ parameters[self.kernel] + parameters[self.bias]
        if self.relu:
            np.maximum(self.output, 0, out=self.output)
        return self.output

    def backward(self, above, parameters, found):
        if self.relu:
            above = above * (self.output > 0)
        found[self.kernel] = self.input.T @ above
        found[self.bias] = above.sum(axis=0)
        return above @ parameters[self.kernel].T


class Convolution:
    """Stride 1: the sum over the kernel's positions of one matrix product each."""

    def __init__(self, layer, trainer):
        self.kernel, self.bias = layer.name + ".kernel", layer.name + ".bias"
        self.relu = layer.activation == "relu"
        self.height, self.width = layer.output[:2]
        self.positions = [(y, x) for y in range(layer.kernel[0]) for x in range(layer.kernel[1])]
        around = [(side - 1) // 2 if layer.padding == "same" else 0 for side in layer.kernel]
        self.margins = ((0, 0), (around[0], around[0]), (around[1], around[1]), (0, 0))

    def window(self, padded, y, x):
        return padded[:, y: y + self.height, x: x + self.width]

    def forward(self, values, parameters, training):
        self.input = np.pad(values, self.margins)
        self.output = sum(self.window(self.input, y, x) @ parameters[self.kernel][y, x]
                          for y, x in self.positions) + parameters[self.bias]
        if self.relu:
            np.maximum(self.output, 0, out=self.output)
        return self.output

    def backward(self, above, parameters, found):
        if self.relu:
            above = above * (self.output > 0)
        found[self.bias] = above.sum(axis=(0, 1, 2))
        found[self.kernel] = np.empty_like(parameters[self.kernel])
        below = np.zeros_like(self.input)
        for y, x in self.positions:
            found[self.kernel][y, x] = np.tensordot(
                self.window(self.input, y, x), above, axes=[(0, 1, 2)] * 2)
            self.window(below, y, x)[...] += above @ parameters[self.kernel][y, x].T
        top, left = self.margins[1][0], self.margins[2][0]
        return below[:, top: below.shape[1] - top, left: below.shape[2] - left]


class MaxPool:
    """Floor rounding; the gradient goes to the first largest value of a window."""

    def __init__(self, layer, trainer):
        self.window = layer.window
        self.height, self.width = layer.output[:2]

    def forward(self, values, parameters, training):
        side, count, channels = self.window, len(values), values.shape[3]
        self.shape = values.shape
        kept = values[:, : self.height * side, : self.width * side]
        windows = kept.reshape(count, self.height, side, self.width, side, channels).swapaxes(2, 3)
        windows = windows.reshape(count, self.height, self.width, side * side, channels)
        self.largest = windows.argmax(axis=3)[:, :, :, None]
        return np.take_along_axis(windows, self.largest, axis=3)[:, :, :, 0]

    def backward(self, above, parameters, found):
        side, (count, _, _, channels) = self.window, self.shape
        windows = np.zeros((count, self.height, self.width, side * side, channels), above.dtype)
        np.put_along_axis(windows, self.largest, above[:, :, :, None], axis=3)
        windows = windows.reshape(count, self.height, self.width, side, side, channels).swapaxes(2, 3)
        below = np.zeros(self.shape, above.dtype)
        below[:, : self.height * side, : self.width * side] = windows.reshape(
            count, self.height * side, self.width * side, channels)
        return below


class Flatten:
    def __init__(self, layer, trainer):
        pass

    def forward(self, values, parameters, training):
        self.shape = values.shape
        return values.reshape(len(values), -1)

    def backward(self, above, parameters, found):
        return above.reshape(self.shape)


class Dropout:
    """What passes is scaled up, so that prediction needs no change."""

    def __init__(self, layer, trainer):
        self.rate, self.random = layer.rate, trainer.random

    def forward(self, values, parameters, training):
        self.mask = None
        if training:
            passes = self.random.random(values.shape, np.float32) >= self.rate
            self.mask = passes / np.float32(1 - self.rate)
            values = values * self.mask
        return values

    def backward(self, above, parameters, found):
        return above if self.mask is None else above * self.mask


if __name__ == "__main__":
    sdk.serve(Trainer())
