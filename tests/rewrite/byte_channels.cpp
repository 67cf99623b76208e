// SPDX-License-Identifier: BSL-1.0
// rules/channels.hpp, and what else cuts and joins weights of bytes: every byte of what is left is the same.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

using places = std::initializer_list<int>;
constexpr quantization fine{0.02, -128}, middle{0.03, 5};
constexpr activation_function relu{function::relu};

constexpr value_id input_of(builder& b, std::initializer_list<int> shape, const quantization& q = fine) {
  op::input x{list<int>(shape), dtype::i8};
  x.as = q;
  return b.add(x, "x", {});
}
constexpr op::conv2d conv_of(int out, int kernel, activation_function f = relu, int groups = 1, bool by_output = true) {
  op::conv2d c;
  c.out = out;
  c.kernel = {kernel, kernel};
  c.pad = {kernel / 2, kernel / 2, kernel / 2, kernel / 2};
  c.activation = f;
  c.groups = groups;
  c.weight = {dtype::i8, by_output, false, false};
  return c;
}
constexpr op::linear rows(int out, bool by_output = true) {
  op::linear p{out};
  p.weight = {dtype::i8, by_output, false, false};
  return p;
}
template <class Layer>
constexpr value_id layer(builder& b, const Layer& p, std::string_view name, value_id x, places rows = {},
                         places columns = {}, const quantization& q = fine) {
  const value_id y = b.add_as({dtype::i8, q}, p, name, {x});
  if constexpr (requires { p.transposed; }) {
    if (p.transposed) return b.zeros(0, columns, rows), y;
  }
  b.zeros(0, rows, columns);
  return y;
}

/// MobileNet: 1 x 1, depthwise, 1 x 1, which does not look at two channels.
template <int Out, bool Zeros, bool ByOutput = true>
constexpr auto unread = [](builder& b) {
  value_id v = layer(b, conv_of(Out, 1, relu, 1, ByOutput), "a", input_of(b, {3, 5, 5}));
  v = layer(b, conv_of(Out, 3, relu, Out, ByOutput), "dw", v);
  b.output("", layer(b, conv_of(4, 1), "b", v, {}, Zeros ? places{0, 2} : places{}));
};
/// Weights of zeros and a bias that is not above 0 where the layer, or its bytes, begin at 0.
template <int Out, bool Zeros, function F = function::relu, int Zero = -128>
constexpr auto below = [](builder& b) {
  const quantization q{0.03, Zero};
  const value_id v =
      layer(b, conv_of(Out, 1, {F}), "a", input_of(b, {3, 5, 5}), Zeros ? places{1, 3} : places{}, {}, q);
  if (Zeros) b.below_zero({1, 3});
  b.output("", layer(b, conv_of(4, 3), "b", v));
};
constexpr auto above = [](builder& b) {
  const value_id v = layer(b, conv_of(4, 1), "a", input_of(b, {3, 5, 5}), {1, 3});
  b.below_zero({});
  b.output("", layer(b, conv_of(4, 3), "b", v));
};
template <int Out, bool Zeros, bool Transposed>
constexpr auto dense = [](builder& b) {
  op::linear first = rows(Out), second = rows(3);
  first.transposed = second.transposed = Transposed;
  const value_id v = layer(b, first, "a", input_of(b, {2, 6}), {}, {}, middle);
  b.output("", layer(b, second, "b", v, {}, Zeros ? places{1, 4} : places{}));
};
/// Through functions, windows and other bytes.
template <int Out, bool Zeros>
constexpr auto through = [](builder& b) {
  value_id v = layer(b, conv_of(Out, 3, {}), "a", input_of(b, {2, 6, 6}), {}, {}, middle);
  v = b.add_as({dtype::i8, fine}, op::activation{{function::tanh}}, "tanh", {v});
  op::pool p;
  p.kernel = p.stride = {2, 2};
  v = b.add(p, "pool", {v});
  v = b.add_as({dtype::u8, {0.05, 7}}, op::quantize{}, "others", {v});
  op::conv2d last = conv_of(4, 1);
  v = b.add_as({dtype::i8, fine}, last, "b", {v});
  if (Zeros) b.zeros(0, {}, {0, 1});
  b.output("", v);
};
constexpr auto with_zero_points = [](builder& b) {
  op::conv2d last = conv_of(4, 1);
  last.weight.zero_points = true;
  const value_id v = layer(b, conv_of(4, 1), "a", input_of(b, {3, 5, 5}));
  b.output("", layer(b, last, "b", v, {}, {0, 2}));
};

/// What reads queries, keys and values of one row.
constexpr void read_each(builder& b, std::initializer_list<value_id> three) {
  constexpr std::string_view names[] = {"a", "c", "d"};
  int n = 0;
  for (const value_id v : three) {
    b.output(names[n], layer(b, rows(4), names[n], v));
    ++n;
  }
}
template <bool ByOutput = true>
constexpr auto siblings = [](builder& b) {
  const value_id x = input_of(b, {1, 64}, middle);
  const value_id q = layer(b, rows(48, ByOutput), "q", x), k = layer(b, rows(40, ByOutput), "k", x);
  read_each(b, {q, k, layer(b, rows(48, ByOutput), "v", x)});
};
constexpr auto joined = [](builder& b) {
  const value_id all = layer(b, rows(136), "q", input_of(b, {1, 64}, middle));
  const value_id part = b.add(op::split{{48, 40, 48}, 1}, "k", {all});
  read_each(b, {part, part + 1, part + 2});
};

}  // namespace

FIRES_LOADED("bytes that are not read, through a depthwise layer", (rules::zero_channels), (unread<4, true>),
             (unread<2, false>))
FIRES_LOADED("of weights with one scale", (rules::zero_channels), (unread<4, true, false>), (unread<2, false, false>))
FIRES_LOADED("bytes of zeros behind a bound", (rules::zero_channels), (below<4, true>), (below<2, false>))
FIRES_LOADED("bytes that begin at 0", (rules::zero_channels), (below<4, true, function::none>),
             (below<2, false, function::none>))
FIRES_LOADED("between linear layers of bytes", (rules::zero_channels), (dense<5, true, false>),
             (dense<3, false, false>))
FIRES_LOADED("whose weights are transposed", (rules::zero_channels), (dense<5, true, true>), (dense<3, false, true>))
FIRES_LOADED("through functions, windows and other bytes", (rules::zero_channels), (through<4, true>),
             (through<2, false>))
FIRES_LOADED("three linear layers of bytes", (rules::join_siblings), siblings<>, joined)
DECLINES_LOADED("bytes that begin below 0", (rules::zero_channels), (below<4, true, function::none, 0>), "")
DECLINES_LOADED("a bias above 0", (rules::zero_channels), above, "")
DECLINES_LOADED("weights with zero points", (rules::zero_channels), with_zero_points, "")
DECLINES_LOADED("linear layers of bytes with one scale each", (rules::join_siblings), siblings<false>,
                "its bytes have one scale for all outputs, or scales that are values")
