# SPDX-License-Identifier: BSL-1.0
"""Calls of modules of one class as one function: lines that all calls have, lines that only some have, numbers that differ."""
import re

from .cpp_words import RESERVED
from .expression import Code, Expression, If, Line, Name, Parameter, changed, is_value, made_by, values_in

ABSENT = object()
ACTIVATIONS = {"m." + w for w in "relu relu6 sigmoid silu mish hardsigmoid hardswish softsign selu tanh gelu leaky_relu elu".split()}


# What may be a multiple of each other by more than chance.
COUNTS = set("out_channels out_features groups num_groups hidden_size embedding_dim dim_feedforward n shape sizes num_features".split())
REACHES = {"padding", "dilation", "length"}


class Member:
    """A call of a module: its lines, what they read from outside, what is read of them."""

    def __init__(self, frame, lines, inputs, results):
        self.frame, self.lines, self.inputs, self.results = frame, lines, inputs, results
        self.own = list(range(len(lines)))  # which of its lines is the base's
        self.map = {}  # its values: the base's

    def relative(self, name):
        path = self.frame.path
        if not path or not name:
            return str(name)
        return "" if name == path else name[len(path) + 1:] if name.startswith(path + ".") else "/" + name


def is_activation(e):
    return e.head in ACTIVATIONS and not e.options


def likeness(a, b, base, other):
    """How much of b is as in a, from 0 on; none if they cannot be one line."""
    if isinstance(a, Line):
        return likeness(a.expression, b.expression, base, other) if a.several == b.several and len(a.values) == len(b.values) else None
    if isinstance(a, Expression) and isinstance(b, Expression):
        if is_activation(a) and is_activation(b) and a.head != b.head:
            return likeness(a.arguments[0], b.arguments[0], base, other) and 0.5
        if a.head != b.head or len(a.arguments) != len(b.arguments) or a.options.keys() != b.options.keys():
            return None
        pairs = [*zip(a.arguments, b.arguments), *((a.options[k], b.options[k]) for k in a.options)]
        return likeness_of_all(pairs, base, other)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return likeness_of_all(zip(a, b), base, other) if len(a) == len(b) else None
    if isinstance(a, Name) and isinstance(b, Name):
        a, b = base.relative(a), other.relative(b)
        return 1 if a == b else 0.9 if re.sub(r"\d+", "#", a) == re.sub(r"\d+", "#", b) else None
    if is_value(a) or is_value(b):
        return 1 if is_value(a) and is_value(b) else None
    if type(a) is not type(b) or isinstance(a, Code) and a != b:
        return 0.5 if {type(a), type(b)} == {int, float} else None
    return 1 if a == b else 0.5 if isinstance(a, (int, float, str)) else None


def likeness_of_all(pairs, base, other):
    scores = [likeness(a, b, base, other) for a, b in pairs]
    return None if None in scores else (1 + sum(scores)) / (1 + len(scores))


def align(base, other):
    """Which line of `other` each of the base's is, or none: all of other's in order, as like as can be."""
    n, k = len(base.lines), len(other.lines)
    best = [[None] * (k + 1) for _ in range(n + 1)]  # of the lines from i and j on: a score, and the first line's fellow
    for i in range(n, -1, -1):
        best[i][k] = (0, None)
        for j in range(k - 1, -1, -1):
            if i == n:
                continue
            options = [(best[i + 1][j][0], None)] if best[i + 1][j] else []
            like = likeness(base.lines[i], other.lines[j], base, other)
            if like is not None and best[i + 1][j + 1]:
                options.append((best[i + 1][j + 1][0] + 1 + like, j))
            best[i][j] = max(options, key=lambda o: o[0]) if options else None
    if best[0][0] is None:
        return None
    own, j = [], 0
    for i in range(n):
        own.append(best[i][j][1])
        j += own[-1] is not None
    return own


class Variant:
    """Members that become one function; the first one, the longest, is the base."""

    def __init__(self, base):
        self.base, self.members, self.instead = base, [base], {}
        base.map = {v: v for v in base.inputs + [v for line in base.lines for v in made_by(line)]}
        self.maker = {v: i for i, line in enumerate(base.lines) for v in made_by(line)}

    def take(self, member):
        own = align(self.base, member)
        if own is None or 2 * own.count(None) > len(own):
            return False
        named = {name: v for name, v in self.base.frame.argument_names if v in self.base.inputs}
        instead = dict(self.instead)
        self.trial = {v: named[n] for n, v in member.frame.argument_names if n in named and v in member.inputs}
        pairs = [(self.base.lines[i], member.lines[j]) for i, j in enumerate(own) if j is not None]
        for a, b in pairs:
            for va, vb in zip(values_in(a), values_in(b)):
                if not self.same(va, vb, own, instead):
                    return False
            self.trial.update(zip(made_by(b), made_by(a)))
        if len(self.base.results) != len(member.results) or \
                not all(self.same(a, b, own, instead) for a, b in zip(self.base.results, member.results)):
            return False
        if not self.is_whole([*self.members, member], [*(m.own for m in self.members), own], instead):
            return False
        member.own, member.map, self.instead = own, self.trial, instead
        self.members.append(member)
        return True

    def same(self, a, b, own, instead):
        """Are these one value, as far as the lines before say, or does b stand for a where a's line is not there?"""
        made = self.maker.get(a)
        if made is None or own[made] is not None:
            if b not in self.trial and made is None and a not in self.trial.values():
                self.trial[b] = a  # inputs
            return self.trial.get(b) is a
        if b not in self.trial:
            return False
        return instead.setdefault(a, self.trial[b]) is self.trial[b]

    def is_whole(self, members, owns, instead):
        """Do lines that only some have hand on no more than what others have instead?"""
        has = [tuple(own[i] is not None for own in owns) for i in range(len(self.base.lines))]
        if sum(1 for i, h in enumerate(has) if not all(h) and (i == 0 or has[i - 1] != h)) > 3:
            return False
        for i, line in enumerate(self.base.lines):
            for v in values_in(line):
                made = self.maker.get(v)
                if made is not None and has[made] != has[i] and not all(has[made]) and v not in instead:
                    return False
        return True


def replaced(line, parameter, by):
    if isinstance(line, If):
        return If(line.flag, [replaced(inner, parameter, by) for inner in line.lines], line.instead)
    return Line(line.values, changed(line.expression, lambda t: by if t is parameter else t), line.several, line.called)


class Merged:
    """The lines of a variant, and its parameters."""

    def __init__(self, variant, own_names=True):
        self.variant, self.parameters, self.columns = variant, [], []
        members, base = variant.members, variant.base
        self.lines, branch, before = [], None, None
        for i, line in enumerate(base.lines):
            rows = [m.lines[m.own[i]] if m.own[i] is not None else None for m in members]
            has = tuple(r is not None for r in rows)
            if not all(has) and has != before:
                self.lines.append(branch := If(self.flag(has, base.lines[i:], base), [], {}))
            made = Line(line.values, self.merged([r.expression if r else ABSENT for r in rows], ""), line.several, line.called)
            before = has
            (self.lines if all(has) else branch.lines).append(made)
        for line in self.lines:
            if isinstance(line, If):
                line.instead = {v: variant.instead[v] for part in line.lines for v in made_by(part) if v in variant.instead}
        self.say_names()

    def say_names(self):
        """Names that differ as flags do are said by these."""
        for k in reversed(range(len(self.parameters))):
            p, column = self.parameters[k], self.columns[k]
            flags = [(q, c) for q, c in zip(self.parameters, self.columns) if q.kind is bool]
            flags.sort(key=lambda f: not f[0].of_lines)
            said = self.by_flags(column, flags, 2) if p.kind is str else None
            if said is None:
                continue
            self.lines = [replaced(line, p, said) for line in self.lines]
            del self.parameters[k], self.columns[k]

    def by_flags(self, column, flags, depth):
        values = {c for c in column if c is not ABSENT}
        if len(values) < 2:
            return next(iter(values), "")
        for n, (flag, is_on) in enumerate(flags if depth else []):
            on, off = ([c if is_on[k] is of else ABSENT for k, c in enumerate(column)] for of in (True, False))
            if any(c is not ABSENT and is_on[k] is ABSENT for k, c in enumerate(column)) or on == column or off == column:
                continue
            a, b = self.by_flags(on, flags[n + 1:], depth - 1), self.by_flags(off, flags[n + 1:], depth - 1)
            if a is not None and b is not None:
                return Expression("?:", [flag, a, b])
        return None

    def merged(self, things, hint):
        present = [t for t in things if t is not ABSENT]
        first = present[0]
        if is_value(first):
            return first
        if isinstance(first, Expression):
            heads = list(dict.fromkeys(t.head for t in present))
            if len(heads) > 1:
                chosen = [Expression(h, [self.merged([ABSENT if t is ABSENT else t.arguments[0] for t in things], "")]) for h in heads]
                return self.choice(chosen, [[ABSENT if t is ABSENT else t.head == h for t in things] for h in heads], heads)
            part = lambda get: [ABSENT if t is ABSENT else get(t) for t in things]
            arguments = [self.merged(part(lambda t: t.arguments[k]), first.name_of(k) or hint) for k in range(len(first.arguments))]
            options = {o: self.merged(part(lambda t: t.options[o]), o) for o in first.options}
            return Expression(first.head, arguments, options, first.names, first.own, first.defaults)
        if isinstance(first, (list, tuple)):
            return [self.merged([ABSENT if t is ABSENT else t[k] for t in things], hint) for k in range(len(first))]
        if isinstance(first, Name):
            names = [ABSENT if t is ABSENT else m.relative(t) for t, m in zip(things, self.variant.members)]
            if len({n for n in names if n is not ABSENT}) == 1:
                return Name(next(n for n in names if n is not ABSENT))
            return self.parameter(names, "name")
        if all(t == first and type(t) is type(first) for t in present) or isinstance(first, Code):
            return first
        return self.parameter(things, hint or "n")

    def choice(self, expressions, are, heads):
        """The first one of which it is true."""
        if len(expressions) == 1:
            return expressions[0]
        flag = self.parameter(are[0], "with_" + heads[0].removeprefix("m."))
        return Expression("?:", [flag, expressions[0], self.choice(expressions[1:], are[1:], heads[1:])])

    def flag(self, has, lines, base):
        """Called after the first module of the lines that only some have, or what they compute."""
        first = lines[0].expression
        called = first.arguments[0] if first.arguments and type(first.arguments[0]) is Name else ""
        names = re.findall(r"[A-Za-z]\w*", base.relative(called))
        word = first.head.removeprefix("m.").split("<")[0]
        word = "skip" if word == "+" else "activation" if is_activation(first) else word if word.isidentifier() else "more"
        flag = self.parameter(list(has), "with_" + (names[0] if names and not first.own else word))
        if isinstance(flag, Parameter):
            flag.of_lines = True
        return flag

    def parameter(self, column, hint):
        """One with these numbers, or what is computed of one; else a new one."""
        fits = lambda a, b: all(x is ABSENT or y is ABSENT or x == y and type(x) is type(y) for x, y in zip(a, b))
        for k, other in enumerate(self.columns):
            if fits(column, other):
                self.columns[k] = [y if x is ABSENT else x for x, y in zip(column, other)]
                return self.parameters[k]
        kind = type(next(c for c in column if c is not ABSENT))
        kind = str if issubclass(kind, str) else float if any(type(c) is float for c in column) else kind
        if kind is int and (computed := self.computed(column, hint)):
            return computed
        if kind is bool and (denied := next((p for p, c in zip(self.parameters, self.columns) if p.kind is bool and
                                             fits([x if x is ABSENT else not x for x in column], c)), None)):
            return Expression("!", [denied])
        taken = {p.name for p in self.parameters} | RESERVED
        hint = re.sub(r"\W", "_", hint)
        name = next(n for n in [hint] + [f"{hint}_{k}" for k in range(2, 99)] if n not in taken)
        self.parameters.append(Parameter(name, kind))
        self.columns.append(list(column))
        return self.parameters[-1]

    def computed(self, column, hint):
        for p, other in zip(self.parameters, self.columns):
            pairs = {(x, y) for x, y in zip(column, other) if x is not ABSENT and y is not ABSENT}
            if p.kind is not int or len({y for _, y in pairs}) < 2 or any(y is ABSENT for x, y in zip(column, other) if x is not ABSENT):
                continue
            if hint == "padding" and all(y % 2 == 1 and x == y // 2 for x, y in pairs):
                return Expression("/", [p, 2])
            kinds = {re.sub(r"_\d+$", "", p.name), hint}
            if not kinds <= COUNTS and not kinds <= REACHES:
                continue
            for by in 2, 3, 4, 6, 8, 16:
                if all(x == by * y for x, y in pairs):
                    return Expression("*", [p, by])
                if all(x * by == y for x, y in pairs):
                    return Expression("/", [p, by])
        return None

    def arguments_of(self, k):
        """What the k-th member says."""
        nothing = {int: 0, float: 0.0, bool: False, str: ""}
        return [nothing[p.kind] if c[k] is ABSENT else c[k] for p, c in zip(self.parameters, self.columns)]
