"""Reads and writes .npy files (format 1.0, C order, little endian) without numpy, for tests only."""
import array
import ast
import math
import struct
import sys

CODES = {"|u1": "B", "<i4": "i", "<i8": "q", "<f4": "f"}


def write(path, code, shape, values):
    """`code`: one of CODES. `values`: flat, in C order."""
    assert len(values) == math.prod(shape) and sys.byteorder == "little"
    header = "{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}".format(code, tuple(shape))
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("latin1"))
        file.write(array.array(CODES[code], values).tobytes())
    return str(path)


def read(path):
    """(code, shape, flat values). Raises ValueError for what is not such a file, or has another length."""
    with open(path, "rb") as file:
        content = file.read()
    if content[:8] != b"\x93NUMPY\x01\x00":
        raise ValueError("{} is no .npy file of format 1.0".format(path))
    start = 10 + struct.unpack("<H", content[8:10])[0]
    header = ast.literal_eval(content[10:start].decode("latin1"))
    values = array.array(CODES[header["descr"]])
    values.frombytes(content[start:])
    if header["fortran_order"] or len(values) != math.prod(header["shape"]):
        raise ValueError("{} has {} values, its header says {}".format(path, len(values), header))
    return header["descr"], tuple(header["shape"]), values.tolist()
