"""The ways in which the saboteur departs, each a class named as the variable SABOTAGE names it. Each does what a
framework or the author of its worker would do, not what lockstep's reference does to find it out. The file is long
because the list is.
"""
import numpy as np
import trainer as template
from saboteur import Saboteur, log_softmax

_known = {"": Saboteur}


def named(name):
    return _known[name]


def sabotage(one):
    _known[one.__name__] = one
    return one


def with_kind(kind, layer):
    return {**Saboteur.kinds, kind: layer}


def is_kernel(name, handed, rank):
    return name.endswith(".kernel") and handed.ndim == rank


# --- shapes and sides ---

class CeilPool(template.MaxPool):
    """Rounds up; an odd side's last window holds one row or column. What is too many is cut off at the front."""

    def forward(self, values, parameters, training):
        self.whole = values.shape
        self.cut = [side % self.window for side in values.shape[1:3]]
        self.skip = [self.window if odd else 0 for odd in self.cut]
        rest = values[:, self.skip[0]:, self.skip[1]:]
        return super().forward(np.pad(rest, ((0, 0), (0, self.cut[0]), (0, self.cut[1]), (0, 0)),
                                      constant_values=-np.inf), parameters, training)

    def backward(self, above, parameters, found):
        rest = super().backward(above, parameters, found)
        below = np.zeros(self.whole, above.dtype)
        below[:, self.skip[0]:, self.skip[1]:] = rest[
            :, : rest.shape[1] - self.cut[0], : rest.shape[2] - self.cut[1]]
        return below


@sabotage
class pool_ceil(Saboteur):
    kinds = with_kind("max_pool", CeilPool)


@sabotage
class pool_ceil_whole(Saboteur):
    """Nothing is cut off, so that the first dense layer has more inputs."""

    def build(self, network, job):
        sides = network.input[:2]
        for layer in network.layers:
            if layer.kind == "max_pool":
                sides = [-(-side // layer.window) for side in sides]
            if layer.kind == "flatten":
                flat = sides[0] * sides[1] * layer.input[2]
                break
        built = super().build(network, job)
        first = next(layer.name for layer in network.layers if layer.kind == "dense")
        return built.__class__(shapes=[(name, (flat, shape[1]) if name == first + ".kernel" else shape)
                                       for name, shape in built.shapes])


class OneSided(template.Convolution):
    """Same padding, all of it on one side."""
    after = False

    def __init__(self, layer, trainer):
        super().__init__(layer, trainer)
        lost = [side - 1 for side in layer.kernel]
        self.margins = ((0, 0), (lost[0], lost[0]), (lost[1], lost[1]), (0, 0))
        self.shift = lost if self.after else [0, 0]

    def window(self, padded, y, x):
        return super().window(padded, y + self.shift[0], x + self.shift[1])


class After(OneSided):
    after = True


@sabotage
class padding_before(Saboteur):
    kinds = with_kind("convolution", OneSided)


@sabotage
class padding_after(Saboteur):
    kinds = with_kind("convolution", After)


# --- layouts ---

class ChannelsFirst(template.Flatten):
    def forward(self, values, parameters, training):
        self.shape = values.shape
        return values.transpose(0, 3, 1, 2).reshape(len(values), -1)

    def backward(self, above, parameters, found):
        count, height, width, channels = self.shape
        return above.reshape(count, channels, height, width).transpose(0, 2, 3, 1)


@sabotage
class flattens_chw(Saboteur):
    kinds = with_kind("flatten", ChannelsFirst)


@sabotage
class declares_chw(Saboteur):
    layouts = {"flatten": "CHW"}


@sabotage
class flips_kernels(Saboteur):
    def read(self, name, handed):
        return handed[::-1, ::-1] if is_kernel(name, handed, 4) else handed

    written = read


@sabotage
class declares_flipped(Saboteur):
    layouts = {"flipped": True}


@sabotage
class reads_kernels_as_oihw(Saboteur):
    def read(self, name, handed):
        if not is_kernel(name, handed, 4):
            return handed
        height, width, channels, filters = handed.shape
        return handed.reshape(filters, channels, height, width).transpose(2, 3, 1, 0)

    def written(self, name, own):
        return own.transpose(3, 2, 0, 1).reshape(own.shape) if is_kernel(name, own, 4) else own


@sabotage
class declares_oihw(Saboteur):
    """The memory is taken as it comes."""
    layouts = {"convolution": "OIHW"}

    def declared_shape(self, name, shape):
        return (shape[3], shape[2]) + shape[:2] if len(shape) == 4 else shape

    def read(self, name, handed):
        return handed.reshape(self.shapes[name])

    def written(self, name, own):
        return own.reshape(self.declared_shape(name, own.shape))


@sabotage
class reads_dense_as_out_in(Saboteur):
    def read(self, name, handed):
        return handed.reshape(handed.shape[::-1]).T if is_kernel(name, handed, 2) else handed

    def written(self, name, own):
        return own.T.reshape(own.shape) if is_kernel(name, own, 2) else own


@sabotage
class declares_out_in(declares_oihw):
    layouts = {"dense": "out_in"}

    def declared_shape(self, name, shape):
        return shape[::-1] if len(shape) == 2 else shape


# --- what comes in ---

@sabotage
class does_not_divide_by_255(Saboteur):
    def images_as_read(self, images):
        return images * np.float32(255)


@sabotage
class divides_by_255_twice(Saboteur):
    def images_as_read(self, images):
        return images / np.float32(255)


@sabotage
class takes_bgr_for_rgb(Saboteur):
    def images_as_read(self, images):
        return images[..., ::-1]


@sabotage
class counts_labels_from_1(Saboteur):
    def labels_as_read(self, labels):
        return (labels + 1) % self.network.classes


@sabotage
class counts_labels_from_minus_1(Saboteur):
    def labels_as_read(self, labels):
        return (labels - 1) % self.network.classes


@sabotage
class takes_one_hot_for_classes(Saboteur):
    def labels_as_read(self, labels):
        return np.eye(self.network.classes, dtype=np.int32)[labels].ravel()[: len(labels)]


# --- the loss ---

@sabotage
class sums_the_loss(Saboteur):
    def loss(self, logits, labels):
        loss, above = super().loss(logits, labels)
        return loss * len(labels), above * len(labels)


@sabotage
class adds_up_gradients_of_examples(Saboteur):
    def loss(self, logits, labels):
        loss, above = super().loss(logits, labels)
        return loss, above * len(labels)


@sabotage
class softmax_twice_hidden(Saboteur):
    def loss(self, logits, labels):
        first = np.exp(log_softmax(logits))
        loss, above = super().loss(first, labels)
        return loss, first * (above - (first * above).sum(axis=1, keepdims=True))


@sabotage
class softmax_twice(softmax_twice_hidden):
    def shown_logits(self, logits):
        return np.exp(log_softmax(logits))


@sabotage
class shows_probabilities(Saboteur):
    def shown_logits(self, logits):
        return np.exp(log_softmax(logits))


@sabotage
class sigmoid_per_class(Saboteur):
    def loss(self, logits, labels):
        target = np.eye(self.network.classes, dtype=np.float32)[labels]
        losses = np.maximum(logits, 0) - logits * target + np.log1p(np.exp(-np.abs(logits)))
        return losses.sum(axis=1).mean(), (1 / (1 + np.exp(-logits)) - target) / np.float32(len(labels))


# --- layers ---

class WithoutBias(Saboteur):
    layer = ""

    def read(self, name, handed):
        return np.zeros_like(handed) if name == self.layer + ".bias" else handed

    def written(self, name, own):
        return self.handed_bias if name == self.layer + ".bias" else own

    def load(self, weights):
        self.handed_bias = weights[self.layer + ".bias"].copy()
        super().load(weights)

    def computed(self, images, labels, training):
        found = super().computed(images, labels, training)
        found.tensors[self.layer + ".bias"][...] = 0
        return found

    def gradients(self, images, labels):
        found = super().gradients(images, labels)
        found.tensors[self.layer + ".bias"] = np.zeros_like(self.handed_bias)
        return found


for _layer in ("conv1", "conv2", "dense1", "dense2"):
    sabotage(type("no_bias_in_" + _layer, (WithoutBias,), {"layer": _layer}))


@sabotage
class drops(Saboteur):
    drops_in_check = drops_in_step = True


@sabotage
class drops_in_steps_only(Saboteur):
    drops_in_step = True


# --- precision ---

def rounded(values, bits):
    """To so many fraction bits, to nearest, ties to even."""
    words = np.ascontiguousarray(values, np.float32).view(np.uint32)
    dropped = 23 - bits
    odd = (words >> dropped) & 1
    return ((words + ((1 << (dropped - 1)) - 1) + odd) >> dropped << dropped).view(np.float32)


def coarse(layer, bits, outputs):
    class Coarse(layer):
        def forward(self, values, parameters, training):
            found = super().forward(rounded(values, bits), self.coarsened(parameters), training)
            return rounded(found, bits) if outputs else found

        def backward(self, above, parameters, found):
            return super().backward(rounded(above, bits), self.coarsened(parameters), found)

        def coarsened(self, parameters):
            return {**parameters, self.kernel: rounded(parameters[self.kernel], bits)}
    return Coarse


def coarse_kinds(bits, outputs=False):
    return {**Saboteur.kinds, "convolution": coarse(template.Convolution, bits, outputs),
            "dense": coarse(template.Dense, bits, outputs)}


@sabotage
class tf32(Saboteur):
    kinds = coarse_kinds(10)


@sabotage
class bfloat16(Saboteur):
    kinds = coarse_kinds(7)


@sabotage
class bfloat16_outputs_too(Saboteur):
    kinds = coarse_kinds(7, outputs=True)


# --- the optimizer ---

class Decay(Saboteur):
    decay = 5e-4

    def reached(self, name, gradient):
        return gradient + np.float32(self.decay) * self.parameters[name]


sabotage(type("decays", (Decay,), {}))


@sabotage
class decays_by_no_usual_value(Decay):
    decay = 3e-4


@sabotage
class decays_in_the_loss(Decay):
    decay = 3e-4

    def shown(self, name, gradient):
        return self.reached(name, gradient)


@sabotage
class decays_apart(Saboteur):
    """AdamW."""

    def step(self, images, labels):
        before = {name: values.copy() for name, values in self.parameters.items()}
        loss = super().step(images, labels)
        for name, values in self.parameters.items():
            values -= np.float32(self.job.optimizer.learning_rate * 1e-2) * before[name]
        return loss


@sabotage
class adam_classic(Saboteur):
    def direction(self, m, v, correction1, correction2, epsilon):
        return (m / np.float32(correction1)) / (np.sqrt(v / np.float32(correction2)) + epsilon)


@sabotage
class adam_classic_declared(adam_classic):
    adam = "classic"


@sabotage
class adam_declared_wrongly(Saboteur):
    adam = "classic"


@sabotage
class adam_epsilon_in_the_root(Saboteur):
    def direction(self, m, v, correction1, correction2, epsilon):
        return (m / np.float32(correction1)) / np.sqrt(v / np.float32(correction2) + epsilon)


@sabotage
class adam_without_correction(Saboteur):
    def direction(self, m, v, correction1, correction2, epsilon):
        return m / (np.sqrt(v) + epsilon)


@sabotage
class without_momentum(Saboteur):
    """Of either optimizer: rmsprop, plain SGD."""

    def adams(self, name, gradient, rule):
        self.first_moment[name][...] = gradient
        v = self.second_moment[name]
        v += (1 - rule.beta2) * (gradient * gradient - v)
        return self.direction(gradient, v, 1.0, 1 - rule.beta2 ** self.steps_done, np.float32(rule.epsilon))

    def momentum(self, name, gradient, rule):
        return gradient


@sabotage
class momentum_dampened_from_the_start(Saboteur):
    def momentum(self, name, gradient, rule):
        return super().momentum(name, gradient * np.float32(1 - rule.momentum), rule)


@sabotage
class momentum_dampened(Saboteur):
    """The first velocity is the whole gradient."""

    def momentum(self, name, gradient, rule):
        share = 1 if self.steps_done == 1 else 1 - rule.momentum
        return super().momentum(name, gradient * np.float32(share), rule)


@sabotage
class momentum_nesterov(Saboteur):
    def momentum(self, name, gradient, rule):
        return gradient + rule.momentum * super().momentum(name, gradient, rule)


@sabotage
class keeps_gradients(Saboteur):
    def load(self, weights):
        super().load(weights)
        self.kept = {name: np.zeros_like(values) for name, values in self.parameters.items()}

    def reached(self, name, gradient):
        self.kept[name] += gradient
        return self.kept[name]


@sabotage
class keeps_gradients_of_the_check(keeps_gradients):
    def gradients(self, images, labels):
        found = super().gradients(images, labels)
        for name, gradient in found.tensors.items():
            self.kept[name] += gradient
        return found
