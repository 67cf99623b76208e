# SPDX-License-Identifier: BSL-1.0
"""A call in ctnn's words: rows of words.py are bound to what was called, and evaluated; constants are recognised."""
import ast, math, re

import torch

from .expression import Code, Expression, Line, Name, is_value
from .trace import Unsayable
from .words import NO_WORD, NOTHING, ROWS

TYPES = {torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.bfloat16: "bf16", torch.int64: "i64", torch.int32: "i32",
         torch.int16: "i16", torch.int8: "i8", torch.uint8: "u8", torch.bool: "boolean"}


# What functions and methods call alike.
OTHER_NAMES = {"axis": "dim", "other": "b", "split_size": "size", "split_size_or_sections": "size", "exponent": "b", "mat2": "b",
               "indices": "index", "vec2": "b"}


def value(node):
    return node.meta["value"]


def type_code(dtype):
    return Code(f"nn::dtype::{TYPES[dtype]}")


def one(numbers):
    """A number for all axes where all are the same."""
    if isinstance(numbers, (list, tuple)):
        return numbers[0] if len(numbers) and all(n == numbers[0] for n in numbers) and len(set(map(type, numbers))) == 1 and \
            not is_value(numbers[0]) else list(numbers)
    return numbers


def flat(arguments):
    return list(arguments[0]) if len(arguments) == 1 and isinstance(arguments[0], (list, tuple)) else list(arguments)


def number(thing):
    """A scalar that is a constant counts as a number."""
    if is_value(thing) and thing.meta.get("constant") and value(thing).numel() == 1:
        return value(thing).item()
    return thing


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


HELPERS = {"one": one, "flat": flat, "number": number,
           "pair": lambda a, b: [a, b],
           "last_axes": lambda size, axes: size and list(size)[-len(axes):] if isinstance(axes, tuple) else size and list(size)[2:],
           "several": lambda shape: list(shape) if len(shape) > 1 else None,
           "least": lambda eps: torch.finfo(torch.float32).eps if eps is None else eps,
           "two_for_fro": lambda p: 2 if p == "fro" else p,
           "zeros_for_none": lambda size: one([0 if n is None else n for n in size] if isinstance(size, (list, tuple)) else size),
           "counted": lambda counts, pad, ceil: bool(counts) and (one(pad) != 0 or ceil)}


class Row:
    def __init__(self, takes, says):
        self.takes = []
        for part in re.split(r",\s*(?![^(]*\))", takes):
            name, only, default = re.match(r"(\*?\w+)(=?)=?(.*)", part.strip()).groups()
            self.takes.append((name, "==" in part, default))
        self.says = ast.parse(says.strip(), mode="eval").body

    def bind(self, call):
        args, kwargs, bound, defaults = list(call.args), dict(call.kwargs), {}, {}
        first = self.takes[0][0]
        kwargs = {first if k in ("input", "self") else OTHER_NAMES.get(k, k): v
                  for k, v in kwargs.items()}
        for name, only, default in self.takes:
            if default:
                defaults[name] = ast.literal_eval(default)
            if name.startswith("*"):
                bound[name[1:]] = args or kwargs.pop(name[1:], [])
                args = []
            elif args:
                bound[name] = args.pop(0)
            elif name in kwargs:
                bound[name] = kwargs.pop(name)
            elif call.module is not None and hasattr(call.module, name):
                bound[name] = getattr(call.module, name)
                if name == "bias" and not isinstance(bound[name], bool):
                    bound[name] = bound[name] is not None
            elif name in defaults:
                bound[name] = defaults[name]
            else:
                raise Unsayable(call.path, call.name, f"{name} is not said")
            if only and bound[name] != defaults[name]:
                raise Unsayable(call.path, call.name, f"{name} is {bound[name]}; ctnn can say {defaults[name]} only")
        kwargs = {k: v for k, v in kwargs.items() if k not in ("inplace", "training", "out") and v is not None}
        if args or kwargs:
            raise Unsayable(call.path, call.name, f"it is called with {', '.join(map(str, kwargs)) or args}, which ctnn does not take")
        return bound, defaults


class Template:
    """A row's expression, evaluated with what is bound."""

    def __init__(self, call, row):
        self.call = call
        self.bound, self.defaults = row.bind(call)

    def of(self, e):
        if isinstance(e, ast.Name):
            return Name(self.call.path) if e.id == "name" else self.bound[e.id]
        if isinstance(e, ast.Constant):
            return e.value
        if isinstance(e, ast.BoolOp):
            a, b = map(self.of, e.values)
            return a or b
        if isinstance(e, ast.UnaryOp):
            x = self.of(e.operand)
            return Expression("-", [x]) if is_value(x) else -x
        if isinstance(e.func, ast.Name):
            return HELPERS[e.func.id](*map(self.of, e.args))
        arguments = []
        for a in e.args:
            arguments += [(v, None) for v in self.of(a.value)] if isinstance(a, ast.Starred) else [self.with_default(a)]
        defaults = {k: d[0] for k, (_, d) in enumerate(arguments) if d is not None}
        options = {}
        for k in e.keywords:
            said, default = self.with_default(k.value)
            if default and default[0] is not None:
                defaults[k.arg] = default[0]
            if said is not None:
                options[k.arg] = said
        word = snake(self.call.name) if e.func.attr == "self" else e.func.attr
        return Expression("m." + word, [a for a, _ in arguments], options, names_of(e.args), defaults=defaults)

    def with_default(self, e):
        if isinstance(e, ast.BinOp):
            return self.of(e.left), (self.of(e.right),)
        inner = e.args[0] if isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and e.args else e
        name = inner.id if isinstance(inner, ast.Name) else None
        return self.of(e), (self.defaults[name],) if name in self.defaults else None


def names_of(arguments):
    return [a.id if isinstance(a, ast.Name) else "" for a in arguments]


def table():
    """The row of each word."""
    rows = {}
    for line in ROWS.replace("\\\n", "").strip().splitlines():
        if line.strip():
            names, takes, says = re.split(r" \| ", line, maxsplit=2)
            row = Row(takes, says)
            rows.update({name: row for name in names.split()})
    return rows


WORDS = table()


def say(call):
    """The line that a call is; none, and what stands for its value, if it does nothing."""
    from .weighted_words import SPECIAL
    if call.name in NOTHING:
        return None, call.args[0]
    if call.name in SPECIAL:
        said = SPECIAL[call.name](call)
        if is_value(said):
            return None, said
        expression, several = said if isinstance(said, tuple) else (said, None)
    elif call.name in WORDS:
        expression, several = Template(call, WORDS[call.name]).of(WORDS[call.name].says), None
    else:
        raise Unsayable(call.path, call.name, NO_WORD.get(call.name, "ctnn has no word for it"))
    return Line(all_values(call.values), expression, several, call.called), None


def all_values(values):
    if is_value(values):
        return [values]
    parts = values.values() if isinstance(values, dict) else values if isinstance(values, (tuple, list)) else []
    return [v for part in parts for v in all_values(part)]


def m(word, *arguments, **options):
    """An expression; arguments behind the last that is said are left out."""
    arguments = list(arguments)
    while arguments and arguments[-1] is None:
        arguments.pop()
    return Expression("m." + word, arguments, {k: v for k, v in options.items() if v is not None})


def weight(node, constants):
    """A parameter or a buffer by its name; a constant by what makes it, where that is short."""
    t = value(node)
    if node.target in constants:
        made = constant(t)
        if made is not None:
            return made
    dtype = {} if t.dtype == torch.float32 else {"dtype": type_code(t.dtype)}
    return m("parameter", Name(node.target), list(t.shape) or [1], **dtype)


def constant(t):
    shape, numbers = list(t.shape) or [1], t.flatten()
    as_type = lambda e: e if t.dtype == torch.float32 else m("cast", e, to=type_code(t.dtype))
    if numbers.numel() == 0:
        return None
    if bool((numbers == numbers[0]).all()):
        return as_type(m("full", shape, numbers[0].item()))
    if t.dtype != torch.bool and len(numbers) > 1:
        first, step = numbers[0].item(), numbers[1].item() - numbers[0].item()
        counted = torch.arange(len(numbers)).double() * step + first
        if torch.equal(counted.to(t.dtype), numbers):
            return counted_expression(t, first, step)
    if t.dim() == 2 and torch.equal(t.float(), torch.eye(*t.shape)):
        return as_type(m("eye", *t.shape))
    if t.dim() >= 2:
        shape = list(t.shape)
        for word, triangle in ("tril", torch.tril), ("triu", torch.triu):
            for diagonal in range(-shape[-2] + 1, shape[-1]):
                ones = triangle(torch.ones(shape), diagonal)
                if torch.equal(ones, t.float()):
                    made = m(word, m("ones", shape), diagonal=diagonal or None)
                    return m("gt", made, 0) if t.dtype == torch.bool else as_type(made)
                if t.is_floating_point() and torch.equal(torch.where(ones > 0, -math.inf, 0.0), t.float()):
                    hidden = m("gt", m(word, m("ones", shape), diagonal=diagonal or None), 0)
                    return m("where", hidden, -math.inf, 0)
    return None


def counted_expression(t, first, step):
    bounds = [first, first + step * t.numel(), step] if step != 1 else [first, first + t.numel()] if first else t.numel()
    whole = all(float(n) == int(n) for n in (first, step))
    usual = torch.int64 if whole else torch.float32
    made = m("arange", bounds, dtype=None if t.dtype == usual else type_code(t.dtype))
    return made if t.dim() == 1 else m("view", made, list(t.shape))


def literal_shape(t):
    return ", ".join(map(str, t.shape))
