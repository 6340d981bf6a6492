"""A plain Lasagne training, after the MNIST example of its manual: what the lasagne worker's steps are held
against. Prints the median time of a step in milliseconds.

    OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=1 OMP_WAIT_POLICY=passive PYTHONPATH=workers/_theano \\
        LOCKSTEP_THEANO=CACHES PYTHON tools/peer_scripts/lasagne_script.py cnn2 images.npy labels.npy

PYTHON is that of `lockstep install lasagne`, CACHES the folder `caches` beside its `bin`.
"""
import argparse
import time

import theano_setup  # noqa: F401, lets Theano and Lasagne run on a Python of today

import lasagne
import numpy as np
import theano
import theano.tensor as T
from lasagne.layers import Conv2DLayer, DenseLayer, DropoutLayer, InputLayer, MaxPool2DLayer
from lasagne.nonlinearities import rectify, softmax


def build_network(model, shape, classes, input_var):
    network = InputLayer((None,) + shape, input_var)
    for filters in (32, 64) if model == "cnn2" else (64, 128, 256):
        network = Conv2DLayer(network, filters, (3, 3), pad="same", nonlinearity=rectify)
        network = MaxPool2DLayer(network, 2)
    if model == "cnn2":
        network = DenseLayer(network, 128, nonlinearity=rectify)
    else:
        for units in (512, 256):
            network = DropoutLayer(DenseLayer(network, units, nonlinearity=rectify), 0.5)
    return DenseLayer(network, classes, nonlinearity=softmax)


def iterate_minibatches(inputs, targets, batch):
    while True:
        indices = np.random.permutation(len(inputs))
        for start in range(0, len(inputs) - batch + 1, batch):
            excerpt = indices[start: start + batch]
            yield inputs[excerpt], targets[excerpt]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=("cnn2", "cnn3"))
    parser.add_argument("images", help=".npy, uint8, N x height x width x channels")
    parser.add_argument("labels", help=".npy, int32")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--warm-up", type=int, default=10)
    given = parser.parse_args()
    count = given.batch * 40
    images = np.load(given.images, mmap_mode="r")[:count].transpose(0, 3, 1, 2) / np.float32(255)
    labels = np.load(given.labels)[:count].astype(np.int32)

    input_var, target_var = T.tensor4("inputs"), T.ivector("targets")
    network = build_network(given.model, images.shape[1:], int(labels.max()) + 1, input_var)
    prediction = lasagne.layers.get_output(network)
    loss = lasagne.objectives.categorical_crossentropy(prediction, target_var).mean()
    updates = lasagne.updates.adam(loss, lasagne.layers.get_all_params(network, trainable=True))
    train_fn = theano.function([input_var, target_var], loss, updates=updates)

    times = []
    batches = iterate_minibatches(np.ascontiguousarray(images), labels, given.batch)
    for _ in range(given.warm_up + given.steps):
        inputs, targets = next(batches)
        begin = time.perf_counter()
        train_fn(inputs, targets)
        times.append(time.perf_counter() - begin)
    print("{:.3f}".format(1e3 * float(np.median(times[given.warm_up:]))))


if __name__ == "__main__":
    main()
