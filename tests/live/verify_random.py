"""Random small networks against real frameworks: a right worker is never refused.

    python3 tests/live/verify_random.py [--frameworks onednn,tensorflow] [--networks 10] [--seed N] [--from N]

Depth, channels, sizes, classes, padding, batch and optimizer are drawn from the printed seed; network i of a seed is
always the same. Standard library only. Needs LOCKSTEP_BINARY. A framework that is not installed is named and left
out; ends with 1 when any was refused, and with 0 otherwise.
"""
import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

LOCKSTEP = os.environ["LOCKSTEP_BINARY"]
IMAGES = 96


def drawn(seed, number):
    """(text of a model file, (height, width, channels), classes, batch, optimizer)."""
    draw = random.Random("{} {}".format(seed, number))
    height, width, channels = draw.randint(7, 31), draw.randint(7, 31), draw.choice((1, 1, 3))
    padding, side = draw.choice(("same", "valid")), min(height, width)
    layers = []
    for _ in range(draw.randint(1, 3)):
        if side < 5:
            break
        layers.append('kind = "convolution"\nkernel = [3, 3]\nfilters = {}\nactivation = "relu"'.format(
            draw.randint(1, 40)))
        side -= 2 if padding == "valid" else 0
        if draw.random() < 0.75:
            layers.append('kind = "max_pool"\nwindow = 2')
            side //= 2
    layers.append('kind = "flatten"')
    for _ in range(draw.randint(0, 2)):
        layers.append('kind = "dense"\nunits = {}\nactivation = "relu"'.format(draw.randint(3, 80)))
        if draw.random() < 0.4:
            layers.append('kind = "dropout"\nrate = 0.5')
    layers.append('kind = "dense"\nunits = "classes"\nactivation = "softmax"')
    text = 'id = "random_net_{0}"\nshort = "random{0}"\npadding = "{1}"\n'.format(number, padding)
    text += "".join("\n[[layer]]\n" + layer + "\n" for layer in layers)
    return (text, (height, width, channels), draw.randint(2, 20), draw.choice((1, 2, 5, 16, 32, 64)),
            draw.choice(("adam", "adam", "adam", "sgd")))


def write_data(folder, shape, classes, seed):
    draw = random.Random("data {}".format(seed))
    height, width, channels = shape
    for name, rows in (("train", IMAGES), ("test", 2 * classes)):
        with open(folder / (name + ".csv"), "w", encoding="ascii") as file:
            file.write(",".join(["label"] + ["pixel{}".format(i) for i in range(height * width * channels)]) + "\n")
            for row in range(rows):
                # Texture in a rectangle on a blank ground.
                top, left = draw.randrange(height // 2), draw.randrange(width // 2)
                pixels = [draw.randrange(1, 256) if 0 <= y - top <= height // 2 and 0 <= x - left <= width // 2 else 0
                          for y in range(height) for x in range(width) for _ in range(channels)]
                file.write(",".join(map(str, [row % classes] + pixels)) + "\n")


def lockstep(*words):
    return subprocess.run([LOCKSTEP, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL)


class Tally:
    """What the checks said of one framework."""

    def __init__(self):
        self.agreed, self.refused, self.seconds = 0, [], 0.0
        self.excess = {}  # quantity's kind -> the largest share of its tolerance that was used

    def take(self, number, line, report, seconds):
        self.seconds += seconds
        if ": agrees, " in line:
            self.agreed += 1
        else:
            self.refused.append((number, line))
        for row in report["table"]:
            kind = re.sub(r"\b(conv|dense)\d+\.(\w+)", r"\1 \2", re.sub(r"step \d+", "a step", row["quantity"]))
            share = row["excess"] if row["excess"] is not None else float("inf")
            if share > self.excess.get(kind, (0,))[0]:
                self.excess[kind] = (share, number)


def check(folder, seed, number, framework):
    """(line of the gate, report, seconds)."""
    text, shape, classes, batch, optimizer = drawn(seed, number)
    here = folder / str(number)
    if not here.exists():
        here.mkdir()
        write_data(here, shape, classes, number)
        (here / "model.toml").write_text(text)
        done = lockstep("data", "import", here / "train.csv", "--test", here / "test.csv", "--shape",
                        "x".join(map(str, shape)), "--out", here / "data")
        if done.returncode:
            sys.exit(done.stderr)
    begin, out = time.monotonic(), here / framework
    done = lockstep("verify", "--frameworks", framework, "--models", here / "model.toml", "--data", here / "data",
                    "--batch-size", batch, "--optimizer", optimizer, "--out", out)
    seconds = time.monotonic() - begin
    lines = [line for line in done.stderr.splitlines() if line.startswith("gate ")]
    reports = list(out.glob("*.json"))
    if len(lines) != 1 or len(reports) != 1:
        return "gate network {}: no answer. {}".format(number, done.stderr), {"table": []}, seconds
    return lines[0], json.loads(reports[0].read_text()), seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frameworks", default="onednn,tensorflow")
    parser.add_argument("--networks", type=int, default=10)
    parser.add_argument("--seed", type=int, default=20260401)
    parser.add_argument("--from", type=int, default=0, dest="first", help="number of the first network")
    given = parser.parse_args()
    states = {row["name"]: row["state"] for row in json.loads(lockstep("frameworks", "--json").stdout)}
    asked = given.frameworks.split(",")
    for name in asked:
        if states.get(name) != "ready":
            print("SKIPPED {}: {}".format(name, states.get(name, "it is not known here")))
    tallies = {name: Tally() for name in asked if states.get(name) == "ready"}
    print("seed {}, networks {} to {}".format(given.seed, given.first, given.first + given.networks - 1), flush=True)
    with tempfile.TemporaryDirectory(prefix="lockstep-random-") as folder:
        for number in range(given.first, given.first + given.networks):
            for name, tally in tallies.items():
                line, report, seconds = check(pathlib.Path(folder), given.seed, number, name)
                tally.take(number, line, report, seconds)
                if ": agrees, " not in line:
                    print("  {}\n{}".format(line, drawn(given.seed, number)), flush=True)
    refused = 0
    for name, tally in tallies.items():
        print("{}: {} of {} agree, {:.1f} s each".format(name, tally.agreed, tally.agreed + len(tally.refused),
                                                      tally.seconds / max(1, given.networks)))
        for kind, (share, number) in sorted(tally.excess.items()):
            print("    {:32} at most {:.3f} of its tolerance (network {})".format(kind, share, number))
        refused += len(tally.refused)
    print("suite: {} passed, {} failed, {} skipped".format(
        sum(tally.agreed for tally in tallies.values()), refused, len(asked) - len(tallies)))
    return 1 if refused or not tallies else 0


if __name__ == "__main__":
    sys.exit(main())
