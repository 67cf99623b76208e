// SPDX-License-Identifier: BSL-1.0
// lstm of bytes: sums of 32 bits, each rounded twice, gates and c of 16 bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>

#include "../../graph/operators/recurrent.hpp"
#include "../fixed_curves.hpp"
#include "dispatch.hpp"

CTNN_BEGIN_LOOPS
namespace ctnn::ir::typed {

/// One sequence's steps, unit by unit.
class lstm_of_bytes {
 public:
  lstm_of_bytes(const op::lstm& p, const arguments& a, scratch_memory memory)
      : hidden_(p.hidden),
        in_(p.sizes_of(a.in[0].shape).in),
        cell_bits_(op::lstm::cell_bits(a.made(2).real)),
        cell_bound_(bound_of_cell(p.cell_clip, a.made(2).real)),
        input_zero_(a.of(0).real.zero),
        state_zero_(a.made(1).real.zero),
        result_zero_(a.made().real.zero),
        input_weight_(bytes_of(a.weights[0])),
        state_weight_(bytes_of(a.weights[1])),
        bias_(static_cast<const std::int32_t*>(static_cast<const void*>(a.weights[2]))),
        gates_(memory.take<std::int16_t>(std::int64_t{4} * p.hidden).data()),
        // Ratios of scales are floats.
        to_result_(static_cast<double>(static_cast<float>(std::ldexp(1.0, -30) / a.made().real.scale))) {
    for (std::size_t g = 0; g < 4; ++g) {
      of_input_[g] = factor(a.weights[3][g], a.of(0).real.scale);
      of_state_[g] = factor(a.weights[4][g], a.made(1).real.scale);
    }
  }
  /// h and c of the step before become those of this one.
  void step(const std::int8_t* x, std::int8_t* h, std::int16_t* c) const {
    const int hidden = hidden_;
    for (int r = 0; r < 4 * hidden; ++r) {
      const auto g = static_cast<std::size_t>(r / hidden);
      const std::int32_t of_x = sum(input_weight_ + std::int64_t{r} * in_, x, in_, input_zero_, bias_[r]),
                         of_h = sum(state_weight_ + std::int64_t{r} * hidden, h, hidden, state_zero_, 0);
      const std::int32_t first = gate(of_input_[g].of(of_x));
      const std::int32_t both = gate(std::int64_t{of_state_[g].of(of_h)} + first);
      gates_[r] = static_cast<std::int16_t>(g == 2 ? fixed_tanh(both, 3) : fixed_sigmoid(both, 3));
    }
    const std::int16_t *i = gates_, *f = i + hidden, *g = f + hidden, *o = g + hidden;
    for (int k = 0; k < hidden; ++k) {
      const std::int32_t kept = fixed_detail::shifted_right(f[k] * c[k], 15),
                         added = fixed_detail::shifted_right(i[k] * g[k], 15 + cell_bits_);
      c[k] = static_cast<std::int16_t>(std::clamp(kept + added, cell_bound_.low, cell_bound_.high));
      const std::int32_t y = to_result_.of(o[k] * fixed_tanh(c[k], cell_bits_)) + result_zero_;
      h[k] = static_cast<std::int8_t>(std::clamp(y, std::int32_t{-128}, std::int32_t{127}));
    }
  }

 private:
  static const std::int8_t* bytes_of(const float* slot) {
    return static_cast<const std::int8_t*>(static_cast<const void*>(slot));
  }
  struct bounds {
    std::int32_t low = -32768, high = 32767;
  };
  /// Steps of c below the bound, as TensorFlow Lite cuts them off.
  static bounds bound_of_cell(float clip, const quantization& c) {
    if (!(clip > 0)) return {};
    const auto steps = static_cast<std::int32_t>(std::min(static_cast<double>(clip) / c.scale, 32767.0));
    return {-steps, steps};
  }
  static std::int32_t gate(std::int64_t x) {
    return static_cast<std::int32_t>(std::clamp(x, std::int64_t{-32768}, std::int64_t{32767}));
  }
  /// Of sums of products to gates, which have 12 bits behind the point.
  static twice_rounded_factor factor(float weight, double scale) {
    return twice_rounded_factor(static_cast<double>(weight * static_cast<float>(scale) * 4096.0f));
  }
  static std::int32_t sum(const std::int8_t* w, const std::int8_t* x, int n, int zero, std::int32_t bias) {
    auto all = static_cast<std::uint32_t>(bias);  // wraps around
    for (int k = 0; k < n; ++k) all += static_cast<std::uint32_t>(w[k] * (x[k] - zero));
    return static_cast<std::int32_t>(all);
  }

  int hidden_, in_, cell_bits_;
  bounds cell_bound_;
  int input_zero_, state_zero_, result_zero_;
  const std::int8_t *input_weight_, *state_weight_;
  const std::int32_t* bias_;
  std::int16_t* gates_;
  twice_rounded_factor of_input_[4], of_state_[4], to_result_;
};

inline void run_bytes(const op::lstm& p, const arguments& a, scratch_memory memory) {
  const auto s = p.sizes_of(a.in[0].shape);
  const lstm_of_bytes layer(p, a, memory);
  const auto* x = elements<std::int8_t>(a.in[0]);
  auto *y = elements<std::int8_t>(a.out[0]), *h = elements<std::int8_t>(a.out[1]);
  auto* c = elements<std::int16_t>(a.out[2]);
  const std::int64_t states = std::int64_t{s.batch} * p.hidden;
  if (a.in.size() == 3) {
    // The states after may lie over those before.
    std::memmove(h, a.in[1].data, static_cast<std::size_t>(states));
    std::memmove(c, a.in[2].data, static_cast<std::size_t>(states) * sizeof *c);
  } else {
    std::fill_n(h, states, static_cast<std::int8_t>(a.made(1).real.zero));
    std::fill_n(c, states, std::int16_t{0});
  }
  for (int b = 0; b < s.batch; ++b)
    for (int t = 0; t < s.length; ++t) {
      const std::int64_t at = p.batch_first ? std::int64_t{b} * s.length + t : std::int64_t{t} * s.batch + b;
      std::int8_t* const now = h + std::int64_t{b} * p.hidden;
      layer.step(x + at * s.in, now, c + std::int64_t{b} * p.hidden);
      std::copy_n(now, p.hidden, y + at * p.hidden);
    }
}

}  // namespace ctnn::ir::typed
CTNN_END_LOOPS
