# SPDX-License-Identifier: BSL-1.0
"""PyTorch's side of series.cpp: networks of words, of numbers over time, and of points."""
import math

import torch
from torch import nn
from torch.nn import functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.c_attn = nn.Linear(size, 3 * size)
        self.c_proj = nn.Linear(size, size)

    def forward(self, x):
        q, k, v = self.c_attn(x).unflatten(1, (3, self.heads, -1)).permute(1, 2, 0, 3)
        scores = q @ k.transpose(1, 2) / math.sqrt(k.shape[2])
        scores = scores.masked_fill(torch.ones_like(scores).triu(1) > 0, -math.inf)
        y = F.softmax(scores, 2) @ v
        return self.c_proj(y.transpose(0, 1).flatten(1))


class Mlp(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.c_fc = nn.Linear(size, 4 * size)
        self.c_proj = nn.Linear(4 * size, size)

    def forward(self, x):
        return self.c_proj(F.gelu(self.c_fc(x), approximate="tanh"))


class GptBlock(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.ln_1 = nn.LayerNorm(size)
        self.attn = CausalSelfAttention(size, heads)
        self.ln_2 = nn.LayerNorm(size)
        self.mlp = Mlp(size)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class Gpt(nn.Module):
    """Radford et al. 2019, with GPT-2's names."""
    def __init__(self, words=50, length=9, size=24, heads=3, layers=2):
        super().__init__()
        self.wte = nn.Embedding(words, size)
        self.wpe = nn.Embedding(length, size)
        self.h = nn.ModuleList(GptBlock(size, heads) for _ in range(layers))
        self.ln_f = nn.LayerNorm(size)
        self.lm_head = nn.Linear(size, words, bias=False)
        self.lm_head.weight = self.wte.weight

    def forward(self, ids):
        x = self.wte(ids) + self.wpe(torch.arange(len(ids)))
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x))


class DeepAr(nn.Module):
    """Salinas et al. 2017: of series and what is known beside them the mean and deviation of what comes next."""
    def __init__(self, series=50, hidden=12):
        super().__init__()
        self.embedding = nn.Embedding(series, 4)
        self.lstm = nn.LSTM(4 + 1 + 3, hidden, 2, batch_first=True)
        self.mu = nn.Linear(hidden, 1)
        self.sigma = nn.Linear(hidden, 1)

    def forward(self, target, covariates, ids):
        scale = 1 + target.abs().mean(1, keepdim=True)
        lagged = (target / scale).unsqueeze(2)
        static = self.embedding(ids).unsqueeze(1).expand(-1, target.shape[1], -1)
        y, _ = self.lstm(torch.cat([static, lagged, covariates], 2))
        mean = self.mu(y).squeeze(2) * scale
        deviation = F.softplus(self.sigma(y)).squeeze(2) * scale
        return mean, deviation


class TNet(nn.Module):
    """A matrix that turns points."""
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.conv1 = nn.Conv1d(size, 16, 1)
        self.bn1 = nn.BatchNorm1d(16)
        self.conv2 = nn.Conv1d(16, 32, 1)
        self.bn2 = nn.BatchNorm1d(32)
        self.fc1 = nn.Linear(32, 16)
        self.bn3 = nn.BatchNorm1d(16)
        self.fc2 = nn.Linear(16, size * size)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = F.relu(self.bn2(self.conv2(x)))
        x = F.relu(self.bn3(self.fc1(x.amax(2))))
        return self.fc2(x).view(-1, self.size, self.size) + torch.eye(self.size)


class PointNet(nn.Module):
    """Qi et al. 2017: what a set of points shows."""
    def __init__(self, classes=10):
        super().__init__()
        self.tnet1 = TNet(3)
        self.conv1 = nn.Conv1d(3, 8, 1)
        self.bn1 = nn.BatchNorm1d(8)
        self.tnet2 = TNet(8)
        self.conv2 = nn.Conv1d(8, 16, 1)
        self.bn2 = nn.BatchNorm1d(16)
        self.conv3 = nn.Conv1d(16, 48, 1)
        self.bn3 = nn.BatchNorm1d(48)
        self.fc1 = nn.Linear(48, 24)
        self.bn4 = nn.BatchNorm1d(24)
        self.fc2 = nn.Linear(24, classes)

    def forward(self, x):
        x = self.tnet1(x).transpose(1, 2) @ x
        x = F.relu(self.bn1(self.conv1(x)))
        x = self.tnet2(x).transpose(1, 2) @ x
        x = F.relu(self.bn2(self.conv2(x)))
        x = self.bn3(self.conv3(x)).amax(2)
        x = F.relu(self.bn4(self.fc1(x)))
        return F.log_softmax(self.fc2(x), 1)
