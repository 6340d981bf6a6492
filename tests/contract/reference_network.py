"""The network in plain Python and float64, a picture at a time: the measure of a worker's numbers."""
import math


class ReferenceNetwork:
    """`parameters`: flat canonical lists by name. Dropout is off."""

    def __init__(self, described, optimizer, parameters):
        self.layers = described["layers"]
        self.rule = optimizer
        self.parameters = {name: list(values) for name, values in parameters.items()}
        self.first = {name: [0.0] * len(values) for name, values in parameters.items()}
        self.second = {name: [0.0] * len(values) for name, values in parameters.items()}
        self.steps = 0

    def logits(self, picture):
        return self._forward(picture)[-1]

    def gradients(self, pictures, labels):
        """(logits of each picture, mean loss, gradient of the mean loss by name)."""
        found = {name: [0.0] * len(values) for name, values in self.parameters.items()}
        all_logits, loss = [], 0.0
        for picture, label in zip(pictures, labels):
            values = self._forward(picture)
            logits = values[-1]
            top = max(logits)
            total = sum(math.exp(value - top) for value in logits)
            loss += (top + math.log(total) - logits[label]) / len(pictures)
            above = [(math.exp(value - top) / total - (place == label)) / len(pictures)
                     for place, value in enumerate(logits)]
            for place in reversed(range(len(self.layers))):
                above = self._backward(self.layers[place], values[place], values[place + 1], above, found)
            all_logits.append(logits)
        return all_logits, loss, found

    def step(self, pictures, labels):
        """One update; the mean loss before it."""
        _, loss, found = self.gradients(pictures, labels)
        self.steps += 1
        rule = self.rule
        for name, gradient in found.items():
            theta, m, v = self.parameters[name], self.first[name], self.second[name]
            for i, g in enumerate(gradient):
                if rule["kind"] == "sgd":
                    m[i] = rule["momentum"] * m[i] + g
                    theta[i] -= rule["learning_rate"] * m[i]
                else:
                    m[i] += (1 - rule["beta1"]) * (g - m[i])
                    v[i] += (1 - rule["beta2"]) * (g * g - v[i])
                    rate = (rule["learning_rate"] * math.sqrt(1 - rule["beta2"] ** self.steps)
                            / (1 - rule["beta1"] ** self.steps))
                    theta[i] -= rate * m[i] / (math.sqrt(v[i]) + rule["epsilon"])
        return loss

    def _forward(self, picture):
        values = [picture]
        for layer in self.layers:
            values.append(self._output(layer, values[-1]))
        return values

    def _backward(self, layer, below, output, above, found):
        if layer["kind"] in ("flatten", "dropout"):
            return above
        if layer["kind"] == "max_pool":
            gradient = [0.0] * len(below)
            for place, value in enumerate(above):
                gradient[self._largest(layer, below, place)] += value
            return gradient
        if layer["activation"] == "relu":
            above = [value if out > 0 else 0.0 for value, out in zip(above, output)]
        kernel, kernel_gradient = self.parameters[layer["name"] + ".kernel"], found[layer["name"] + ".kernel"]
        bias_gradient, gradient = found[layer["name"] + ".bias"], [0.0] * len(below)
        outputs = layer["output"][-1]
        for place, value in enumerate(above):
            if value:
                bias_gradient[place % outputs] += value
                for source, weight in self._terms(layer, place):
                    kernel_gradient[weight] += value * below[source]
                    gradient[source] += value * kernel[weight]
        return gradient

    def _output(self, layer, below):
        if layer["kind"] in ("flatten", "dropout"):
            return below
        if layer["kind"] == "max_pool":
            return [below[self._largest(layer, below, place)] for place in range(math.prod(layer["output"]))]
        kernel, bias = self.parameters[layer["name"] + ".kernel"], self.parameters[layer["name"] + ".bias"]
        found = [bias[place % len(bias)] + sum(below[source] * kernel[weight]
                                               for source, weight in self._terms(layer, place))
                 for place in range(math.prod(layer["output"]))]
        return [max(value, 0.0) for value in found] if layer["activation"] == "relu" else found

    def _terms(self, layer, place):
        """Which input meets which kernel value in the output at `place`."""
        if layer["kind"] == "dense":
            return [(source, source * layer["units"] + place) for source in range(layer["input"][0])]
        (rows, columns, channels), (_, width, filters) = layer["input"], layer["output"]
        top = [(side - 1) // 2 if layer["padding"] == "same" else 0 for side in layer["kernel"]]
        y, x, o = place // filters // width, place // filters % width, place % filters
        found = []
        for i in range(layer["kernel"][0]):
            for j in range(layer["kernel"][1]):
                row, column = y + i - top[0], x + j - top[1]
                if 0 <= row < rows and 0 <= column < columns:
                    source = (row * columns + column) * channels
                    weight = (i * layer["kernel"][1] + j) * channels
                    found += [(source + c, (weight + c) * filters + o) for c in range(channels)]
        return found

    def _largest(self, layer, below, place):
        (_, columns, channels), width, side = layer["input"], layer["output"][1], layer["window"]
        y, x, c = place // channels // width, place // channels % width, place % channels
        places = [((y * side + i) * columns + x * side + j) * channels + c
                  for i in range(side) for j in range(side)]
        return max(places, key=lambda source: below[source])
