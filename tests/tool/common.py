# SPDX-License-Identifier: BSL-1.0
"""Runs the tool and reads and writes .npy files without NumPy."""
import os, struct, subprocess, sys, tempfile
from array import array


class Tool:
    def __init__(self, program):
        self.program = program

    def __call__(self, *arguments, status=0):
        """Standard output; the tool must exit with `status`, and complain in one line if that is not 0."""
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True)
        call = "ctnn " + " ".join(map(str, arguments))
        if done.returncode != status:
            sys.exit(f"{call}: exit {done.returncode}, expected {status}\n{done.stdout}{done.stderr}")
        if status == 0:
            check(done.stderr == "", f"{call}: says {done.stderr!r}")
            return done.stdout
        check(done.stderr.count("\n") == 1 and done.stdout == "", f"{call}: expected one line on stderr, got {done.stderr!r}")
        return done.stderr


def check(condition, text):
    if not condition:
        sys.exit("FAILED " + text)


def write_npy(path, shape, numbers):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }" % "".join(f"{d}, " for d in shape)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + array("f", numbers).tobytes())


def read_npy(path):
    """(shape, numbers)"""
    data = open(path, "rb").read()
    check(data[:8] == b"\x93NUMPY\1\0" and len(data) % 64 == (len(data) - 10 - struct.unpack("<H", data[8:10])[0]) % 64, "npy header")
    length = struct.unpack("<H", data[8:10])[0]
    header = eval(data[10:10 + length].decode(), {})
    check(header["descr"] == "<f4" and header["fortran_order"] is False, "npy type")
    return header["shape"], read_floats_from(data[10 + length:])


def read_floats_from(data):
    numbers = array("f")
    numbers.frombytes(data)
    return numbers


def read_floats(path):
    return read_floats_from(open(path, "rb").read())


def furthest(a, b):
    check(len(a) == len(b), f"{len(a)} numbers, expected {len(b)}")
    return max(abs(x - y) for x, y in zip(a, b))


def compiler():
    return os.environ.get("CXX", "g++").split()


def compiled(command):
    """Runs a compiler: its own (seconds of processor time, megabytes), whoever else uses the machine."""
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = status
        said.seek(0)
        if status:
            raise RuntimeError(f"{' '.join(command)}:\n{said.read(3000)}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
