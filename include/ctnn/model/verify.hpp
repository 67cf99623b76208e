// SPDX-License-Identifier: BSL-1.0
// A loaded network as it is rewritten beside the same network as it was read: do they compute the same?
#pragma once

#include <functional>

#include "../rewrite/verification.hpp"
#include "model.hpp"

namespace ctnn {

/// Numbers to try a network with; zeros where they may be indices or conditions.
array made_up_numbers(const model_input& input);

/// Runs two models with the same inputs, which are made up where none are given, and compares the outputs of the first.
verification compare(const model& wanted, const model& got, const arrays_by_name& inputs = {}, double tolerance = 1e-4);

/// Runs the network that `read` makes as it was read and rewritten as `options` say, with the same inputs, and compares
/// all outputs. If they differ by more than `tolerance` (in parts of an output's largest number), the first rewrite
/// after which they do is named: the network is rewritten again and again, less far each time. Inputs that are not
/// given are made up. Throws ctnn::error where either side cannot be made or run.
verification verify(const std::function<loaded_model()>& read, const arrays_by_name& inputs = {},
                    double tolerance = 1e-4, load_options options = {});

#if !CTNN_COMPILED_ELSEWHERE

CTNN_ONCE array made_up_numbers(const model_input& input) {
  array numbers(input.shape, input.type);
  if (input.type == dtype::f32)
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers.data()[i] = static_cast<float>(i * 7919 % 1009) / 1009.0f;
  return numbers;
}

namespace ir {

inline arrays_by_name outputs_of(const model& m, const arrays_by_name& inputs) {
  extractor ex = m.extractor();
  for (const model_input& i : m.code().inputs()) {
    const auto given = inputs.find(i.name);
    if (given != inputs.end()) ex.input(i.name, given->second);
    else if (!i.optional) ex.input(i.name, made_up_numbers(i));
  }
  arrays_by_name all;
  for (const network_output& o : m.graph().outputs) all.insert_or_assign(std::string(o.name), ex.extract(o.name));
  return all;
}

/// The output that differs most.
inline verification compare_outputs(const arrays_by_name& wanted, const arrays_by_name& all) {
  verification v;
  for (const auto& before : wanted) {
    const std::string& name = before.first;
    const auto at = all.find(name);
    if (at == all.end()) throw error("there is no output '" + name + "'");
    const array &a = before.second, &b = at->second;
    if (!(a.shape() == b.shape()) || a.type() != b.type())
      throw error("output '" + name + "' is " + describe(b.shape()) + " after rewriting, " + describe(a.shape()) +
                  " before");
    const double d = largest_difference(
        a.size(), [&](std::size_t i) { return number_at(a, i); }, [&](std::size_t i) { return number_at(b, i); });
    if (d >= v.difference) v.difference = d, v.output = name;
  }
  return v;
}

}  // namespace ir

CTNN_ONCE verification compare(const model& wanted, const model& got, const arrays_by_name& inputs, double tolerance) {
  verification v = ir::compare_outputs(ir::outputs_of(wanted, inputs), ir::outputs_of(got, inputs));
  v.same = v.difference <= tolerance;
  return v;
}

CTNN_ONCE verification verify(const std::function<loaded_model()>& read, const arrays_by_name& inputs, double tolerance,
                              load_options options) {
  const bool rewritten = options.optimize;
  options.optimize = false;
  const arrays_by_name wanted = ir::outputs_of(model(read(), options), inputs);
  options.optimize = rewritten;

  const auto compare = [&](std::size_t most, verification& v) {
    options.rewrites = most;
    const model m(read(), options);
    v = ir::compare_outputs(wanted, ir::outputs_of(m, inputs));
    return m.code().rewrites();
  };
  return ir::find_difference(tolerance, compare, [&](std::size_t rewrites, verification& v) {
    options.rewrites = rewrites;
    const model m(read(), options);
    ir::name_step(m.code().history(), v);
  });
}

#endif

}  // namespace ctnn
