#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""quantize.py TOOL: writes bytes.hpp beside this file, the trained digit classifier in bytes.

What weights.hpp has becomes an ncnn model; `ctnn quantize` finds the ranges of its values with the ten pictures of
samples.hpp.
"""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

PARAM = """7767517
13 13
Input        image 0 1 image 0=8 1=8 2=1
Convolution  conv1 1 1 image conv1 0=8 1=3 4=1 5=1 6=72
BatchNorm    bn1   1 1 conv1 bn1 0=8
ReLU         relu1 1 1 bn1 relu1
Convolution  conv2 1 1 relu1 conv2 0=16 1=3 4=1 5=1 6=1152
BatchNorm    bn2   1 1 conv2 bn2 0=16
ReLU         relu2 1 1 bn2 relu2
Pooling      pool  1 1 relu2 pool 1=2 2=2
Convolution  conv3 1 1 pool conv3 0=32 1=3 4=1 5=1 6=4608
BatchNorm    bn3   1 1 conv3 bn3 0=32
ReLU         relu3 1 1 bn3 relu3
InnerProduct fc    1 1 relu3 fc 0=10 1=1 2=5120
Softmax      prob  1 1 fc prob
"""


def numbers(values):
    return struct.pack(f"<{len(values)}f", *values)


def write_npy(path, shape, values):
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + numbers(values))


def write_model(folder):
    """digits.param, digits.bin"""
    text = (HERE / "weights.hpp").read_text()
    arrays = {name: [float.fromhex(v.strip(" f\n")) for v in body.split(",")]
              for name, body in re.findall(r"float (\w+)\[\d+\] = \{[^\n]*\n(.*?)\}", text, re.S)}
    out = b""
    for layer in ("1", "2", "3"):
        out += struct.pack("<I", 0) + numbers(arrays[f"conv{layer}_weight"]) + numbers(arrays[f"conv{layer}_bias"])
        out += b"".join(numbers(arrays[f"bn{layer}_{part}"]) for part in ("weight", "running_mean", "running_var", "bias"))
    out += struct.pack("<I", 0) + numbers(arrays["fc_weight"]) + numbers(arrays["fc_bias"])
    (folder / "digits.param").write_text(PARAM)
    (folder / "digits.bin").write_bytes(out)


def write_pictures(folder, header):
    """An array of all pictures of a header, a sample each: pixels from 0 to 1."""
    pictures = re.findall(r'\{"([0-9a-g]{64})", \d\}', (HERE / header).read_text())
    pixels = ["0123456789abcdefg".index(p) / 16 for picture in pictures for p in picture]
    write_npy(folder / "pictures.npy", (len(pictures), 1, 8, 8), pixels)


def main(tool):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_model(folder)
        write_pictures(folder, "samples.hpp")
        subprocess.run([tool, "quantize", folder / "digits.param", "--calibration", folder / "pictures.npy", "--bytes",
                        "--name", "digits_in_bytes", "-o", HERE / "bytes.hpp"], check=True)
        text = (HERE / "bytes.hpp").read_text()
        (HERE / "bytes.hpp").write_text("// SPDX-License-Identifier: BSL-1.0\n" + text)


if __name__ == "__main__":
    main(sys.argv[1])
