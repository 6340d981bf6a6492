#!/usr/bin/env python3
"""Makes random data sets of one-pixel images in FOLDER and splits each as scikit-learn's train_test_split does.

Run by test_data_split.py with an interpreter that has numpy and scikit-learn:

    python3 scikit_splits.py FOLDER COUNT

Case N lies in FOLDER/N: dataset.json, train_images.npy and train_labels.npy as `lockstep data split` reads them,
train.npy and test.npy as scikit-learn gives them (int64), or neither where it refuses. FOLDER/cases.json holds
the options of each.
"""
import json
import pathlib
import sys

import numpy
import sklearn
from sklearn.model_selection import train_test_split

SEED = 20240229


def draw_case(draw):
    """Labels whose classes are even, skewed or with rare ones; sizes as shares and counts; any seed."""
    rows = int(10 ** draw.uniform(1, 5))
    classes = int(draw.integers(2, min(100, max(2, rows // 3)) + 1))
    weights = draw.choice([0.0, 1.0, 2.5]) * draw.standard_normal(classes)
    shares = numpy.exp(weights) / numpy.exp(weights).sum()
    labels = draw.choice(classes, rows, p=shares).astype(numpy.int32)
    _, labels = numpy.unique(labels, return_inverse=True)
    if len(labels) and labels.max() == 0:
        labels[0] = 1
    sizes = {}
    kind = draw.integers(4)
    if kind in (0, 2):
        sizes["test"] = float(draw.choice([0.05, 0.1, 0.2, 0.25, 1 / 3, 0.5, round(draw.uniform(0.01, 0.99), 4)]))
    if kind == 1:
        sizes["train"] = float(round(draw.uniform(0.05, 0.95), 3))
    if kind == 2 and sizes["test"] < 0.9:
        sizes["train"] = float(round((1 - sizes["test"]) * draw.uniform(0.3, 1), 3))
    if kind == 3:
        sizes["test"] = int(draw.integers(1, rows))
    seed = int(draw.choice([0, 42, 2 ** 32 - 1, draw.integers(2 ** 32)]))
    return labels.astype(numpy.int32), {**sizes, "seed": seed, "stratify": bool(draw.integers(6))}


def write_data_set(folder, labels):
    folder.mkdir()
    numpy.save(folder / "train_images.npy", numpy.zeros((len(labels), 1, 1, 1), numpy.uint8))
    numpy.save(folder / "train_labels.npy", labels)
    (folder / "dataset.json").write_text(json.dumps({
        "format": 1, "name": folder.name, "height": 1, "width": 1, "channels": 1,
        "classes": [str(i) for i in range(int(labels.max()) + 1)], "train_count": len(labels), "test_count": 0,
        "test_has_labels": False, "synthetic": True, "digest": folder.name}))


def main():
    folder, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    draw = numpy.random.default_rng(SEED)
    cases = []
    for number in range(count):
        labels, case = draw_case(draw)
        write_data_set(folder / str(number), labels)
        try:
            train, test = train_test_split(
                numpy.arange(len(labels)), test_size=case.get("test"), train_size=case.get("train"),
                random_state=case["seed"], stratify=labels if case["stratify"] else None)
            numpy.save(folder / str(number) / "train.npy", train)
            numpy.save(folder / str(number) / "test.npy", test)
            case["refused"] = None
        except ValueError as error:
            case["refused"] = str(error)
        cases.append({**case, "rows": len(labels), "classes": int(labels.max()) + 1})
    (folder / "cases.json").write_text(json.dumps(cases))
    print("scikit-learn", sklearn.__version__, "numpy", numpy.__version__)


if __name__ == "__main__":
    main()
