#!/usr/bin/env python3
"""Prints the rows of kVectors in split_test.cpp: what scikit-learn's train_test_split does.

Needs numpy and scikit-learn. Labels and the digest are made here as the test makes them.
"""
import numpy as np
from sklearn.model_selection import train_test_split

MASK = (1 << 64) - 1


def labels(count, classes, skew):
    """A linear congruential sequence (Numerical Recipes); skew > 0 makes high classes rare."""
    state, out = 12345, []
    for _ in range(count):
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        high = state >> 16
        out.append(min(high % classes, (high // classes) % classes) if skew else high % classes)
    return np.array(out)


def digest(train, test):
    """FNV-1a over the indices, with -1 between the parts."""
    value = 1469598103934665603
    for index in [*train, -1, *test]:
        value = ((value ^ (int(index) & MASK)) * 1099511628211) & MASK
    return value


def main():
    cases = [
        (50, 2, 0, 0.2, None, 42), (50, 2, 0, None, None, 0), (60, 3, 1, 0.25, None, 1), (97, 5, 0, 0.33, None, 2**32 - 1),
        (150, 10, 0, 0.2, None, 42), (150, 10, 0, None, 0.5, 2**31), (300, 7, 1, 0.1, 0.3, 7), (300, 7, 1, 40, None, 8),
        (300, 7, 1, None, 120, 9), (300, 7, 1, 31, 57, 10), (999, 10, 0, 0.2, None, 42), (1000, 10, 1, 1 / 3, None, 42),
        (1000, 100, 0, 0.5, None, 123456789), (5000, 47, 0, 0.15, None, 3000000000), (5000, 47, 1, None, 0.9, 42),
        (20000, 100, 0, 0.2, None, 42), (65537, 10, 0, 0.2, None, 42), (70000, 2, 1, 0.001, None, 4294967295),
        (100000, 10, 1, 0.2, None, 42),
    ]
    for count, classes, skew, test, train, seed in cases:
        y = labels(count, classes, skew)
        a, b = train_test_split(np.arange(count), test_size=test, train_size=train, stratify=y, random_state=seed)
        size = lambda s: "{}" if s is None else f"PartSize({s!r})" if isinstance(s, float) else f"PartSize(std::int64_t{{{s}}})"
        print(f"    {{{count}, {classes}, {'true' if skew else 'false'}, {size(test)}, {size(train)}, {seed}u, "
              f"{len(a)}, {len(b)}, {digest(a, b)}u}},")


if __name__ == "__main__":
    main()
