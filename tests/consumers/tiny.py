#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes tiny.onnx, tiny.param and tiny.bin: one network in both formats, its numbers in every way that files keep them
(raw, packed lists, half and double precision), all multiples of 1/8, so that its answer is exact; and steps.param and
steps.bin, an LSTM whose weights are half precision. Prints their answers."""
import math, struct

image = [i / 8 - 1 for i in range(16)]                                   # 1 x 4 x 4
kernel = [[(3 * o + k) % 7 / 8 - 0.25 for k in range(9)] for o in range(2)]
offset = [0.5, -0.25]
matrix = [[(5 * r + 3 * c) % 9 / 4 - 1 for c in range(3)] for r in range(32)]
shift = [0.125, 0.25, -3]


def answer():
    rows = []
    for o in range(2):
        for y in range(4):
            for x in range(4):
                s = offset[o]
                for k in range(9):
                    v, u = y + k // 3 - 1, x + k % 3 - 1
                    if 0 <= v < 4 and 0 <= u < 4:
                        s += image[4 * v + u] * kernel[o][k]
                rows.append(max(s, 0))
    return [sum(r * m[c] for r, m in zip(rows, matrix)) + shift[c] for c in range(3)]


def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


number = lambda field, n: varint(field << 3) + varint(n)
part = lambda field, b: varint(field << 3 | 2) + varint(len(b)) + (b.encode() if isinstance(b, str) else b)
pack = lambda code, numbers: struct.pack(f"<{len(numbers)}{code}", *numbers)
flat = lambda rows: [n for row in rows for n in row]


def tensor(name, shape, element, field, data):
    return part(5, b"".join(number(1, d) for d in shape) + number(2, element) + part(8, name) + part(field, data))


def node(kind, inputs, output, attributes=b""):
    return part(1, b"".join(part(1, i) for i in inputs) + part(2, output) + part(4, kind) + attributes)


def value(field, name, shape):
    dims = b"".join(part(1, number(1, d)) for d in shape)
    return part(field, part(1, name) + part(2, part(1, number(1, 1) + part(2, dims))))


pads = part(5, part(1, "pads") + b"".join(number(8, 1) for _ in range(4)) + number(20, 7))
to_f32 = part(5, part(1, "to") + number(3, 1) + number(20, 2))
graph = part(2, "tiny") + value(11, "image", [1, 1, 4, 4]) + value(12, "scores", [1, 3])
graph += tensor("kernel", [2, 1, 3, 3], 1, 9, pack("f", flat(kernel))) + tensor("offset", [2], 1, 4, pack("f", offset))
graph += tensor("wide", [32, 3], 11, 9, pack("d", flat(matrix))) + tensor("half", [3], 10, 9, pack("e", shift))
graph += tensor("to", [2], 7, 9, pack("q", [1, 32]))
graph += node("Cast", ["wide"], "matrix", to_f32) + node("Cast", ["half"], "shift", to_f32)
graph += node("Conv", ["image", "kernel", "offset"], "c", pads) + node("Relu", ["c"], "r")
graph += node("Reshape", ["r", "to"], "f") + node("MatMul", ["f", "matrix"], "m") + node("Add", ["m", "shift"], "scores")
open("tiny.onnx", "wb").write(number(1, 8) + part(7, graph) + part(8, number(2, 13)))

open("tiny.param", "w").write("""7767517
3 3
Input image 0 1 image 0=4 1=4 2=1
Convolution conv 1 1 image c 0=2 1=3 4=1 5=1 6=18 9=1
InnerProduct fc 1 1 c scores 0=3 1=1 2=96
""")
halves = lambda numbers: struct.pack("<I", 0x01306B47) + pack("e", numbers)
columns = [matrix[r][c] for c in range(3) for r in range(32)]
open("tiny.bin", "wb").write(halves(flat(kernel)) + pack("f", offset) +
                             struct.pack("<I", 0) + pack("f", columns) + pack("f", shift))
print(answer())

# ncnn's LSTM: gates in the order of input, forget, output, candidate.
steps, size, hidden = 5, 4, 3
x = [[(3 * t + 5 * i) % 11 / 8 - 0.625 for i in range(size)] for t in range(steps)]
to_gates = [[(5 * g + 3 * i) % 13 / 8 - 0.75 for i in range(size)] for g in range(4 * hidden)]
from_state = [[(7 * g + 2 * h) % 9 / 8 - 0.5 for h in range(hidden)] for g in range(4 * hidden)]
shifts = [g % 5 / 8 - 0.25 for g in range(4 * hidden)]


def lstm():
    h, c, rows = [0.0] * hidden, [0.0] * hidden, []
    sigmoid = lambda v: 1 / (1 + math.exp(-v))
    for row in x:
        z = [shifts[g] + sum(a * b for a, b in zip(to_gates[g], row)) + sum(a * b for a, b in zip(from_state[g], h))
             for g in range(4 * hidden)]
        take, forget, give, new = (z[k * hidden:(k + 1) * hidden] for k in range(4))
        c = [sigmoid(f) * old + sigmoid(i) * math.tanh(n) for f, old, i, n in zip(forget, c, take, new)]
        h = [sigmoid(o) * math.tanh(v) for o, v in zip(give, c)]
        rows += h
    return rows


open("steps.param", "w").write(f"""7767517
2 2
Input x 0 1 x 0={size} 1={steps}
LSTM lstm 1 1 x y 0={hidden} 1={4 * hidden * size} 2=0
""")
open("steps.bin", "wb").write(b"".join(halves(n) for n in (flat(to_gates), shifts, flat(from_state))))
print([round(n, 7) for n in flat(x)], [round(n, 7) for n in lstm()], sep="\n")
