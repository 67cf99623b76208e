# SPDX-License-Identifier: BSL-1.0
"""A PyTorch module as `struct net : nn::declared<net>`: trace, say, fold, write."""
import torch

from .body import Body
from .cpp_words import RESERVED
from .expression import Expression, Line, Name, values_in
from .functions import Functions
from .loops import folded
from .say import TYPES, literal_shape, value, weight
from .text import KINDS, literal, wrapped
from .trace import Recorder, Unsayable

MOST = 64  # values that one function gives, ir::max_list

HEADER = """// SPDX-License-Identifier: BSL-1.0
// {title}, written by examples/torch_to_ctnn.py --declare. Weights are called as in its state_dict.
#pragma once

#include <ctnn/{header}.hpp>
{more}
namespace nn = ctnn;
"""


class Declaration:
    """`text`: the header; `inputs`: the names of the network's; `extra`: tensors that it needs besides the state_dict."""

    def __init__(self, module, inputs, name):
        recorder = Recorder()
        recorder.trace(module, inputs)
        self.functions = Functions(recorder)
        state = module.state_dict()
        self.inputs = [v.target for v in recorder.inputs]
        read = self.functions.weights_read()
        self.ties = [(names[0], other) for names in ([n for n in all_of if n in read] for all_of in recorder.names_of.values())
                     for other in names[1:]]
        for f in [*self.functions.all, self.functions.forward]:
            f.lines = folded(f.lines, f.results)
        called = [e for f in [*self.functions.all, self.functions.forward] for e in calls_in(f.lines)]
        self.named = {}
        for f in self.functions.all:
            self.named[f.name] = has_names(f.lines, self.named) and any(e.arguments[0] != "" for e in called if e.head == f.name)
        values = {v for f in [*self.functions.all, self.functions.forward] for v in values_of(f)}
        made = {n: v.node for n, v in recorder.weights.items() if n in read and n not in state}
        self.extra = {n: value(v).detach() for n, v in made.items() if weight(v, recorder.constants).head == "m.parameter"}
        self.weights = {**{n: t for n, t in state.items() if n in read}, **self.extra}
        self.unread = [n for n in state if n not in read]
        self.typed = any(value(v).dtype != torch.float32 for v in values)
        if len(self.functions.outputs) > MOST:
            raise Unsayable("", f"{len(self.functions.outputs)} outputs", f"ctnn takes {MOST} at most")
        self.text = self.header(type(module).__name__, name)

    def header(self, title, name):
        parts = [self.function(f) for f in self.functions.all]
        parts.append(self.network(name))
        body = "\n\n".join("\n".join(p) for p in parts) + "\n"
        more = "".join(f"#include <{h}>\n" for h, word in (("array", "std::array"), ("cmath", "HUGE_VAL"),
                                                           ("string_view", "std::string_view")) if word in body)
        return HEADER.format(title=title, header="ctnn", more=("#include <ctnn/typed.hpp>\n" if self.typed else "") +
                             ("\n" + more if more else "")) + "\n" + body

    def names_of(self, function, frame_names):
        names, taken = [], {p.name for p in function.parameters} | RESERVED | self.named.keys()
        for k, v in enumerate(function.inputs):
            hint = next((n for n, node in frame_names if node is v), None)
            hint = {"input": "x", "default": "x"}.get(hint, hint)
            if not hint or hint in taken:
                hint = next(n for n in ["x", "a", "b", "c", "d"] + [f"x{j}" for j in range(99)] if n not in taken)
            taken.add(hint)
            names.append((hint, v))
        return names

    def function(self, f):
        inputs = self.names_of(f, f.argument_names)
        named = self.named[f.name]
        takes = ["nn::graph& m"] + (["std::string_view name"] if named else []) + [f"nn::value {n}" for n, _ in inputs] + \
            [f"{KINDS[p.kind]} {p.name}" for p in f.parameters]
        gives = "nn::value" if len(f.results) == 1 else "auto"
        lines = wrapped(f"constexpr {gives} {f.name}({', '.join(takes)}) {{", 0)
        lines += ["  const auto scope = m.scope(name);"] if named else []
        return lines + Body(f, self.is_named, inputs, self.named).write(2) + ["}"]

    def is_named(self, head):
        return self.named.get(head, True)

    def network(self, name):
        f = self.functions.forward
        read = set(values_of(f))
        lines = [f"struct {name} : nn::declared<{name}> {{", "  static constexpr auto forward(nn::graph& m) {"]
        inputs = [(v.target + ("_" if v.target in RESERVED or v.target in self.named else ""), v) for v in f.inputs]
        for said, v in inputs:
            dtype = value(v).dtype
            options = [f".dtype = nn::dtype::{TYPES[dtype]}"] * (dtype != torch.float32) + [".unused = true"] * (v not in read)
            option = f", {{{', '.join(options)}}}" if options else ""
            lines += wrapped(f"auto {said} = m.input({literal(v.target)}, {{{literal_shape(value(v))}}}{option});", 4)
        body = Body(f, self.is_named, inputs, self.named).write(4)
        last = max(k for k, line in enumerate(body) if line.startswith("    return "))
        for first, second in reversed(self.ties):
            body.insert(last, f"    m.tie({literal(first)}, {literal(second)});")
        return lines + body + ["  }", "};"]


def values_of(function):
    return [v for line in function.lines for v in values_in(line)] + list(function.results)


def has_names(lines, named):
    """Is there a layer with weights, or a call that hands on a name?"""
    def has(t):
        if isinstance(t, Expression):
            parts = t.arguments[1:] if t.own and not named[t.head] else t.arguments
            return any(map(has, [*parts, *t.options.values()]))
        return any(map(has, t)) if isinstance(t, (list, tuple)) else type(t) is Name
    return any(has(line.expression) if isinstance(line, Line) else has_names(line.lines, named) for line in lines)


def calls_in(lines):
    """Calls of the network's own functions."""
    found = []

    def visit(t):
        if isinstance(t, Expression):
            if t.own:
                found.append(t)
            for part in [*t.arguments, *t.options.values()]:
                visit(part)
        elif isinstance(t, (list, tuple)):
            for part in t:
                visit(part)
    for line in lines:
        if isinstance(line, Line):
            visit(line.expression)
        else:
            found += calls_in(line.lines)
    return found

