#!/usr/bin/python3
# SPDX-License-Identifier: BSL-1.0
"""pytorch_words.py: writes pytorch_words.hpp beside this file, what PyTorch (Debian: python3-torch) makes, in double
precision, of the examples in module_words.hpp and function_words.hpp."""
import math, pathlib, re

import torch
from torch import nn
from torch.nn import functional as F

from pytorch_answers import made_up, made_up_input

SAMPLES = 5
HERE = pathlib.Path(__file__).parent
SHAPES = {"x": (2, 3, 4), "y": (2, 3, 4), "matrix": (3, 3), "row": (4,), "signal": (2, 4, 9), "image": (2, 4, 6, 8),
          "volume": (1, 2, 4, 4, 6), "steps": (5, 2, 6), "ids": (5, (2, 3)), "places": (3, (2, 3, 4))}


def w(module):
    """With weights of their names behind "w"; what is nested is a list, "w.layers.0"."""
    module = module.double().eval()
    module.load_state_dict({k: made_up("w." + k, tuple(v.shape)) if v.is_floating_point() else v
                            for k, v in module.state_dict().items()})
    return module


def attention(q, k, v, mask=None, scale=None):
    scores = q @ k.transpose(-1, -2) * (scale or 1 / math.sqrt(q.shape[-1]))
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf) if mask.dtype == torch.bool else scores + mask
    return torch.softmax(scores, -1) @ v


def rotary(x, interleaved=False, offset=0):
    length, size = x.shape[-2:]
    rates = 10000 ** (-torch.arange(0, size, 2).double() / size)
    angles = torch.outer(torch.arange(offset, offset + length).double(), rates)
    first, second = (x[..., ::2], x[..., 1::2]) if interleaved else x.chunk(2, -1)
    turned = first * angles.cos() - second * angles.sin(), second * angles.cos() + first * angles.sin()
    return torch.stack(turned, -1).flatten(-2) if interleaved else torch.cat(turned, -1)


def rows():
    text = "".join((HERE / name).read_text() for name in ("module_words.hpp", "function_words.hpp"))
    string = r'((?:"(?:\\.|[^"])*"\s*)+)'
    for m in re.finditer(rf"\bsaid\({string}, *{string},", text.replace("\\\n", "")):
        yield tuple("".join(re.findall(r'"((?:\\.|[^"])*)"', s)) for s in m.groups())


def lines_of(words):
    line = "   "
    for word in words:
        if len(line) + len(word) > 119:
            yield line
            line = "   "
        line += " " + word
    yield line


def main():
    answers, numbers = [], []
    for name, example in rows():
        if not example:
            continue
        given = {k: made_up_input(k, s) for k, s in SHAPES.items()}
        with torch.no_grad():
            y = eval(example, globals() | given).double().flatten()
        assert torch.isfinite(y).all(), name
        step = max(1, math.ceil(len(y) / SAMPLES))
        answers.append(f'{{"{name}", {len(y)}, {step}, {y.abs().max():.7g}, {len(numbers)}}},')
        numbers += [f"{v:.9g}".removesuffix(".0") for v in y[::step]]
    numbers = [(v if "." in v or "e" in v else v + ".0") + "f," for v in numbers]
    (HERE / "pytorch_words.hpp").write_text(
        """// SPDX-License-Identifier: BSL-1.0
// Written by pytorch_words.py: of each example every step-th number, and the largest magnitude.
#pragma once

#include <string_view>

namespace ctnn::ir::test {

struct answer_to_word {
  std::string_view word;
  int count, step;
  double largest;
  int first;  ///< of its numbers in numbers_of_words
};

// clang-format off
inline constexpr float numbers_of_words[] = {
""" + "\n".join(lines_of(numbers)) + "};\ninline constexpr answer_to_word answers_to_words[] = {\n" +
        "\n".join(lines_of(answers)) + "};\n// clang-format on\n\n}  // namespace ctnn::ir::test\n")
    print(f"{len(answers)} words")


if __name__ == "__main__":
    main()
