"""JSON lines over the two descriptors that lockstep hands to a worker (PROTOCOL.md, section 1)."""
from __future__ import annotations

import json
import math
import os
import queue
import threading
import time

from .failures import ProtocolError

LONGEST_LINE = 1 << 20          # bytes, from PROTOCOL.md
BETWEEN_EVENTS_NS = 250_000_000  # at most four progress events a second


class Channel:
    """Requests in, replies and events out. Events may only be sent between requests and replies.

    A thread waits for requests, so that the end of the request descriptor ends the process at once, even
    in the middle of a training. It sleeps in read() and takes no time from a step.
    """

    def __init__(self, read_fd, write_fd):
        for fd in (read_fd, write_fd):
            os.set_inheritable(fd, False)
        self._write_fd = write_fd
        self._lines = queue.Queue()
        self._last_event = time.monotonic_ns()
        threading.Thread(target=self._listen, args=(read_fd,), daemon=True).start()

    @classmethod
    def from_environment(cls):
        try:
            return cls(int(os.environ["LOCKSTEP_READ_FD"]), int(os.environ["LOCKSTEP_WRITE_FD"]))
        except (KeyError, ValueError, OSError) as failure:
            raise SystemExit(
                "A worker is started by lockstep, which names its descriptors in LOCKSTEP_READ_FD and "
                "LOCKSTEP_WRITE_FD ({}). Try: lockstep run --help".format(failure))

    def receive(self):
        """The next request. Raises ProtocolError for a line that is no request."""
        line = self._lines.get()
        if len(line) > LONGEST_LINE:
            raise ProtocolError("a request is longer than {} bytes".format(LONGEST_LINE))
        try:
            request = json.loads(line.decode("utf-8"))
        except ValueError as failure:
            raise ProtocolError("a request is not JSON: {}".format(failure))
        if not isinstance(request, dict) or not isinstance(request.get("id"), int):
            raise ProtocolError("a request is not an object with a whole number \"id\"")
        return request

    def reply(self, identifier, content):
        self._send({"id": identifier, "ok": content})

    def refuse(self, identifier, error):
        self._send({"id": identifier, "error": error})

    def warn(self, message):
        self._send({"event": "warning", "message": str(message)})

    def progress(self, done, of, epoch):
        """Says how far a training is, when the last event is long enough ago."""
        if self._due():
            self._send({"event": "progress", "done": done, "of": of, "epoch": epoch})

    def alive(self):
        """Says that the worker is busy without steps, when the last event is long enough ago."""
        if self._due():
            self._send({"event": "alive"})

    def _due(self):
        now = time.monotonic_ns()
        if now - self._last_event < BETWEEN_EVENTS_NS:
            return False
        self._last_event = now
        return True

    def _send(self, message):
        line = json.dumps(finite(message), allow_nan=False, separators=(",", ":")).encode("utf-8") + b"\n"
        if len(line) > LONGEST_LINE:
            raise ValueError("a reply of {} bytes is longer than the protocol allows".format(len(line)))
        while line:
            line = line[os.write(self._write_fd, line):]

    def _listen(self, read_fd):
        waiting = b""
        while True:
            try:
                part = os.read(read_fd, 1 << 16)
            except OSError:
                part = b""
            if not part:
                os._exit(0)
            waiting += part
            while b"\n" in waiting:
                line, waiting = waiting.split(b"\n", 1)
                if line.strip():
                    self._lines.put(line)
            if len(waiting) > LONGEST_LINE:
                self._lines.put(waiting)
                waiting = b""


def finite(value):
    """The same value with every number that is not finite replaced by None, and numpy numbers by Python's."""
    if isinstance(value, dict):
        return {str(key): finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if hasattr(value, "tolist"):
        return finite(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    raise TypeError("{!r} cannot travel in a message".format(value))
