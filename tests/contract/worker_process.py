"""A worker under test: started from its manifest, spoken to over its own descriptors."""
import json
import os
import select
import subprocess
import time
import tomllib

PATIENCE = 240  # seconds for one answer: a framework's first import on a busy machine


class WorkerProcess:
    """`places`: values for the manifest's placeholders. Output goes to the file `log`."""

    def __init__(self, folder, places, log):
        self.manifest = read_manifest(folder)
        self.log = log
        places = dict(places, folder=str(folder))
        to_worker, self._write_fd = os.pipe()
        self._read_fd, from_worker = os.pipe()
        environment = dict(os.environ, LOCKSTEP_READ_FD=str(to_worker), LOCKSTEP_WRITE_FD=str(from_worker))
        for table in ("env", "threads"):
            environment.update({name: filled(text, places)
                                for name, text in self.manifest.get(table, {}).items()})
        self.started = time.monotonic_ns()
        with open(log, "ab") as output:
            self.process = subprocess.Popen(
                [filled(text, places) for text in self.manifest["command"]], env=environment, stdout=output,
                stderr=output, stdin=subprocess.DEVNULL, pass_fds=(to_worker, from_worker))
        os.close(to_worker)
        os.close(from_worker)
        self._waiting = b""
        self._id = 0
        self.events = []  # of the last request

    def kill(self):
        self.close()
        self.process.kill()
        self.process.wait()
        os.close(self._read_fd)

    def ask(self, verb, **fields):
        """The whole reply. Raises AssertionError when none comes, or one to another request."""
        self.send(verb, **fields)
        while True:
            message = self._next()
            if "event" in message:
                self.events.append(message)
                continue
            assert message.get("id") == self._id, "the reply has another id: {}".format(message)
            assert ("ok" in message) != ("error" in message), "neither ok nor error: {}".format(message)
            return message

    def get(self, verb, **fields):
        """What is under "ok"."""
        reply = self.ask(verb, **fields)
        assert "ok" in reply, "{} was refused: {}".format(verb, reply["error"])
        return reply["ok"]

    def refusal(self, verb, **fields):
        """What is under "error"."""
        reply = self.ask(verb, **fields)
        assert "error" in reply, "{} was not refused".format(verb)
        assert reply["error"].get("message") and "\n" not in reply["error"]["message"], reply
        return reply["error"]

    def send(self, verb, **fields):
        self._id += 1
        self.events = []
        line = json.dumps({"id": self._id, "do": verb, "key_of_a_later_version": 1, **fields})
        os.write(self._write_fd, line.encode() + b"\n")

    def close(self):
        """Ends the request descriptor."""
        if self._write_fd is not None:
            os.close(self._write_fd)
            self._write_fd = None

    def exit_code(self, seconds):
        """None when it has not ended after so many seconds."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def unread(self):
        """Messages that are still in the pipe of an ended worker."""
        while True:
            part = os.read(self._read_fd, 1 << 16)
            if not part:
                return [json.loads(line) for line in self._waiting.splitlines()]
            self._waiting += part

    def _next(self):
        until = time.monotonic() + PATIENCE
        while b"\n" not in self._waiting:
            ready, _, _ = select.select([self._read_fd], [], [], max(0, until - time.monotonic()))
            part = os.read(self._read_fd, 1 << 16) if ready else b""
            assert part, "no answer; the worker's last words:\n" + self.last_words()
            self._waiting += part
        line, self._waiting = self._waiting.split(b"\n", 1)
        assert len(line) <= 1 << 20, "a line is longer than 1 MiB"
        message = json.loads(line.decode("utf-8"), parse_constant=_not_json)
        assert isinstance(message, dict), "not an object: {}".format(message)
        return message

    def last_words(self):
        with open(self.log, errors="replace") as output:
            return "".join(output.readlines()[-12:])


def read_manifest(folder):
    with open(os.path.join(folder, "worker.toml"), "rb") as file:
        return tomllib.load(file)


def filled(text, places):
    for name, value in places.items():
        text = text.replace("{" + name + "}", value)
    return text


def _not_json(text):
    raise AssertionError("{} is not JSON".format(text))
