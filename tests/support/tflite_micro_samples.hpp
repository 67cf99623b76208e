// SPDX-License-Identifier: BSL-1.0
// Small .tflite files of what TensorFlow Lite Micro has kernels for: activations of 16 bits, weights of 4, bounds of an
// lstm's cell, a gather from each of a batch.
#pragma once

#include "tflite_samples.hpp"

namespace ctnn::ir::test::tflite_bytes {

inline std::vector<sample> micro_samples() {
  std::vector<sample> all;
  const auto add = [&](const std::string& name, const std::function<void(sample&)>& make) {
    all.emplace_back().name = name;
    make(all.back());
  };
  const shape image{1, 5, 6, 4};
  const scales of{{0.0003f}, {0}}, other{{0.0002f}, {0}}, to{{0.0004f}, {0}}, curve{{1.0f / 32768}, {0}};
  const auto bias = [](sample& s, int n) {
    std::vector<std::int64_t> v;
    for (const float x : some(static_cast<std::size_t>(n), 9)) v.push_back(static_cast<std::int64_t>(x * 3e6f));
    return s.tensor("b", i64, {n}, {{0.0003f * 0.02f}, {0}}, raws(v));
  };
  const scales three{{0.01f, 0.02f, 0.03f}, {0, 0, 0}, 0};
  add("CONV_2D_i16", [&](sample& s) {
    const int w = s.tensor("w", i8, {3, 3, 3, 4}, three, some_bytes(108, 1, -127));
    s.op("CONV_2D", {s.in(image, i16, of), w, bias(s, 3)}, {s.out({1, 3, 3, 3}, i16, {{0.002f}, {0}})}, conv(0, 2, 1));
  });
  add("CONV_2D_i16_one_channel", [&](sample& s) {
    const int w = s.tensor("w", i8, {6, 3, 2, 1}, {{0.01f}, {0}}, some_bytes(36, 2, -127));
    s.op("CONV_2D", {s.in({2, 7, 6, 1}, i16, of), w}, {s.out({2, 3, 4, 6}, i16, {{0.001f}, {0}})}, conv(1, 1, 0, 2));
  });
  add("DEPTHWISE_CONV_2D_i16", [&](sample& s) {
    const int w =
        s.tensor("w", i8, {1, 3, 3, 4}, {{0.01f, 0.02f, 0.03f, 0.015f}, {0, 0, 0, 0}, 3}, some_bytes(36, 1, -127));
    s.op("DEPTHWISE_CONV_2D", {s.in(image, i16, of), w, bias(s, 4)}, {s.out(image, i16, {{0.0013f}, {0}})},
         depthwise(0, 1, 1));
  });
  for (const bool each : {false, true})
    add(each ? "FULLY_CONNECTED_i16_each" : "FULLY_CONNECTED_i16", [&](sample& s) {
      const int w = s.tensor("w", i8, {3, 24}, each ? three : scales{{0.02f}, {0}}, some_bytes(72, 1, -127));
      s.op("FULLY_CONNECTED", {s.in({2, 24}, i16, of), w, bias(s, 3)}, {s.out({2, 3}, i16, {{0.003f}, {0}})},
           {{0, byte(0)}});
    });
  for (const char* op : {"ADD", "SUB", "MUL"})
    add(op + std::string("_i16"), [&](sample& s) {
      s.op(op, {s.in(image, i16, of), s.in(image, i16, other)}, {s.out(image, i16, to)},
           {{0, byte(op[0] == 'A' ? 1 : 0)}});
    });
  const auto wide = [&](const std::string& name, std::string_view op, const scales& from, const scales& as,
                        const options& o = {}, shape in = {}, shape out = {}) {
    add(name, [&](sample& s) {
      const shape x = in.empty() ? image : in;
      s.op(op, {s.in(x, i16, from)}, {s.out(out.empty() ? x : out, i16, as)}, o);
    });
  };
  wide("AVERAGE_POOL_2D_i16", "AVERAGE_POOL_2D", of, of, pool(0, 2, 3), {}, {1, 3, 3, 4});
  wide("MAX_POOL_2D_i16", "MAX_POOL_2D", of, of, pool(1, 2, 2, 3), {}, {1, 2, 3, 4});
  wide("SOFTMAX_i16", "SOFTMAX", of, curve, {{0, real(0.7f)}}, {3, 7});
  wide("SOFTMAX_i16_many", "SOFTMAX", {{0.0001f}, {0}}, curve, {{0, real(1)}}, {2, 300});
  wide("LOGISTIC_i16", "LOGISTIC", of, curve);
  wide("LOGISTIC_i16_power", "LOGISTIC", {{1.0f / 4096}, {0}}, curve, {}, {3, 100});
  wide("TANH_i16", "TANH", of, curve, {}, {3, 100});
  wide("TANH_i16_power", "TANH", {{1.0f / 2048}, {0}}, curve);
  wide("LEAKY_RELU_i16", "LEAKY_RELU", of, to, {{0, real(0.3f)}});
  wide("QUANTIZE_i16_i16", "QUANTIZE", of, {{0.00011f}, {0}});
  add("QUANTIZE_i16", [&](sample& s) { s.op("QUANTIZE", {s.in({4, 9})}, {s.out({4, 9}, i16, {{1.0f / 1024}, {0}})}); });
  add("QUANTIZE_i16_i8", [&](sample& s) {
    s.op("QUANTIZE", {s.in({4, 9}, i16, of)}, {s.out({4, 9}, i8, {{0.07f}, {5}})});
  });
  add("QUANTIZE_i8_i16", [&](sample& s) {
    s.op("QUANTIZE", {s.in({4, 9}, i8, {{0.07f}, {5}})}, {s.out({4, 9}, i16, of)});
  });
  add("QUANTIZE_i32_i8", [&](sample& s) {
    s.op("QUANTIZE", {s.in({4, 9}, i32, {{0.2f}, {0}})}, {s.out({4, 9}, i8, {{0.07f}, {5}})});
  });
  add("DEQUANTIZE_i16", [&](sample& s) { s.op("DEQUANTIZE", {s.in({4, 9}, i16, of)}, {s.out({4, 9})}); });
  add("TRANSPOSE_CONV_i16", [&](sample& s) {
    const int w = s.tensor("w", i8, {3, 3, 3, 4}, three, some_bytes(108, 4, -127));
    const shape from{s.whole({4}, {1, 10, 12, 3}), w, s.in(image, i16, of), bias(s, 3)};
    s.op("TRANSPOSE_CONV", from, {s.out({1, 10, 12, 3}, i16, {{0.002f}, {0}})},
         {{0, byte(0)}, {1, integer(2)}, {2, integer(2)}});
  });
  add("PAD_i16", [&](sample& s) {
    s.op("PAD", {s.in({2, 3}, i16, of), s.whole({2, 2}, {1, 0, 0, 2})}, {s.out({3, 5}, i16, of)});
  });
  add("CONCATENATION_i16", [&](sample& s) {
    s.op("CONCATENATION", {s.in({2, 3}, i16, of), s.in({2, 4}, i16, of)}, {s.out({2, 7}, i16, of)}, {{0, integer(1)}});
  });
  add("MAXIMUM_i16", [&](sample& s) {
    s.op("MAXIMUM", {s.in({2, 3}, i16, of), s.in({3}, i16, of)}, {s.out({2, 3}, i16, of)});
  });

  // Weights of 4 bits.
  const scales byte_of{{0.05f}, {3}};
  const auto narrow_bias = [](sample& s, int n) {
    return s.tensor("b", i32, {n}, {{0.01f}, {0}},
                    raws(some_numbers<std::int32_t>(static_cast<std::size_t>(n), 5, 900)));
  };
  add("CONV_2D_i4", [&](sample& s) {
    const int w = s.tensor("w", i4, {3, 3, 3, 4}, {{0.2f, 0.3f, 0.1f}, {0, 0, 0}, 0}, some_bytes(54, 1));
    s.op("CONV_2D", {s.in(image, i8, byte_of), w, narrow_bias(s, 3)}, {s.out({1, 3, 3, 3}, i8, {{0.3f}, {-20}})},
         conv(0, 2));
  });
  add("DEPTHWISE_CONV_2D_i4", [&](sample& s) {
    const int w = s.tensor("w", i4, {1, 3, 3, 4}, {{0.2f, 0.3f, 0.1f, 0.2f}, {0, 0, 0, 0}, 3}, some_bytes(18, 2));
    s.op("DEPTHWISE_CONV_2D", {s.in(image, i8, byte_of), w, narrow_bias(s, 4)}, {s.out(image, i8, {{0.2f}, {-20}})},
         depthwise(0, 1, 1));
  });
  add("FULLY_CONNECTED_i4", [&](sample& s) {
    const int w = s.tensor("w", i4, {3, 25}, {{0.2f}, {0}}, some_bytes(38, 3));  // the last byte has one number
    s.op("FULLY_CONNECTED", {s.in({2, 25}, i8, byte_of), w, narrow_bias(s, 3)}, {s.out({2, 3}, i8, {{0.3f}, {11}})},
         {{0, byte(0)}});
  });

  for (const float clip : {0.25f, 10.0f}) {
    const std::string name = clip > 1 ? "_as_keras" : "";
    add("UNIDIRECTIONAL_SEQUENCE_LSTM_cell_clip" + name, [&](sample& s) { lstm_of_floats(s, false, clip); });
    add("UNIDIRECTIONAL_SEQUENCE_LSTM_i8_cell_clip" + name, [&](sample& s) {
      lstm_of_bytes(s, false, clip);
      s.steps = clip > 1 ? 1 : 0;  // its curves are not those of the interpreter, whose bytes ctnn has
    });
  }
  add("GATHER_batch", [&](sample& s) {
    s.op("GATHER", {s.in({2, 3, 4}), s.whole({2, 2}, {2, 0, 1, 1})}, {s.out({2, 2, 4})},
         {{0, integer(1)}, {1, integer(1)}});
  });
  add("GATHER_batch_inner_axis", [&](sample& s) {
    s.op("GATHER", {s.in({2, 3, 4}), s.whole({2, 2}, {3, 0, 1, 1})}, {s.out({2, 3, 2})},
         {{0, integer(-1)}, {1, integer(-1)}});
  });
  return all;
}

}  // namespace ctnn::ir::test::tflite_bytes
