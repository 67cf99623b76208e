// SPDX-License-Identifier: BSL-1.0
// Weights and inputs for architectures that are published without: the numbers that shared/models/tools makes, made
// here.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ctnn/formats/ncnn/parameter_reader.hpp>

namespace ctnn::ir::test {

/// The k-th number, in [-0.5, 0.5).
inline double synthetic_number(std::uint32_t k) {
  std::uint32_t h = k * 0x9E3779B1u;
  h ^= h >> 15;
  h *= 0x85EBCA77u;
  h ^= h >> 13;
  return static_cast<double>(h >> 8) / 16777216.0 - 0.5;
}

inline std::vector<float> synthetic_input(std::size_t n) {
  std::vector<float> out(n);
  for (std::size_t i = 0; i < n; ++i)
    out[i] = static_cast<float>(synthetic_number(0x10000000u + static_cast<std::uint32_t>(i)) * 2);
  return out;
}

/// By way of pointers, as is what writes the weights: hundreds of megabytes, and tests are not optimised.
inline std::uint32_t crc32(std::span<const std::byte> bytes) {
  std::uint32_t table[256];
  for (std::uint32_t i = 0; i < 256; ++i) {
    table[i] = i;
    for (int k = 0; k < 8; ++k) table[i] = (table[i] >> 1) ^ (table[i] & 1 ? 0xEDB88320u : 0u);
  }
  std::uint32_t c = 0xFFFFFFFFu;
  const std::byte* const end = bytes.data() + bytes.size();
  for (const std::byte* b = bytes.data(); b != end; ++b)
    c = table[(c ^ static_cast<std::uint32_t>(*b)) & 0xFFu] ^ (c >> 8);
  return ~c;
}

/// A weight file for every layer of an architecture, spread so that values neither grow nor vanish.
class synthetic_weights {
 public:
  explicit synthetic_weights(const ncnn::param_file& file) {
    for (const ncnn::layer& l : file.layers) add(l.type, ncnn::parameter_reader(file, l));
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  void add(const std::string& type, const ncnn::parameter_reader& p) {
    if (type.starts_with("Convolution") || type.starts_with("Deconvolution")) {
      const int out = p.int_or(0, 0), size = p.int_or(6, 0), fan = size / out;
      tag();
      put(size, std::sqrt((fan > 16 ? 6.0 : 3.0) / (fan > 1 ? fan : 1)) * 0.85);
      if (p.int_or(5, 0)) put(out, 0.05);
    } else if (type == "InnerProduct") {
      const int out = p.int_or(0, 0), size = p.int_or(2, 0), fan = size / out;
      tag();
      put(size, std::sqrt(3.0 / (fan > 1 ? fan : 1)));
      if (p.int_or(1, 0)) put(out, 0.05);
    } else if (type == "BatchNorm") {
      const int n = p.int_or(0, 0);
      put(n, 0.1, 1.0);   // slope
      put(n, 0.05);       // mean
      put(n, 0.25, 1.0);  // variance
      put(n, 0.05);       // bias
    } else if (type == "Scale") {
      const int n = p.int_or(0, 0);
      if (n == -233) return;
      put(n, 0.1, 1.0);
      if (p.int_or(1, 0)) put(n, 0.05);
    } else if (type == "PReLU") {
      put(p.int_or(0, 0), 0.05, 0.25);
    } else if (type == "LayerNorm") {
      const int n = p.int_or(0, 0);
      if (!p.int_or(2, 1)) return;
      put(n, 0.1, 1.0);
      put(n, 0.05);
    } else if (type == "MultiHeadAttention") {
      const int embed = p.int_or(0, 0), size = p.int_or(2, 0), query = size / embed;
      for (const int from : {query, p.int_or(3, embed), p.int_or(4, embed)}) {
        tag();
        put(from * embed, std::sqrt(3.0 / from));
        put(embed, 0.05);
      }
      tag();
      put(size, std::sqrt(3.0 / embed));
      put(query, 0.05);
    } else if (type == "LSTM") {
      const int out = p.int_or(0, 0), size = p.int_or(1, 0), directions = p.int_or(2, 0) == 2 ? 2 : 1;
      tag(), put(size, std::sqrt(3.0 * 4 * out * directions / size));
      tag(), put(4 * out * directions, 0.05);
      tag(), put(4 * out * out * directions, std::sqrt(3.0 / out));
    } else if (type == "Gemm") {
      const int rows = p.int_or(7, 0), columns = p.int_or(8, 0), depth = p.int_or(9, 0), kind = p.int_or(10, 0);
      const double spread = std::sqrt(3.0 / (depth > 1 ? depth : 1));
      if (p.int_or(4, 0)) tag(), put(rows * depth, spread);
      if (p.int_or(5, 0)) tag(), put(columns * depth, spread);
      const int sums[] = {1, rows, rows, rows * columns, columns};
      if (p.int_or(6, 0) && kind != -1) tag(), put(sums[kind], 0.05);
    } else if (type == "MemoryData") {
      int n = 1;
      for (int id : {0, 1, 11, 2}) n *= p.int_or(id, 0) ? p.int_or(id, 0) : 1;
      put(n, 0.1);
    }
  }
  void tag() { bytes_.resize(bytes_.size() + 4); }
  void put(int n, double scale, double offset = 0) {
    const std::size_t before = bytes_.size();
    bytes_.resize(before + 4 * static_cast<std::size_t>(n));
    std::byte* to = bytes_.data() + before;
    for (int i = 0; i < n; ++i, to += 4) {
      const auto word = std::bit_cast<std::uint32_t>(static_cast<float>(synthetic_number(k_++) * 2 * scale + offset));
      for (unsigned b = 0; b < 4; ++b) to[b] = static_cast<std::byte>(word >> 8 * b & 0xFFu);
    }
  }

  std::uint32_t k_ = 0;
  std::vector<std::byte> bytes_;
};

}  // namespace ctnn::ir::test
