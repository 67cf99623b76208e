# SPDX-License-Identifier: BSL-1.0
"""A traced module as functions: one for each class of modules that recurs; what is there once stands where it is called."""
import torch

from .expression import Expression, Line, Name, is_value, made_by, values_in
from .merge import Member, Merged, Variant
from .say import all_values, m, say, snake, weight
from .trace import Call, Frame, Unsayable


class Function:
    def __init__(self, name, inputs, parameters, lines, results):
        self.name, self.inputs, self.parameters, self.lines, self.results = name, inputs, parameters, lines, results
        self.argument_names, self.result_names = [], []


class Functions:
    """`all`: those of classes, callees first; `forward`: the module's own."""

    def __init__(self, recorder):
        self.recorder, self.stands_for, self.all = recorder, {}, []
        for node in recorder.weights.values():
            node.node.meta["constant"] = node.node.target in recorder.constants
        self.say(recorder.root_frame)
        self.outputs = [self.latest(v) for v in all_values(recorder.outputs)]
        self.output_names = list(recorder.outputs) if isinstance(recorder.outputs, dict) else []
        self.tell_outputs_apart(recorder)
        self.drop_unread(recorder.root_frame, set(self.outputs))
        self.name_shared(recorder.root_frame)
        self.readers = {}
        for line in self.deep_lines(recorder.root_frame):
            for v in values_in(line):
                self.readers.setdefault(v, []).append(line)
        for kind in self.kinds():
            self.make(kind)
        lines = self.lines_of(recorder.root_frame)
        root = Member(recorder.root_frame, lines, recorder.inputs, self.outputs)
        self.forward = Function("forward", recorder.inputs, [], Merged(Variant(root)).lines, self.outputs)
        self.forward.result_names = self.output_names

    # Lines
    def latest(self, thing):
        def of(v):
            while is_value(v) and v in self.stands_for:
                v = self.stands_for[v]
            return v
        return torch.fx.node.map_aggregate(thing, of)

    def say(self, frame):
        frame.lines, frame.function = [], None
        for item in frame.items:
            if isinstance(item, Frame):
                self.say(item)
                frame.lines.append(item)
                continue
            item.args, item.kwargs = self.latest(item.args), self.latest(item.kwargs)
            line, same = say(item)
            if line is None:
                self.stands_for[all_values(item.values)[0]] = same
            else:
                line.call = item
                frame.lines.append(line)

    def tell_outputs_apart(self, recorder):
        """A value that is given twice, and an input that is given back, are layers of their own."""
        for k, v in enumerate(self.outputs):
            if v in self.outputs[:k] or v.op == "placeholder":
                self.outputs[k] = recorder.node("call_function", torch.clone, v.meta["value"]).node
                line = Line([self.outputs[k]], m("identity", v))
                line.call = Call("identity", "", (v,), {})
                recorder.root_frame.lines.append(line)

    def drop_unread(self, frame, live):
        for item in reversed(list(frame.lines)):
            if isinstance(item, Frame):
                self.drop_unread(item, live)
            if not item.lines if isinstance(item, Frame) else not live.intersection(item.values):
                frame.lines.remove(item)
            elif isinstance(item, Line):
                if item.several and "attention weights" in item.several and live.intersection(item.values[1:]):
                    raise Unsayable(item.call.path, item.call.name, "ctnn does not give the attention's weights")
                live.update(values_in(item))

    def name_shared(self, root):
        """Modules with weights that are called more than once: each becomes a function of its own."""
        calls = {}

        def visit(frame):
            for k, item in enumerate(frame.lines):
                module, path = (item.module, item.path) if isinstance(item, Frame) else (item.call.module, item.call.path)
                if module is not None and module.state_dict():
                    calls.setdefault(path, []).append((frame, k))
                if isinstance(item, Frame):
                    visit(item)
        visit(root)
        shared = {path for path, at in calls.items() if len(at) > 1}
        for path in shared:
            if any(path.startswith(other + ".") for other in shared):
                continue
            kind = type(path.rpartition(".")[2], (), {})
            for frame, k in calls[path]:
                if isinstance(frame.lines[k], Line):
                    wrapped = Frame(frame.lines[k].call.module, path, frame)
                    wrapped.lines, wrapped.function = [frame.lines[k]], None
                    frame.lines[k] = wrapped
                frame.lines[k].kind, frame.lines[k].shared = kind, True

    def deep_lines(self, frame):
        return [line for item in frame.lines for line in (self.deep_lines(item) if isinstance(item, Frame) else [item])]

    def weights_read(self):
        """Names of the state_dict that are read."""
        names = {v.target for v in self.outputs if v.op == "get_attr"}
        for line in self.deep_lines(self.recorder.root_frame):
            if line.call.module is not None:
                names.update(f"{line.call.path}.{key}" for key in line.call.module.state_dict())
            names.update(v.target for v in values_in(line) if v.op == "get_attr")
            torch.fx.node.map_arg((line.call.args, line.call.kwargs), lambda v: v.op == "get_attr" and names.add(v.target))
        return names

    def lines_of(self, frame):
        """With the modules that it calls, and its weights where they are read first."""
        lines = self.with_callees(frame)
        inside, prefix, known, out = lines, frame.path + "." if frame.path else "", set(), []
        for line in inside:
            for v in values_in(line):
                if v.op == "get_attr" and v not in known and self.is_weight_of(v, frame, prefix):
                    known.add(v)
                    out.append(Line([v], weight(v, self.recorder.constants)))
            out.append(line)
        if not frame.path:
            given = [v for v in dict.fromkeys(self.outputs) if v.op == "get_attr" and v not in known]
            out += [Line([v], weight(v, self.recorder.constants)) for v in given]
        return out

    def is_weight_of(self, node, frame, prefix):
        if node.target in self.recorder.constants:
            return not frame.path or weight(node, self.recorder.constants).head != "m.parameter"
        return node.target.startswith(prefix)

    def with_callees(self, frame):
        lines = []
        for item in frame.lines:
            if isinstance(item, Frame) and item.function and item.shared:
                if not any(line.several == "shared" and line.expression.arguments[0] == item.path for line in lines):
                    lines.append(Line([], Expression(item.function.name, [Name(item.path)]), "shared"))
                e = item.as_line.expression
                lines.append(Line(item.as_line.values, Expression("one_" + item.function.name, e.arguments[1:], {}, e.names[1:]),
                                  item.as_line.several, item.as_line.called))
            else:
                lines += [item] if isinstance(item, Line) else [item.as_line] if item.function else self.with_callees(item)
        return lines

    # Functions
    def kinds(self):
        """Classes, those first that others call. A class within itself counts as one for each depth."""
        frames, heights = {}, {}

        def visit(frame, above):
            key = (frame.kind, above.count(frame.kind))
            height = 0
            for item in frame.lines:
                if isinstance(item, Frame):
                    height = max(height, visit(item, above + [frame.kind]) + 1)
            if frame.parent is not None and frame.kind is not torch.nn.Sequential:
                frames.setdefault(key, []).append(frame)
                heights[key] = max(heights.get(key, 0), height)
            return height
        visit(self.recorder.root_frame, [])
        changes = True
        while changes:  # as high as the highest of a class
            changes = False
            for key, all_of in frames.items():
                for f in all_of:
                    for child in self.frames_in(f):
                        key_of = next((k for k, c in frames.items() if child in c), None)
                        if key_of and heights[key] <= heights[key_of] < 200:
                            heights[key], changes = heights[key_of] + 1, True
        return [frames[key] for key in sorted(frames, key=lambda k: heights[k])]

    def frames_in(self, frame):
        return [f for item in frame.lines if isinstance(item, Frame) for f in ([item] if item.kind is not torch.nn.Sequential
                                                                               else self.frames_in(item))]

    def make(self, frames):
        if len(frames) < 2:
            return
        members = [self.member(f) for f in frames]
        variants = []
        for member in sorted(members, key=lambda f: -len(f.lines)):
            if not any(v.take(member) for v in variants):
                variants.append(Variant(member))
        for v in variants:
            if frames[0].shared or len(v.members) > 1 and len(v.base.lines) > 1 and v.base.results:
                self.define(v, snake(frames[0].kind.__name__).lstrip("_"))

    def member(self, frame):
        lines = self.lines_of(frame)
        made = {v for line in lines for v in made_by(line)}
        inputs = list(dict.fromkeys(v for line in lines for v in values_in(line) if v not in made))
        own = set(map(id, self.deep_lines(frame)))
        results = [v for line in lines for v in made_by(line)
                   if v in self.outputs or any(id(r) not in own for r in self.readers.get(v, []))]
        return Member(frame, lines, inputs, [v for v in results if v.op != "get_attr"])

    def define(self, variant, word):
        taken = {f.name for f in self.all} | {"forward", "main"}
        name = next(n for n in [word] + [f"{word}_{k}" for k in range(2, 999)] if n not in taken)
        merged = Merged(variant)
        function = Function(name, variant.base.inputs, merged.parameters, merged.lines, variant.base.results)
        function.argument_names = variant.base.frame.argument_names
        self.all.append(function)
        names = ["name"] + [""] * len(function.inputs) + [p.name for p in merged.parameters]
        for k, member in enumerate(variant.members):
            of = {base: own for own, base in member.map.items()}
            member.frame.function = function
            arguments = [Name(member.frame.path), *(of[v] for v in function.inputs), *merged.arguments_of(k)]
            member.frame.as_line = Line(member.results, Expression(function.name, arguments, {}, names, own=True),
                                        "struct" if len(member.results) > 1 else None, member.frame.called)
