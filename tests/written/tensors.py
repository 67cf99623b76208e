# SPDX-License-Identifier: BSL-1.0
"""Reads the protocol buffers of ONNX's tests: a tensor's name, element type, shape and bytes."""
import struct

# By ONNX's number of an element type: what ONNX Runtime's package calls it, and an element's format in struct.
TYPES = {1: ("float32", "f"), 2: ("uint8", "B"), 3: ("int8", "b"), 4: ("uint16", "H"), 5: ("int16", "h"), 6: ("int32", "i"), 7: ("int64", "q"),
         9: ("bool", "?"), 10: ("float16", "H"), 11: ("float64", "d"), 12: ("uint32", "I"), 13: ("uint64", "Q")}


def fields(data):
    """(number, value) of each field: an integer, or bytes."""
    at = 0

    def varint():
        nonlocal at
        n = shift = 0
        while True:
            byte = data[at]
            at += 1
            n |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return n

    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            yield key >> 3, varint()
            continue
        length = {1: 8, 5: 4}.get(kind) or varint()
        yield key >> 3, data[at:at + length]
        at += length


def varints(value):
    """The integers of a field that may be packed."""
    return [value] if isinstance(value, int) else [n for _, n in fields(b"".join(b"\0" + bytes([b]) if at == 0 or value[at - 1] < 128 else bytes([b])
                                                                                for at, b in enumerate(value)))]


def tensor(data):
    """{name, type, shape} and the bytes of its numbers; None if it is of strings, or no tensor."""
    name, number, shape, raw, packed = "", 0, [], None, b""
    whole = []
    for field, value in fields(data):
        if field == 1:
            shape += varints(value)
        elif field == 2:
            number = value
        elif field in (4, 10):  # floats, doubles
            packed += value
        elif field in (5, 7, 11):  # what is smaller is among i32
            whole += varints(value)
        elif field == 8:
            name = value.decode()
        elif field == 9:
            raw = value
    if number not in TYPES:
        return None, b""
    kind, form = TYPES[number]
    if raw is None:
        raw = packed
        if whole:
            size = struct.calcsize(form)
            raw = b"".join((n & (1 << 8 * size) - 1).to_bytes(size, "little") for n in whole)
    return {"name": name, "type": kind, "shape": shape}, raw
