// SPDX-License-Identifier: BSL-1.0
// A network as declared and optimised beside what PyTorch makes of the same numbers (pytorch_answers.py).
#pragma once

#include <cmath>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "pytorch_answers.hpp"
#include "support/numbers.hpp"

namespace ctnn::ir::test {

/// made_up() of pytorch_answers.py: by the key of a state_dict. A vector is a bias or mean near 0 or a factor or
/// variance near 1, whatever axes of 1 it has; values stay of one size through any number of layers.
inline floats made_up_numbers(const std::string& key, const extents& shape) {
  floats numbers = random_floats(key, shape.count());
  const bool is_vector = shape.count() == shape[0];
  const bool near_0 = key.find("bias") != key.npos || key.find("running_mean") != key.npos;
  const float scale = std::sqrt(4 / static_cast<float>(shape.count() / shape[0]));
  for (float& f : numbers) f = !is_vector ? f * scale : near_0 ? f / 8 : 1 + f / 4;
  return numbers;
}

/// As made_up_input() of pytorch_answers.py: what random_inputs() made up, or indices.
template <class Number>
std::vector<Number> made_up_input(const floats& numbers) {
  if constexpr (std::is_same_v<Number, float>) {
    return numbers;
  } else {
    std::vector<Number> indices(numbers.size());
    for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<Number>(i * 7 % 50);
    return indices;
  }
}

/// Empty if the network gives PyTorch's numbers, within `tolerance` of the largest; else the first that it does not.
template <class Net>
std::string differs(const parameters<Net>& weights, const pytorch_answer& want, target_id target, double tolerance) {
  using engine = ctnn::engine<Net>;
  const auto run = std::make_unique<engine>(weights, target);
  const std::vector<floats> made_up = random_inputs(declared_graph<Net>);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto feed = [&](const auto&... in) {
      run->run(typename engine::template input_span<I>(in.data(), in.size())...);
    };
    feed(made_up_input<std::remove_const_t<typename engine::template input_span<I>::element_type>>(made_up[I])...);
  }
  (std::make_index_sequence<engine::inputs>{});
  std::vector<double> got;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (got.insert(got.end(), run->template output<I>().begin(), run->template output<I>().end()), ...);
  }
  (std::make_index_sequence<engine::outputs>{});
  std::ostringstream s;
  if (static_cast<int>(got.size()) != want.count) s << got.size() << " numbers, not " << want.count;
  for (std::size_t i = 0; i < want.numbers.size() && s.str().empty(); ++i) {
    const std::size_t at = i * static_cast<std::size_t>(want.step);
    const double off = std::fabs(got[at] - static_cast<double>(want.numbers[i]));
    if (!(off <= tolerance * want.largest))
      s << "[" << at << "] is " << got[at] << ", not " << want.numbers[i] << ": " << off / want.largest;
  }
  return s.str();
}

/// Empty if both the network as declared and as optimised give PyTorch's numbers on every target; else what differs.
template <class Net>
std::string beside_pytorch(std::string_view name, double tolerance = 1e-5) {
  const pytorch_answer* want = nullptr;
  for (const pytorch_answer& a : pytorch_answers)
    if (a.network == name) want = &a;
  if (want == nullptr) return "PyTorch was not asked";
  std::vector<floats> numbers;
  std::vector<named_weight> weights;
  numbers.reserve(declared_graph<Net>.expressions.size());
  for (const expression& e : declared_graph<Net>.expressions)
    if (!e.type) {
      const std::string layer(e.layer);
      numbers.push_back(made_up_numbers(e.name == "value" ? layer : layer + "." + std::string(e.name), e.shape));
      weights.push_back({e.layer, e.name, numbers.back()});
    }
  const auto as_is = std::make_unique<parameters<Net>>(zeros);
  if (load<Net>(*as_is, weights).found) return "weights of the declared network do not load";
  const auto folded = std::make_unique<parameters<optimized<Net>>>(zeros);
  if (load_folded<Net>(*folded, weights).found) return "weights of the optimised network do not load";
  for (const target_id target : supported_targets()) {
    const std::string on = " on " + std::string(target_name(target)) + ": ";
    if (const std::string off = differs<Net>(*as_is, *want, target, tolerance); !off.empty())
      return "declared" + on + off;
    if (const std::string off = differs<optimized<Net>>(*folded, *want, target, tolerance); !off.empty())
      return "optimised" + on + off;
  }
  return {};
}

}  // namespace ctnn::ir::test
