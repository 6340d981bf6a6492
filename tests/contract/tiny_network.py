"""A network, pictures and weights small enough for plain Python, in the shapes that catch mistakes: odd
sides, two input channels, a partial last batch."""
import math
import random

HEIGHT, WIDTH, CHANNELS, CLASSES = 11, 10, 2, 3
BATCH, TRAIN, TEST = 4, 14, 6  # three whole batches and a rest in training; a whole one and a rest in test


def network(padding="same"):
    """As `build` carries it: two convolutions, two pools that round down, two dense layers, one dropout."""
    layers, shape = [], [HEIGHT, WIDTH, CHANNELS]

    def add(kind, name, output, **more):
        layers.append(dict(kind=kind, name=name, input=list(shape), output=list(output), **more))
        shape[:] = output

    lost = 0 if padding == "same" else 2
    for number, filters in ((1, 3), (2, 4)):
        add("convolution", "conv{}".format(number), [shape[0] - lost, shape[1] - lost, filters],
            kernel=[3, 3], filters=filters, padding=padding, activation="relu")
        add("max_pool", "pool{}".format(number), [shape[0] // 2, shape[1] // 2, filters], window=2)
    add("flatten", "flatten", [math.prod(shape)])
    add("dense", "dense1", [5], units=5, activation="relu")
    add("dropout", "dropout1", [5], rate=0.5)
    add("dense", "dense2", [CLASSES], units=CLASSES, activation="none")
    return {"id": "tiny_" + padding, "short": "tiny", "input": [HEIGHT, WIDTH, CHANNELS], "classes": CLASSES,
            "layers": layers}


def job(padding="same", optimizer="adam", **more):
    rules = {"adam": {"kind": "adam", "learning_rate": 1e-3, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-7},
             "sgd": {"kind": "sgd", "learning_rate": 1e-2, "momentum": 0.9}}
    asked = {"network": network(padding), "batch": BATCH, "optimizer": rules[optimizer],
             "precision": "float32", "tf32": False, "input": "locked", "threads": 1,
             "device": {"kind": "cpu", "index": 0},
             "replicas": 1, "rank": 0, "world": 1, "dropout": False, "seed": 7, "options": {}}
    asked.update(more)
    return asked


def shapes(described):
    """[(name, canonical shape)]: kernels height x width x in x out and in x out, kernel before bias."""
    found = []
    for layer in described["layers"]:
        if layer["kind"] == "convolution":
            found.append((layer["name"] + ".kernel", layer["kernel"] + [layer["input"][2], layer["filters"]]))
            found.append((layer["name"] + ".bias", [layer["filters"]]))
        elif layer["kind"] == "dense":
            found.append((layer["name"] + ".kernel", [layer["input"][0], layer["units"]]))
            found.append((layer["name"] + ".bias", [layer["units"]]))
    return found


def weights(described, seed=30):
    """Canonical parameters, flat; exact in float32, so that a round trip can be compared bit by bit. With the
    default seed no gradient vanishes and the test pictures fall into more than one class, none by a hair."""
    draw = random.Random(seed)
    return {name: [draw.randrange(-4096, 4096) / 8192.0 for _ in range(math.prod(shape))]
            for name, shape in shapes(described)}


def pictures(count, seed):
    """Each with a light and a dark part of its own, so that predictions differ."""
    draw = random.Random(seed)
    found = []
    for _ in range(count):
        bright = [[draw.choice((8, 64, 256)) for _ in range(2)] for _ in range(2)]
        found.append([draw.randrange(bright[2 * y // HEIGHT][2 * x // WIDTH])
                      for y in range(HEIGHT) for x in range(WIDTH) for _ in range(CHANNELS)])
    return found


def labels(count, seed):
    draw = random.Random(seed)
    return [draw.randrange(CLASSES) for _ in range(count)]


def order(seed, count=TRAIN):
    """One epoch's permutation, whole batches only."""
    drawn = list(range(count))
    random.Random(seed).shuffle(drawn)
    return drawn[: count // BATCH * BATCH]
