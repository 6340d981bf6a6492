"""The .npy files that travel beside the messages (PROTOCOL.md, section 1)."""
from __future__ import annotations

import os

import numpy

from .failures import ProtocolError


def mapped(path, dtype, dimensions=None):
    """The file as a read-only mapping. Raises ProtocolError when it is not what the protocol says."""
    try:
        values = numpy.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, TypeError) as failure:
        raise ProtocolError("{} cannot be read: {}".format(path, failure))
    if values.dtype != numpy.dtype(dtype) or (dimensions is not None and values.ndim != dimensions):
        raise ProtocolError("{} holds {} of {} dimensions, not {} of {}".format(
            path, values.dtype, values.ndim, numpy.dtype(dtype), dimensions))
    return values


def write(path, values, dtype):
    """Writes the file aside and renames it, so that it is whole or absent."""
    aside = "{}.{}.part".format(path, os.getpid())
    with open(aside, "wb") as file:
        numpy.lib.format.write_array(
            file, numpy.ascontiguousarray(values, dtype=dtype), version=(1, 0), allow_pickle=False)
    os.replace(aside, path)
    return path
