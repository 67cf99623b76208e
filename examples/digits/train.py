#!/usr/bin/python3
# SPDX-License-Identifier: BSL-1.0
"""Trains the digit classifier and writes weights.hpp, samples.hpp and held_out.hpp beside this file.

Data: the 1797 pictures of 8 x 8 pixels with 16 greys of the "Optical Recognition of Handwritten Digits" set
(UCI, E. Alpaydin, C. Kaynak), as Debian's python3-sklearn ships them. The last quarter is held out, not a random
one: neighbours in the set often share a writer, so a random quarter would flatter the network.
Needs python3-sklearn and python3-torch; takes ten seconds on one core; one machine writes the same files each time.
"""
import pathlib
import textwrap

import numpy
import torch
from sklearn.datasets import load_digits
from torch import nn

HELD_OUT = 450
EPOCHS = 60
HERE = pathlib.Path(__file__).parent


def build():
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(),
        nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
        nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(),
        nn.Dropout(0.3), nn.Flatten(), nn.Linear(32 * 4 * 4, 10))


def shifted(images):
    """Each image moved by up to one pixel in each direction, zeros coming in."""
    padded = nn.functional.pad(images, (1, 1, 1, 1))
    moved = torch.empty_like(images)
    for i in range(len(images)):
        y, x = torch.randint(0, 3, (2,)).tolist()
        moved[i] = padded[i, :, y:y + 8, x:x + 8]
    return moved


def train(images, labels):
    torch.manual_seed(1)
    model = build()
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=1e-2)
    steps = EPOCHS * -(-len(images) // 64)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-2, total_steps=steps)
    for epoch in range(EPOCHS):
        model.train()
        for batch in torch.randperm(len(images)).split(64):
            loss = nn.functional.cross_entropy(model(shifted(images[batch])), labels[batch], label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1} of {EPOCHS}: loss {loss.item():.3f}", flush=True)
    return model.eval()


def hex_float(x):
    """The shortest exact spelling of a float32 that C++ takes."""
    digits, exponent = float(numpy.float32(x)).hex().split("p")
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    return f"{digits}p{int(exponent)}f"


def write(name, summary, body):
    text = f"// SPDX-License-Identifier: BSL-1.0\n// Written by train.py: {summary}\n#pragma once\n\n{body}"
    (HERE / name).write_text(text)


def write_weights(model):
    names = {0: "conv1", 1: "bn1", 3: "conv2", 4: "bn2", 7: "conv3", 8: "bn3", 12: "fc"}
    body, total = "namespace digits::weights {\n", 0
    for index, layer in names.items():
        for key, tensor in model[index].state_dict().items():
            if key == "num_batches_tracked":
                continue
            numbers = tensor.numpy().ravel()
            total += len(numbers)
            shape = " x ".join(map(str, tensor.shape))
            rows = textwrap.wrap(", ".join(map(hex_float, numbers)), 118, break_long_words=False)
            body += f"\ninline constexpr float {layer}_{key}[{len(numbers)}] = {{  // {shape}\n  "
            body += "\n  ".join(rows) + "};\n"
    body += "\n}  // namespace digits::weights\n"
    write("weights.hpp", f"the trained weights, nothing folded ({total} numbers).", body)


def picture(pixels, label):
    return f'    {{"{"".join("0123456789abcdefg"[int(p)] for p in pixels)}", {label}}},\n'


def write_pictures(name, array, summary, pictures, more):
    body = ""
    if array == "samples":
        body += ("namespace digits {\n\n/// 8 rows of 8 pixels, the first at the top left, and what it shows.\n"
                 "struct picture {\n"
                 "  const char* pixels;  ///< one character each: '0' (white) to '9', 'a' to 'g' (black)\n"
                 "  int label;\n};\n\n/// The brightness of a pixel, 0 to 1, as the network takes it.\n"
                 "constexpr float brightness(char pixel) {\n"
                 "  return static_cast<float>(pixel <= '9' ? pixel - '0' : pixel - 'a' + 10) / 16.0f;\n}\n\n")
    else:
        body += '#include "samples.hpp"\n\nnamespace digits {\n\n'
    body += f"inline constexpr picture {array}[{len(pictures)}] = {{\n" + "".join(pictures) + "};\n"
    body += f"\n{more}\n}}  // namespace digits\n"
    write(name, summary, body)


def main():
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    digits = load_digits()
    images = torch.tensor(digits.data / 16, dtype=torch.float32).reshape(-1, 1, 8, 8)
    labels = torch.tensor(digits.target)
    model = train(images[:-HELD_OUT], labels[:-HELD_OUT])
    with torch.no_grad():
        scores = model(images[-HELD_OUT:]).softmax(1)
    right = (scores.argmax(1) == labels[-HELD_OUT:]).sum().item()
    print(f"held out: {right} of {HELD_OUT} right, {100 * right / HELD_OUT:.2f} %")

    write_weights(model)
    held_out = range(len(images) - HELD_OUT, len(images))
    first = [next(i for i in held_out if digits.target[i] == d) for d in range(10)]
    draw = lambda chosen: [picture(digits.data[i], digits.target[i]) for i in chosen]
    rows = ["    {" + ", ".join(f"{p:.6f}f" for p in scores[i - held_out[0]].tolist()) + "},\n" for i in first]
    write_pictures("samples.hpp", "samples", "ten held-out pictures, the first of each digit.", draw(first),
                   "/// What PyTorch answers: the probability of each digit for each sample.\n"
                   "inline constexpr float torch_answers[10][10] = {\n" + "".join(rows) + "};\n")
    write_pictures("held_out.hpp", "held_out", "the pictures that were not trained on.", draw(held_out),
                   f"/// How many of them PyTorch gets right.\ninline constexpr int torch_right = {right};\n")


if __name__ == "__main__":
    main()
