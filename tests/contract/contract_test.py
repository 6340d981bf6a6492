#!/usr/bin/env python3
"""Holds one worker against the protocol (protocol/PROTOCOL.md): every verb, over real descriptors, on
pictures that the test makes, with numbers from a float64 network in plain Python.

    python3 tests/contract/contract_test.py --worker workers/_template/python --python /usr/bin/python3

Needs Python 3.11 and nothing else; the worker needs what its framework needs. Prints one line a check and
`N passed, N failed, N skipped`; ends with 1 when a check failed.
"""
import argparse
import math
import os
import pathlib
import sys
import tempfile
import time
import traceback

import npy_values
import tiny_network
from bench import Bench, Skip, assert_close, flat, scaled
from reference_network import ReferenceNetwork
from worker_process import read_manifest

VALID = {"padding": "valid", "optimizer": "sgd"}
FIELDS_OF_CAN = ("layers", "optimizers", "precisions", "inputs", "devices", "options", "verbs")


def assert_span(name, span, after, before):
    begin, end = span
    assert after <= begin <= end <= before, "{}: [{}, {}] lies outside [{}, {}]".format(
        name, begin, end, after, before)


# -- the checks: one function, one sentence -----------------------------------------------------------


def hello_agrees_with_the_manifest(bench):
    manifest = read_manifest(bench.given.worker)
    with bench.greeted() as worker:
        hello = worker.hello
        assert hello["protocol"] == 1 and hello["worker"] == manifest["name"], hello
        assert hello["versions"] and all(isinstance(text, str) for text in hello["versions"].values())
        assert hello["layouts"] == manifest["wants"], "layouts: {}".format(hello["layouts"])
        for field in FIELDS_OF_CAN:
            assert all(isinstance(item, str) for item in hello["can"][field]), field
        for key, field in (("optimizers", "optimizers"), ("precision", "precisions"), ("input", "inputs"),
                           ("devices", "devices"), ("options", "options")):
            if key in manifest["can"]:
                written = sorted(text.split("=")[0] for text in manifest["can"][key])  # "xla=off|on"
                assert written == sorted(hello["can"][field]), \
                    "can.{}: {} in the manifest, {} in hello".format(key, written, hello["can"][field])
        assert hello["devices"] and all({"kind", "index", "name"} <= set(item) for item in hello["devices"])


def the_start_is_stamped_before_the_import(bench):
    with bench.greeted() as worker:
        assert worker.started <= worker.hello["started"] <= time.monotonic_ns()
        if "import" in worker.hello["phases"]:
            assert_span("import", worker.hello["phases"]["import"], worker.hello["started"],
                        time.monotonic_ns())


def an_unknown_verb_is_a_protocol_error_and_the_worker_lives(bench):
    with bench.greeted() as worker:
        assert worker.refusal("fly")["kind"] == "protocol"
        assert worker.get("hello", protocol=1, lockstep="0.1.0")["protocol"] == 1


def a_verb_out_of_turn_is_refused(bench):
    with bench.greeted() as worker:
        assert worker.refusal("weights_out", folder=str(bench.folder))["kind"] == "protocol"
        assert worker.refusal("predict", file=bench.place("none.npy"))["kind"] == "protocol"


def a_missing_file_is_refused(bench):
    with bench.greeted() as worker:
        broken = dict(bench.data, test={"images": bench.place("not_there.npy")})
        assert worker.refusal("data", **broken)["kind"] in ("protocol", "framework")


def a_layer_kind_or_option_that_it_lacks_is_unsupported(bench):
    with bench.greeted() as worker:
        job = tiny_network.job()
        job["network"]["layers"].insert(1, dict(kind="levitation", name="float1", input=[11, 10, 3],
                                                output=[11, 10, 3]))
        assert worker.refusal("build", **job)["kind"] == "unsupported"
        job = tiny_network.job(options={"levitate": "on"})
        assert worker.refusal("build", **job)["kind"] == "unsupported"
        job = tiny_network.job(precision="float8")
        assert worker.refusal("build", **job)["kind"] == "unsupported"


def pixels_are_the_bytes_over_255(bench):
    with bench.greeted() as worker:
        worker.get("data", **bench.data)
        for mode in worker.hello["can"]["inputs"]:
            worker.get("pixels", count=5, file=bench.place("pixels.npy"), input=mode)
            code, shape, values = npy_values.read(bench.place("pixels.npy"))
            assert code == "<f4" and shape == (5, tiny_network.HEIGHT, tiny_network.WIDTH,
                                               tiny_network.CHANNELS), (code, shape)
            wanted = flat(scaled(picture) for picture in bench.train[:5])
            assert max(abs(a - b) for a, b in zip(values, wanted)) <= 1e-6, "input " + mode


def build_reports_parameters_and_shapes(bench):
    for job in ({}, VALID):
        with bench.built(**job) as worker:
            build, shapes = worker.build, tiny_network.shapes(worker.job["network"])
            assert build["parameters"] == sum(math.prod(shape) for _, shape in shapes), build["parameters"]
            found = {tensor["name"]: tensor["shape"] for tensor in build["tensors"]}
            assert found == {name: shape for name, (shape, _) in worker.arranged.items()}, found
            assert all(isinstance(text, str) for text in build["facts"].values()), build["facts"]
            assert build["adam"] in ("epsilon_hat", "classic")
            assert set(build["step_includes"]) <= {"input"}, build["step_includes"]
            assert all(begin <= end for begin, end in build["phases"].values()), build["phases"]


def weights_come_back_as_they_went_in(bench):
    bench.compared()
    with bench.built() as worker:
        for seed in (1, 2):
            weights = tiny_network.weights(worker.job["network"], seed)
            bench.load(worker, weights)
            files = worker.get("weights_out", folder=str(bench.folder / "out"))["files"]
            assert bench.canonical(worker, files) == weights


def a_missing_or_misshapen_weight_is_refused(bench):
    with bench.built() as worker:
        assert worker.refusal("weights_in", files={})["kind"] == "protocol"
        files = {name: bench.write("in." + name, "<f4", shape, [0.0] * math.prod(shape))
                 for name, (shape, _) in worker.arranged.items()}
        files["dense2.bias"] = bench.write("wrong", "<f4", [7], [0.0] * 7)
        assert worker.refusal("weights_in", files=files)["kind"] == "protocol"


def compare_check(bench, **job):
    """Loss, logits, gradients and parameters after the steps, against the reference; twice, since
    weights_in starts afresh."""
    with bench.built(**job) as worker:
        weights = tiny_network.weights(worker.job["network"])
        batches = list(bench.batches(bench.check_order()))
        oracle = ReferenceNetwork(worker.job["network"], worker.job["optimizer"], weights)
        logits, loss, gradients = oracle.gradients(*batches[0])
        losses = [oracle.step(*batch) for batch in batches]
        for _ in range(2):
            bench.load(worker, weights)
            found = bench.checked(worker)
            assert_close("logits", npy_values.read(found["files"]["logits"])[2], flat(logits))
            assert_close("loss", [found["loss"]], [loss])
            for name, values in bench.canonical(worker, found["files"], "gradient.").items():
                assert_close("gradient of " + name, values, gradients[name])
            assert_close("losses", found["losses"], losses)
            for name, values in bench.canonical(worker, found["files"], "after.").items():
                if worker.build["adam"] == "epsilon_hat":
                    assert_close(name + " after the steps", values, oracle.parameters[name], 1e-4)
            wanted = [largest(oracle.logits(scaled(picture))) for picture in bench.test]
            predicted = npy_values.read(found["files"]["predictions"])
            assert predicted == ("<i4", (len(wanted),), wanted), "{} is not {}".format(predicted, wanted)


def largest(logits):
    return max(range(len(logits)), key=lambda place: logits[place])


def adam_and_same_padding_agree_with_the_reference(bench):
    bench.compared()
    compare_check(bench)


def sgd_and_valid_padding_agree_with_the_reference(bench):
    bench.compared()
    compare_check(bench, **VALID)


def check_is_refused_where_dropout_is_on(bench):
    with bench.built(dropout=True) as worker:
        bench.load(worker, tiny_network.weights(worker.job["network"]))
        order = bench.write("check_order", "<i8", [tiny_network.BATCH], list(range(tiny_network.BATCH)))
        assert worker.refusal("check", order=order, steps=1, folder=str(bench.folder))["kind"] == "protocol"


def assert_training(bench, worker, reply, steps):
    """Stamps and epochs in their order and inside each other; `steps`: how many each epoch has."""
    code, shape, values = npy_values.read(reply["stamps"])
    assert (code, shape) == ("<i8", (sum(steps), 2)), (code, shape)
    assert all(a <= b for a, b in zip(values, values[1:])) and values[0] > 0, "stamps go back"
    assert [epoch["steps"] for epoch in reply["epochs"]] == steps, reply["epochs"]
    assert len(reply["predictions"]) == len(reply["evaluations"]) == len(steps)
    first, end = 0, 0
    for epoch, evaluation, count in zip(reply["epochs"], reply["evaluations"], steps):
        assert end <= epoch["begin"] <= values[2 * first], "an epoch begins before the last one is evaluated"
        assert values[2 * (first + count) - 1] <= epoch["end"] <= evaluation[0] <= evaluation[1]
        assert epoch["loss"] is None or math.isfinite(epoch["loss"])
        first, end = first + count, evaluation[1]
    for path in reply["predictions"]:
        code, shape, classes = npy_values.read(path)
        assert (code, shape) == ("<i4", (tiny_network.TEST,)), (code, shape)
        assert all(0 <= value < tiny_network.CLASSES for value in classes)
    for event in worker.events:
        assert event["event"] != "progress" or 0 < event["done"] <= event["of"] == sum(steps), event


def training_follows_the_order_over_two_epochs(bench):
    with bench.built() as worker:
        weights = tiny_network.weights(worker.job["network"])
        bench.load(worker, weights)
        reply = bench.trained(worker)
        assert_training(bench, worker, reply, [3, 3])
        bench.compared()
        oracle = ReferenceNetwork(worker.job["network"], worker.job["optimizer"], weights)
        losses = []
        for epoch, seed in enumerate((31, 32)):
            losses += [oracle.step(*batch) for batch in bench.batches(tiny_network.order(seed))]
            wanted = [largest(oracle.logits(scaled(picture))) for picture in bench.test]
            assert npy_values.read(reply["predictions"][epoch])[2] == wanted
        assert_close("epoch losses", [epoch["loss"] for epoch in reply["epochs"]],
                     [sum(losses[:3]) / 3, sum(losses[3:]) / 3])
        if "losses" in reply:
            assert_close("step losses", npy_values.read(reply["losses"])[2], losses)
        files = worker.get("weights_out", folder=str(bench.folder))["files"]
        for name, values in bench.canonical(worker, files).items():
            assert_close(name + " after training", values, oracle.parameters[name], 1e-4)


def a_limit_stops_in_the_middle_of_an_epoch(bench):
    with bench.built() as worker:
        bench.load(worker, tiny_network.weights(worker.job["network"]))
        reply = worker.get("train", epochs=2, orders=bench.orders((31, 32)), stamps=bench.place("stamps.npy"),
                           evaluate=False, silence_ms=60000, limit=4)
        assert npy_values.read(reply["stamps"])[1] == (4, 2)
        assert sum(epoch["steps"] for epoch in reply["epochs"]) == 4, reply["epochs"]


def training_with_dropout_runs(bench):
    with bench.built(dropout=True) as worker:
        bench.load(worker, tiny_network.weights(worker.job["network"]))
        assert_training(bench, worker, bench.trained(worker), [3, 3])


def native_input_makes_as_many_steps(bench):
    with bench.greeted() as worker:
        if "native" not in worker.hello["can"]["inputs"]:
            raise Skip("it has no native input")
    with bench.built(input="native") as worker:
        bench.load(worker, tiny_network.weights(worker.job["network"]))
        assert_training(bench, worker, bench.trained(worker), [3, 3])


def predict_covers_the_last_partial_batch(bench):
    with bench.built() as worker:
        weights = tiny_network.weights(worker.job["network"])
        bench.load(worker, weights)
        reply = worker.get("predict", file=bench.place("predicted.npy"))
        code, shape, classes = npy_values.read(reply["file"])
        assert (code, shape) == ("<i4", (tiny_network.TEST,)), (code, shape)
        bench.compared()
        oracle = ReferenceNetwork(worker.job["network"], worker.job["optimizer"], weights)
        assert classes == [largest(oracle.logits(scaled(picture))) for picture in bench.test]


def memory_names_whole_bytes(bench):
    with bench.built() as worker:
        found = worker.get("memory")["allocators"]
        assert all(isinstance(size, int) and size > 0 for size in found.values()), found


def latency_stamps_each_repeat(bench):
    with bench.built() as worker:
        if "latency" not in worker.hello["can"]["verbs"]:
            raise Skip("it has no verb latency")
        bench.load(worker, tiny_network.weights(worker.job["network"]))
        worker.get("latency", batch=1, repeats=5, warm_up=1, stamps=bench.place("latency.npy"))
        code, shape, values = npy_values.read(bench.place("latency.npy"))
        assert (code, shape) == ("<i8", (5, 2)) and values == sorted(values)


def shutdown_ends_with_0(bench):
    with bench.built(spends=True, **VALID) as worker:
        assert worker.get("shutdown") == {}
        code = worker.exit_code(10)
        assert code == 0, "it still runs ten seconds after" if code is None else "exit code {}".format(code)


def the_end_of_the_requests_ends_a_waiting_worker(bench):
    with bench.greeted(spends=True) as worker:
        worker.close()
        assert worker.exit_code(10) is not None, "it still runs ten seconds after"
        assert worker.unread() == []


def the_end_of_the_requests_ends_a_training(bench):
    with bench.built(spends=True) as worker:
        bench.load(worker, tiny_network.weights(worker.job["network"]))
        order = (tiny_network.order(31) * 20000)[: 4 * 200000]
        worker.send("train", epochs=1, orders=[bench.write("long", "<i8", [len(order)], order)],
                    stamps=bench.place("stamps.npy"), evaluate=False, silence_ms=60000)
        worker.close()
        assert worker.exit_code(10) is not None, "it still runs ten seconds after"


CHECKS = [
    hello_agrees_with_the_manifest, the_start_is_stamped_before_the_import,
    an_unknown_verb_is_a_protocol_error_and_the_worker_lives, a_verb_out_of_turn_is_refused,
    a_missing_file_is_refused, a_layer_kind_or_option_that_it_lacks_is_unsupported,
    pixels_are_the_bytes_over_255, build_reports_parameters_and_shapes, weights_come_back_as_they_went_in,
    a_missing_or_misshapen_weight_is_refused, adam_and_same_padding_agree_with_the_reference,
    sgd_and_valid_padding_agree_with_the_reference, check_is_refused_where_dropout_is_on,
    training_follows_the_order_over_two_epochs, a_limit_stops_in_the_middle_of_an_epoch,
    training_with_dropout_runs, native_input_makes_as_many_steps, predict_covers_the_last_partial_batch,
    memory_names_whole_bytes, latency_stamps_each_repeat, shutdown_ends_with_0,
    the_end_of_the_requests_ends_a_waiting_worker, the_end_of_the_requests_ends_a_training,
]


def outcome_of(check, bench):
    """("ok" | "skip" | "FAILED", why)."""
    try:
        check(bench)
        return "ok", ""
    except Skip as reason:
        return "skip", str(reason)
    except Exception as failure:
        if bench.given.verbose:
            traceback.print_exc()
        return "FAILED", "{}: {}".format(type(failure).__name__, failure)


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    options = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    options.add_argument("--worker", required=True, type=os.path.abspath, help="its folder, with worker.toml")
    options.add_argument("--python", default=sys.executable, help="for {python} (default: this one)")
    options.add_argument("--sdk", default=str(root / "workers" / "sdk"), help="for {sdk}")
    options.add_argument("--bin", default="", help="for {bin}: folder of built workers")
    options.add_argument("--option", action="append", default=[], type=lambda text: text.split("=", 1),
                         metavar="NAME=VALUE", help="an option of the worker, in every build; repeat")
    options.add_argument("--only", action="append", help="checks whose name holds this text; repeat")
    options.add_argument("--without-arithmetic", action="store_true", help="the worker computes nothing")
    options.add_argument("--verbose", action="store_true", help="tracebacks of failed checks")
    given = options.parse_args()
    counts = {"ok": 0, "FAILED": 0, "skip": 0}
    with tempfile.TemporaryDirectory(prefix="lockstep-contract-") as folder:
        bench = Bench(given, folder)
        for check in CHECKS:
            if given.only and not any(text in check.__name__ for text in given.only):
                continue
            outcome, why = outcome_of(check, bench)
            counts[outcome] += 1
            print("{:6} {}{}".format(outcome, check.__name__, ": " + why if why else ""), flush=True)
        bench.end()
    print("{} passed, {} failed, {} skipped".format(counts["ok"], counts["FAILED"], counts["skip"]))
    return 1 if counts["FAILED"] or not any(counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
