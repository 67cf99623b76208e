#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""torch_pickles.py > torch_pickles.hpp: what torch.save pickles, by Python's own pickle module and classes that are
called like torch's, so that nobody needs PyTorch for it. The storages are the test's (torch_file.cpp)."""
import argparse, collections, io, pickle, sys, types

torch = sys.modules["torch"] = types.ModuleType("torch")
utils = sys.modules["torch._utils"] = types.ModuleType("torch._utils")


def named(name, module):
    """A function that pickles by its name."""
    def function(*_):
        raise NotImplementedError(name)
    function.__module__, function.__qualname__, function.__name__ = module.__name__, name, name
    setattr(module, name, function)
    return function


rebuild = named("_rebuild_tensor_v2", utils)
rebuild_v3 = named("_rebuild_tensor_v3", utils)
rebuild_parameter = named("_rebuild_parameter", utils)
for kind in "Float Double Half BFloat16 Long Int Short Char Byte Bool ComplexFloat Untyped".split():
    storage = type(f"{kind}Storage", (), {})
    storage.__module__ = "torch"
    setattr(torch, storage.__name__, storage)
    if kind == "Untyped":
        storage.__module__, torch.storage = "torch.storage", types.ModuleType("torch.storage")
        sys.modules["torch.storage"], torch.storage.UntypedStorage = torch.storage, storage
torch.uint16 = named("uint16", torch)


class reduced:
    """What a call gives."""
    def __init__(self, function, *args):
        self.call = function, args

    def __reduce__(self):
        return self.call


class stored:
    def __init__(self, kind, key, elements):
        self.id = ("storage", getattr(torch, kind + "Storage"), key, "cpu", elements)


hooks = collections.OrderedDict


def tensor(kind, key, elements, shape, stride=None, offset=0):
    if stride is None:
        stride, step = [], 1
        for extent in reversed(shape):
            stride.insert(0, step)
            step *= extent
    return reduced(rebuild, stored(kind, key, elements), offset, tuple(shape), tuple(stride), False, hooks())


class state_dict(collections.OrderedDict):
    """With the attribute that a module's has."""
    def __reduce__(self):
        metadata = collections.OrderedDict({"": {"version": 1}})
        return collections.OrderedDict, (), {"_metadata": metadata}, None, iter(self.items())


class pickler(pickle.Pickler):
    def persistent_id(self, what):
        return what.id if isinstance(what, stored) else None


def write(name, what, protocol=2):
    out = io.BytesIO()
    pickler(out, protocol).dump(what)
    text, line = "", ""
    for byte in out.getvalue():
        c = chr(byte)
        line += {"\n": "\\n", '"': '\\"', "\\": "\\\\", "?": "\\?"}.get(c, c if 32 <= byte < 127 else f"\\{byte:03o}")
        if len(line) > 100:
            text, line = text + f'    "{line}"\n', ""
    text += f'    "{line}"'
    print(f"inline constexpr std::string_view {name}{{\n{text},\n    {len(out.getvalue())}}};")


print("""// SPDX-License-Identifier: BSL-1.0
// Written by torch_pickles.py.
#pragma once

#include <string_view>

namespace torch_pickles {
""")
all_types = state_dict({
    "f32": tensor("Float", "0", 6, [2, 3]), "f64": tensor("Double", "1", 1, [1]), "f16": tensor("Half", "2", 2, [2]),
    "bf16": tensor("BFloat16", "3", 2, [2]), "i64": tensor("Long", "4", 1, []), "i32": tensor("Int", "5", 1, [1]),
    "i16": tensor("Short", "6", 2, [2]), "i8": tensor("Char", "7", 2, [2]), "u8": tensor("Byte", "8", 2, [2]),
    "bool": tensor("Bool", "9", 3, [3]), "none": tensor("Float", "10", 0, [0, 4])})
write("every_type", all_types)
write("every_type_4", all_types, 4)
weight = tensor("Float", "0", 6, [2, 3])
write("views", state_dict({
    "whole": weight, "tied": weight, "again": tensor("Float", "0", 6, [6]),
    "turned": tensor("Float", "0", 6, [3, 2], [1, 3]), "last": tensor("Float", "0", 6, [2], [1], 4),
    "column": tensor("Float", "0", 6, [2, 1], [3, 1], 1)}))
write("lightning", {
    "epoch": 3, "global_step": 2**40, "pytorch-lightning_version": "2.4.0", "done": True, "nothing": None, "loss": 0.25,
    "state_dict": state_dict({"model.fc.weight": weight, "model.fc.bias": tensor("Float", "1", 2, [2])}),
    "optimizer_states": [{"state": {0: {"step": tensor("Float", "2", 1, []), "exp_avg": weight}},
                          "param_groups": [{"lr": 1e-3, "betas": (0.9, 0.999), "params": [0, 1]}]}],
    "hyper_parameters": argparse.Namespace(width=64), "callbacks": {"names": {"a", "b"}, "bytes": b"abc"}})
write("parameter", {
    "p": reduced(rebuild_parameter, weight, True, hooks()),
    "u16": reduced(rebuild_v3, stored("Untyped", "1", 4), 0, (2,), (1,), False, hooks(), torch.uint16)})
write("alone", weight)
write("complex_numbers", {"z": tensor("ComplexFloat", "0", 1, [1])})
write("a_module", reduced(argparse.Namespace))
write("runs", reduced(print, "never"))
print("\n}  // namespace torch_pickles")
