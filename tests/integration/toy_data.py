"""Data sets and models that cost nothing: 8x8 pictures in two classes, and a network of 86 parameters."""
import random

TRAIN, TEST, SIDE = 64, 16, 8
LABELS = ("cat", "dog")  # half of the pictures each, so that predicting class 0 is right for half of them

MODEL = """id = "tiny_net"
short = "tiny"

[[layer]]
kind = "convolution"
kernel = [3, 3]
filters = 2
activation = "relu"

[[layer]]
kind = "max_pool"
window = 2

[[layer]]
kind = "flatten"

[[layer]]
kind = "dense"
units = "classes"
activation = "softmax"
"""
PARAMETERS = 3 * 3 * 1 * 2 + 2 + 4 * 4 * 2 * 2 + 2


def table(rows, seed, labels=LABELS, side=SIDE):
    """CSV text; `labels` empty: without that column."""
    draw = random.Random(seed)
    lines = [",".join(["label"] * bool(labels) + ["pixel{}".format(i) for i in range(side * side)])]
    for row in range(rows):
        place = row % len(labels) if labels else 0
        pixels = [str(min(255, draw.randrange(200) + 50 * place)) for _ in range(side * side)]
        lines.append(",".join(([labels[place]] if labels else []) + pixels))
    return "\n".join(lines) + "\n"


def write_csv(folder, train=TRAIN, test=TEST, labels=LABELS, test_labels=None):
    folder.mkdir(parents=True)
    (folder / "train.csv").write_text(table(train, 1, labels))
    (folder / "test.csv").write_text(table(test, 2, labels if test_labels is None else test_labels))
    return folder


def write_model(path):
    path.write_text(MODEL)
    return path
