# SPDX-License-Identifier: BSL-1.0
"""Functions as C++: expressions, and lines of at most 120 columns."""
import math

from .cpp_words import RESERVED
from .expression import Code, Expression, For, If, Line, Name, Parameter, changed, is_value, made_by, values_in

WIDTH = 120
KINDS = {int: "int", float: "double", bool: "bool", str: "std::string_view"}
INFIX = {"+": 1, "-": 1, "*": 2, "/": 2}


def literal(x):
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
        said = lambda thing, default: not (default is not None and isinstance(thing, type(default)) and thing == default
                                           or type(thing) in (int, float) and type(default) in (int, float) and thing == default)
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
            opened.append(len(closed(text[at:])) < 90)
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


class Body:
    """The lines of a function with variables: a value takes the name that Python gives it, or that of what it is made of."""

    def __init__(self, function, named, inputs, taken=()):
        self.function, self.named, self.out, self.of = function, named, [], {}
        self.holder, self.declared = {}, set()  # variable: the value it has; what exists
        self.free_names = iter(["y", "z", "u", "v", "w"] + [f"v{k}" for k in range(2, 999)])
        for name, value in inputs:
            self.of[value], self.holder[name] = name, value
            self.declared.add(name)
        self.declared.update(p.name for p in function.parameters)
        self.declared.update(RESERVED, taken)
        self.columns = None

    def write(self, indent):
        function = self.function
        lines = nested(function.lines, function.results)
        returned = None
        if lines and isinstance(lines[-1], Line) and len(function.results) == 1 and not function.result_names and lines[-1].values == function.results and \
                lines[-1].several != "list":
            returned = lines.pop()
        self.lines(lines, ([returned] if returned else []), indent, set(function.results))
        if returned:
            self.add(f"return {self.expression(self.taken(returned, set(returned.values)))};", indent)
        else:
            said = [self.of[v] for v in function.results]
            if names := function.result_names:
                said = [f"nn::outputs{{{', '.join(f'{{{literal(n)}, {v}}}' for n, v in zip(names, said))}}}"]
            self.add(f"return {said[0]};" if len(said) == 1 else f"return std::array{{{', '.join(said)}}};", indent)
        return self.out

    def add(self, text, indent):
        self.out += wrapped(text, indent)

    def expression(self, e):
        return Writer(self.of, self.columns, self.named).text(e)

    def taken(self, line, live):
        """The expression of the one value that is read of several."""
        if not isinstance(line.several, list) and line.several != "struct":
            return line.expression
        read = [k for k, v in enumerate(line.values) if v in live]
        if len(read) != 1:
            return line.expression
        members = line.several
        member = f"[{read[0]}]" if members == "struct" else members[read[0]] and "." + members[read[0]]
        return Expression("member", [line.expression, Code(member)]) if member else line.expression

    def lines(self, lines, behind, indent, results, forced=None):
        for at, line in enumerate(lines):
            live = results | {v for later in [*lines[at + 1:], *behind] for v in values_in(later)}
            if isinstance(line, Line):
                self.line(line, live, indent, forced or {})
            elif isinstance(line, If):
                self.branch(line, live, indent)
            else:
                self.loop(line, live, indent)

    def variable(self, value, reads, live, hint):
        """(name, whether it is new)"""
        gone = lambda name: name in self.holder and self.holder[name] not in live
        if hint and hint not in self.declared:
            return hint, True
        if hint and gone(hint):
            return hint, False
        for v in reads:
            if v in self.of and self.of[v] in self.holder and gone(self.of[v]) and self.of[v].isidentifier():
                return self.of[v], False
        return next(n for n in self.free_names if n not in self.declared), True

    def line(self, line, live, indent, forced):
        read = [v for v in line.values if v in live]
        if line.several == "shared":
            f = line.expression
            call = f"{f.head}({'m, {}, x...' if self.named(f.head) else 'm, x...'})".replace("{}", '""')
            self.add(f"const auto one_{f.head} = m.module({literal(f.arguments[0])}, "
                     f"[](nn::graph& m, const auto&... x) {{ return {call}; }});", indent)
            return
        if line.several == "list":
            name, _ = self.variable(None, [], live, (line.called or ["parts"])[0] if len(line.called) == 1 else "parts")
            self.add(f"const auto {name} = {self.expression(line.expression)};", indent)
            self.declared.add(name)
            self.of.update({v: f"{name}[{k}]" for k, v in enumerate(line.values)})
            return
        if len(line.values) > 1 and len(read) != 1:
            names = []
            for k, v in enumerate(line.values):
                hint = line.called[k] if k < len(line.called) else None
                name = hint if hint and hint not in self.declared else next(n for n in self.free_names if n not in self.declared)
                names.append(name)
                self.declared.add(name)
            self.add(f"auto [{', '.join(names)}] = {self.expression(line.expression)};", indent)
            for v, name in zip(line.values, names):
                self.of[v], self.holder[name] = name, v
            return
        value = read[0] if read else line.values[0]
        said = self.expression(self.taken(line, live))
        if value in forced:
            name, new = forced[value], False
        else:
            name, new = self.variable(value, values_in(line), live, line.called[0] if len(line.called) == 1 else None)
        self.add(f"{'auto ' if new else ''}{name} = {said};", indent)
        self.declared.add(name)
        self.of[value], self.holder[name] = name, value

    def keep(self, value, until, live, indent):
        """A variable with this value that may change: its own if nobody else reads it."""
        name = self.of[value]
        if value in live or name not in self.holder:
            name = next(n for n in self.free_names if n not in self.declared)
            self.add(f"auto {name} = {self.of[value]};", indent)
            self.declared.add(name)
        return name

    def branch(self, line, live, indent):
        forced = {}
        for value, instead in line.instead.items():
            forced[value] = self.keep(instead, value, live, indent)
        self.add(f"if ({self.expression(line.flag)}) {{", indent)
        before, holder, inside = set(self.declared), dict(self.holder), set(line.instead)
        # What the branch reads may be changed by its last line alone.
        self.lines(line.lines, [], indent + 2, inside | live | set(line.instead.values()), forced)
        self.declared, self.holder = before, holder
        self.out[-1:] = [self.out[-1]]
        if len(line.lines) == 1 and self.out[-2].strip().startswith("if (") and len(self.out[-2]) + len(self.out[-1].strip()) < WIDTH:
            self.out[-2:] = [self.out[-2].removesuffix("{") + self.out[-1].strip()]
        else:
            self.add("}", indent)
        for value, name in forced.items():
            self.of[value], self.holder[name] = name, value

    def loop(self, line, live, indent):
        inits = {v: self.keep(v, None, live, indent) for v, _ in line.carried}
        at = "i" if line.first == 0 else f"i - {line.first}"
        if len(line.table) == 1:
            (column, numbers), = line.table.items()
            name = self.new_name(column + "s" if not column.endswith("s") else column)
            self.add(f"constexpr {KINDS[self.kind(numbers)]} {name}[] = {{{', '.join(map(literal, numbers))}}};", indent)
            self.columns = lambda _: f"{name}[{at}]"
        elif line.table:
            name = self.new_name((line.scope or "").split(".")[-1] or "rows")
            kinds = {}
            for column, numbers in line.table.items():
                kinds.setdefault(KINDS[self.kind(numbers)], []).append(column)
            order = [c for columns in kinds.values() for c in columns]
            fields = " ".join(f"{kind} {', '.join(columns)};" for kind, columns in kinds.items())
            rows = [f"{{{', '.join(literal(line.table[c][k]) for c in order)}}}" for k in range(line.last - line.first)]
            self.add(f"constexpr struct {{ {fields} }} {name}[] = {{{', '.join(rows)}}};", indent)
            self.columns = lambda column: f"{name}[{at}].{column}"
        self.add(f"for (int i = {line.first}; i < {line.last}; ++i) {{", indent)
        scope = f"{literal(line.scope)}, i" if line.scope is not None else self.columns("name")
        self.add(f"const auto round = m.scope({scope});", indent + 2)
        before, holder, of = set(self.declared), dict(self.holder), dict(self.of)
        for v, _ in line.carried:
            self.of[v], self.holder[inits[v]] = inits[v], v
        inner = nested(line.lines, list(line.results))
        forced, late = {}, []
        for (v, _), result in zip(line.carried, line.results):
            maker = next(k for k, l in enumerate(inner) if result in made_by(l))
            if any(v in values_in(l) for l in inner[maker + 1:]) or len(made_by(inner[maker])) > 1:
                late.append((inits[v], result))
            else:
                forced[result] = inits[v]
        read_outside = {v for v, _ in self.of.items() if v not in dict(line.carried)}
        self.lines(inner, [], indent + 2, set(line.results) | live | read_outside, forced)
        for name, result in late:
            self.add(f"{name} = {self.of[result]};", indent + 2)
        self.add("}", indent)
        self.declared, self.holder, self.of, self.columns = before, holder, of, None
        for (v, _), last in zip(line.carried, line.results.values()):
            self.of[last], self.holder[inits[v]] = inits[v], last
            self.declared.add(inits[v])

    @staticmethod
    def kind(numbers):
        kinds = {type(n) for n in numbers}
        return str if any(issubclass(k, str) for k in kinds) else float if float in kinds else kinds.pop()

    def new_name(self, word):
        name = next(n for n in [word] + [f"{word}_{k}" for k in range(2, 99)] if n not in self.declared)
        self.declared.add(name)
        return name


def count_reads(lines, results):
    counts = {}
    for v in [v for line in lines for v in values_in(line)] + list(results):
        counts[v] = counts.get(v, 0) + 1
    return counts


def depth(e):
    inner = [depth(a) for a in [*e.arguments, *e.options.values()] if isinstance(a, Expression)] if isinstance(e, Expression) else []
    return 1 + max(inner, default=0)


def has_own(e):
    return isinstance(e, Expression) and (e.own or any(map(has_own, e.arguments)))


class Short(dict):
    """Any variable, for how long a line will be."""

    def __missing__(self, key):
        return "out"


def nested(lines, results):
    """Expressions that are read once, by the line behind, in its place."""
    counts, out = count_reads(lines, results), []
    for line in lines:
        if isinstance(line, Line):
            line = Line(line.values, line.expression, line.several, line.called)
            while out and isinstance(out[-1], Line) and len(out[-1].values) == 1 and counts.get(out[-1].values[0]) == 1 and \
                    out[-1].values[0] in values_in(line):
                v, inner = out[-1].values[0], out[-1].expression
                within = changed(line.expression, lambda t: inner if t is v else t)
                text = Writer(Short(), lambda c: "rows[i]." + c).text(within)
                if len(text) > 92 or depth(within) > 4 or text.count("{.") > 1 or has_own(inner) and has_own(line.expression):
                    break
                line.expression = within
                out.pop()
        out.append(line)
    return out
