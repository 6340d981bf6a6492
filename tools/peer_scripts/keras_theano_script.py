"""A plain Keras 2.3.1 training on Theano with `fit`, after the guide to its Sequential model: what the
keras_theano worker's steps are held against. Prints the median time of a step in milliseconds.

    KERAS_BACKEND=theano KERAS_HOME=CACHES/keras OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=1 \\
        OMP_WAIT_POLICY=passive PYTHONPATH=workers/_theano LOCKSTEP_THEANO=CACHES \\
        PYTHON tools/peer_scripts/keras_theano_script.py cnn2 images.npy labels.npy

PYTHON is that of `lockstep install keras_theano`, CACHES the folder `caches` beside its `bin`.
"""
import argparse
import time

import theano_setup  # noqa: F401, lets Theano run on a Python of today

import keras
import numpy as np
from keras.layers import Conv2D, Dense, Dropout, Flatten, MaxPooling2D


def build_model(name, shape, classes):
    model = keras.Sequential()
    for filters in (32, 64) if name == "cnn2" else (64, 128, 256):
        first = {} if model.layers else {"input_shape": shape}
        model.add(Conv2D(filters, 3, padding="same", activation="relu", **first))
        model.add(MaxPooling2D(2))
    model.add(Flatten())
    if name == "cnn2":
        model.add(Dense(128, activation="relu"))
    else:
        for units in (512, 256):
            model.add(Dense(units, activation="relu"))
            model.add(Dropout(0.5))
    model.add(Dense(classes, activation="softmax"))
    return model


class Times(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.found = []

    def on_batch_begin(self, batch, logs=None):
        self.begin = time.perf_counter()

    def on_batch_end(self, batch, logs=None):
        self.found.append(time.perf_counter() - self.begin)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=("cnn2", "cnn3"))
    parser.add_argument("images", help=".npy, uint8, N x height x width x channels")
    parser.add_argument("labels", help=".npy, int32")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--warm-up", type=int, default=10)
    given = parser.parse_args()
    count = given.batch * (given.warm_up + given.steps)
    images = np.load(given.images, mmap_mode="r")[:count].astype("float32") / 255
    labels = np.load(given.labels)[:count]

    model = build_model(given.model, images.shape[1:], int(labels.max()) + 1)
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    times = Times()
    model.fit(images, labels, batch_size=given.batch, epochs=1, verbose=0, callbacks=[times])
    print("{:.3f}".format(1e3 * float(np.median(times.found[given.warm_up:]))))


if __name__ == "__main__":
    main()
