// SPDX-License-Identifier: BSL-1.0
// Weights of few bits as kernels want them: the outputs of a block of columns lie side by side, word by word, and
// likewise their scales and zero points. Numbers are unsigned: signed bytes and 128.
#pragma once

#include "../graph/operators/linear.hpp"
#include "quad_packing.hpp"

namespace ctnn::ir {

namespace bit_detail {

/// Which of the weights a slot of the layer is: the scales and zero points lie alike.
constexpr bool is_by_block(const op::linear& p, int slot) { return slot > (p.bias ? 1 : 0); }

}  // namespace bit_detail

/// Words of four bytes that slot `slot` of a linear layer by a packed weight takes, outputs in blocks of `block`.
constexpr std::int64_t bit_count(const op::linear& p, int slot, const extents& shape, int block) {
  if (slot == 0) return multiple_of(shape[p.transposed ? 1 : 0], block) * shape[p.transposed ? 0 : 1] / 4;
  return bit_detail::is_by_block(p, slot) ? multiple_of(shape[0], block) * shape[1] : shape.count();
}

constexpr void pack_bits(const op::linear& p, int slot, const extents& shape, const float* from, float* to, int block) {
  const int outs = shape[slot == 0 && p.transposed ? 1 : 0];
  const std::int64_t depth = slot == 0 && p.transposed ? shape[0] : shape.rank > 1 ? shape[1] : 1;
  if (slot == 0) {
    const std::int64_t along = p.transposed ? outs : 1, across = p.transposed ? 1 : depth;
    for (int first = 0; first < outs; first += block)
      for (std::int64_t k = 0; k < depth; ++k)
        for (int c = first; c < first + block; c += 4) {
          byte_detail::quad words{};
          for (int i = 0; i < 4 && c + i < outs; ++i)
            words[static_cast<std::size_t>(i)] = byte_detail::flipped(
                byte_detail::byte_of(from, k * along + (c + i) * across), p.weight.type == dtype::i8);
          byte_detail::put(words, to++);
        }
    return;
  }
  if (!bit_detail::is_by_block(p, slot)) {
    for (std::int64_t i = 0; i < shape.count(); ++i) to[i] = from[i];
    return;
  }
  const float more = slot == (p.bias ? 3 : 2) && p.weight.type == dtype::i8 ? 128.0f : 0.0f;  // of zero points
  for (int first = 0; first < outs; first += block)
    for (std::int64_t b = 0; b < depth; ++b)
      for (int c = first; c < first + block; ++c) *to++ = c < outs ? from[c * depth + b] + more : 0.0f;
}

/// Number k of a row as it lies in the file, unsigned: `words` are those of the weight of a layer.
constexpr int packed_number(const op::weight_element& e, const float* words, std::int64_t row_words, std::int64_t row,
                            std::int64_t k) {
  const int in_word = 8 / e.bits, shift = static_cast<int>(k % in_word) * e.bits;
  const auto word = static_cast<std::uint8_t>(byte_detail::byte_of(words, row * row_words + k / in_word));
  return word >> shift & ((1 << e.bits) - 1);
}

}  // namespace ctnn::ir
