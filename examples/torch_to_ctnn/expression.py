# SPDX-License-Identifier: BSL-1.0
"""Lines of C++ before they are text: expressions of values (fx's nodes), names, numbers and words, and what they give."""
import torch


class Name(str):
    """The path of a layer or a weight, as in a state_dict."""


class Code(str):
    """C++ as it stands."""


class Parameter:
    """What a function takes as a number or a word."""

    def __init__(self, name, kind):
        self.name, self.kind = name, kind
        self.of_lines = False  # it says whether there are lines that only some calls have


class Expression:
    """head(arguments, {options}): `m.relu`, or an operator `+`, a `[]`, a member `.values`, or `?:`. A function of the
    network's own is called with m before the others."""

    def __init__(self, head, arguments, options=None, names=(), own=False, defaults=None):
        self.head, self.arguments, self.options = head, list(arguments), dict(options or {})
        self.names, self.own = names, own  # `names`: what arguments are called in the function
        self.defaults = defaults or {}  # by option, or by the number of an argument: what need not be said

    def name_of(self, k):
        return self.names[k] if k < len(self.names) and self.names[k] else ""


class Line:
    """values = expression. `several` is how several are taken: "struct" (auto [a, b]), "list" (a[0]), or the members'
    names. `called` is what Python calls the values."""

    def __init__(self, values, expression, several=None, called=()):
        self.values, self.expression, self.several, self.called = values, expression, several, called


class If:
    """Lines that only some calls of a function have; `instead` are the values that the others have of theirs."""

    def __init__(self, flag, lines, instead):
        self.flag, self.lines, self.instead = flag, lines, instead


class For:
    """Lines again and again, in the scope "name.i" where i counts from `first` to before `last`. `carried` are pairs: what a
    round has of the round before, and what it has at first; `results` is what rounds hand on."""

    class Column:
        """A number of the table's row."""

        def __init__(self, name):
            self.name = name

    def __init__(self, scope, first, last, lines, carried, results, table):
        self.scope, self.first, self.last, self.lines = scope, first, last, lines
        self.carried, self.results, self.table = carried, results, table


def is_value(thing):
    return isinstance(thing, torch.fx.Node)


def parts_of(thing):
    if isinstance(thing, Expression):
        return [*thing.arguments, *thing.options.values()]
    return thing if isinstance(thing, (list, tuple)) else []


def values_in(thing):
    """What an expression or a line reads, in order."""
    if is_value(thing):
        return [thing]
    if isinstance(thing, Line):
        return values_in(thing.expression)
    if isinstance(thing, (If, For)):
        inner, made = [], set()
        for line in thing.lines:
            inner += [v for v in values_in(line) if v not in made]
            made.update(made_by(line))
        if isinstance(thing, If):
            return inner + list(thing.instead.values())
        begun = {within: before for within, before in thing.carried}
        return [begun.get(v, v) for v in inner]
    return [v for part in parts_of(thing) for v in values_in(part)]


def made_by(line):
    if isinstance(line, Line):
        return line.values
    if isinstance(line, If):
        return list(line.instead)
    return list(line.results.values())


def changed(thing, f):
    """The same with f of each leaf."""
    if isinstance(thing, Expression):
        return Expression(f(Code(thing.head)), [changed(a, f) for a in thing.arguments],
                          {k: changed(o, f) for k, o in thing.options.items()}, thing.names, thing.own, thing.defaults)
    if isinstance(thing, (list, tuple)):
        return [changed(t, f) for t in thing]
    return f(thing)
