# SPDX-License-Identifier: BSL-1.0
"""The body of a function: which variable a value is in, and what is declared where."""
from .cpp_words import RESERVED
from .expression import Code, Expression, If, Line, made_by, values_in
from .nesting import nested
from .text import KINDS, WIDTH, Writer, literal, wrapped


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
        one = len(function.results) == 1 and not function.result_names
        if one and lines and isinstance(lines[-1], Line) and lines[-1].values == function.results and lines[-1].several != "list":
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
        dtype = lambda v: v is not None and v.meta["value"].dtype
        gone = lambda name: name in self.holder and self.holder[name] not in live and dtype(self.holder[name]) == dtype(value)
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
            call = f"{f.head}(g, " + ('"", of...)' if self.named(f.head) else "of...)")
            self.add(f"const auto one_{f.head} = m.module({literal(f.arguments[0])}, "
                     f"[](nn::graph& g, const auto&... of) {{ return {call}; }});", indent)
            self.declared.add(f"one_{f.head}")
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

    def keep(self, value, live, indent):
        """A variable with this value that may change: its own if nobody else reads it."""
        name = self.of[value]
        if value in live or name not in self.holder:
            name = next(n for n in self.free_names if n not in self.declared)
            self.add(f"auto {name} = {self.of[value]};", indent)
            self.declared.add(name)
        return name

    def branch(self, line, live, indent):
        lines, forced = nested(line.lines, list(line.instead)), {}
        for value, instead in line.instead.items():
            maker = next(k for k, part in enumerate(lines) if value in made_by(part))
            read_later = any(instead in values_in(part) for part in lines[maker + 1:])
            forced[value] = self.keep(instead, live | ({instead} if read_later else set()), indent)
        self.add(f"if ({self.expression(line.flag)}) {{", indent)
        before, holder, inside = set(self.declared), dict(self.holder), set(line.instead)
        self.lines(lines, [], indent + 2, inside | live | set(line.instead.values()), forced)
        self.declared, self.holder = before, holder
        if len(lines) == 1 and self.out[-2].strip().startswith("if (") and len(self.out[-2]) + len(self.out[-1].strip()) < WIDTH:
            self.out[-2:] = [self.out[-2].removesuffix("{") + self.out[-1].strip()]
        else:
            self.add("}", indent)
        for value, name in forced.items():
            self.of[value], self.holder[name] = name, value

    def loop(self, line, live, indent):
        inits = {v: self.keep(v, live, indent) for v, _ in line.carried}
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
