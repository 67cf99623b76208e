# SPDX-License-Identifier: BSL-1.0
"""PyTorch's side of images.cpp: networks of images."""
import math

import torch
from torch import nn
from torch.nn import functional as F


class SqueezeExcite(nn.Module):
    def __init__(self, channels, reduced):
        super().__init__()
        self.conv_reduce = nn.Conv2d(channels, reduced, 1)
        self.conv_expand = nn.Conv2d(reduced, channels, 1)

    def forward(self, x):
        gate = F.silu(self.conv_reduce(F.adaptive_avg_pool2d(x, 1)))
        return x * torch.sigmoid(self.conv_expand(gate))


class InvertedResidual(nn.Module):
    def __init__(self, inputs, outputs, expand, kernel, stride):
        super().__init__()
        wide = inputs * expand
        self.conv_pw = nn.Conv2d(inputs, wide, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(wide)
        self.conv_dw = nn.Conv2d(wide, wide, kernel, stride, kernel // 2, groups=wide, bias=False)
        self.bn2 = nn.BatchNorm2d(wide)
        self.se = SqueezeExcite(wide, inputs // 4)
        self.conv_pwl = nn.Conv2d(wide, outputs, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(outputs)
        self.has_skip = stride == 1 and inputs == outputs

    def forward(self, x):
        y = F.silu(self.bn1(self.conv_pw(x)))
        y = F.silu(self.bn2(self.conv_dw(y)))
        y = self.bn3(self.conv_pwl(self.se(y)))
        return x + y if self.has_skip else y


class EfficientNet(nn.Module):
    """Tan and Le 2019, with timm's names."""
    def __init__(self, classes=10):
        super().__init__()
        self.conv_stem = nn.Conv2d(3, 8, 3, 2, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(8)
        self.blocks = nn.ModuleList()
        inputs = 8
        for expand, outputs, times, kernel, stride in [(1, 8, 1, 3, 1), (6, 12, 2, 3, 2), (6, 16, 3, 5, 2)]:
            for i in range(times):
                self.blocks.append(InvertedResidual(inputs, outputs, expand, kernel, 1 if i else stride))
                inputs = outputs
        self.conv_head = nn.Conv2d(inputs, 48, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(48)
        self.classifier = nn.Linear(48, classes)

    def forward(self, x):
        x = F.silu(self.bn1(self.conv_stem(x)))
        for block in self.blocks:
            x = block(x)
        x = F.silu(self.bn2(self.conv_head(x)))
        return self.classifier(F.adaptive_avg_pool2d(x, 1).flatten(1))


class ConvNextBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.dwconv = nn.Conv2d(channels, channels, 7, padding=3, groups=channels)
        self.norm = nn.LayerNorm(channels, eps=1e-6)
        self.pwconv1 = nn.Linear(channels, 4 * channels)
        self.pwconv2 = nn.Linear(4 * channels, channels)
        self.gamma = nn.Parameter(torch.full((channels,), 1e-6))

    def forward(self, x):
        y = self.dwconv(x).permute(0, 2, 3, 1)
        y = self.pwconv2(F.gelu(self.pwconv1(self.norm(y))))
        return x + (self.gamma * y).permute(0, 3, 1, 2)


class ChannelNorm(nn.LayerNorm):
    def forward(self, x):
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class ConvNext(nn.Module):
    """Liu et al. 2022, with its authors' names."""
    def __init__(self, classes=10, depths=(1, 2, 1), channels=(8, 16, 24)):
        super().__init__()
        stem = nn.Sequential(nn.Conv2d(3, channels[0], 4, 4), ChannelNorm(channels[0], eps=1e-6))
        self.downsample_layers = nn.ModuleList([stem])
        for narrow, wide in zip(channels, channels[1:]):
            layers = ChannelNorm(narrow, eps=1e-6), nn.Conv2d(narrow, wide, 2, 2)
            self.downsample_layers.append(nn.Sequential(*layers))
        self.stages = nn.ModuleList()
        for depth, width in zip(depths, channels):
            self.stages.append(nn.Sequential(*(ConvNextBlock(width) for _ in range(depth))))
        self.norm = nn.LayerNorm(channels[-1], eps=1e-6)
        self.head = nn.Linear(channels[-1], classes)

    def forward(self, x):
        for downsample, stage in zip(self.downsample_layers, self.stages):
            x = stage(downsample(x))
        return self.head(self.norm(x.mean((2, 3))))


class ResnetBlock(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.norm1 = nn.GroupNorm(4, inputs, eps=1e-6)
        self.conv1 = nn.Conv2d(inputs, outputs, 3, padding=1)
        self.norm2 = nn.GroupNorm(4, outputs, eps=1e-6)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1)
        self.conv_shortcut = nn.Conv2d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x):
        y = self.conv1(F.silu(self.norm1(x)))
        y = self.conv2(F.silu(self.norm2(y)))
        return self.conv_shortcut(x) + y


class SpatialAttention(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.group_norm = nn.GroupNorm(4, channels, eps=1e-6)
        self.to_q = nn.Linear(channels, channels)
        self.to_k = nn.Linear(channels, channels)
        self.to_v = nn.Linear(channels, channels)
        self.to_out = nn.Linear(channels, channels)

    def forward(self, x):
        y = self.group_norm(x).flatten(2).transpose(1, 2)
        scores = self.to_q(y) @ self.to_k(y).transpose(1, 2) / math.sqrt(y.shape[2])
        y = self.to_out(F.softmax(scores, 2) @ self.to_v(y))
        return x + y.transpose(1, 2).view(x.shape)


class VaeDecoder(nn.Module):
    """Of latent diffusion (Rombach et al. 2022): features to an image."""
    def __init__(self, channels=(16, 8)):
        super().__init__()
        self.post_quant_conv = nn.Conv2d(4, 4, 1)
        self.conv_in = nn.Conv2d(4, channels[0], 3, padding=1)
        self.mid_block1 = ResnetBlock(channels[0], channels[0])
        self.mid_attention = SpatialAttention(channels[0])
        self.mid_block2 = ResnetBlock(channels[0], channels[0])
        self.up_blocks = nn.ModuleList()
        self.upsamplers = nn.ModuleList()
        inputs = channels[0]
        for outputs in channels:
            self.up_blocks.append(nn.Sequential(ResnetBlock(inputs, outputs), ResnetBlock(outputs, outputs)))
            self.upsamplers.append(nn.Conv2d(outputs, outputs, 3, padding=1))
            inputs = outputs
        self.conv_norm_out = nn.GroupNorm(4, inputs, eps=1e-6)
        self.conv_out = nn.Conv2d(inputs, 3, 3, padding=1)

    def forward(self, x):
        x = self.conv_in(self.post_quant_conv(x))
        x = self.mid_block2(self.mid_attention(self.mid_block1(x)))
        for blocks, upsampler in zip(self.up_blocks, self.upsamplers):
            x = upsampler(F.interpolate(blocks(x), scale_factor=2))
        return self.conv_out(F.silu(self.conv_norm_out(x)))


class ResidualBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        return x + 0.1 * self.conv2(F.relu(self.conv1(x)))


class Edsr(nn.Module):
    """Lim et al. 2017: four times as high and wide."""
    def __init__(self, channels=12, blocks=3):
        super().__init__()
        self.register_buffer("mean", torch.zeros(3, 1, 1))
        self.head = nn.Conv2d(3, channels, 3, padding=1)
        self.body = nn.Sequential(*(ResidualBlock(channels) for _ in range(blocks)))
        self.body_end = nn.Conv2d(channels, channels, 3, padding=1)
        self.upsamplers = nn.ModuleList(nn.Conv2d(channels, 4 * channels, 3, padding=1) for _ in range(2))
        self.tail = nn.Conv2d(channels, 3, 3, padding=1)

    def forward(self, x):
        x = self.head(x - self.mean)
        x = x + self.body_end(self.body(x))
        for upsampler in self.upsamplers:
            x = F.pixel_shuffle(upsampler(x), 2)
        return self.tail(x) + self.mean


class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 5)
        self.conv2 = nn.Conv2d(8, 16, 3)
        self.fc = nn.Linear(256, 24)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return torch.sigmoid(self.fc(x.flatten(1)))


class Siamese(nn.Module):
    """Koch et al. 2015: do two images, of three pairs here, show the same?"""
    def __init__(self):
        super().__init__()
        self.tower = Tower()
        self.alike = nn.Linear(24, 1)

    def forward(self, left, right):
        return torch.sigmoid(self.alike(torch.abs(self.tower(left) - self.tower(right))))


class DuelingDqn(nn.Module):
    """Wang et al. 2016: of four frames what each action is worth."""
    def __init__(self, actions=6):
        super().__init__()
        self.conv1 = nn.Conv2d(4, 8, 8, 4)
        self.conv2 = nn.Conv2d(8, 16, 4, 2)
        self.conv3 = nn.Conv2d(16, 16, 3)
        self.value1 = nn.Linear(64, 32)
        self.value2 = nn.Linear(32, 1)
        self.advantage1 = nn.Linear(64, 32)
        self.advantage2 = nn.Linear(32, actions)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = F.relu(self.conv3(x)).flatten(1)
        value = self.value2(F.relu(self.value1(x)))
        advantage = self.advantage2(F.relu(self.advantage1(x)))
        return value + advantage - advantage.mean(1, keepdim=True)
