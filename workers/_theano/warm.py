"""Compiles once what a worker's functions are made of, into Theano's private cache: the last part of an install.

    python warm.py FOLDER_OF_THE_WORKER

A compiled module belongs to a kind of operation, not to its size, so small layers of every kind, in both
paddings, with and without dropout, leave nothing to compile for larger networks of these kinds.
"""
import os
import sys
import time

sys.path.insert(0, os.path.abspath(sys.argv[1]))

from trainer import Trainer  # noqa: E402, first: it stamps the start of the process

import lockstep_sdk as sdk  # noqa: E402
import numpy as np  # noqa: E402

SIDE, CLASSES, BATCH = 18, 3, 4  # two convolutions and pools leave 2 x 2 with valid padding


def network(padding):
    layers, shape = [], [SIDE, SIDE, 1]

    def add(kind, output, **more):
        layers.append(sdk.Layer(kind, "{}{}".format(kind, len(layers)), tuple(shape), tuple(output), **more))
        shape[:] = output

    lost = 0 if padding == "same" else 2
    for filters in (3, 4):
        add("convolution", [shape[0] - lost, shape[1] - lost, filters], kernel=(3, 3), filters=filters,
            padding=padding, activation="relu")
        add("max_pool", [shape[0] // 2, shape[1] // 2, filters], window=2)
    add("flatten", [shape[0] * shape[1] * shape[2]])
    for units in (6, 5):
        add("dense", [units], units=units, activation="relu")
        add("dropout", [units], rate=0.5)
    add("dense", [CLASSES], units=CLASSES)
    return sdk.Network("warm_" + padding, "warm", (SIDE, SIDE, 1), CLASSES, layers)


def warm(padding, dropout, input, optimizer):
    job = sdk.Job(batch=BATCH, optimizer=sdk.Optimizer(optimizer, 1e-3), input=input, dropout=dropout,
                  threads=int(os.environ.get("OMP_NUM_THREADS", "1")))
    trainer = Trainer()
    trainer.build(network(padding), job)
    if not dropout:
        trainer.gradients(np.zeros((BATCH, SIDE, SIDE, 1), np.float32), np.zeros(BATCH, np.int32))


def main():
    start = time.monotonic()
    for case in (("same", True, "locked", "adam"), ("same", False, "locked", "adam"),
                 ("valid", False, "locked", "sgd"), ("valid", True, "native", "adam")):
        begin = time.monotonic()
        warm(*case)
        padding, dropout, input, optimizer = case
        print("lockstep: {} padding, {}, {}{} input: {:.0f} s".format(
            padding, optimizer, "dropout, " if dropout else "", input, time.monotonic() - begin), flush=True)
    print("lockstep: the first compile took {:.0f} s in all; later starts find it done.".format(
        time.monotonic() - start), flush=True)


if __name__ == "__main__":
    main()
