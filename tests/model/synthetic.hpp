// SPDX-License-Identifier: BSL-1.0
// Weights and inputs for architectures that are published without: the numbers that shared/models/tools makes, made
// here.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ctnn/formats/ncnn/parameter_reader.hpp>

#include "synthetic_numbers.hpp"

namespace ctnn::ir::test {

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
    write_synthetic(k_, scale, offset, std::span(bytes_).subspan(before));
    k_ += static_cast<std::uint32_t>(n);
  }

  std::uint32_t k_ = 0;
  std::vector<std::byte> bytes_;
};

}  // namespace ctnn::ir::test
