# SPDX-License-Identifier: BSL-1.0
"""PyTorch's side of sounds.cpp: networks of sounds."""
import torch
from torch import nn
from torch.nn import functional as F


class FeedForward(nn.Module):
    def __init__(self, size, hidden):
        super().__init__()
        self.norm = nn.LayerNorm(size)
        self.linear1 = nn.Linear(size, hidden)
        self.linear2 = nn.Linear(hidden, size)

    def forward(self, x):
        return self.linear2(F.silu(self.linear1(self.norm(x))))


class ConvolutionModule(nn.Module):
    def __init__(self, size, kernel):
        super().__init__()
        self.norm = nn.LayerNorm(size)
        self.pointwise1 = nn.Conv1d(size, 2 * size, 1)
        self.depthwise = nn.Conv1d(size, size, kernel, padding=kernel // 2, groups=size)
        self.batch_norm = nn.BatchNorm1d(size)
        self.pointwise2 = nn.Conv1d(size, size, 1)

    def forward(self, x):
        x = self.norm(x).transpose(1, 2)
        x = F.glu(self.pointwise1(x), 1)
        x = F.silu(self.batch_norm(self.depthwise(x)))
        return self.pointwise2(x).transpose(1, 2)


class ConformerBlock(nn.Module):
    def __init__(self, size, heads, kernel):
        super().__init__()
        self.ffn1 = FeedForward(size, 4 * size)
        self.attention_norm = nn.LayerNorm(size)
        self.attention = nn.MultiheadAttention(size, heads, batch_first=True)
        self.convolution = ConvolutionModule(size, kernel)
        self.ffn2 = FeedForward(size, 4 * size)
        self.norm = nn.LayerNorm(size)

    def forward(self, x):
        x = x + 0.5 * self.ffn1(x)
        y = self.attention_norm(x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        x = x + self.convolution(x)
        x = x + 0.5 * self.ffn2(x)
        return self.norm(x)


class Conformer(nn.Module):
    """Gulati et al. 2020: of a spectrogram the letters of each fourth frame."""
    def __init__(self, size=16, letters=12):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 3, 2)
        self.conv2 = nn.Conv2d(6, 6, 3, 2)
        self.project = nn.Linear(6 * 4, size)
        self.layers = nn.ModuleList(ConformerBlock(size, 4, 7) for _ in range(2))
        self.out = nn.Linear(size, letters)

    def forward(self, x):
        x = F.relu(self.conv2(F.relu(self.conv1(x))))
        x = self.project(x.transpose(1, 2).flatten(2))
        for layer in self.layers:
            x = layer(x)
        return F.log_softmax(self.out(x), 2)


class RNNoise(nn.Module):
    """Valin 2018: of features of a signal the gain of each band, and whether somebody speaks."""
    def __init__(self):
        super().__init__()
        self.input_dense = nn.Linear(42, 24)
        self.vad_gru = nn.GRU(24, 24)
        self.vad_output = nn.Linear(24, 1)
        self.noise_gru = nn.GRU(90, 48)
        self.denoise_gru = nn.GRU(114, 96)
        self.denoise_output = nn.Linear(96, 22)

    def forward(self, x):
        dense = torch.tanh(self.input_dense(x))
        vad, _ = self.vad_gru(dense)
        noise, _ = self.noise_gru(torch.cat([dense, vad, x], -1))
        denoised, _ = self.denoise_gru(torch.cat([vad, noise, x], -1))
        return torch.sigmoid(self.denoise_output(denoised)), torch.sigmoid(self.vad_output(vad))


class KeywordTransformer(nn.Module):
    """Berg et al. 2021: of a spectrogram a word."""
    def __init__(self, size=24, words=8):
        super().__init__()
        self.to_patch_embedding = nn.Linear(10, size)
        self.cls_token = nn.Parameter(torch.zeros(1, size))
        self.pos_embedding = nn.Parameter(torch.zeros(21, size))
        layer = nn.TransformerEncoderLayer(size, 3, 2 * size, activation="gelu")
        self.transformer = nn.TransformerEncoder(layer, 3)
        self.norm = nn.LayerNorm(size)
        self.mlp_head = nn.Linear(size, words)

    def forward(self, x):
        x = torch.cat([self.cls_token, self.to_patch_embedding(x)])
        x = self.transformer(x + self.pos_embedding)
        return self.mlp_head(self.norm(x[0]))


class ConvBlock(nn.Module):
    def __init__(self, size, hidden, dilation):
        super().__init__()
        self.conv = nn.Conv1d(size, hidden, 1)
        self.prelu1 = nn.PReLU()
        self.norm1 = nn.GroupNorm(1, hidden, eps=1e-8)
        self.depthwise = nn.Conv1d(hidden, hidden, 3, padding=dilation, dilation=dilation, groups=hidden)
        self.prelu2 = nn.PReLU()
        self.norm2 = nn.GroupNorm(1, hidden, eps=1e-8)
        self.residual = nn.Conv1d(hidden, size, 1)
        self.skip = nn.Conv1d(hidden, size, 1)

    def forward(self, x):
        y = self.norm1(self.prelu1(self.conv(x)))
        y = self.norm2(self.prelu2(self.depthwise(y)))
        return x + self.residual(y), self.skip(y)


class ConvTasnet(nn.Module):
    """Luo and Mesgarani 2019: each speaker's signal of their sum."""
    def __init__(self, filters=16, size=8, hidden=12, sources=2):
        super().__init__()
        self.sources = sources
        self.encoder = nn.Conv1d(1, filters, 8, 4, bias=False)
        self.norm = nn.GroupNorm(1, filters, eps=1e-8)
        self.bottleneck = nn.Conv1d(filters, size, 1)
        self.blocks = nn.ModuleList(ConvBlock(size, hidden, 2 ** (i % 3)) for i in range(6))
        self.prelu = nn.PReLU()
        self.mask = nn.Conv1d(size, sources * filters, 1)
        self.decoder = nn.ConvTranspose1d(filters, 1, 8, 4, bias=False)

    def forward(self, x):
        encoded = F.relu(self.encoder(x))
        x = self.bottleneck(self.norm(encoded))
        skips = 0
        for block in self.blocks:
            x, skip = block(x)
            skips = skips + skip
        masks = torch.sigmoid(self.mask(self.prelu(skips)))
        masks = masks.view(self.sources, *encoded.shape[1:])
        return self.decoder(masks * encoded)
