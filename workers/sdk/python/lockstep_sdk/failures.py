"""What can go wrong in a worker, and how it is told to lockstep (PROTOCOL.md, section 2)."""
from __future__ import annotations

import sys
import traceback

LONGEST_MESSAGE = 600  # characters; the whole story is in the traceback on stderr


class Unsupported(Exception):
    """The framework cannot do this: a layer kind, an option, a device. The run is skipped for it."""

    def __init__(self, message, layer=None):
        super().__init__(message)
        self.layer = layer


class ProtocolError(Exception):
    """The request was not understood."""


def described(failure, resource_errors=()):
    """The `error` object of a reply. Writes the traceback of what nobody foresaw to stderr.

    `resource_errors`: the framework's own exceptions for memory or a device that ran out.
    """
    if isinstance(failure, Unsupported):
        kind = "unsupported"
    elif isinstance(failure, ProtocolError):
        kind = "protocol"
    elif isinstance(failure, (MemoryError,) + tuple(resource_errors)):
        kind = "resources"
    else:
        kind = "framework"
    if kind in ("resources", "framework"):
        traceback.print_exception(type(failure), failure, failure.__traceback__, file=sys.stderr)
        sys.stderr.flush()
    error = {"kind": kind, "message": one_line(failure, named=kind in ("resources", "framework"))}
    layer = getattr(failure, "layer", None)
    if isinstance(layer, str):
        error["layer"] = layer
    return error


def one_line(failure, named):
    lines = [line.strip() for line in str(failure).splitlines() if line.strip()]
    name = type(failure).__name__
    if not lines:
        return name
    text = "{}: {}".format(name, lines[0]) if named else " ".join(lines)
    return text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 3] + "..."
