"""The ways in which the fake worker goes wrong, each a function named as the variable FAKE names it.

`before` its work on a verb ("start": before the first), `spoil` the reply, `answer` in its place, or `after` it.
Some leave the pid of a process that they started in the folder FAKE_NOTES. The file is long because the list is.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import npy_values

LONG = 600  # seconds; every test ends long before
_hooks = {}


class Misdeed:
    def __init__(self, hooks):
        self._hooks = hooks

    def before(self, verb, worker, request):
        self._call("before", verb, worker, request)

    def spoil(self, verb, worker, request, reply):
        self._call("spoil", verb, worker, request, reply)

    def answer(self, verb, worker, request, reply):
        """True when it has answered in the worker's place."""
        return self._call("answer", verb, worker, request, reply)

    def after(self, verb, worker, request):
        self._call("after", verb, worker, request)

    def _call(self, moment, verb, *arguments):
        hook = self._hooks.get((moment, verb))
        if hook:
            hook(*arguments)
        return hook is not None


def named(name):
    """None at all for the empty name."""
    return Misdeed({} if not name else _hooks[name])


def at(moment, verb):
    def keep(function):
        _hooks[function.__name__] = {(moment, verb): function}
        return function
    return keep


def note(name, text):
    """Appears whole: written aside, then renamed."""
    path = pathlib.Path(os.environ["FAKE_NOTES"], name)
    path.with_suffix(".part").write_text(str(text))
    path.with_suffix(".part").rename(path)


# --- hanging ---

@at("before", "start")
def hangs_at_start(worker, request):
    time.sleep(LONG)


@at("before", "build")
def hangs_in_build(worker, request):
    time.sleep(LONG)


@at("before", "train")
def hangs_in_train(worker, request):
    print("the last thing that it said", flush=True)
    time.sleep(LONG)


@at("before", "train")
def stops_itself(worker, request):
    os.kill(os.getpid(), signal.SIGSTOP)


@at("before", "train")
def ignores_signals(worker, request):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(LONG)


@at("before", "train")
def closes_its_pipe(worker, request):
    worker.replies.close()
    time.sleep(LONG)


@at("after", "shutdown")
def outlives_shutdown(worker, request):
    time.sleep(LONG)


@at("before", "train")
def waits_until_told(worker, request):
    """In runs whose name holds FAKE_WAITS_IN: goes on when the file `go` lies in FAKE_NOTES, and gives signs of
    life until then."""
    if os.environ.get("FAKE_WAITS_IN", "") not in request["stamps"]:
        return
    note("waiting", os.getpid())
    while not pathlib.Path(os.environ["FAKE_NOTES"], "go").exists():
        worker.send({"event": "alive"})
        time.sleep(0.05)


# --- crashing ---

@at("before", "start")
def exits_at_start(worker, request):
    print("a module that is not there", file=sys.stderr, flush=True)
    os._exit(3)


@at("before", "build")
def aborts_in_build(worker, request):
    os.abort()


@at("before", "build")
def raises_in_build(worker, request):
    raise RuntimeError("a framework's own words")


@at("before", "train")
def faults_in_train(worker, request):
    os.kill(os.getpid(), signal.SIGSEGV)


@at("before", "train")
def exits_with_0_in_train(worker, request):
    os._exit(0)


@at("before", "train")
def killed_in_train(worker, request):
    os.kill(os.getpid(), signal.SIGKILL)


@at("answer", "train")
def dies_in_mid_answer(worker, request, reply):
    worker.write(json.dumps({"id": request["id"], "ok": reply}).encode()[:40])
    os._exit(3)


@at("before", "train")
def dies_with_a_child_on_the_pipe(worker, request):
    if os.fork() == 0:
        time.sleep(LONG)
    os.abort()


@at("before", "train")
def dies_after_binary_output(worker, request):
    os.write(1, b"\xff\xfe\x00 \x1b[31mred\x1b[0m\n" + b"x" * 5000 + b"\nlast words\n")
    os._exit(3)


@at("before", "train")
def kills_its_keeper(worker, request):
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(LONG)


@at("after", "shutdown")
def exits_with_1_at_shutdown(worker, request):
    os._exit(1)


@at("before", "train")
def dies_once(worker, request):
    if not pathlib.Path(os.environ["FAKE_NOTES"], "died").exists():
        note("died", os.getpid())
        os._exit(3)


# --- breaking the protocol ---

@at("answer", "build")
def talks_nonsense(worker, request, reply):
    worker.write(b"Epoch 1/1: 100%|##########|\n")


@at("answer", "build")
def talks_bytes(worker, request, reply):
    worker.write(b"\x00\xff\xfe\x1b[31m\xc3\x28\n")


@at("answer", "train")
def sends_a_loss_of_nan(worker, request, reply):
    """As Python writes it, which is no JSON."""
    reply["epochs"][-1]["loss"] = float("nan")
    worker.send({"id": request["id"], "ok": reply})


@at("answer", "build")
def sends_a_list(worker, request, reply):
    worker.send([request["id"], reply])


@at("answer", "train")
def sends_a_long_line(worker, request, reply):
    worker.send({"id": request["id"], "ok": reply, "padding": "x" * (2 << 20)})


@at("answer", "train")
def sends_a_line_without_end(worker, request, reply):
    worker.write(b"x" * (2 << 20))
    time.sleep(LONG)


@at("answer", "build")
def answers_another_request(worker, request, reply):
    worker.send({"id": request["id"] + 5, "ok": reply})


@at("answer", "build")
def answers_twice(worker, request, reply):
    worker.send({"id": request["id"], "ok": reply})
    worker.send({"id": request["id"], "ok": reply})


@at("spoil", "build")
def leaves_out_a_field(worker, request, reply):
    del reply["parameters"]


@at("spoil", "build")
def sends_text_for_a_number(worker, request, reply):
    reply["parameters"] = "many"


@at("spoil", "hello")
def speaks_a_later_version(worker, request, reply):
    reply["protocol"] = 2


@at("spoil", "hello")
def speaks_an_earlier_version(worker, request, reply):
    reply["protocol"] = 0


# --- refusing ---

def refuse(worker, request, kind, message):
    worker.send({"id": request["id"], "error": {"kind": kind, "message": message}})


@at("answer", "build")
def does_not_support_it(worker, request, reply):
    refuse(worker, request, "unsupported", "A dense layer of 2 units is not to its taste.")


@at("answer", "train")
def reports_an_error(worker, request, reply):
    refuse(worker, request, "framework", "the device\nis \x1b[31mgone\x1b[0m")


@at("answer", "build")
def runs_out_of_memory(worker, request, reply):
    refuse(worker, request, "resources", "no room for 12 GB")


@at("answer", "weights_in")
def does_not_understand(worker, request, reply):
    refuse(worker, request, "protocol", "weights_in is not known")


@at("spoil", "hello")
def lacks_a_layer(worker, request, reply):
    reply["can"]["layers"].remove("max_pool")


# --- lying ---

@at("spoil", "build")
def miscounts_parameters(worker, request, reply):
    reply["parameters"] += 1


@at("spoil", "train")
def loses_its_loss(worker, request, reply):
    reply["epochs"][-1]["loss"] = None


@at("spoil", "train")
def reports_an_epoch_too_many(worker, request, reply):
    reply["epochs"].append(reply["epochs"][-1])


@at("spoil", "train")
def reports_a_step_too_many(worker, request, reply):
    reply["epochs"][-1]["steps"] += 1


@at("spoil", "train")
def reports_epochs_before_training(worker, request, reply):
    reply["epochs"][0]["begin"] -= 3_600_000_000_000


@at("spoil", "train")
def reports_epochs_after_training(worker, request, reply):
    reply["epochs"][-1]["end"] += 3_600_000_000_000


@at("spoil", "train")
def reports_epochs_without_their_steps(worker, request, reply):
    reply["epochs"][-1]["begin"] = reply["epochs"][-1]["end"]


@at("spoil", "train")
def reports_an_evaluation_of_an_hour(worker, request, reply):
    reply["evaluations"][0][1] += 3_600_000_000_000


def stamps_of(reply):
    return npy_values.read(reply["stamps"])[2]


def write_stamps(reply, stamps, code="<i8"):
    npy_values.write(reply["stamps"], code, [len(stamps) // 2, 2], stamps)


@at("spoil", "train")
def leaves_a_stamp_out(worker, request, reply):
    write_stamps(reply, stamps_of(reply)[:-2])


@at("spoil", "train")
def leaves_no_stamps(worker, request, reply):
    os.remove(reply["stamps"])


@at("spoil", "train")
def cuts_its_stamps_short(worker, request, reply):
    os.truncate(reply["stamps"], os.path.getsize(reply["stamps"]) - 8)


@at("spoil", "train")
def stamps_in_another_type(worker, request, reply):
    write_stamps(reply, [0] * len(stamps_of(reply)), "<i4")


@at("spoil", "train")
def stamps_backwards(worker, request, reply):
    write_stamps(reply, stamps_of(reply)[::-1])


@at("spoil", "train")
def stamps_the_future(worker, request, reply):
    write_stamps(reply, [stamp + 3_600_000_000_000 for stamp in stamps_of(reply)])


@at("spoil", "train")
def stamps_the_past(worker, request, reply):
    write_stamps(reply, [stamp - 3_600_000_000_000 for stamp in stamps_of(reply)])


@at("spoil", "hello")
def started_in_the_future(worker, request, reply):
    reply["started"] += 3_600_000_000_000


def predict_instead(reply, classes):
    npy_values.write(reply["predictions"][-1], "<i4", [len(classes)], classes)


@at("spoil", "train")
def predicts_a_class_too_high(worker, request, reply):
    predict_instead(reply, [2] + [0] * (worker.test_images[1][0] - 1))


@at("spoil", "train")
def predicts_a_negative_class(worker, request, reply):
    predict_instead(reply, [-1] + [0] * (worker.test_images[1][0] - 1))


@at("spoil", "train")
def predicts_too_few(worker, request, reply):
    predict_instead(reply, [0] * (worker.test_images[1][0] - 1))


@at("spoil", "train")
def leaves_no_predictions(worker, request, reply):
    os.remove(reply["predictions"][-1])


@at("spoil", "train")
def names_no_predictions(worker, request, reply):
    reply["predictions"] = []


@at("before", "check")
def computes_with_other_weights(worker, request):
    name = worker.shapes[0][0]
    worker.weights[name] = [value * 1.01 for value in worker.weights[name]]


@at("spoil", "check")
def leaves_a_gradient_out(worker, request, reply):
    del reply["files"]["gradient." + worker.shapes[0][0]]


# --- straining the machine ---

@at("before", "train")
def floods_its_output(worker, request):
    block = b"a line of fifty characters, over and over again.\n\n" * 20000
    for descriptor in (1, 2):
        for _ in range(50):
            os.write(descriptor, block)


@at("before", "train")
def floods_its_events(worker, request):
    for step in range(50000):
        worker.send({"event": "progress", "done": step, "of": 50000})


@at("before", "train")
def warns(worker, request):
    worker.send({"event": "warning", "message": "no GPU was found,\nthe CPU is used"})


@at("before", "train")
def takes_300_mb(worker, request):
    block = bytearray(300 << 20)
    block[::4096] = b"x" * len(block[::4096])


@at("before", "train")
def leaves_a_daemon(worker, request):
    _daemon(dict(os.environ))


@at("before", "train")
def leaves_a_daemon_without_environment(worker, request):
    _daemon({})


def _daemon(environment):
    if os.fork() == 0:
        os.setsid()
        daemon = subprocess.Popen(["/bin/sleep", str(LONG)], env=environment, close_fds=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        note("daemon", daemon.pid)
        os._exit(0)
    os.wait()


@at("before", "start")
def talks_from_threads(worker, request):
    """Output from several threads at once, as frameworks do; nothing else."""
    for name in "abcd":
        threading.Thread(target=lambda name=name: print(name * 200000, flush=True)).start()
