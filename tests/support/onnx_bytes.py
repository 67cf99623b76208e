# SPDX-License-Identifier: BSL-1.0
"""Writes the protocol buffers of small ONNX models, as onnx_bytes.hpp does, for scripts."""
import struct

FLOAT, UINT8, INT8, INT32, INT64, BOOL = 1, 2, 3, 6, 7, 9
FORMATS = {FLOAT: "f", UINT8: "B", INT8: "b", INT32: "i", INT64: "q", BOOL: "?"}


def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n >= 128:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n)


def data(field, b):
    b = b.encode() if isinstance(b, str) else b
    return varint(field << 3 | 2) + varint(len(b)) + b


def tensor(name, shape, numbers, kind=FLOAT):
    raw = struct.pack(f"<{len(numbers)}{FORMATS[kind]}", *numbers)
    return b"".join(number(1, d) for d in shape) + number(2, kind) + data(8, name) + data(9, raw)


def value(name, shape, kind=FLOAT):
    """An extent that is a string is an open axis of that name."""
    axes = b"".join(data(1, data(2, d) if isinstance(d, str) else number(1, d)) for d in shape)
    return data(1, name) + data(2, data(1, number(1, kind) + data(2, axes)))


def attribute(name, v):
    """An integer, a float, a string, a list of integers or, as bytes, a graph."""
    out = data(1, name)
    if isinstance(v, bytes):
        out += data(6, v) + number(20, 5)
    elif isinstance(v, int):
        out += number(3, v) + number(20, 2)
    elif isinstance(v, float):
        out += varint(2 << 3 | 5) + struct.pack("<f", v) + number(20, 1)
    elif isinstance(v, str):
        out += data(4, v) + number(20, 3)
    else:
        out += b"".join(number(8, i) for i in v) + number(20, 7)
    return out


def node(kind, inputs, outputs, name="", domain="", field=1, **attributes):
    """A node of a graph or, with 7 as the field, of a function."""
    return data(field, b"".join(data(1, i) for i in inputs) + b"".join(data(2, o) for o in outputs) + data(3, name) + data(4, kind) +
                b"".join(data(5, attribute(k, v)) for k, v in attributes.items()) + (data(7, domain) if domain else b""))


def function(name, inputs, outputs, nodes, opset, attributes=()):
    """Of the domain "local"; attributes are such as have a default."""
    return data(25, data(1, name) + data(10, "local") + b"".join(data(4, i) for i in inputs) + b"".join(data(5, o) for o in outputs) + b"".join(nodes) +
                b"".join(data(11, a) for a in attributes) + data(9, number(2, opset)))


def graph(nodes, inputs, outputs, initializers=()):
    return (b"".join(nodes) + b"".join(data(5, t) for t in initializers) + b"".join(data(11, v) for v in inputs) +
            b"".join(data(12, v) for v in outputs))


def model(g, opset=13, domain=""):
    return number(1, 8) + data(7, g) + data(8, data(1, "") + number(2, opset)) + (data(8, data(1, domain) + number(2, 1)) if domain else b"")
