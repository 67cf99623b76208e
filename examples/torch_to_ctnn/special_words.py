# SPDX-License-Identifier: BSL-1.0
"""Words that are more than a row of words.py: each is a function of a call that gives its expression, and how several values
are taken."""
import torch

from .expression import Code, Expression, is_value
from .say import WORDS, Template, Row, all_values, flat, m, number, one, type_code, value
from .trace import Unsayable

SPECIAL = {}


def word(names, takes=None):
    def add(f):
        for name in names.split():
            SPECIAL[name] = (lambda call: f(call, **Row(takes, "0").bind(call)[0])) if takes else f
        return f
    return add


def need(call, holds, why):
    if not holds:
        raise Unsayable(call.path, call.name, why)


def result_type(call):
    return value(all_values(call.values)[0]).dtype


def operand(call, x, dtype):
    """As it takes part in arithmetic that gives this type."""
    x = number(x)
    if is_value(x):
        return x if value(x).dtype == dtype else m("cast", x, to=type_code(dtype))
    return x


def full_like(like, x):
    """A number beside whole numbers is of their type."""
    return x if is_value(x) or isinstance(x, Expression) else m("full_like", like, x)


# Numbers side by side
def arithmetic(call, symbol, a, b):
    dtype = result_type(call)
    if is_value(a) and value(a).dtype == dtype and not is_value(b) and b == (1 if symbol in "*/" else 0):
        return a
    a, b = operand(call, a, dtype), operand(call, b, dtype)
    if not dtype.is_floating_point:
        like = a if is_value(a) or isinstance(a, Expression) else b
        a, b = full_like(like, a), full_like(like, b)
    return Expression(symbol, [a, b])


for names, symbol in ("mul multiply", "*"), ("div truediv true_divide divide", "/"):
    def f(call, a, b, rounding_mode=None, symbol=symbol):
        if rounding_mode == "floor":
            return m("floor_divide", a, b)
        quotient = arithmetic(call, symbol, a, b)
        return m("trunc", quotient) if rounding_mode else quotient
    word(names, "a, b, rounding_mode=None")(f)
for names, symbol in ("add", "+"), ("sub subtract", "-"):
    def f(call, a, b, alpha=1, symbol=symbol):
        return arithmetic(call, symbol, a, b if alpha == 1 else Expression("*", [number(b), alpha]))
    word(names, "a, b, alpha=1")(f)


@word("rsub", "a, b, alpha==1")
def _(call, a, b, alpha):
    return arithmetic(call, "-", b, a)


@word("pow", "a, b")
def _(call, a, b):
    a, b = number(a), number(b)
    if not is_value(a):
        return m("exp", Expression("*", [b, float(torch.tensor(float(a), dtype=torch.float64).log())])) if a != 2 else m("exp2", b)
    return m("square", a) if b == 2 and not is_value(b) else m("pow", a, b)


@word("maximum minimum max min", "x, dim=None, keepdim=False, b=None")
def _(call, x, dim, keepdim, b):
    two = b if b is not None else dim
    if is_value(two) or call.name in ("maximum", "minimum"):
        return m({"max": "maximum", "min": "minimum"}.get(call.name, call.name), x, number(two))
    if dim is None:
        return m("a" + call.name, x)
    return m(call.name, x, dim, keepdim or None), ["values", "indices"]


@word("clamp clip", "x, min=None, max=None")
def _(call, x, min, max):
    min, max = number(min), number(max)
    if is_value(min) or is_value(max):
        x = x if min is None else m("maximum", x, min)
        return x if max is None else m("minimum", x, max)
    return m("clamp_max", x, max) if min is None else m("clamp_min", x, min) if max is None else m("clamp", x, min, max)


@word("and or xor", "a, b")
def _(call, a, b):
    kind = "logical_" if result_type(call) == torch.bool else "bitwise_"
    return m(kind + call.name, a, b)


@word("matmul", "a, b")
def _(call, a, b):
    return m("matmul", a, b)


# Types
for names, dtype in ("float", torch.float32), ("double", torch.float64), ("long", torch.int64), ("int", torch.int32), \
        ("bool", torch.bool), ("half", torch.float16), ("bfloat16", torch.bfloat16):
    SPECIAL[names] = lambda call: cast(call)
SPECIAL.update(dict.fromkeys(["to", "type", "type_as"], lambda call: cast(call)))


def cast(call):
    x = call.args[0]
    return x if value(x).dtype == result_type(call) else m("cast", x, to=type_code(result_type(call)))


@word("view_as reshape_as expand_as", "x, b")
def _(call, x, b):
    return m(call.name[:-3], x, list(value(b).shape))


# Parts
@word("split", "x, size, dim=0")
def _(call, x, size, dim):
    return parts(call, "split", x, list(size) if isinstance(size, (list, tuple)) else size, dim)


@word("chunk tensor_split", "x, chunks, dim=0")
def _(call, x, chunks, dim):
    sizes = [value(v).shape[dim] for v in call.values]
    if call.name == "chunk" and len(set(sizes)) == 1 and len(sizes) == chunks:
        return parts(call, "chunk", x, None, dim)
    return parts(call, "split", x, sizes, dim)


def parts(call, name, x, how, dim):
    n = len(call.values)
    arguments = [x] + ([] if how is None else [how]) + ([dim] if dim else [])
    if n > 8:
        return Expression("m." + name, [x] + [n if how is None else how] + ([dim] if dim else [])), "list"
    return Expression(f"m.{name}<{n}>", arguments), "struct"


@word("unbind", "x, dim=0")
def _(call, x, dim):
    return m("unbind", x, dim or None), "list"


@word("meshgrid", "*tensors, indexing=None")
def _(call, tensors, indexing):
    need(call, indexing == "ij", "ctnn can say indexing='ij' only")
    return m("meshgrid", flat(tensors)), "list"


for names, takes in ("topk", "x, k, dim=-1, largest=True, sorted=True"), ("sort", "x, dim=-1, descending=False"), \
        ("kthvalue", "x, k, dim=-1, keepdim=False"), ("median", "x, dim, keepdim=False"):
    def f(call, x, sorted=None, **said):
        default = {"dim": -1, "largest": True, "descending": False, "keepdim": False}
        said = [None if default.get(k) == v and all(default.get(j) == w for j, w in list(said.items())[i:]) else v
                for i, (k, v) in enumerate(said.items())]
        return m(call.name, x, *said), ["values", "indices"]
    word(names, takes)(f)


@word("getitem", "x, index")
def _(call, x, index):
    if not is_value(x):
        return x[index]
    index = list(index) if isinstance(index, tuple) else [index]
    rank = value(x).dim()
    if Ellipsis in [i for i in index if not is_value(i)]:
        at = next(k for k, i in enumerate(index) if i is Ellipsis)
        taken = sum(1 for i in index if i is not None and i is not Ellipsis)
        index[at:at + 1] = [slice(None)] * (rank - taken)
    need(call, sum(is_value(i) for i in index) < 2, "ctnn can say one tensor of indices only")
    shape, axis, done = list(value(x).shape), 0, False
    for i in index:
        if i is None:
            x, axis = m("unsqueeze", x, axis), axis + 1
            shape.insert(axis - 1, 1)
        elif isinstance(i, slice):
            start, stop, step = i.indices(shape[axis])
            need(call, step > 0, "steps go forwards")
            n = len(range(start, stop, step))
            if n != shape[axis]:
                x = m("narrow", x, axis, start, n) if step == 1 else m("slice", x, dim=axis, start=start, end=stop, step=step)
            shape[axis], axis = n, axis + 1
        elif is_value(i):
            need(call, value(i).dtype != torch.bool, "how many there will be is not known before it runs")
            x = m("index_select", x, axis, i)
            shape[axis:axis + 1], axis = list(value(i).shape), axis + value(i).dim()
        else:
            x = m("select", x, axis, i)
            del shape[axis]
    return x


@word("var std", "x, dim=None, unbiased=True, keepdim=False, correction=None")
def _(call, x, dim, unbiased, keepdim, correction):
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    by = correction if correction is not None else int(unbiased)
    said = [one(dim) if dim is not None else [], keepdim, by]
    return m(call.name, x, *(said if by != 1 else [one(dim), keepdim or None]))


@word("roll", "x, shifts, dims")
def _(call, x, shifts, dims):
    return m("roll", x, one([shifts] if isinstance(shifts, int) else list(shifts)) if isinstance(dims, int) else list(shifts), dims)


# What does nothing here
def or_nothing(name, says_nothing):
    SPECIAL[name] = lambda call: call.args[0] if says_nothing(call) else Template(call, WORDS[name]).of(WORDS[name].says)


or_nothing("pad", lambda call: len(call.args) > 1 and not any(call.args[1]))
for name in "repeat expand view reshape tile broadcast_to".split():
    or_nothing(name, lambda call: value(call.args[0]).shape == value(call.values).shape)


# Maxima with their places
for name in [f"max_pool{d}d" for d in (1, 2, 3)]:
    with_places = name + "_with_indices"
    SPECIAL[with_places] = lambda call, row=WORDS[with_places]: (Template(call, row).of(row.says), ["output", "indices"])

    def f(call, row=WORDS[name], with_places=with_places):
        if call.module.return_indices:
            call.name = with_places
            return SPECIAL[with_places](call)
        return Template(call, row).of(row.says)
    SPECIAL[f"MaxPool{name[-2:]}"] = f


@word("scatter scatter_add", "x, dim, index, src, reduce==None")
def _(call, x, dim, index, src, **_):
    for axis, (own, n) in enumerate(zip(value(src).shape, value(index).shape)) if is_value(src) else []:
        src = src if own == n else m("narrow", src, axis, 0, n)
    return m(call.name, x, dim, index, src if is_value(src) or isinstance(src, Expression) else m("full", list(value(index).shape), src))


@word("diagonal trace", "x, offset==0, dim1==0, dim2==1")
def _(call, x, **_):
    need(call, value(x).dim() == 2, "ctnn can say it of a matrix only")
    return m("einsum", "ii->i" if call.name == "diagonal" else "ii->", [x])


@word("affine_grid", "x, size, align_corners==False")
def _(call, x, size, align_corners):
    return Expression("m.layer<nn::op::affine_grid>", [Code("{}"), [x], [["size", list(size)]]])


@word("cat concat concatenate", "tensors, dim=0")
def _(call, tensors, dim):
    return tensors[0] if len(tensors) == 1 else m("cat", list(tensors), dim=dim or None)
