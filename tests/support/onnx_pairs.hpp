// SPDX-License-Identifier: BSL-1.0
// Graphs of tests as ONNX files, as they are and rewritten. Where CTNN_WRITTEN names a folder they are left there:
// tests/written opens them in ONNX Runtime and compares.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include <ctnn/formats/onnx/write.hpp>
#include <ctnn/formats/file.hpp>
#include <ctnn/loaded/rewriting.hpp>

#include "numbers.hpp"
#include "typed_numbers.hpp"

namespace ctnn::ir::test {

/// The graph as a loaded model with made-up weights of any type. The graph's names must outlive it.
inline loaded_model as_typed_model(const graph_view& g) {
  loaded_model m;
  m.network = thaw(g);
  random_weights reals;
  reals.look_at(g);
  typed_weights others(g);
  for (expression_id id = 0; id < static_cast<expression_id>(g.expressions.size()); ++id) {
    const expression& e = g.at_expression(id);
    if (e.type) continue;
    const auto numbers = std::make_shared<array>(e.shape, e.element);
    if (e.element == dtype::f32) {
      std::ranges::copy(reals.of(e), numbers->elements<float>().begin());
      if (e.name.ends_with("_scale"))
        for (float& f : numbers->elements<float>()) f = std::fabs(f) / 10 + 0.01f;
    } else {
      const bytes some = others.elements(id);
      std::memcpy(numbers->bytes().data(), some.data(), numbers->bytes().size());
    }
    m.set_weight(e, numbers);
  }
  return m;
}

/// Why a graph, or what all rules make of it, cannot be written as ONNX; empty if both were.
inline std::string why_not_written(const std::string& name, const graph_view& g, bool fused = false) {
  const loaded_model m = as_typed_model(g);
  std::string before, after;
  try {
    before = onnx::write(m, g, {});
    const optimization o = optimize(thaw(g), default_rule_records());
    after = onnx::write(m, o.g.view(), {.fused = fused});
  } catch (const error& e) {
    return e.what();
  }
  if (const char* folder = std::getenv("CTNN_WRITTEN"); folder && *folder) {
    const std::string path = std::string(folder) + "/" + name;
    write_file(path + ".before.onnx", before);
    write_file(path + ".onnx", after);
  }
  return {};
}

}  // namespace ctnn::ir::test
