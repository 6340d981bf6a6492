"""A worker that trains nothing: it answers every request as PROTOCOL.md wants it, or goes wrong in the way that
the variable FAKE names (misdeeds.py). Its steps last exactly `pace_us` microseconds (an option; 100), its loss
is 0.5 and its predictions are class 0, so that tests know each figure. In `check` alone it computes.

Prints a digest of the weights and of each epoch's order to standard output.
"""
import time

STARTED = time.monotonic_ns()

import hashlib
import json
import math
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "contract"))

import misdeeds
import npy_values
import reference_network

LAYERS = ["convolution", "max_pool", "flatten", "dense", "dropout"]


def digest(paths):
    return hashlib.sha256(b"".join(pathlib.Path(path).read_bytes() for path in paths)).hexdigest()[:16]


def parameters_of(network):
    """[(name, shape)] in the layout HWIO, in_out."""
    found = []
    for layer in network["layers"]:
        if layer["kind"] == "convolution":
            found.append((layer["name"] + ".kernel", layer["kernel"] + [layer["input"][2], layer["filters"]]))
            found.append((layer["name"] + ".bias", [layer["filters"]]))
        elif layer["kind"] == "dense":
            found.append((layer["name"] + ".kernel", [layer["input"][0], layer["units"]]))
            found.append((layer["name"] + ".bias", [layer["units"]]))
    return found


class Worker:
    def __init__(self, misdeed):
        self.misdeed = misdeed
        self.requests = os.fdopen(int(os.environ["LOCKSTEP_READ_FD"]), "rb")
        self.replies = os.fdopen(int(os.environ["LOCKSTEP_WRITE_FD"]), "wb")

    def serve(self):
        self.misdeed.before("start", self, {})
        for line in self.requests:
            request = json.loads(line)
            verb = request["do"]
            self.misdeed.before(verb, self, request)
            reply = getattr(self, verb)(request)
            self.misdeed.spoil(verb, self, request, reply)
            if not self.misdeed.answer(verb, self, request, reply):
                self.send({"id": request["id"], "ok": reply})
            self.misdeed.after(verb, self, request)
            if verb == "shutdown":
                return

    def send(self, message):
        self.write(json.dumps(message).encode() + b"\n")

    def write(self, line):
        self.replies.write(line)
        self.replies.flush()

    def hello(self, request):
        return {"protocol": 1, "worker": "fake",
                "versions": {"fake": "1.2.3", "python": ".".join(map(str, sys.version_info[:3]))},
                "layouts": {"convolution": "HWIO", "flipped": False, "dense": "in_out", "flatten": "HWC"},
                "can": {"layers": list(LAYERS), "optimizers": ["adam", "sgd"], "precisions": ["float32"],
                        "inputs": ["locked"], "devices": ["cpu"], "options": ["pace_us", "twin_pace_us"],
                        "verbs": []},
                "devices": [{"kind": "cpu", "index": 0, "name": "fake"}],
                "started": STARTED, "phases": {"import": [STARTED, time.monotonic_ns()]}}

    def build(self, request):
        self.job = request
        self.shapes = parameters_of(request["network"])
        begin = time.monotonic_ns()
        return {"parameters": sum(math.prod(shape) for _, shape in self.shapes),
                "tensors": [{"name": name, "shape": shape} for name, shape in self.shapes],
                "facts": {"threads": os.environ["FAKE_THREADS"], "cpus": str(len(os.sched_getaffinity(0)))},
                "adam": "epsilon_hat", "step_includes": [], "phases": {"build": [begin, time.monotonic_ns()]}}

    def weights_in(self, request):
        self.weights = {name: npy_values.read(path)[2] for name, path in request["files"].items()}
        print("weights", digest(path for _, path in sorted(request["files"].items())), flush=True)
        return {}

    def data(self, request):
        begin = time.monotonic_ns()
        self.images = npy_values.read(request["train"]["images"])
        self.labels = npy_values.read(request["train"]["labels"])[2]
        self.test_images = npy_values.read(request["test"]["images"])
        return {"phases": {"load_data": [begin, time.monotonic_ns()]}}

    def check(self, request):
        network = reference_network.ReferenceNetwork(self.job["network"], self.job["optimizer"], self.weights)
        pictures = self.pictures(self.images)
        order = npy_values.read(request["order"])[2]
        batches = [order[at: at + self.job["batch"]] for at in range(0, len(order), self.job["batch"])]
        chosen = [([pictures[i] for i in batch], [self.labels[i] for i in batch]) for batch in batches]
        logits, loss, gradient = network.gradients(*chosen[0])
        losses = [network.step(*batch) for batch in chosen]
        files = {"logits": self.tensor(request, "logits", [len(logits), len(logits[0])], sum(logits, []))}
        for name, shape in self.shapes:
            files["gradient." + name] = self.tensor(request, "gradient." + name, shape, gradient[name])
            files["after." + name] = self.tensor(request, "after." + name, shape, network.parameters[name])
        classes = [max(range(len(found)), key=found.__getitem__)
                   for found in map(network.logits, self.pictures(self.test_images))]
        path = os.path.join(request["folder"], "predictions.npy")
        files["predictions"] = npy_values.write(path, "<i4", [len(classes)], classes)
        return {"loss": loss, "losses": losses, "files": files}

    @staticmethod
    def pictures(images):
        _, shape, values = images
        size = math.prod(shape[1:])
        return [[value / 255 for value in values[at: at + size]] for at in range(0, len(values), size)]

    @staticmethod
    def tensor(request, name, shape, values):
        return npy_values.write(os.path.join(request["folder"], name + ".npy"), "<f4", shape, values)

    def train(self, request):
        options = self.job["options"]
        pace = int(options.get("pace_us", 100)) * 1000
        if "twin_pace_us" in options and "_twin/" in request["stamps"]:
            pace = int(options["twin_pace_us"]) * 1000
        stamps, epochs, evaluations, predictions = [], [], [], []
        for number, path in enumerate(request["orders"], 1):
            print("order", digest([path]), flush=True)
            steps = len(npy_values.read(path)[2]) // self.job["batch"]
            begin = time.monotonic_ns()
            for step in range(steps):
                stamps += [begin + step * pace, begin + (step + 1) * pace]
            while time.monotonic_ns() <= stamps[-1]:
                time.sleep(1e-3)
            epochs.append({"begin": begin, "end": stamps[-1], "steps": steps, "loss": 0.5})
            self.send({"event": "progress", "done": number * steps, "of": len(request["orders"]) * steps,
                       "epoch": number})
            if request["evaluate"]:
                begin = time.monotonic_ns()
                path, count = request["predictions"].replace("{epoch}", str(number)), self.test_images[1][0]
                predictions.append(npy_values.write(path, "<i4", [count], [0] * count))
                evaluations.append([begin, time.monotonic_ns()])
        path = npy_values.write(request["stamps"], "<i8", [len(stamps) // 2, 2], stamps)
        return {"epochs": epochs, "stamps": path, "predictions": predictions, "evaluations": evaluations,
                "phases": {}}

    def memory(self, request):
        return {"allocators": {"fake_pool": 123456}}

    def shutdown(self, request):
        return {}


if __name__ == "__main__":
    Worker(misdeeds.named(os.environ.get("FAKE", ""))).serve()
