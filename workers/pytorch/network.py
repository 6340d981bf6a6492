"""The network as a PyTorch module."""
from collections import OrderedDict

import torch
from torch import nn


def sequential(network, job):
    """nn.Sequential over the layers, each under its own name."""
    height, width, channels = network.input
    found = OrderedDict()
    for layer in network.layers:
        if layer.kind == "convolution":
            found[layer.name] = nn.Conv2d(layer.input[2], layer.filters, layer.kernel, padding=layer.padding)
        elif layer.kind == "max_pool":
            found[layer.name] = nn.MaxPool2d(layer.window)
        elif layer.kind == "flatten":
            found[layer.name] = nn.Flatten()
        elif layer.kind == "dense":
            found[layer.name] = nn.Linear(layer.input[0], layer.units)
        else:
            found[layer.name] = nn.Dropout(layer.rate if job.dropout else 0.0)
        if layer.activation == "relu":
            found[layer.name + "_relu"] = nn.ReLU()
    return nn.Sequential(found)


def canonical(name):
    """The protocol's name of a parameter: conv1.weight is conv1.kernel."""
    return name.replace(".weight", ".kernel")


def as_tensor(images, channels_last):
    """Images, count x height x width x channels in numpy, as PyTorch takes them: count x channels x height x
    width, lying in memory in that order too unless `channels_last`.

    One channel is the same memory in both; a permuted view of it would still count as channels_last and take
    the whole network with it, so its strides are made anew.
    """
    count, height, width, channels = images.shape
    tensor = torch.from_numpy(images)
    if channels_last:
        return tensor.permute(0, 3, 1, 2)
    if channels == 1:
        return tensor.view(count, 1, height, width)
    return tensor.permute(0, 3, 1, 2).contiguous()
