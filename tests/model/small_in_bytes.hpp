// Written by `ctnn::cpp::write_header` from a declared network: 6 layers, 218 numbers.
#pragma once

#if defined(CTNN_PLAIN) && !defined(__cpp_exceptions)
#include <ctnn/ctnn.hpp>
#else
#include <ctnn/typed.hpp>
#endif
#include <limits>

struct small_in_bytes : ctnn::declared<small_in_bytes> {
  static constexpr auto forward(ctnn::graph& m) {
    const auto x = m.input("x", {2, 8, 8}, {.dtype = ctnn::dtype::i8, .as_i8 = {0.007843137718737125, -1}});  // 2 x 8 x 8
    const auto conv = m.conv2d("conv", x, {.out_channels = 4, .kernel_size = 3, .activation = ctnn::function::relu, .as_i8 = {0.006740196142345667, -128}, .per_channel = true});  // 4 x 6 x 6
    const auto again = m.conv2d("again", conv, {.out_channels = 4, .kernel_size = 1, .activation = ctnn::function::relu, .as_i8 = {0.0019607844296842813, -128}, .per_channel = true});  // 4 x 6 x 6
    const auto add = m.add(again, conv, {.as_i8 = {0.006740196142345667, -128}});                     // 4 x 6 x 6
    const auto pool = m.named("pool", m.max_pool2d(add, {.kernel_size = 2}));                         // 4 x 3 x 3
    const auto fc = m.linear("fc", pool, {.out_features = 3, .axes = 3, .as_i8 = {0.017723651602864265, 25}, .per_channel = true});  // 3
    return fc;
  }
  /// For ctnn::load() at start, or ctnn::pack<>() in the compiler.
  static const ctnn::named_weight weights[9];
};

namespace small_in_bytes_numbers {
inline constexpr std::int8_t conv_weight[72] = {
    -127, 51, -51, 127, 25, -76, 102, 0, -102, 76, -25, -127, 51, -51, 127, 25,
    -76, 102, 0, -102, 76, -25, -127, 51, -51, 127, 25, -76, 102, 0, -102, 76,
    -25, -127, 51, -51, 127, 25, -76, 102, 0, -102, 76, -25, -127, 51, -51, 127,
    25, -76, 102, 0, -102, 76, -25, -127, 51, -51, 127, 25, -76, 102, 0, -102,
    76, -25, -127, 51, -51, 127, 25, -76,};
inline constexpr std::int32_t conv_bias[4] = {
    -12954, 0, 12954, -12954,};
inline constexpr float conv_weight_scale[4] = {
    0x1.42850ap-8f, 0x1.42850ap-8f, 0x1.42850ap-8f, 0x1.42850ap-8f,};
inline constexpr std::int8_t again_weight[16] = {
    -127, -127, -127, -127, -127, -127, -127, -127, -127, -127, -127, -127, -127, -127, -127, -127,};
inline constexpr std::int32_t again_bias[4] = {
    -12561, 0, 12561, -12561,};
inline constexpr float again_weight_scale[4] = {
    0x1.83060cp-8f, 0x1.83060cp-8f, 0x1.83060cp-8f, 0x1.83060cp-8f,};
inline constexpr std::int8_t fc_weight[108] = {
    -127, 21, -106, 42, -85, 64, -64, 85, -42, 106, -21, 127, 0, -127, 21, -106,
    42, -85, 64, -64, 85, -42, 106, -21, 127, 0, -127, 21, -106, 42, -85, 64,
    -64, 85, -42, 106, -21, 127, 0, -127, 21, -106, 42, -85, 64, -64, 85, -42,
    106, -21, 127, 0, -127, 21, -106, 42, -85, 64, -64, 85, -42, 106, -21, 127,
    0, -127, 21, -106, 42, -85, 64, -64, 85, -42, 106, -21, 127, 0, -127, 21,
    -106, 42, -85, 64, -64, 85, -42, 106, -21, 127, 0, -127, 21, -106, 42, -85,
    64, -64, 85, -42, 106, -21, 127, 0, -127, 21, -106, 42,};
inline constexpr std::int32_t fc_bias[3] = {
    -25123, 0, 25123,};
inline constexpr float fc_weight_scale[3] = {
    0x1.83060cp-8f, 0x1.83060cp-8f, 0x1.83060cp-8f,};
}  // namespace small_in_bytes_numbers

inline constexpr ctnn::named_weight small_in_bytes::weights[9] = {
    {"conv", "weight", small_in_bytes_numbers::conv_weight},
    {"conv", "bias", small_in_bytes_numbers::conv_bias},
    {"conv", "weight_scale", small_in_bytes_numbers::conv_weight_scale},
    {"again", "weight", small_in_bytes_numbers::again_weight},
    {"again", "bias", small_in_bytes_numbers::again_bias},
    {"again", "weight_scale", small_in_bytes_numbers::again_weight_scale},
    {"fc", "weight", small_in_bytes_numbers::fc_weight},
    {"fc", "bias", small_in_bytes_numbers::fc_bias},
    {"fc", "weight_scale", small_in_bytes_numbers::fc_weight_scale},
};
