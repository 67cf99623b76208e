// SPDX-License-Identifier: BSL-1.0
// A stack of WaveNet's gated layers (van den Oord et al. 2016), dilations doubled from layer to layer, as models of
// amplifiers and effects have it. Nothing is padded: a stream's first samples, as many as the windows reach over, have
// no counterpart in the whole (ctnn::stream_delay).
#pragma once

#include <ctnn/ctnn.hpp>

namespace networks {

namespace nn = ctnn;

/// Without its first samples, as layers without padding leave it.
constexpr nn::value last_samples(nn::graph& m, nn::value x, int dropped) {
  return m.slice(x, {.dim = 1, .start = dropped, .end = 1 << 30});
}

/// Length samples of one channel to Length - 15 of one.
template <int Length, int Channels = 16>
struct wavenet : nn::declared<wavenet<Length, Channels>> {
  static constexpr auto forward(nn::graph& m) {
    auto x = m.conv1d("first", m.input("x", {1, Length}), {.out = Channels, .kernel = 1});
    nn::value skips;
    for (int i = 0; i < 4; ++i) {
      const auto scope = m.scope("layers", i);
      const int dilation = 1 << i;
      const auto filter = m.conv1d("filter", x, {.out = Channels, .kernel = 2, .dilation = dilation});
      const auto gate = m.conv1d("gate", x, {.out = Channels, .kernel = 2, .dilation = dilation});
      const auto gated = m.tanh(filter) * m.sigmoid(gate);
      skips = i == 0 ? gated : last_samples(m, skips, dilation) + gated;
      if (i < 3) x = m.conv1d("mix", gated, {.out = Channels, .kernel = 1}) + last_samples(m, x, dilation);
    }
    return m.conv1d("last", m.relu(skips), {.out = 1, .kernel = 1});
  }
};

}  // namespace networks
