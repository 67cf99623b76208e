# SPDX-License-Identifier: BSL-1.0
"""Lines that are repeated as loops: what one round hands to the next is a variable, numbers that differ are a table."""
from .expression import Code, Expression, For, Line, Name, Parameter, changed, is_value, made_by, parts_of, values_in


def leaves_of(thing):
    """(names, other leaves) of a line's expression, in order."""
    names, others = [], []

    def visit(t):
        if isinstance(t, Expression) or isinstance(t, (list, tuple)):
            for part in parts_of(t):
                visit(part)
        elif type(t) is Name:
            names.append(t)
        elif not is_value(t):
            others.append(t)
    visit(thing)
    return names, others


def form(thing):
    """What two lines have in common if they may be rounds of one loop."""
    if isinstance(thing, Line):
        return form(thing.expression), str(thing.several), len(thing.values)
    if isinstance(thing, Expression):
        return thing.head, tuple(map(form, thing.arguments)), tuple((k, form(o)) for k, o in thing.options.items())
    if isinstance(thing, (list, tuple)):
        return tuple(map(form, thing))
    if is_value(thing) or type(thing) is Name:
        return "value" if is_value(thing) else "name"
    return ("leaf", id(thing)) if isinstance(thing, Parameter) else ("code", str(thing)) if isinstance(thing, Code) else \
        "text" if isinstance(thing, str) else "flag" if isinstance(thing, bool) else "number"


class Round:
    def __init__(self, lines):
        self.form = [form(line) for line in lines]
        self.names, self.leaves = [], []
        for line in lines:
            names, leaves = leaves_of(line.expression)
            self.names += names
            self.leaves += [n for n in leaves if not isinstance(n, (Code, Parameter))]
        self.reads = [v for line in lines for v in values_in(line)]
        self.made = [v for line in lines for v in made_by(line)]


def scopes_of(rounds):
    """What all names of a round begin with, of each round: ("layers", 3), or a name of its own; and what is behind."""
    first, second = rounds[0].names, rounds[1].names
    differ = [i for i, (a, b) in enumerate(zip(first[0].split("."), second[0].split("."))) if a != b] if first else []
    if len(differ) != 1:
        return None
    at = differ[0]
    behind = [".".join(n.split(".")[at + 1:]) for n in first]
    scopes = []
    for r in rounds:
        heads = {".".join(n.split(".")[:at + 1]) for n in r.names}
        same = all(n.split(".")[:at] == first[0].split(".")[:at] for n in r.names)
        if len(heads) != 1 or not same or [".".join(n.split(".")[at + 1:]) for n in r.names] != behind:
            return None
        scopes.append(heads.pop())
    return (scopes, behind) if len(set(scopes)) == len(scopes) else None


class Candidate:
    """`count` rounds of `period` lines from `start` on."""

    def __init__(self, lines, start, period, count, read_after):
        self.start, self.period, self.count, self.works = start, period, count, False
        self.lines = lines[start:start + period]
        self.rounds = [Round(lines[start + k * period:start + (k + 1) * period]) for k in range(count)]
        found = scopes_of(self.rounds)
        if found is None or any(r.form != self.rounds[0].form for r in self.rounds):
            return
        self.scopes, self.behind = found
        self.carried = {}  # a value of the first round: what it is called before, and which one of a round's it is
        self.works = self.finds_carried() and self.hands_on_only(read_after)
        self.columns = [[r.leaves[q] for r in self.rounds] for q in range(len(self.rounds[0].leaves))]
        self.differ = [q for q, c in enumerate(self.columns) if any(n != c[0] for n in c)]

    def finds_carried(self):
        invariant = set()
        for q, v in enumerate(self.rounds[0].reads):
            of = [r.reads[q] for r in self.rounds]
            if v in self.rounds[0].made:
                j = self.rounds[0].made.index(v)
                if any(r.made[j] is not w for r, w in zip(self.rounds, of)):
                    return False
            elif all(w is v for w in of):
                invariant.add(v)
            else:
                before = self.rounds[0].made
                if of[1] not in before:
                    return False
                j = before.index(of[1])
                if any(r.made[j] is not w for r, w in zip(self.rounds, of[1:])) or self.carried.setdefault(v, j) != j:
                    return False
        return not invariant & self.carried.keys() and len(set(self.carried.values())) == len(self.carried)

    def hands_on_only(self, read_after):
        handed = {self.rounds[-1].made[j] for j in self.carried.values()}
        return not any(v in read_after and v not in handed for r in self.rounds for v in r.made)

    def numbered(self):
        parts = [s.rpartition(".") for s in self.scopes]
        first = parts[0][2]
        return first.isdigit() and all(p[0] == parts[0][0] and p[2] == str(int(first) + k) for k, p in enumerate(parts))

    def saved(self):
        if not self.works or len(self.differ) > 8:
            return 0
        rows = 0 if not self.differ and self.numbered() else 1 + self.count / (2 if len(self.differ) > 4 else 4)
        return self.count * self.period - (self.period + 1.5 + rows)

    def loop(self):
        prefix, _, first = self.scopes[0].rpartition(".")
        numbered = self.numbered()
        first = int(first) if numbered else 0
        table, columns, said = {} if numbered else {"name": self.scopes}, [] if numbered else [self.scopes], {}
        for q in self.differ:
            if self.columns[q] not in columns:
                counted = self.counted(self.columns[q], first)
                if counted:
                    said[q] = Code(counted)
                    continue
                columns.append(self.columns[q])
                table[self.name_of(q, table)] = self.columns[q]
            said[q] = list(table)[columns.index(self.columns[q])]
        index, names, q = "i" if first == 0 else f"i - {first}", iter(self.behind), iter(range(len(self.columns)))
        base = "it." if len(table) > 1 else ""

        def leaf(t):
            if type(t) is Name:
                return Name(next(names))
            if is_value(t) or isinstance(t, (Code, Parameter)):
                return t
            k = next(q)
            return t if k not in said else said[k] if isinstance(said[k], Code) else For.Column(said[k])
        lines = [Line(line.values, changed(line.expression, leaf), line.several, line.called)
                 for line in self.lines]
        results = {self.rounds[0].made[j]: self.rounds[-1].made[j] for j in self.carried.values()}
        scope = prefix if numbered else None
        return For(scope, first, first + self.count, lines, [(v, v) for v in self.carried], results, table)

    @staticmethod
    def counted(column, first):
        """Of the number of the round, where that is plain."""
        if not all(type(n) is int for n in column):
            return None
        if first == 0 and all(n == column[0] << k for k, n in enumerate(column)) and column[0] > 0:
            return f"{column[0]} << i"
        step = column[1] - column[0]
        if all(n == column[0] + k * step for k, n in enumerate(column)) and len(column) > 2:
            offset = column[0] - first * step
            by = "i" if step == 1 else f"{step} * i"
            return by if offset == 0 else f"{offset} + {by}" if offset > 0 else f"{by} - {-offset}"
        return None

    def name_of(self, q, table):
        """The q-th leaf's: the option's or the argument's."""
        names = []

        def visit(t, hint):
            if isinstance(t, Expression):
                for k, a in enumerate(t.arguments):
                    visit(a, t.name_of(k) or hint)
                for k, o in t.options.items():
                    visit(o, k)
            elif isinstance(t, (list, tuple)):
                for part in t:
                    visit(part, hint)
            elif not (is_value(t) or type(t) is Name or isinstance(t, (Code, Parameter))):
                names.append(hint)
        for line in self.lines:
            visit(line.expression, "number")
        hint = names[q] or "number"
        return next(n for n in [hint] + [f"{hint}_{k}" for k in range(2, 99)] if n not in table)


def folded(lines, results):
    """The same lines with loops."""
    while True:
        best, forms = None, [form(line) if isinstance(line, Line) else object() for line in lines]
        for start in range(len(lines)):
            for period in range(1, (len(lines) - start) // 2 + 1):
                if forms[start:start + period] == forms[start + period:start + 2 * period]:
                    best = better(best, lines, forms, start, period, results)
        if best is None:
            return lines
        lines = lines[:best.start] + [best.loop()] + lines[best.start + best.period * best.count:]


def better(best, lines, forms, start, period, results):
    if not any(leaves_of(line.expression)[0] for line in lines[start:start + period]):
        return best
    count = 2
    while forms[start + count * period:start + (count + 1) * period] == forms[start:start + period]:
        count += 1
    for n in range(count, 1, -1):
        if best and n * period <= best.saved():
            break
        after = {v for line in lines[start + n * period:] for v in values_in(line)} | set(results)
        found = Candidate(lines, start, period, n, after)
        if found.saved() > (best.saved() if best else 0):
            best = found
    return best
