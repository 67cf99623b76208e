// SPDX-License-Identifier: BSL-1.0
// A loaded network as it is rewritten beside the same network as it was read: do they compute the same?
#pragma once

#include <functional>

#include "../rewrite/verification.hpp"
#include "model.hpp"

namespace ctnn {

/// Numbers to try a network with; zeros where they may be indices or conditions.
array made_up_numbers(const model_input& input);

/// Runs two models with the same inputs, which are made up where none are given and the network is known without, and
/// compares the outputs of the first.
verification compare(const model& wanted, const model& got, const arrays_by_name& inputs = {}, double tolerance = 1e-4);

/// Runs the network that `maker` makes as it was read and rewritten as `options` say, with the same inputs, and
/// compares all outputs. If they differ by more than `tolerance` (in parts of an output's largest number), the first
/// rewrite after which they do is named: the network is rewritten again and again, less far each time. Inputs that are
/// not given are made up, but for networks that run in parts (model.hpp). Throws ctnn::error where either side cannot
/// be made or run.
verification verify(const ir::network_maker& maker, const arrays_by_name& inputs = {}, double tolerance = 1e-4,
                    load_options options = {});
/// The same of a network that one function reads.
verification verify(const std::function<loaded_model()>& read, const arrays_by_name& inputs = {},
                    double tolerance = 1e-4, load_options options = {});

#if CTNN_DEFINES(CTNN_PART_TOOLS)

CTNN_ONCE array made_up_numbers(const model_input& input) {
  array numbers(input.shape, input.type);
  if (input.type == dtype::f32)
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers.data()[i] = static_cast<float>(i * 7919 % 1009) / 1009.0f;
  return numbers;
}

namespace ir {

inline arrays_by_name outputs_of(const model& m, const arrays_by_name& inputs) {
  extractor ex = m.extractor();
  if (m.is_known()) {
    for (const model_input& i : m.code().inputs()) {
      const auto given = inputs.find(i.name);
      if (given != inputs.end()) ex.input(i.name, given->second);
      else if (!i.optional) ex.input(i.name, made_up_numbers(i));
    }
  } else {
    for (const auto& [name, numbers] : inputs) ex.input(name, numbers);
  }
  arrays_by_name all;
  const std::vector<std::string> names = ex.outputs();
  std::vector<array> outputs = ex.extract(names);
  for (std::size_t k = 0; k < names.size(); ++k) all.insert_or_assign(names[k], std::move(outputs[k]));
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

CTNN_ONCE verification verify(const ir::network_maker& maker, const arrays_by_name& inputs, double tolerance,
                              load_options options) {
  const bool rewritten = options.optimize;
  options.optimize = false;
  const arrays_by_name wanted = ir::outputs_of(model(maker, options, inputs), inputs);
  options.optimize = rewritten;

  // Programs of parts are made when they run.
  const auto run = [&](std::size_t most, auto&& read) {
    options.rewrites = most;
    const model m(maker, options, inputs);
    const arrays_by_name got = ir::outputs_of(m, inputs);
    return read(got, m.rewrites());
  };
  const auto compare = [&](std::size_t most, verification& v) {
    return run(most, [&](const arrays_by_name& got, const ir::rewrite_count& rewrites) {
      v = ir::compare_outputs(wanted, got);
      return rewrites.applied();
    });
  };
  return ir::find_difference(tolerance, compare, [&](std::size_t most, verification& v) {
    run(most, [&](const arrays_by_name&, const ir::rewrite_count& rewrites) {
      const ir::rewrite_count::step last = rewrites.last();
      v.rule = last.rule, v.layer = last.layer, v.into = last.into;
    });
  });
}

CTNN_ONCE verification verify(const std::function<loaded_model()>& read, const arrays_by_name& inputs, double tolerance,
                              load_options options) {
  return verify(ir::network_maker([&](const arrays_by_name&) { return read(); }), inputs, tolerance,
                std::move(options));
}

#endif

}  // namespace ctnn
