# SPDX-License-Identifier: BSL-1.0
"""Expressions that are read once, by the line behind, stand in that line: m.relu(m.batch_norm2d("bn1", x))."""
from .expression import Expression, Line, changed, values_in
from .text import Writer


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
