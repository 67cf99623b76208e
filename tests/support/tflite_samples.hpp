// SPDX-License-Identifier: BSL-1.0
// Small .tflite files: every operator of TensorFlow Lite that ctnn reads in one of its own, with numbers to feed it.
#pragma once

#include <algorithm>
#include <functional>

#include <ctnn/formats/onnx/messages.hpp>

#include "tflite_bytes.hpp"

namespace ctnn::ir::test::tflite_bytes {

/// Multiples of 1/32 in [-1, 1], the same every time.
inline std::vector<float> some(std::size_t n, unsigned seed = 1) {
  std::vector<float> out(n);
  for (float& x : out) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<float>(static_cast<int>(seed >> 16 & 63u) - 32) / 32;
  }
  return out;
}
inline std::string some_bytes(std::size_t n, unsigned seed = 1, int least = -128, int most = 127) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i) {
    seed = seed * 1664525u + 1013904223u;
    out += static_cast<char>(least + static_cast<int>(seed >> 12 & 0xffffu) % (most - least + 1));
  }
  return out;
}

/// Integers between -most and most.
template <class T>
std::vector<T> some_numbers(std::size_t n, unsigned seed, int most) {
  std::vector<T> out(n);
  for (T& x : out) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<T>(static_cast<int>(seed >> 4) % (most + 1) * (seed >> 3 & 1u ? 1 : -1));
  }
  return out;
}

/// One operator between inputs and outputs.
struct sample : subgraph {
  std::string name;
  shape ins, outs;
  std::vector<array> fed;
  std::vector<part> called;  ///< other subgraphs
  int steps = 0;             ///< that integers may be apart

  int runs = 1;  ///< of one interpreter, one after the other, each with numbers of its own

  int in(const shape& s, type t = f32, const scales& q = {}, unsigned seed = 0) {
    extents e;
    for (const std::int32_t d : s) e.push_back(d);
    fed.emplace_back(e, *onnx::element_type(tflite::element_of(t)));
    kinds.emplace_back(t, seed + static_cast<unsigned>(ins.size()) + 7);
    fed.back() = fed_in(0, fed.size() - 1);
    ins.push_back(tensor("in" + std::to_string(ins.size()), t, s, q));
    return ins.back();
  }
  /// What input i is fed in a run.
  array fed_in(int run, std::size_t i) const {
    array a = fed[i];
    const auto [t, first] = kinds[i];
    const unsigned seed = first + 100 * static_cast<unsigned>(run);
    if (t == f32) std::ranges::copy(some(a.size(), seed), a.values().begin());
    else if (t == i32)
      std::ranges::transform(some(a.size(), seed), a.elements<std::int32_t>().begin(),
                             [](float x) { return static_cast<int>(x * 16); });
    else if (t == boolean)
      std::ranges::transform(some(a.size(), seed), a.elements<std::uint8_t>().begin(), [](float x) { return x > 0; });
    else
      std::ranges::transform(some_bytes(a.size(), seed), a.bytes().begin(),
                             [](char c) { return static_cast<std::byte>(c); });
    return a;
  }
  int out(const shape& s, type t = f32, const scales& q = {}) {
    outs.push_back(tensor("out" + std::to_string(outs.size()), t, s, q));
    return outs.back();
  }
  std::string file() const { return finish(model(ins, outs, called)); }

  std::vector<std::pair<type, unsigned>> kinds;  ///< of the inputs, with a seed
};

using options = std::map<int, cell>;

/// A convolution's fields.
inline options conv(int padding, int stride, int activation = 0, int dilation = 1) {
  return {{0, byte(padding)},    {1, integer(stride)},   {2, integer(stride)},
          {3, byte(activation)}, {4, integer(dilation)}, {5, integer(dilation)}};
}
inline options depthwise(int padding, int stride, int multiplier, int activation = 0) {
  return {
      {0, byte(padding)}, {1, integer(stride)}, {2, integer(stride)}, {3, integer(multiplier)}, {4, byte(activation)}};
}
inline options pool(int padding, int stride, int size, int activation = 0) {
  return {{0, byte(padding)}, {1, integer(stride)}, {2, integer(stride)},
          {3, integer(size)}, {4, integer(size)},   {5, byte(activation)}};
}

/// What an operator leaves there for its next run, of three.
inline int state(sample& s, const shape& of, type t = f32, const scales& q = {}) {
  s.runs = 3;
  const int at = s.tensor("state", t, of, q);
  s.last_tensor()->fields[5] = flag(true);
  return at;
}
inline void lstm_of_floats(sample& s, bool time_major, float cell_clip = 0) {
  shape from(24, -1);
  from[0] = s.in({2, 3, 4});
  for (unsigned i = 1; i <= 4; ++i) from[i] = s.floats({5, 4}, some(20, i));
  for (unsigned i = 5; i <= 8; ++i) from[i] = s.floats({5, 5}, some(25, i));
  for (unsigned i = 12; i <= 15; ++i) from[i] = s.floats({5}, some(5, i));
  from[18] = state(s, {time_major ? 3 : 2, 5});
  from[19] = state(s, {time_major ? 3 : 2, 5});
  s.op("UNIDIRECTIONAL_SEQUENCE_LSTM", from, {s.out({2, 3, 5})},
       {{0, byte(4)}, {1, real(cell_clip)}, {3, flag(time_major)}});
}
inline void lstm_of_bytes(sample& s, bool time_major, float cell_clip = 0) {
  shape from(24, -1);
  const scales x{{0.03f}, {-7}}, h{{1.0f / 128}, {3}};
  from[0] = s.in({2, 3, 4}, i8, x);
  const auto weights = [&](std::size_t i, const shape& of, float scale) {
    const auto seed = static_cast<unsigned>(i);
    from[i] = s.tensor("w", i8, of, {{scale * static_cast<float>(i)}, {0}},
                       some_bytes(static_cast<std::size_t>(of[0] * of[1]), seed, -127));
  };
  for (std::size_t i = 1; i <= 4; ++i) weights(i, {5, 4}, 0.004f);
  for (std::size_t i = 5; i <= 8; ++i) weights(i, {5, 5}, 0.002f);
  for (std::size_t i = 12; i <= 15; ++i)
    from[i] =
        s.tensor("b", i32, {5}, {{0.0005f}, {0}}, raws(some_numbers<std::int32_t>(5, static_cast<unsigned>(i), 3000)));
  const std::int32_t batch = time_major ? 3 : 2;
  from[18] = state(s, {batch, 5}, i8, h);
  from[19] = state(s, {batch, 5}, i16, {{1.0f / 2048}, {0}});
  shape between;
  for (int i = 0; i < 5; ++i)
    between.push_back(s.tensor("between", i16, {1}, i == 4 ? scales{{1.0f / 128}, {0}} : scales{{1.0f}, {0}}));
  s.op("UNIDIRECTIONAL_SEQUENCE_LSTM", from, {s.out({2, 3, 5}, i8, h)},
       {{0, byte(4)}, {1, real(cell_clip)}, {3, flag(time_major)}});
  if (cell_clip == 0) s.last_operator()->fields[8] = numbers(between);
}

inline std::vector<sample> samples() {
  std::vector<sample> all;
  const auto add = [&](const std::string& name, const std::function<void(sample&)>& make) {
    all.emplace_back().name = name;
    make(all.back());
  };
  /// An operator with real inputs of these shapes and one real output.
  const auto plain = [&](const std::string& name, std::string_view op, const std::vector<shape>& in, const shape& to,
                         const options& o = {}, const std::vector<std::vector<int>>& numbers = {}) {
    add(name, [&](sample& s) {
      shape from;
      for (const shape& i : in) from.push_back(s.in(i));
      for (const std::vector<int>& n : numbers)
        from.push_back(s.whole({static_cast<int>(n.size())}, {n.begin(), n.end()}));
      s.op(op, from, {s.out(to)}, o);
    });
  };
  const shape image{1, 5, 6, 4};

  // Windows.
  for (const int padding : {0, 1})
    for (const int stride : {1, 2}) {
      const int h = padding == 0 ? (5 + stride - 1) / stride : (5 - 3) / stride + 1,
                w = padding == 0 ? (6 + stride - 1) / stride : (6 - 3) / stride + 1;
      const std::string end = std::string(padding == 0 ? "_same" : "_valid") + std::to_string(stride);
      add("CONV_2D" + end, [&](sample& s) {
        s.op("CONV_2D", {s.in(image), s.floats({3, 3, 3, 4}, some(108)), s.floats({3}, some(3))}, {s.out({1, h, w, 3})},
             conv(padding, stride, 3));
      });
      add("DEPTHWISE_CONV_2D" + end, [&](sample& s) {
        s.op("DEPTHWISE_CONV_2D", {s.in(image), s.floats({1, 3, 3, 8}, some(72)), s.floats({8}, some(8))},
             {s.out({1, h, w, 8})}, depthwise(padding, stride, 2, 1));
      });
      plain("AVERAGE_POOL_2D" + end, "AVERAGE_POOL_2D", {image}, {1, h, w, 4}, pool(padding, stride, 3));
      plain("MAX_POOL_2D" + end, "MAX_POOL_2D", {image}, {1, h, w, 4}, pool(padding, stride, 3, 2));
      const int back_h = padding == 0 ? 5 * stride : 4 * stride + 3,
                back_w = padding == 0 ? 6 * stride : 5 * stride + 3;
      add("TRANSPOSE_CONV" + end, [&](sample& s) {
        s.op("TRANSPOSE_CONV", {s.whole({4}, {1, back_h, back_w, 3}), s.floats({3, 3, 3, 4}, some(108)), s.in(image)},
             {s.out({1, back_h, back_w, 3})}, {{0, byte(padding)}, {1, integer(stride)}, {2, integer(stride)}});
      });
    }
  add("CONV_2D_dilated", [&](sample& s) {
    s.op("CONV_2D", {s.in(image), s.floats({2, 3, 3, 4}, some(72)), s.floats({2}, some(2))}, {s.out({1, 5, 6, 2})},
         conv(0, 1, 0, 2));
  });
  add("CONV_2D_small_weights", [&](sample& s) {  // read as the real numbers they stand for
    const int w = s.tensor("w", i8, {2, 1, 1, 4}, {{0.5f, 0.25f}, {0, 0}, 0}, some_bytes(8, 1, -4, 4));
    const int real = s.tensor("real", f32, {2, 1, 1, 4});
    s.op("DEQUANTIZE", {w}, {real});
    s.op("CONV_2D", {s.in(image), real, s.floats({2}, some(2))}, {s.out({1, 5, 6, 2})}, conv(0, 1));
  });
  plain("L2_POOL_2D", "L2_POOL_2D", {image}, {1, 2, 3, 4}, pool(1, 2, 2));
  add("FULLY_CONNECTED", [&](sample& s) {
    s.op("FULLY_CONNECTED", {s.in({2, 3, 2}), s.floats({5, 6}, some(30)), s.floats({5}, some(5))}, {s.out({2, 5})},
         {{0, byte(1)}});
  });
  add("FULLY_CONNECTED_keeps", [&](sample& s) {
    s.op("FULLY_CONNECTED", {s.in({2, 3, 2}), s.floats({5, 2}, some(10)), -1}, {s.out({2, 3, 5})}, {{2, flag(true)}});
  });
  plain("BATCH_MATMUL", "BATCH_MATMUL", {{2, 3, 4}, {2, 5, 4}}, {2, 3, 5}, {{1, flag(true)}});

  // Element by element.
  for (const char* op : {"ADD", "SUB", "MUL", "DIV"})
    plain(op, op, {{2, 3, 4}, {3, 1}}, {2, 3, 4}, {{0, byte(op[0] == 'A' ? 3 : 0)}});
  for (const char* op : {"MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE"}) plain(op, op, {{2, 3, 4}, {4}}, {2, 3, 4});
  plain("FLOOR_DIV", "FLOOR_DIV", {{2, 3, 4}, {2, 3, 4}}, {2, 3, 4});
  for (const char* op : {"FLOOR_DIV", "FLOOR_MOD", "MAXIMUM"})
    add(op + std::string("_i32"), [&](sample& s) {
      s.op(op, {s.in({2, 6}, i32), s.whole({6}, {1, -2, 3, 4, -5, 7})}, {s.out({2, 6}, i32)});
    });
  add("POW", [&](sample& s) { s.op("POW", {s.floats({3}, {0.5f, 2, 3}), s.in({2, 3})}, {s.out({2, 3})}); });
  for (const char* op : {"ABS", "NEG", "EXP", "SIN", "COS", "FLOOR", "CEIL", "ROUND", "LOGISTIC", "TANH", "RELU",
                         "RELU6", "RELU_N1_TO_1", "ELU", "HARD_SWISH", "SQUARE", "LOG_SOFTMAX", "L2_NORMALIZATION"})
    plain(op, op, {{2, 3, 4}}, {2, 3, 4});
  for (const char* op : {"SQRT", "LOG", "RSQRT"})
    add(op, [&](sample& s) {
      const int square = s.tensor("square", f32, {2, 5});
      s.op("ABS", {s.in({2, 5}, f32, {}, 3)}, {square});
      s.op(op, {square}, {s.out({2, 5})});
    });
  plain("LEAKY_RELU", "LEAKY_RELU", {{2, 3, 4}}, {2, 3, 4}, {{0, real(0.125f)}});
  plain("GELU", "GELU", {{2, 3, 4}}, {2, 3, 4}, {{0, flag(false)}});
  plain("SOFTMAX", "SOFTMAX", {{2, 3, 4}}, {2, 3, 4}, {{0, real(1)}});
  plain("SOFTMAX_beta", "SOFTMAX", {{2, 3, 4}}, {2, 3, 4}, {{0, real(0.5f)}});
  add("PRELU", [&](sample& s) { s.op("PRELU", {s.in(image), s.floats({1, 1, 4}, some(4))}, {s.out(image)}); });
  plain("LOCAL_RESPONSE_NORMALIZATION", "LOCAL_RESPONSE_NORMALIZATION", {image}, image,
        {{0, integer(1)}, {1, real(1)}, {2, real(0.5f)}, {3, real(0.75f)}});
  for (const char* op : {"EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"})
    add(op, [&](sample& s) { s.op(op, {s.in({2, 6}, i32), s.in({6}, i32, {}, 40)}, {s.out({2, 6}, boolean)}); });
  for (const char* op : {"LOGICAL_AND", "LOGICAL_OR"})
    add(op, [&](sample& s) { s.op(op, {s.in({2, 6}, boolean), s.in({2, 6}, boolean)}, {s.out({2, 6}, boolean)}); });
  add("LOGICAL_NOT", [&](sample& s) { s.op("LOGICAL_NOT", {s.in({2, 6}, boolean)}, {s.out({2, 6}, boolean)}); });
  add("SELECT", [&](sample& s) { s.op("SELECT", {s.in({3}, boolean), s.in({3, 2}), s.in({3, 2})}, {s.out({3, 2})}); });
  add("SELECT_V2", [&](sample& s) {
    s.op("SELECT_V2", {s.in({2}, boolean), s.in({3, 2}), s.in({3, 2})}, {s.out({3, 2})});
  });
  add("CAST", [&](sample& s) { s.op("CAST", {s.in({2, 6}, i32)}, {s.out({2, 6})}); });
  plain("ADD_N", "ADD_N", {{2, 3}, {2, 3}, {2, 3}}, {2, 3});

  // Movement.
  plain("RESHAPE", "RESHAPE", {{2, 3, 4}}, {4, 6}, {}, {{4, -1}});
  plain("RESHAPE_option", "RESHAPE", {{2, 3, 4}}, {4, 6}, {{0, numbers(std::vector<std::int32_t>{4, 6})}});
  plain("SQUEEZE", "SQUEEZE", {{1, 3, 1, 4}}, {3, 1, 4}, {{0, numbers(std::vector<std::int32_t>{0})}});
  plain("EXPAND_DIMS", "EXPAND_DIMS", {{3, 4}}, {3, 1, 4}, {}, {{-2}});
  plain("TRANSPOSE", "TRANSPOSE", {{2, 3, 4}}, {4, 2, 3}, {}, {{2, 0, 1}});
  plain("CONCATENATION", "CONCATENATION", {{2, 1, 3}, {2, 2, 3}}, {2, 3, 3}, {{0, integer(-2)}});
  plain("PACK", "PACK", {{2, 3}, {2, 3}}, {2, 2, 3}, {{0, integer(2)}, {1, integer(1)}});
  add("UNPACK", [&](sample& s) {
    s.op("UNPACK", {s.in({2, 2, 3})}, {s.out({2, 3}), s.out({2, 3})}, {{0, integer(2)}, {1, integer(1)}});
  });
  add("SPLIT", [&](sample& s) {
    s.op("SPLIT", {s.whole({}, {1}), s.in({2, 4, 3})}, {s.out({2, 2, 3}), s.out({2, 2, 3})}, {{0, integer(2)}});
  });
  add("SPLIT_V", [&](sample& s) {
    s.op("SPLIT_V", {s.in({2, 4, 3}), s.whole({2}, {1, -1}), s.whole({}, {1})}, {s.out({2, 1, 3}), s.out({2, 3, 3})},
         {{0, integer(2)}});
  });
  plain("SLICE", "SLICE", {{3, 4, 5}}, {2, 4, 2}, {}, {{1, 0, 2}, {2, -1, 2}});
  plain("STRIDED_SLICE", "STRIDED_SLICE", {{3, 4, 5}}, {2, 2, 2}, {{0, integer(0)}},
        {{1, -1, 4}, {3, -4, 0}, {1, -2, -2}});
  plain("STRIDED_SLICE_masks", "STRIDED_SLICE", {{3, 4, 5}}, {3, 3, 5},
        {{0, integer(1)}, {1, integer(5)}, {4, integer(2)}}, {{2, 1, 0}, {0, 0, 0}, {1, 1, 1}});
  plain("GATHER", "GATHER", {{3, 4}}, {3, 3}, {{0, integer(1)}}, {{3, 0, 3}});
  add("GATHER_ND", [&](sample& s) {
    s.op("GATHER_ND", {s.in({3, 4, 2}), s.whole({2, 2}, {2, 1, 0, 3})}, {s.out({2, 2})});
  });
  const auto pads = [&](const std::string& name, std::string_view op, const shape& to, const options& o,
                        const std::vector<std::int32_t>& around, bool with_value = false) {
    add(name, [&](sample& s) {
      shape from{s.in({2, 3, 4}), s.whole({3, 2}, around)};
      if (with_value) from.push_back(s.floats({}, {0.75f}));
      s.op(op, from, {s.out(to)}, o);
    });
  };
  pads("PAD", "PAD", {2, 6, 5}, {}, {0, 0, 1, 2, 1, 0});
  pads("PADV2", "PADV2", {3, 6, 4}, {}, {1, 0, 1, 2, 0, 0}, true);
  pads("MIRROR_PAD", "MIRROR_PAD", {2, 6, 5}, {{0, byte(0)}}, {0, 0, 1, 2, 1, 0});
  pads("MIRROR_PAD_symmetric", "MIRROR_PAD", {2, 8, 5}, {{0, byte(1)}}, {0, 0, 2, 3, 1, 0});
  plain("TILE", "TILE", {{2, 3}}, {4, 3}, {}, {{2, 1}});
  plain("BROADCAST_TO", "BROADCAST_TO", {{1, 3}}, {2, 2, 3}, {}, {{2, 2, 3}});
  plain("DEPTH_TO_SPACE", "DEPTH_TO_SPACE", {{1, 2, 3, 8}}, {1, 4, 6, 2}, {{0, integer(2)}});
  plain("SPACE_TO_DEPTH", "SPACE_TO_DEPTH", {{1, 4, 6, 2}}, {1, 2, 3, 8}, {{0, integer(2)}});
  add("SPACE_TO_BATCH_ND", [&](sample& s) {
    s.op("SPACE_TO_BATCH_ND", {s.in({1, 3, 4, 2}), s.whole({2}, {2, 2}), s.whole({2, 2}, {1, 0, 0, 2})},
         {s.out({4, 2, 3, 2})});
  });
  add("BATCH_TO_SPACE_ND", [&](sample& s) {
    s.op("BATCH_TO_SPACE_ND", {s.in({4, 2, 3, 2}), s.whole({2}, {2, 2}), s.whole({2, 2}, {1, 0, 0, 2})},
         {s.out({1, 3, 4, 2})});
  });
  plain("REVERSE_V2", "REVERSE_V2", {{2, 3, 4}}, {2, 3, 4}, {}, {{1}});
  plain("REVERSE_SEQUENCE", "REVERSE_SEQUENCE", {{2, 4, 3}}, {2, 4, 3}, {{0, integer(1)}, {1, integer(0)}}, {{3, 2}});
  add("ONE_HOT", [&](sample& s) {
    s.op("ONE_HOT", {s.whole({3}, {1, 0, 2}), s.whole({}, {4}), s.in({}), s.in({})}, {s.out({3, 4})},
         {{0, integer(-1)}});
  });
  add("FILL", [&](sample& s) { s.op("FILL", {s.whole({2}, {2, 3}), s.in({})}, {s.out({2, 3})}); });
  add("BROADCAST_ARGS", [&](sample& s) {
    const int both = s.tensor("both", i32, {3});
    s.op("BROADCAST_ARGS", {s.whole({3}, {4, 1, 3}), s.whole({2}, {2, 1})}, {both});
    s.op("BROADCAST_TO", {s.in({1, 3}), both}, {s.out({4, 2, 3})});
  });
  add("SHAPE", [&](sample& s) {
    const int zero = s.tensor("shape", i32, {3});
    s.op("SHAPE", {s.in({2, 3, 4})}, {zero}, {{0, byte(2)}});
    s.op("ADD", {zero, s.in({3}, i32)}, {s.out({3}, i32)}, {{0, byte(0)}});
  });
  for (const bool half : {false, true})
    for (const bool corners : {false, true}) {
      if (half && corners) continue;
      const std::string end = half ? "_centers" : corners ? "_corners" : "";
      plain("RESIZE_BILINEAR" + end, "RESIZE_BILINEAR", {{1, 3, 4, 2}}, {1, 5, 7, 2},
            {{2, flag(corners)}, {3, flag(half)}}, {{5, 7}});
      plain("RESIZE_NEAREST_NEIGHBOR" + end, "RESIZE_NEAREST_NEIGHBOR", {{1, 3, 4, 2}}, {1, 5, 7, 2},
            {{0, flag(corners)}, {1, flag(half)}}, {{5, 7}});
    }

  // Reductions.
  for (const char* op : {"MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD"}) {
    plain(op, op, {{2, 3, 4}}, {3}, {{0, flag(false)}}, {{0, -1}});
    plain(op + std::string("_keeps"), op, {{2, 3, 4}}, {2, 1, 4}, {{0, flag(true)}}, {{1}});
  }
  add("REDUCE_ANY", [&](sample& s) {
    s.op("REDUCE_ANY", {s.in({4, 2}, boolean), s.whole({1}, {1})}, {s.out({4}, boolean)}, {{0, flag(false)}});
  });
  for (const char* op : {"ARG_MAX", "ARG_MIN"})
    add(op, [&](sample& s) { s.op(op, {s.in({3, 5}), s.whole({}, {-1})}, {s.out({3}, i32)}, {{0, byte(2)}}); });
  add("CUMSUM", [&](sample& s) {
    s.op("CUMSUM", {s.in({2, 5}), s.whole({}, {1})}, {s.out({2, 5})}, {{0, flag(true)}, {1, flag(true)}});
  });
  add("TOPK_V2", [&](sample& s) {
    s.op("TOPK_V2", {s.in({2, 7}), s.whole({}, {3})}, {s.out({2, 3}), s.out({2, 3}, i32)});
  });

  // Recurrent layers: their states are variables.
  for (const bool time_major : {false, true})
    add(std::string("UNIDIRECTIONAL_SEQUENCE_LSTM") + (time_major ? "_time_major" : ""),
        [&](sample& s) { lstm_of_floats(s, time_major); });
  add("UNIDIRECTIONAL_SEQUENCE_RNN", [&](sample& s) {
    s.op("UNIDIRECTIONAL_SEQUENCE_RNN",
         {s.in({2, 3, 4}), s.floats({5, 4}, some(20)), s.floats({5, 5}, some(25)), s.floats({5}, some(5)),
          state(s, {2, 5})},
         {s.out({2, 3, 5})}, {{0, flag(false)}, {1, byte(1)}});
  });

  for (const int rank : {1, 2})
    add("SVDF_rank" + std::to_string(rank), [&](sample& s) {
      s.op("SVDF",
           {s.in({2, 5}), s.floats({6, 5}, some(30)), s.floats({6, 4}, some(24, 3)),
            rank == 1 ? -1 : s.floats({3}, some(3)), state(s, {2, 24})},
           {s.out({2, 6 / rank})}, {{0, integer(rank)}, {1, byte(rank - 1)}});
    });

  // Of bytes, with gates and c of 16 bits.
  for (const bool time_major : {false, true})
    add(std::string("UNIDIRECTIONAL_SEQUENCE_LSTM_i8") + (time_major ? "_time_major" : ""),
        [&](sample& s) { lstm_of_bytes(s, time_major); });

  // Of bytes: the state is of 16 bits, the filters' factors too.
  for (const int rank : {1, 2})
    add("SVDF_i8_rank" + std::to_string(rank), [&](sample& s) {
      s.runs = 5;
      const shape from{s.in({2, 5}, i8, {{0.03f}, {-7}}),
                       s.tensor("features", i8, {6, 5}, {{0.02f}, {0}}, some_bytes(30, 2, -127)),
                       s.tensor("over", i16, {6, 4}, {{0.0001f}, {0}}, raws(some_numbers<std::int16_t>(24, 3, 9000))),
                       s.tensor("bias", i32, {6 / rank}, {{4e-8f}, {0}},
                                raws(some_numbers<std::int32_t>(6u / static_cast<unsigned>(rank), 4, 9'000'000))),
                       s.tensor("state", i16, {2, 24}, {{0.0004f}, {0}})};
      s.last_tensor()->fields[5] = flag(true);
      s.op("SVDF", from, {s.out({2, 6 / rank}, i8, {{0.04f}, {11}})}, {{0, integer(rank)}, {1, byte(1)}});
    });

  // Steps of the state are those of the result: some would be others if they were rounded once.
  add("SVDF_i8_twice", [&](sample& s) {
    s.runs = 6;
    const shape from{s.in({2, 5}, i8, {{0.03f}, {-7}}),
                     s.tensor("features", i8, {16, 5}, {{0.02f}, {0}}, some_bytes(80, 2, -8, 8)),
                     s.tensor("over", i16, {16, 1}, {{0.0001f}, {0}}, raws(std::vector<std::int16_t>(16, 10000))), -1,
                     s.tensor("state", i16, {2, 16}, {{0.03f}, {0}})};
    s.last_tensor()->fields[5] = flag(true);
    s.op("SVDF", from, {s.out({2, 16}, i8, {{0.03f}, {0}})}, {{0, integer(1)}, {1, byte(1)}});
  });

  // Variables: a graph that runs once gives them what they begin with.
  const auto variable = [](subgraph& g, const char* name) {
    const int handle = g.tensor("handle", resource, {});
    g.op("VAR_HANDLE", {}, {handle}, {{0, text("net")}, {1, text(name)}});
    return handle;
  };
  const auto begins = [&](sample& s, const char* name, type t, const shape& of, const scales& q,
                          const std::string& numbers) {
    subgraph once = s.beside();
    const int handle = variable(once, name);
    once.op("ASSIGN_VARIABLE", {handle, once.tensor("first", t, of, q, numbers)}, {});
    s.called.push_back(once.graph({}, {}));
    s.op("CALL_ONCE", {}, {}, {{0, integer(static_cast<int>(s.called.size()))}});
    s.runs = 3;
  };
  add("VARIABLES", [&](sample& s) {
    begins(s, "sum", f32, {2, 3}, {}, raws(some(6, 5)));
    const int sum = variable(s, "sum"), before = s.tensor("before", f32, {2, 3}), now = s.tensor("now", f32, {2, 3}),
              after = s.tensor("after", f32, {2, 3});
    s.op("READ_VARIABLE", {sum}, {before});
    s.op("ADD", {before, s.in({2, 3})}, {now}, {{0, byte(0)}});
    s.op("ASSIGN_VARIABLE", {sum, now}, {});
    s.op("READ_VARIABLE", {sum}, {after});  // in this run
    s.op("MUL", {before, after}, {s.out({2, 3})}, {{0, byte(0)}});
  });
  for (const bool zeros : {true, false})
    add(zeros ? "VARIABLES_i8" : "VARIABLES_i8_begun", [&](sample& s) {
      const scales q{{0.05f}, {-3}};
      begins(s, "past", i8, {1, 2, 4}, q, zeros ? std::string(8, static_cast<char>(-3)) : some_bytes(8, 3));
      const int past = variable(s, "past"), before = s.tensor("before", i8, {1, 2, 4}, q),
                all = s.tensor("all", i8, {1, 3, 4}, q), next = s.tensor("next", i8, {1, 2, 4}, q);
      s.op("READ_VARIABLE", {past}, {before});
      s.op("CONCATENATION", {before, s.in({1, 1, 4}, i8, q)}, {all}, {{0, integer(1)}});
      s.op("SLICE", {all, s.whole({3}, {0, 1, 0}), s.whole({3}, {1, 2, 4})}, {next});
      s.op("ASSIGN_VARIABLE", {past, next}, {});
      s.op("MEAN", {all, s.whole({1}, {1})}, {s.out({1, 4}, i8, {{0.04f}, {5}})}, {{0, flag(false)}});
    });

  // What shapes and constants decide.
  for (const char* op : {"RELU_0_TO_1", "SIGN"}) plain(op, op, {{2, 3, 4}}, {2, 3, 4});
  add("EMBEDDING_LOOKUP", [&](sample& s) {
    s.op("EMBEDDING_LOOKUP", {s.whole({3}, {2, 0, 2}), s.in({4, 5})}, {s.out({3, 5})});
  });
  add("REDUCE_ALL", [&](sample& s) {
    s.op("REDUCE_ALL", {s.in({4, 2}, boolean), s.whole({1}, {1})}, {s.out({4}, boolean)}, {{0, flag(false)}});
  });
  add("ZEROS_LIKE", [&](sample& s) {
    const int x = s.in({2, 3}), zeros = s.tensor("zeros", f32, {2, 3});
    s.op("ZEROS_LIKE", {x}, {zeros});
    s.op("MINIMUM", {x, zeros}, {s.out({2, 3})});
  });
  add("RANK", [&](sample& s) {
    const int rank = s.tensor("rank", i32, {});
    s.op("RANK", {s.in({2, 3, 4})}, {rank});
    s.op("ADD", {s.in({3}, i32), rank}, {s.out({3}, i32)}, {{0, byte(0)}});
  });
  add("RANGE", [&](sample& s) {
    const int range = s.tensor("range", i32, {3});
    s.op("RANGE", {s.whole({}, {1}), s.whole({}, {7}), s.whole({}, {2})}, {range});
    s.op("ADD", {s.in({3}, i32), range}, {s.out({3}, i32)}, {{0, byte(0)}});
  });

  // Subgraphs: the condition is known.
  for (const bool yes : {false, true})
    add(yes ? "IF" : "IF_else", [&](sample& s) {
      for (const char* op : {"NEG", "EXP"}) {
        subgraph branch = s.beside();
        const int x = branch.tensor("a", f32, {2, 3}), y = branch.tensor("b", f32, {2, 3});
        branch.op(op, {x}, {y});
        s.called.push_back(branch.graph({x}, {y}));
      }
      s.op("IF", {s.tensor("c", boolean, {1}, {}, std::string(1, yes ? 1 : 0)), s.in({2, 3})}, {s.out({2, 3})},
           {{0, integer(1)}, {1, integer(2)}});
    });
  add("WHILE", [&](sample& s) {
    subgraph test = s.beside(), body = s.beside();
    const int limit = test.tensor("limit", i32, {}, {}, raw(std::int32_t{3}));
    const shape state{test.tensor("i", i32, {}), test.tensor("x", f32, {2, 3})};
    test.op("LESS", {state[0], limit}, {test.tensor("go_on", boolean, {})});
    s.called.push_back(test.graph(state, {3}));
    const int one = body.tensor("one", i32, {}, {}, raw(std::int32_t{1}));
    const shape now{body.tensor("i", i32, {}), body.tensor("x", f32, {2, 3})},
        next{body.tensor("i2", i32, {}), body.tensor("x2", f32, {2, 3})};
    body.op("ADD", {now[0], one}, {next[0]}, {{0, byte(0)}});
    body.op("MUL", {now[1], now[1]}, {next[1]}, {{0, byte(0)}});
    s.called.push_back(body.graph(now, next));
    const int zero = s.tensor("zero", i32, {}, {}, raw(std::int32_t{0}));
    s.op("WHILE", {zero, s.in({2, 3})}, {s.tensor("turns", i32, {}), s.out({2, 3})},
         {{0, integer(1)}, {1, integer(2)}});
  });

  // Bytes that stand for real numbers.
  const scales of{{0.05f}, {3}}, other{{0.03f}, {-7}}, to{{0.04f}, {5}}, prob{{1.0f / 256}, {-128}};
  const auto bytes = [&](const std::string& name, std::string_view op, const scales& as, const options& o = {},
                         const std::vector<std::vector<int>>& numbers = {}, shape result = {}) {
    add(name, [&](sample& s) {
      shape from{s.in({1, 5, 6, 4}, i8, of)};
      for (const std::vector<int>& n : numbers)
        from.push_back(s.whole({static_cast<int>(n.size())}, {n.begin(), n.end()}));
      s.op(op, from, {s.out(result.empty() ? image : result, i8, as)}, o);
    });
  };
  const auto bias = [](sample& s, int n, float scale = 0.05f * 0.02f) {
    std::vector<std::int32_t> v;
    for (const float x : some(static_cast<std::size_t>(n), 9)) v.push_back(static_cast<int>(x * 500));
    return s.tensor("b", i32, {n}, {{scale}, {0}}, raws(v));
  };
  add("CONV_2D_i8", [&](sample& s) {
    const int w = s.tensor("w", i8, {3, 3, 3, 4}, {{0.01f, 0.02f, 0.03f}, {0, 0, 0}, 0}, some_bytes(108, 1, -127));
    s.op("CONV_2D", {s.in(image, i8, of), w, bias(s, 3)}, {s.out({1, 3, 3, 3}, i8, {{0.3f}, {-20}})}, conv(0, 2, 1));
  });
  add("DEPTHWISE_CONV_2D_i8", [&](sample& s) {
    const int w =
        s.tensor("w", i8, {1, 3, 3, 4}, {{0.01f, 0.02f, 0.03f, 0.015f}, {0, 0, 0, 0}, 3}, some_bytes(36, 1, -127));
    s.op("DEPTHWISE_CONV_2D", {s.in(image, i8, of), w, bias(s, 4)}, {s.out({1, 3, 4, 4}, i8, {{0.17f}, {9}})},
         depthwise(1, 1, 1));
  });
  add("FULLY_CONNECTED_i8", [&](sample& s) {
    const int w = s.tensor("w", i8, {7, 24}, {{0.02f}, {0}, 0}, some_bytes(168, 1, -127));
    s.op("FULLY_CONNECTED", {s.in({2, 24}, i8, of), w, bias(s, 7)}, {s.out({2, 7}, i8, {{0.25f}, {11}})},
         {{0, byte(3)}});
  });
  for (const char* op : {"ADD", "SUB", "MUL"})
    add(op + std::string("_i8"), [&](sample& s) {
      s.op(op, {s.in(image, i8, of), s.in(image, i8, other)}, {s.out(image, i8, to)}, {{0, byte(1)}});
    });
  bytes("AVERAGE_POOL_2D_i8", "AVERAGE_POOL_2D", of, pool(0, 2, 3), {}, {1, 3, 3, 4});
  bytes("MAX_POOL_2D_i8", "MAX_POOL_2D", of, pool(1, 2, 2, 3), {}, {1, 2, 3, 4});
  bytes("SOFTMAX_i8", "SOFTMAX", prob, {{0, real(1)}});
  bytes("LOGISTIC_i8", "LOGISTIC", prob);
  bytes("TANH_i8", "TANH", {{1.0f / 128}, {0}});
  bytes("RELU_i8", "RELU", to);
  bytes("RELU6_i8", "RELU6", to);
  bytes("QUANTIZE_i8_i8", "QUANTIZE", to);
  add("ADD_N_i8", [&](sample& s) {
    const scales plain{{0.05f}, {0}};
    s.op("ADD_N", {s.in(image, i8, plain), s.in(image, i8, plain), s.in(image, i8, plain)}, {s.out(image, i8, to)});
  });
  bytes("MEAN_i8", "MEAN", to, {{0, flag(false)}}, {{1, 2}}, {1, 4});
  bytes("REDUCE_MAX_i8", "REDUCE_MAX", of, {{0, flag(true)}}, {{1}}, {1, 1, 6, 4});
  bytes("TRANSPOSE_i8", "TRANSPOSE", of, {}, {{0, 3, 1, 2}}, {1, 4, 5, 6});
  bytes("HARD_SWISH_i8", "HARD_SWISH", {{0.03f}, {-100}});
  bytes("HARD_SWISH_i8_small", "HARD_SWISH", {{0.05f}, {-128}});
  bytes("LEAKY_RELU_i8", "LEAKY_RELU", to, {{0, real(0.3f)}});
  bytes("LEAKY_RELU_i8_steep", "LEAKY_RELU", to, {{0, real(-1.7f)}});
  bytes("GELU_i8", "GELU", to, {{0, flag(true)}});
  bytes("LOG_SOFTMAX_i8", "LOG_SOFTMAX", {{16.0f / 256}, {127}});
  bytes("L2_NORMALIZATION_i8", "L2_NORMALIZATION", {{1.0f / 128}, {0}});
  bytes("SUM_i8", "SUM", {{0.9f}, {5}}, {{0, flag(false)}}, {{1, 2}}, {1, 4});
  add("PRELU_i8", [&](sample& s) {
    s.op("PRELU", {s.in(image, i8, of), s.tensor("w", i8, {1, 1, 4}, {{0.01f}, {-3}}, some_bytes(4))},
         {s.out(image, i8, to)});
  });
  add("DIV_u8", [&](sample& s) {
    s.op("DIV", {s.in({2, 5}, u8, {{0.05f}, {0}}), s.in({2, 5}, u8, {{0.03f}, {0}})},
         {s.out({2, 5}, u8, {{0.06f}, {90}})}, {{0, byte(0)}});
  });
  add("SQUARED_DIFFERENCE_i8", [&](sample& s) {
    s.steps = 1;  // it rounds in between, we do not
    s.op("SQUARED_DIFFERENCE", {s.in(image, i8, of), s.in(image, i8, other)}, {s.out(image, i8, {{0.1f}, {-50}})});
  });
  for (const bool turned : {false, true})
    add(turned ? "BATCH_MATMUL_i8_turned" : "BATCH_MATMUL_i8", [&](sample& s) {
      s.op("BATCH_MATMUL", {s.in({2, 3, 7}, i8, of), s.in(turned ? shape{2, 5, 7} : shape{2, 7, 5}, i8, other)},
           {s.out({2, 3, 5}, i8, {{0.2f}, {9}})}, {{1, flag(turned)}});
    });
  for (const int padding : {0, 1})
    for (const int stride : {1, 2}) {
      const int h = padding == 0 ? 5 * stride : 4 * stride + 3, w = padding == 0 ? 6 * stride : 5 * stride + 3;
      add(std::string("TRANSPOSE_CONV_i8") + (padding == 0 ? "_same" : "_valid") + std::to_string(stride),
          [&](sample& s) {
            const int weight =
                s.tensor("w", i8, {3, 3, 3, 4}, {{0.01f, 0.02f, 0.03f}, {0, 0, 0}, 0}, some_bytes(108, 1, -127));
            shape from{s.whole({4}, {1, h, w, 3}), weight, s.in(image, i8, of)};
            if (stride == 2) from.push_back(bias(s, 3));
            s.op("TRANSPOSE_CONV", from, {s.out({1, h, w, 3}, i8, {{0.3f}, {-20}})},
                 {{0, byte(padding)}, {1, integer(stride)}, {2, integer(stride)}});
          });
    }
  for (const std::string op : {"RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"})
    for (const std::string mode : {"", "_corners", "_centers"})
      for (const bool grows : {false, true})
        add(op + "_i8" + mode + (grows ? "" : "_smaller"), [&](sample& s) {
          const shape size = grows ? shape{7, 9} : shape{3, 4};
          const int first = op == "RESIZE_BILINEAR" ? 2 : 0;
          s.op(op, {s.in(image, i8, of), s.whole({2}, size)}, {s.out({1, size[0], size[1], 4}, i8, of)},
               {{first, flag(mode == "_corners")}, {first + 1, flag(mode == "_centers")}});
        });
  add("PAD_i8", [&](sample& s) {
    s.op("PAD", {s.in({2, 3}, i8, of), s.whole({2, 2}, {1, 0, 0, 2})}, {s.out({3, 5}, i8, of)});
  });
  add("CONCATENATION_i8", [&](sample& s) {
    s.op("CONCATENATION", {s.in({2, 3}, i8, of), s.in({2, 4}, i8, of)}, {s.out({2, 7}, i8, of)}, {{0, integer(1)}});
  });
  add("MAXIMUM_i8", [&](sample& s) {
    s.op("MAXIMUM", {s.in({2, 3}, i8, of), s.in({3}, i8, of)}, {s.out({2, 3}, i8, of)});
  });
  add("QUANTIZE", [&](sample& s) { s.op("QUANTIZE", {s.in({4, 9})}, {s.out({4, 9}, i8, {{0.011f}, {7}})}); });
  add("DEQUANTIZE", [&](sample& s) { s.op("DEQUANTIZE", {s.in({4, 9}, i8, of)}, {s.out({4, 9})}); });
  add("DEQUANTIZE_u8", [&](sample& s) { s.op("DEQUANTIZE", {s.in({4, 9}, u8, {{0.5f}, {128}})}, {s.out({4, 9})}); });
  return all;
}

}  // namespace ctnn::ir::test::tflite_bytes
