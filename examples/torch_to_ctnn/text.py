# SPDX-License-Identifier: BSL-1.0
"""Expressions as C++, and lines of at most 120 columns."""
import math

from .expression import Code, Expression, For, Parameter, is_value

WIDTH = 120
KINDS = {int: "int", float: "double", bool: "bool", str: "std::string_view"}
INFIX = {"+": 1, "-": 1, "*": 2, "/": 2}


def literal(x):
    if x is None:
        return "{}"
    if isinstance(x, Code):
        return str(x)
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, str):
        return '"' + x.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(x, float):
        if math.isinf(x):
            return "HUGE_VAL" if x > 0 else "-HUGE_VAL"
        return str(int(x)) if x == int(x) and abs(x) < 1e6 else repr(x).replace("e-0", "e-")
    if isinstance(x, int):
        return str(x)
    raise TypeError(f"{x!r} is no number")


class Writer:
    """Text of expressions; `of` are the values' variables, `column` how a loop's table is read."""

    def __init__(self, of, column=None, named=lambda head: True):
        self.of, self.column, self.named = of, column, named

    def text(self, e, rank=0):
        if is_value(e):
            return self.of[e]
        if isinstance(e, Parameter):
            return e.name
        if isinstance(e, For.Column):
            return self.column(e.name)
        if isinstance(e, (list, tuple)):
            return "{" + ", ".join(map(self.text, e)) + "}"
        if not isinstance(e, Expression):
            return literal(e)
        if e.head in INFIX:
            own = INFIX[e.head]
            if len(e.arguments) == 1:
                return e.head + self.text(e.arguments[0], 3)
            said = f"{self.text(e.arguments[0], own)} {e.head} {self.text(e.arguments[1], own + (e.head in '-/'))}"
            return f"({said})" if own < rank else said
        if e.head == "?:":
            said = f"{self.text(e.arguments[0], 3)} ? {self.text(e.arguments[1])} : {self.text(e.arguments[2])}"
            return f"({said})" if rank else said
        if e.head == "!":
            return "!" + self.text(e.arguments[0], 3)
        if e.head == "member":
            return self.text(e.arguments[0], 3) + e.arguments[1]
        return self.call(e)

    def call(self, e):
        plain = (bool, int, float, str, type(None), list)
        said = lambda thing, default: not (type(thing) in plain and thing == default)
        arguments = list(enumerate(e.arguments))
        while arguments and arguments[-1][0] in e.defaults and not said(arguments[-1][1], e.defaults[arguments[-1][0]]):
            arguments.pop()
        arguments = [self.text(a) for _, a in arguments]
        if e.own:
            arguments = ["m"] + (arguments if self.named(e.head) else arguments[1:])
        options = [f".{k} = {self.text(o)}" for k, o in e.options.items() if k not in e.defaults or said(o, e.defaults[k])]
        if e.head == "{}":
            return "{" + ", ".join(options) + "}"
        return f"{e.head}({', '.join(arguments + (['{' + ', '.join(options) + '}'] if options else []))})"


def pieces(text):
    """What a line is broken between: behind commas and the like, not within texts, nor within braces that are short."""
    out, piece, quoted, opened = [], "", False, []
    for at, c in enumerate(text):
        piece += c
        quoted ^= c == '"'
        if quoted:
            continue
        if c == "{":
            opened.append(len(closed(text[at:])) < 90 and text[at + 1:at + 2] != "{")
        elif c == "}" and opened:
            opened.pop()
        breaks = c == " " and not any(opened) and piece[-2:-1] in (",", "?", ":", "+", "*", ";", "{", "=")
        if breaks and not piece.rstrip().endswith((" =", "{ =")) or c == "{" and not any(opened) and text[at + 1:at + 2] == "{":
            out.append(piece)
            piece = ""
    return [*out, piece]


def closed(text):
    """From a brace to the one that closes it."""
    depth = 0
    for at, c in enumerate(text):
        depth += (c == "{") - (c == "}")
        if depth == 0:
            return text[:at + 1]
    return text


def wrapped(text, indent):
    """Broken as late as fits."""
    lines, line, pad = [], " " * indent, " " * (indent + 4)
    for piece in pieces(text):
        if len((line + piece).rstrip()) > WIDTH and line.strip():
            lines.append(line.rstrip())
            line = pad
        line += piece
    return [*lines, line.rstrip()]
