// SPDX-License-Identifier: BSL-1.0
// Sequences in parts: the parts' numbers among those of the whole, and engines that take them one by one.
#pragma once

#include <algorithm>
#include <memory>

#include <ctnn/ctnn.hpp>

#include "run_both.hpp"

namespace ctnn::ir::test {

/// The axis along which the two are not as long; the last if there is none.
inline int axis_between(const extents& a, const extents& b) {
  for (int i = 0; i < a.rank; ++i)
    if (a[i] != b[i]) return i;
  return a.rank - 1;
}
/// Copies `count` numbers along an axis.
inline void copy_part(const floats& from, const extents& x, int at, floats& to, const extents& y, int to_at, int axis,
                      int count) {
  const auto inner = x.count(axis + 1, x.rank);
  for (std::int64_t row = 0; row < x.count(0, axis); ++row)
    std::copy_n(from.begin() + static_cast<long>((row * x[axis] + at) * inner), count * inner,
                to.begin() + static_cast<long>((row * y[axis] + to_at) * inner));
}

/// Outputs of an engine of Stream, which has one input and takes Whole's sequence in parts: as long as all parts
/// together. The whole sequence goes by `times`, with a reset() before each.
template <class Whole, class Stream>
floats stream_output(const parameters<Stream>& packed, const floats& sequence, int times = 1) {
  const extents all = declared_graph<Whole>.shape(executable<Whole>::input_values[0]);
  const extents part = declared_graph<Stream>.shape(executable<Stream>::input_values[0]);
  const extents result = declared_graph<Stream>.shape(executable<Stream>::output_at(0).value);
  const int axis = axis_between(part, all), runs = all[axis] / part[axis];
  extents out_shape = declared_graph<Whole>.shape(declared_graph<Whole>.outputs[0].value);
  const int out_axis = axis_between(result, out_shape);
  out_shape[out_axis] = runs * result[out_axis];
  floats in(static_cast<std::size_t>(part.count())), out(static_cast<std::size_t>(out_shape.count()));
  const auto run = std::make_unique<engine<Stream>>(packed);
  for (int time = 0; time < times; ++time) {
    if (time > 0) run->reset();
    for (int i = 0; i < runs; ++i) {
      copy_part(sequence, all, i * part[axis], in, part, 0, axis, part[axis]);
      const auto got = (*run)(typename engine<Stream>::template input_span<>(in.data(), in.size()));
      copy_part({got.begin(), got.end()}, result, 0, out, out_shape, i * result[out_axis], out_axis, result[out_axis]);
    }
  }
  return out;
}

/// Empty if optimized<stateful<Whole, Block>> gives part by part, twice, what the definitions say of Whole.
template <class Whole, int Block>
std::string stream_differs(double relative = 2e-5) {
  using stream = stateful<Whole, Block>;
  using fused = optimized<stream>;
  made_up_weights numbers;
  const auto weights = weights_of_network<Whole>(numbers);
  const auto packed = std::make_unique<parameters<fused>>(zeros);
  if (const problem_report wrong = load_folded<stream>(*packed, weights); wrong.found) return std::string(wrong.layer);
  const std::vector<floats> in = random_inputs(declared_graph<Whole>);
  const auto pointers = pointers_to(in);
  graph_values values;
  run_graph(declared_graph<Whole>, numbers, pointers, values);
  const auto want = values.of(declared_graph<Whole>.outputs[0].value);
  return difference({stream_output<Whole, fused>(*packed, in[0], 2)}, {{want.begin(), want.end()}}, relative);
}

}  // namespace ctnn::ir::test
