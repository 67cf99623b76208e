#!/usr/bin/python3
# SPDX-License-Identifier: BSL-1.0
"""pytorch_answers.py: writes pytorch_answers.hpp beside this file, what PyTorch (Debian: python3-torch) makes, in
double precision, of the networks of pytorch_*.cpp. Weights and inputs are made up from their names on both sides."""
import math, pathlib

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import images, series, sounds

SAMPLES = 40
U64 = np.uint64
MULTIPLIER, STEP = 6364136223846793005, 1442695040888963407


def random_floats(word, count, low, high):
    """random_floats of tests/support/numbers.hpp: all states of a linear congruential generator at once."""
    mask, seed = 2**64 - 1, 7
    for c in word.encode():
        seed = (seed * 131 + c) & mask
    state = (seed * 2862933555777941757 + 3037000493) & mask
    factors, terms = np.array([MULTIPLIER], U64), np.array([STEP], U64)  # state n: factor n of the first, plus term n
    while len(factors) < count:
        factors, terms = (np.concatenate([factors, factors * factors[-1]]),
                          np.concatenate([terms, terms[-1] * factors + terms]))
    bits = (factors[:count] * U64(state) + terms[:count]) >> U64(33) & U64(0xffffff)
    return np.float32(low) + np.float32(high - low) * bits.astype(np.float32) / np.float32(16777216)


def made_up(key, shape):
    """made_up_numbers of beside_pytorch.hpp."""
    count = math.prod(shape)
    f = random_floats(key, count, -1, 1)
    if count != shape[0]:
        f = f * np.sqrt(np.float32(4 / np.float32(count // shape[0])))
    else:
        f = f / np.float32(8) if "bias" in key or "running_mean" in key else 1 + f / np.float32(4)
    return torch.from_numpy(f.reshape(shape)).double()


def made_up_input(name, shape):
    """Of a shape, or integers: how many there are, and a shape."""
    if isinstance(shape[-1], tuple):
        return torch.arange(math.prod(shape[1])).reshape(shape[1]) * 7 % shape[0]
    return torch.from_numpy(random_floats(name, math.prod(shape), -2, 2).reshape(shape)).double()


def answer(module, renamed=lambda key: key, **inputs):
    """Of inputs by name."""
    module = module.double().eval()
    first_name = {v.data_ptr(): k for k, v in reversed(module.state_dict().items())}  # of weights that are one
    state = {k: made_up(renamed(first_name[v.data_ptr()]), tuple(v.shape)) if v.is_floating_point() else v
             for k, v in module.state_dict().items()}
    module.load_state_dict(state)
    with torch.no_grad():
        y = module(*(made_up_input(name, shape) for name, shape in inputs.items()))
    return torch.cat([part.flatten() for part in (y if isinstance(y, tuple) else (y,))]).numpy()


class Lenet5(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1, self.c3, self.c5 = nn.Conv2d(1, 6, 5), nn.Conv2d(6, 16, 5), nn.Conv2d(16, 120, 5)
        self.f6, self.out = nn.Linear(120, 84), nn.Linear(84, 10)

    def forward(self, x):
        x = F.avg_pool2d(torch.tanh(self.c1(x)), 2)
        x = F.avg_pool2d(torch.tanh(self.c3(x)), 2)
        x = torch.tanh(self.c5(x)).flatten(1)
        return F.softmax(self.out(torch.tanh(self.f6(x))), 1)


class BasicBlock(nn.Module):
    """Of one or two dimensions."""
    def __init__(self, inputs, outputs, stride, conv=nn.Conv2d, norm=nn.BatchNorm2d):
        super().__init__()
        self.conv1, self.bn1 = conv(inputs, outputs, 3, stride, 1, bias=False), norm(outputs)
        self.conv2, self.bn2 = conv(outputs, outputs, 3, 1, 1, bias=False), norm(outputs)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(conv(inputs, outputs, 1, stride, bias=False), norm(outputs))

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + (self.downsample(x) if self.downsample else x))


class Resnet18(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64)
        self.pool = nn.MaxPool2d(3, 2, 1)
        for i, (a, b) in enumerate([(64, 64), (64, 128), (128, 256), (256, 512)]):
            setattr(self, f"layer{i + 1}", nn.Sequential(BasicBlock(a, b, 1 if i == 0 else 2), BasicBlock(b, b, 1)))
        self.fc = nn.Linear(512, 1000)

    def forward(self, x):
        x = self.pool(F.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(x.mean((2, 3)))


class Resnet1d(nn.Module):
    def __init__(self):
        super().__init__()
        conv, norm = nn.Conv1d, nn.BatchNorm1d
        self.conv1, self.bn1 = conv(2, 8, 7, 2, 3, bias=False), norm(8)
        self.layer1 = nn.Sequential(BasicBlock(8, 8, 1, conv, norm), BasicBlock(8, 16, 2, conv, norm))
        self.fc = nn.Linear(16, 5)

    def forward(self, x):
        return self.fc(self.layer1(F.max_pool1d(F.relu(self.bn1(self.conv1(x))), 3, 2, 1)).mean(2))


def conv_norm(inputs, outputs, kernel, stride=1, groups=1):
    return nn.Sequential(nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
                         nn.BatchNorm2d(outputs), nn.ReLU6())


class InvertedResidual(nn.Module):
    def __init__(self, inputs, outputs, stride, expand):
        super().__init__()
        wide = inputs * expand
        self.adds = stride == 1 and inputs == outputs
        widen = [conv_norm(inputs, wide, 1)] if expand > 1 else []
        self.conv = nn.Sequential(*widen, conv_norm(wide, wide, 3, stride, wide),
                                  nn.Conv2d(wide, outputs, 1, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return x + self.conv(x) if self.adds else self.conv(x)


class MobilenetV2(nn.Module):
    def __init__(self):
        super().__init__()
        layers, inputs = [conv_norm(3, 32, 3, 2)], 32
        for expand, outputs, times, stride in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
                                               (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]:
            for i in range(times):
                layers.append(InvertedResidual(inputs, outputs, stride if i == 0 else 1, expand))
                inputs = outputs
        self.features = nn.Sequential(*layers, conv_norm(320, 1280, 1))
        self.classifier = nn.Sequential(nn.Dropout(), nn.Linear(1280, 1000))

    def forward(self, x):
        return self.classifier(self.features(x).mean((2, 3)))


class Vgg16(nn.Module):
    """An eighth as wide, of 32 x 32."""
    def __init__(self):
        super().__init__()
        layers, inputs = [], 3
        for outputs in [8, 8, 0, 16, 16, 0, 32, 32, 32, 0, 64, 64, 64, 0, 64, 64, 64, 0]:
            layers += [nn.Conv2d(inputs, outputs, 3, 1, 1), nn.ReLU()] if outputs else [nn.MaxPool2d(2)]
            inputs = outputs or inputs
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(nn.Linear(64, 48), nn.ReLU(), nn.Dropout(), nn.Linear(48, 48), nn.ReLU(),
                                        nn.Dropout(), nn.Linear(48, 10))

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


class DoubleConv(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.double_conv = nn.Sequential(nn.Conv2d(a, b, 3, 1, 1, bias=False), nn.BatchNorm2d(b), nn.ReLU(),
                                         nn.Conv2d(b, b, 3, 1, 1, bias=False), nn.BatchNorm2d(b), nn.ReLU())

    def forward(self, x):
        return self.double_conv(x)


class Down(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.maxpool_conv = nn.Sequential(nn.MaxPool2d(2), DoubleConv(a, b))

    def forward(self, x):
        return self.maxpool_conv(x)


class Up(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.up, self.conv = nn.ConvTranspose2d(a, b, 2, 2), DoubleConv(a, b)

    def forward(self, below, skip):
        return self.conv(torch.cat([skip, self.up(below)], 1))


class Unet(nn.Module):
    def __init__(self, c=4):
        super().__init__()
        self.inc, self.outc = DoubleConv(3, c), nn.Module()
        self.down1, self.down2, self.down3, self.down4 = (Down(c * 2**i, c * 2**(i + 1)) for i in range(4))
        self.up1, self.up2, self.up3, self.up4 = (Up(c * 2**(i + 1), c * 2**i) for i in (3, 2, 1, 0))
        self.outc.conv = nn.Conv2d(c, 1, 1)

    def forward(self, x):
        a = self.inc(x)
        b = self.down1(a)
        c = self.down2(b)
        d = self.down3(c)
        x = self.up1(self.down4(d), d)
        return self.outc.conv(self.up4(self.up3(self.up2(x, c), b), a))


class GroupNormUnet(nn.Module):
    """As denoising networks have it: group norm and silu before the convolution, bilinear on the way up."""
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, 1, 1)
        self.norm1, self.conv1 = nn.GroupNorm(4, 8), nn.Conv2d(8, 16, 3, 2, 1)
        self.norm2, self.conv2 = nn.GroupNorm(4, 16), nn.Conv2d(16, 16, 3, 1, 1)
        self.norm3, self.conv3 = nn.GroupNorm(6, 24), nn.Conv2d(24, 8, 3, 1, 1)
        self.last = nn.Conv2d(8, 3, 1)

    def forward(self, x):
        wide = self.first(x)
        x = self.conv1(F.silu(self.norm1(wide)))
        x = x + self.conv2(F.silu(self.norm2(x)))
        x = F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
        return self.last(self.conv3(F.silu(self.norm3(torch.cat([wide, x], 1)))))


class DenseLayer(nn.Module):
    def __init__(self, inputs):
        super().__init__()
        self.norm1, self.conv1 = nn.BatchNorm2d(inputs), nn.Conv2d(inputs, 24, 1, bias=False)
        self.norm2, self.conv2 = nn.BatchNorm2d(24), nn.Conv2d(24, 6, 3, 1, 1, bias=False)

    def forward(self, x):
        y = self.conv1(F.relu(self.norm1(x)))
        return torch.cat([x, self.conv2(F.relu(self.norm2(y)))], 1)


class SuperResolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 16, 5, 1, 2), nn.Conv2d(16, 8, 3, 1, 1)
        self.conv3 = nn.Conv2d(8, 9, 3, 1, 1)

    def forward(self, x):
        return F.pixel_shuffle(self.conv3(torch.tanh(self.conv2(torch.tanh(self.conv1(x))))), 3)


class YoloHead(nn.Module):
    """YOLOv5's: boxes in pixels, then objectness and classes."""
    def __init__(self):
        super().__init__()
        self.conv, self.head = nn.Conv2d(8, 16, 3, 2, 1), nn.Conv2d(16, 3 * 9, 1)
        self.register_buffer("grid", torch.zeros(5, 7, 2))
        self.register_buffer("anchors", torch.zeros(3, 1, 1, 2))

    def forward(self, x):
        y = torch.sigmoid(self.head(F.silu(self.conv(x))).view(3, 9, 5, 7).permute(0, 2, 3, 1))
        xy, wh, scores = y.split((2, 2, 5), 3)
        return torch.cat([(xy * 2 - 0.5 + self.grid) * 8, (wh * 2) ** 2 * self.anchors, scores], 3)


class KeywordSpotter(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru, self.lstm, self.fc = nn.GRU(10, 12, bidirectional=True), nn.LSTM(24, 16), nn.Linear(16, 6)

    def forward(self, x):
        return F.log_softmax(self.fc(self.lstm(self.gru(x)[0])[0][-1]), 0)


class StackedGru(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru, self.fc = nn.GRU(5, 12, num_layers=3), nn.Linear(12, 2)

    def forward(self, x):
        return self.fc(self.gru(x)[0])


def layer_of_gru(key):
    return f"gru.{key[-1]}.{key[4:-1]}0" if key.startswith("gru.") else key


class TemporalBlock(nn.Module):
    def __init__(self, inputs, outputs, dilation):
        super().__init__()
        self.reach = 2 * dilation
        self.conv1 = nn.Conv1d(inputs, outputs, 3, dilation=dilation)
        self.conv2 = nn.Conv1d(outputs, outputs, 3, dilation=dilation)
        self.downsample = nn.Conv1d(inputs, outputs, 1) if inputs != outputs else None

    def forward(self, x):
        y = F.relu(self.conv1(F.pad(x, (self.reach, 0))))
        y = F.relu(self.conv2(F.pad(y, (self.reach, 0))))
        return F.relu(y + (self.downsample(x) if self.downsample else x))


class Tcn(nn.Module):
    def __init__(self):
        super().__init__()
        self.network = nn.Sequential(TemporalBlock(1, 16, 1), TemporalBlock(16, 16, 2), TemporalBlock(16, 16, 4))
        self.head = nn.Conv1d(16, 1, 1)

    def forward(self, x):
        return self.head(self.network(x))


class GatedLayer(nn.Module):
    def __init__(self, channels, dilation):
        super().__init__()
        self.dilation = dilation
        self.filter, self.gate = (nn.Conv1d(channels, channels, 2, dilation=dilation) for _ in range(2))
        self.mix = nn.Conv1d(channels, channels, 1)

    def forward(self, x):
        gated = torch.tanh(self.filter(x)) * torch.sigmoid(self.gate(x))
        return self.mix(gated) + x[..., self.dilation:], gated


class Wavenet(nn.Module):
    def __init__(self, channels=8):
        super().__init__()
        self.first, self.last = nn.Conv1d(1, channels, 1), nn.Conv1d(channels, 1, 1)
        self.layers = nn.ModuleList(GatedLayer(channels, 2**i) for i in range(4))

    def forward(self, x):
        x, skips = self.first(x), 0
        for layer in self.layers:
            x, gated = layer(x)
            skips = gated + (skips[..., layer.dilation:] if torch.is_tensor(skips) else 0)
        return self.last(F.relu(skips))


class VitBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2, self.attention = nn.LayerNorm(32), nn.LayerNorm(32), nn.MultiheadAttention(32, 4)
        self.fc1, self.fc2 = nn.Linear(32, 48), nn.Linear(48, 32)

    def forward(self, x):
        y = self.norm1(x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        return x + self.fc2(F.gelu(self.fc1(self.norm2(x))))


class WordEncoder(nn.Module):
    """Words and places as vectors, then torch.nn.TransformerEncoder."""
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(50, 24), nn.Embedding(9, 24)
        layer = nn.TransformerEncoderLayer(24, 3, 40)
        self.encoder, self.fc = nn.TransformerEncoder(layer, 2), nn.Linear(24, 4)

    def forward(self, ids):
        return self.fc(self.encoder(self.words(ids) + self.places.weight))


class Attentions(nn.Module):
    """A sequence with itself, then with what another layer makes of it; batch norm's kin behind them."""
    def __init__(self):
        super().__init__()
        self.own, self.other = nn.MultiheadAttention(24, 4), nn.MultiheadAttention(24, 3)
        self.norm, self.by_channel = nn.LayerNorm(24, eps=1e-3), nn.InstanceNorm1d(9, affine=True)
        self.rms = nn.Module()
        self.rms.weight = nn.Parameter(torch.zeros(24))
        self.memory = nn.Linear(24, 24)

    def forward(self, x):
        m = torch.tanh(self.memory(x))
        y = self.norm(x + self.own(x, x, x, need_weights=False)[0])
        y = self.by_channel((y + self.other(y, m, x, need_weights=False)[0])[None])[0]
        return y / torch.sqrt((y * y).mean(1, keepdim=True) + 1e-6) * self.rms.weight


class Recurrent(nn.Module):
    """Several layers, both ways, projected."""
    def __init__(self):
        super().__init__()
        self.gru, self.lstm = nn.GRU(5, 12, 3), nn.LSTM(12, 6, 2, bidirectional=True)
        self.rnn, self.last = nn.RNN(12, 7, 2), nn.LSTM(7, 10, proj_size=3)

    def forward(self, x):
        return self.last(self.rnn(self.lstm(self.gru(x)[0])[0])[0])[0]


class Windows(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.groups = nn.InstanceNorm2d(3, affine=True), nn.GroupNorm(2, 6)
        self.unfold, self.conv, self.both = nn.Unfold(3, padding=1, stride=2), nn.Conv2d(3, 6, 1), nn.Bilinear(20, 4, 5)
        self.narrow = nn.Linear(20, 4)

    def forward(self, x):
        x = self.norm(x)
        columns = self.unfold(x)[0]                       # 27 x 20
        few = self.groups(self.conv(x))[0].flatten()[:7 * 4].view(7, 4)
        y = F.logsigmoid(F.tanhshrink(columns))
        shares = F.softmin(self.both(y, self.narrow(columns)), 1)
        kinked = [F.threshold(few, 0.1, 0.7), F.softplus(few, beta=3), F.rrelu(few, 0.1, 0.4), F.rrelu(few)]
        return torch.cat([shares.flatten()] + [y.flatten() for y in kinked])


class Bags(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag, self.fc = nn.EmbeddingBag(50, 8), nn.Linear(8, 6)

    def forward(self, ids):
        return F.hardtanh(self.fc(self.bag(ids)) * 4)


class Decoder(nn.Module):
    """Of a sequence and what another layer makes of it."""
    def __init__(self):
        super().__init__()
        self.memory, self.layer = nn.Linear(24, 24), nn.TransformerDecoderLayer(24, 4, 40)

    def forward(self, x):
        return self.layer(x, self.memory(x), tgt_mask=torch.full((7, 7), -math.inf, dtype=x.dtype).triu(1))


class Cells(nn.Module):
    def __init__(self):
        super().__init__()
        self.start, self.rnn, self.gru = nn.Linear(5, 6), nn.RNNCell(5, 6), nn.GRUCell(5, 6)
        self.lstm = nn.LSTMCell(5, 6)

    def forward(self, x):
        start = self.start(x)
        h = self.rnn(x, start)
        y, c = self.lstm(x, (self.gru(x, h), start))
        return torch.cat([F.cosine_similarity(y, start), F.pairwise_distance(c, h)])


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.bn, self.fc2 = nn.Linear(20, 64), nn.BatchNorm1d(64), nn.Linear(64, 5)

    def forward(self, x):
        return self.fc2(F.relu(self.bn(self.fc1(x))))


def answers():
    yield "lenet5", answer(Lenet5(), image=(1, 1, 32, 32))
    yield "resnet18", answer(Resnet18(), image=(1, 3, 64, 64))
    yield "mobilenet_v2", answer(MobilenetV2(), image=(1, 3, 64, 64))
    yield "vgg16", answer(Vgg16(), image=(1, 3, 32, 32))
    yield "unet", answer(Unet(), image=(1, 3, 32, 48))
    yield "group_norm_unet", answer(GroupNormUnet(), image=(1, 3, 16, 24))
    yield "dense_block", answer(nn.Sequential(*(DenseLayer(12 + 6 * i) for i in range(3))), image=(1, 12, 9, 9))
    yield "super_resolution", answer(SuperResolution(), image=(1, 1, 10, 14))
    yield "yolo_head", answer(YoloHead(), image=(1, 8, 10, 14))
    yield "keyword_spotter", answer(KeywordSpotter(), x=(20, 10))
    yield "stacked_gru", answer(StackedGru(), layer_of_gru, x=(11, 5))
    yield "tcn", answer(Tcn(), x=(1, 1, 48))
    yield "wavenet", answer(Wavenet(), x=(1, 1, 64))
    yield "resnet1d", answer(Resnet1d(), x=(1, 2, 100))
    yield "vit_block", answer(VitBlock(), x=(17, 32))
    yield "word_encoder", answer(WordEncoder(), ids=(50, (9,)))
    yield "attentions", answer(Attentions(), x=(9, 24))
    yield "recurrent", answer(Recurrent(), x=(11, 5))
    yield "windows", answer(Windows(), image=(1, 3, 8, 9))
    yield "bags", answer(Bags(), ids=(50, (4, 3)))
    yield "encoder_layers", answer(nn.TransformerEncoder(nn.TransformerEncoderLayer(24, 3, 40), 2), x=(9, 24))
    yield "decoder", answer(Decoder(), x=(7, 24))
    yield "cells", answer(Cells(), x=(3, 5))
    yield "mlp_in_batch", answer(Mlp(), x=(64, 20))
    yield "efficientnet", answer(images.EfficientNet(), image=(1, 3, 32, 32))
    yield "convnext", answer(images.ConvNext(), image=(1, 3, 32, 32))
    yield "vae_decoder", answer(images.VaeDecoder(), latent=(1, 4, 4, 6))
    yield "edsr", answer(images.Edsr(), image=(1, 3, 8, 10))
    yield "siamese", answer(images.Siamese(), left=(3, 1, 24, 24), right=(3, 1, 24, 24))
    yield "dueling_dqn", answer(images.DuelingDqn(), frames=(1, 4, 44, 44))
    yield "conformer", answer(sounds.Conformer(), frames=(1, 1, 27, 20))
    yield "rnnoise", answer(sounds.RNNoise(), features=(12, 42))
    yield "keyword_transformer", answer(sounds.KeywordTransformer(), frames=(20, 10))
    yield "conv_tasnet", answer(sounds.ConvTasnet(), signal=(1, 1, 64))
    yield "gpt", answer(series.Gpt(), ids=(50, (9,)))
    yield "deepar", answer(series.DeepAr(), target=(2, 11), covariates=(2, 11, 3), ids=(50, (2,)))
    yield "pointnet", answer(series.PointNet(), points=(1, 3, 40))


def main():
    text = """// SPDX-License-Identifier: BSL-1.0
// Written by pytorch_answers.py: of each network's outputs every step-th number, and the largest magnitude.
#pragma once

#include <span>
#include <string_view>

namespace ctnn::ir::test {

struct pytorch_answer {
  std::string_view network;
  int count, step;
  double largest;
  std::span<const float> numbers;
};

"""
    rows = []
    for name, y in answers():
        step = max(1, math.ceil(len(y) / SAMPLES))
        assert np.isfinite(y).all() and np.abs(y).max() > 0.01 and np.ptp(y) > 1e-3 * np.abs(y).max(), name
        print(f"{name}: {len(y)} numbers, up to {np.abs(y).max():.3g}")
        words, line, lines = [f"{v:.9g}" for v in y[::step]], "", []
        for w in words:
            w = (w if "." in w or "e" in w else w + ".0") + "f,"
            if len(line) + len(w) + 3 > 118:
                lines, line = lines + [line], ""
            line += " " + w
        lines.append(line)
        text += f"inline constexpr float answer_of_{name}[] = {{\n" + "\n".join("   " + l for l in lines)[:-1] + "};\n"
        rows.append(f'    {{"{name}", {len(y)}, {step}, {np.abs(y).max():.9g}, answer_of_{name}}}')
    text += "\ninline constexpr pytorch_answer pytorch_answers[] = {\n" + ",\n".join(rows) + "};\n"
    text += "\n}  // namespace ctnn::ir::test\n"
    (pathlib.Path(__file__).parent / "pytorch_answers.hpp").write_text(text)


if __name__ == "__main__":
    main()
