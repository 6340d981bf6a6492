"""The job: what `build` asks for, as plain values (PROTOCOL.md, section 4, build)."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, List, Optional

from .failures import ProtocolError


@dataclass
class Layer:
    """One layer. Shapes are (height, width, channels) or (features,), without the batch."""

    kind: str          # convolution, max_pool, flatten, dense, dropout
    name: str
    input: tuple
    output: tuple
    kernel: tuple = ()        # convolution: height, width
    filters: int = 0          # convolution
    padding: str = "same"     # convolution: same, valid; the stride is 1
    window: int = 0           # max_pool: side and stride; floor rounding
    units: int = 0            # dense
    rate: float = 0.0         # dropout: share of inputs set to zero in training
    activation: str = "none"  # convolution and dense: relu, none


@dataclass
class Network:
    id: str
    short: str
    input: tuple              # height, width, channels
    classes: int
    layers: List[Layer]

    def shapes(self):
        """[(name, shape)] of every parameter: kernels HWIO and in_out, before their bias, in order."""
        found = []
        for layer in self.layers:
            if layer.kind == "convolution":
                found.append((layer.name + ".kernel", layer.kernel + (layer.input[2], layer.filters)))
                found.append((layer.name + ".bias", (layer.filters,)))
            elif layer.kind == "dense":
                found.append((layer.name + ".kernel", (layer.input[0], layer.units)))
                found.append((layer.name + ".bias", (layer.units,)))
        return found


@dataclass
class Optimizer:
    """adam: theta -= lr * sqrt(1-beta2^t)/(1-beta1^t) * m / (sqrt(v) + epsilon)
    sgd: v = momentum*v + g; theta -= lr*v"""

    kind: str
    learning_rate: float
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-7
    momentum: float = 0.9


@dataclass
class Job:
    """What to build and run, beyond the network itself."""

    batch: int
    optimizer: Optimizer
    precision: str = "float32"
    tf32: bool = False
    input: str = "locked"     # locked: the given order; native: the framework's own pipeline
    threads: int = 1
    device_kind: str = "cpu"  # cpu, gpu
    device_index: int = 0
    replicas: int = 1
    rank: int = 0
    world: int = 1
    rendezvous: Optional[dict] = None
    dropout: bool = True      # false: dropout layers let everything pass in training too
    seed: int = 0
    options: Dict[str, str] = field(default_factory=dict)

    def flag(self, name, default):
        """The option `name` as a bool, from "on" or "off"."""
        text = self.options.get(name, "on" if default else "off")
        if text not in ("on", "off"):
            raise ProtocolError("option {} is \"{}\". It takes on or off.".format(name, text))
        return text == "on"

    def number(self, name, default):
        """The option `name` as a whole number of at least 1."""
        text = self.options.get(name, str(default))
        if not text.isdigit() or int(text) < 1:
            raise ProtocolError("option {} is \"{}\". It takes a whole number from 1.".format(name, text))
        return int(text)


def parsed(request):
    """(Network, Job) of a build request. Raises ProtocolError for what is missing or of the wrong type; that
    the layers fit each other was checked by the sender."""
    try:
        described = request["network"]
        network = Network(
            id=str(described["id"]), short=str(described["short"]), input=_shape(described["input"]),
            classes=_whole(described["classes"]), layers=[_layer(item) for item in described["layers"]])
        optimizer, device = request["optimizer"], request.get("device", {"kind": "cpu"})
        job = Job(
            batch=_whole(request["batch"]),
            optimizer=Optimizer(**{name: optimizer[name] for name in Optimizer.__dataclass_fields__
                                   if name in optimizer}),
            device_kind=str(device["kind"]), device_index=_whole(device.get("index", 0)),
            options={name: _text(text) for name, text in request.get("options", {}).items()},
            **{name: _whole(request[name]) for name in ("threads", "replicas", "rank", "world", "seed")
               if name in request},
            **{name: request[name] for name in ("precision", "tf32", "input", "rendezvous", "dropout")
               if name in request})
    except (KeyError, TypeError, AttributeError) as failure:
        raise ProtocolError("the job cannot be read: {}: {}".format(type(failure).__name__, failure))
    if job.batch < 1 or job.threads < 1 or not network.layers:
        raise ProtocolError("the job has batch {}, {} threads and {} layers".format(
            job.batch, job.threads, len(network.layers)))
    return network, job


def _layer(item):
    known = {name: item[name] for name in Layer.__dataclass_fields__ if name in item}
    for name in ("input", "output", "kernel"):
        if name in known:
            known[name] = _shape(known[name])
    return Layer(**known)


def _shape(values):
    return tuple(_whole(value) for value in values)


def _whole(value):
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError("{!r} is not a whole number from 0".format(value))
    return value


def _text(value):
    if not isinstance(value, str):
        raise TypeError("{!r} is not a text".format(value))
    return value
