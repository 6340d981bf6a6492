"""The protocol loop: one request, one verb, one reply (PROTOCOL.md, section 4)."""
from __future__ import annotations

import atexit
import os
import sys
import time

import numpy

from . import npy
from .channel import Channel
from .dataset import Dataset
from .failures import ProtocolError, Unsupported, described
from .job import parsed
from .run import Run

PROTOCOL = 1


def serve(trainer):
    """Answers lockstep's requests with `trainer` until shutdown; the last line of every worker."""
    from . import STARTED

    Session(trainer, Channel.from_environment(), STARTED, time.monotonic_ns()).answer_all()
    leave()


def leave():
    """Ends the process with 0. What frameworks do when their modules are torn down takes seconds and can
    crash, after all work is done; what they registered to be done at exit is done."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)


class Session:
    """What is known between requests: the job, the data, and the shapes that weights must have."""

    def __init__(self, trainer, channel, started, imported):
        self._trainer = trainer
        self._channel = channel
        self._started = started
        self._imported = imported
        self._identity = None
        self._job = None
        self._data = None
        self._shapes = None
        self._loaded = False
        trainer._channel = channel
        self._verbs = {
            "hello": self._hello, "build": self._build, "weights_in": self._weights_in,
            "weights_out": self._weights_out, "data": self._take_data, "pixels": self._pixels,
            "check": self._check, "train": self._train, "predict": self._predict, "memory": self._memory,
            "latency": self._latency,
        }

    def answer_all(self):
        while True:
            identifier = 0
            try:
                request = self._channel.receive()
                identifier = request["id"]
                verb = request.get("do")
                if verb == "shutdown":
                    self._channel.reply(identifier, {})
                    return
                if verb not in self._verbs:
                    raise ProtocolError("this worker has no verb \"{}\"".format(verb))
                self._trainer._phases = {}
                self._channel.reply(identifier, self._verbs[verb](request))
            except Exception as failure:  # whatever the framework raises is an answer, not an end
                error = described(failure, self._trainer.resource_errors)
                self._channel.refuse(identifier, error)

    # -- verbs ------------------------------------------------------------------------------------

    def _hello(self, request):
        this = self._identity = self._trainer.identity()
        return {
            "protocol": PROTOCOL, "worker": this.name, "versions": this.versions,
            "layouts": {"convolution": this.convolution, "flipped": this.flipped, "dense": this.dense,
                        "flatten": this.flatten},
            "can": {"layers": this.layers, "optimizers": this.optimizers, "precisions": this.precisions,
                    "inputs": this.inputs, "devices": this.devices, "options": this.options,
                    "verbs": ["latency"]},
            "devices": this.seen, "started": self._started,
            "phases": {"import": [self._started, self._imported]},
        }

    def _build(self, request):
        if self._identity is None:
            self._identity = self._trainer.identity()
        network, job = parsed(request)
        require_ability(self._identity, network, job)
        self._trainer.batch = job.batch
        begin = time.monotonic_ns()
        built = self._trainer.build(network, job)
        end = time.monotonic_ns()
        phases = self._trainer._phases
        phases["build"] = [begin, phases["compile"][0] if "compile" in phases else end]
        self._job = job
        self._shapes = {name: tuple(int(side) for side in shape) for name, shape in built.shapes}
        counted = built.parameters
        if counted is None:
            counted = sum(int(numpy.prod(shape, dtype=numpy.int64)) for shape in self._shapes.values())
        includes = list(built.step_includes)
        if job.input == "native" and "input" not in includes:
            includes.append("input")
        return {
            "parameters": int(counted),
            "tensors": [{"name": name, "shape": shape} for name, shape in self._shapes.items()],
            "facts": {name: str(text) for name, text in built.facts.items()},
            "adam": built.adam, "step_includes": includes, "phases": phases,
        }

    def _weights_in(self, request):
        self._need(self._job, "build")
        files = wanted(request, "files", dict)
        weights = {}
        for name, shape in self._shapes.items():
            if name not in files:
                raise ProtocolError("weights_in names no file for {}".format(name))
            weights[name] = numpy.array(npy.mapped(files[name], numpy.float32))
            if weights[name].shape != shape:
                raise ProtocolError("the file for {} has shape {}, not {}".format(
                    name, weights[name].shape, shape))
        self._trainer.load(weights)
        self._loaded = True
        return {}

    def _weights_out(self, request):
        self._need(self._job, "build")
        return {"files": self._write_all(wanted(request, "folder", str), "", self._trainer.weights())}

    def _take_data(self, request):
        with self._trainer.phase("load_data"):
            self._data = Dataset(request)
        return {"phases": self._trainer._phases}

    def _pixels(self, request):
        data = self._training_data()
        count = min(wanted(request, "count", int), len(data.train_images))
        images = self._trainer.pixels(data, count, request.get("input", "locked") == "native")
        npy.write(wanted(request, "file", str), images, numpy.float32)
        return {}

    def _check(self, request):
        self._need(self._loaded, "weights_in")
        if self._job.dropout:
            raise ProtocolError("check needs a build with dropout false")
        data, batch = self._training_data(), self._job.batch
        steps, folder = wanted(request, "steps", int), wanted(request, "folder", str)
        order = self._order(wanted(request, "order", str))
        if len(order) < max(steps, 1) * batch:
            raise ProtocolError("{} indices are too few for {} steps of {}".format(len(order), steps, batch))
        first = data.train_images.gather(order[:batch], data.train_images.room(batch))
        before = self._trainer.gradients(first, data.train_labels[order[:batch]])
        run = Run(self._trainer, self._channel, data, [order[: steps * batch]], batch)
        self._trainer.train(run)
        predictions = self._trainer.predict_all(self._test_images())
        os.makedirs(folder, exist_ok=True)
        files = {"logits": npy.write(os.path.join(folder, "logits.npy"), before.logits, numpy.float32),
                 "predictions": npy.write(os.path.join(folder, "predictions.npy"), predictions, numpy.int32)}
        files.update(self._write_all(folder, "gradient.", before.tensors))
        files.update(self._write_all(folder, "after.", self._trainer.weights()))
        return {"loss": float(before.loss), "losses": run.losses, "files": files}

    def _train(self, request):
        self._need(self._loaded, "weights_in")
        data = self._training_data()
        orders = [self._order(path) for path in wanted(request, "orders", list)]
        stamps = wanted(request, "stamps", str)
        evaluate = bool(request.get("evaluate", False))
        if evaluate and data.test_images is None:
            raise ProtocolError("train is to evaluate, but data named no test images")
        if len(orders) != wanted(request, "epochs", int):
            raise ProtocolError("{} epochs have {} orders".format(request["epochs"], len(orders)))
        limit = wanted(request, "limit", int) if "limit" in request else None
        if limit is not None and limit < 1 or not sum(len(order) // self._job.batch for order in orders):
            raise ProtocolError("train is asked for no step")
        run = Run(self._trainer, self._channel, data, orders, self._job.batch,
                  native=self._job.input == "native", limit=limit,
                  predictions=wanted(request, "predictions", str) if evaluate else None)
        self._trainer.train(run)
        if run.done != run.total:
            raise RuntimeError("{} steps were trained, not {}".format(run.done, run.total))
        self._trainer._phases["first_step"] = run.stamps[0]
        reply = {"epochs": run.epochs, "stamps": npy.write(stamps, run.stamps[: run.done], numpy.int64),
                 "predictions": run.prediction_files, "evaluations": run.evaluations,
                 "phases": self._trainer._phases}
        if run.knows_losses:
            beside = (stamps[:-4] if stamps.endswith(".npy") else stamps) + ".losses.npy"
            reply["losses"] = npy.write(beside, run.losses[: run.done], numpy.float32)
        return reply

    def _predict(self, request):
        self._need(self._loaded, "weights_in")
        images = self._test_images()
        with self._trainer.phase("evaluate"):
            classes = self._trainer.predict_all(images)
        return {"file": npy.write(wanted(request, "file", str), classes, numpy.int32),
                "phases": self._trainer._phases}

    def _memory(self, request):
        return {"allocators": {name: int(size) for name, size in self._trainer.allocator_bytes().items()}}

    def _latency(self, request):
        self._need(self._loaded, "weights_in")
        images = self._test_images()
        batch, repeats = wanted(request, "batch", int), wanted(request, "repeats", int)
        if not 1 <= batch <= min(self._job.batch, len(images)):
            raise Unsupported("this worker predicts 1 to {} images at once, not {}".format(
                min(self._job.batch, len(images)), batch))
        picture = images.gather(numpy.arange(batch), images.room(batch))
        predict, clock = self._trainer.predict, time.monotonic_ns
        for _ in range(int(request.get("warm_up", 0))):
            predict(picture)
        stamps = numpy.zeros((repeats, 2), numpy.int64)
        for repeat in range(repeats):
            begin = clock()
            predict(picture)
            end = clock()
            stamps[repeat, 0] = begin
            stamps[repeat, 1] = end
            self._channel.alive()
        return {"stamps": npy.write(wanted(request, "stamps", str), stamps, numpy.int64)}

    # -- what verbs share -------------------------------------------------------------------------

    def _need(self, there, verb):
        if not there:
            raise ProtocolError("{} must come first".format(verb))

    def _training_data(self):
        if self._data is None or self._data.train_images is None:
            raise ProtocolError("data with training images must come first")
        return self._data

    def _test_images(self):
        if self._data is None or self._data.test_images is None:
            raise ProtocolError("data with test images must come first")
        return self._data.test_images

    def _order(self, path):
        return self._data.train_images.checked(npy.mapped(path, numpy.int64, 1))

    def _write_all(self, folder, prefix, tensors):
        os.makedirs(folder, exist_ok=True)
        return {prefix + name: npy.write(os.path.join(folder, "{}{}.npy".format(prefix, name)),
                                         tensors[name], numpy.float32) for name in self._shapes}


def require_ability(this, network, job):
    """Raises Unsupported for the first thing in the job that the worker's identity does not list."""
    for layer in network.layers:
        if layer.kind not in this.layers:
            raise Unsupported("{} has no layer of kind {}".format(this.name, layer.kind), layer.name)
    for what, value, known in (
            ("optimizer", job.optimizer.kind, this.optimizers), ("precision", job.precision, this.precisions),
            ("input", job.input, this.inputs), ("device", job.device_kind, this.devices)):
        if value not in known:
            raise Unsupported("{} has no {} \"{}\"; it has {}".format(
                this.name, what, value, ", ".join(known)))
    for name in job.options:
        if name not in this.options:
            raise Unsupported("{} has no option \"{}\"; it has {}".format(
                this.name, name, ", ".join(this.options) or "none"))
    if job.replicas > 1 or job.world > 1:
        raise Unsupported("{} trains with one replica in one process, not {} in {}".format(
            this.name, job.replicas, job.world))


def wanted(request, name, kind):
    """A field that the verb needs. Raises ProtocolError when it is missing or of another type."""
    value = request.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ProtocolError("{} needs \"{}\" of type {}, not {!r}".format(
            request.get("do"), name, kind.__name__, value))
    return value
