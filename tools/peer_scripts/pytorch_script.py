"""A plain PyTorch training script as its manual shows, for comparison with the worker's steps.

    python pytorch_script.py cnn3 --size 28 --batch 64 --threads 2 --steps 200

Prints the median step in milliseconds. Pictures are random: the time of a step does not depend on them. Adam
here is PyTorch's own form.
"""
import argparse
import statistics
import time

import torch
from torch import nn


class Cnn2(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.stack = nn.Sequential(
            nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(64 * (size // 4) ** 2, 128), nn.ReLU(),
            nn.Linear(128, 10))

    def forward(self, x):
        return self.stack(x)


class Cnn3(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.stack = nn.Sequential(
            nn.Conv2d(1, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(64, 128, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(128, 256, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(256 * (size // 8) ** 2, 512), nn.ReLU(), nn.Dropout(0.5),
            nn.Linear(512, 256), nn.ReLU(), nn.Dropout(0.5),
            nn.Linear(256, 10))

    def forward(self, x):
        return self.stack(x)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    options.add_argument("network", choices=("cnn2", "cnn3"))
    options.add_argument("--size", type=int, default=28)
    options.add_argument("--batch", type=int, default=64)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--steps", type=int, default=200)
    given = options.parse_args()

    torch.set_num_threads(given.threads)
    torch.manual_seed(1)
    model = {"cnn2": Cnn2, "cnn3": Cnn3}[given.network](given.size)
    loss_fn = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, eps=1e-7)
    images = torch.rand(given.steps, given.batch, 1, given.size, given.size) if given.size < 100 else None
    labels = torch.randint(10, (given.steps, given.batch))
    same = torch.rand(given.batch, 1, given.size, given.size)

    model.train()
    times = []
    for step in range(given.steps):
        x, y = (same if images is None else images[step]), labels[step]
        begin = time.perf_counter()
        pred = model(x)
        loss = loss_fn(pred, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        loss.item()
        times.append(time.perf_counter() - begin)
    print("{:.3f}".format(statistics.median(times[min(10, given.steps // 2):]) * 1000))


if __name__ == "__main__":
    main()
