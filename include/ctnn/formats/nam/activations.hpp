// SPDX-License-Identifier: BSL-1.0
// Activations of .nam files, by name or as objects with parameters (NAM/activations.cpp).
#pragma once

#include "weights.hpp"

namespace ctnn::nam {

/// min_val and max_val bend x, with slopes outside of them.
inline value_id leaky_hardtanh(part& p, const element& at, const std::string& name, value_id x) {
  const bool object = at.is(json::kind::object);
  const auto parameter = [&](std::string_view key, float usual) { return object ? at.real_or(key, usual) : usual; };
  const float low = parameter("min_val", -1), high = parameter("max_val", 1);
  if (!(low <= high)) at.fail("min_val is above max_val");
  using enum op::binary_function;
  const auto outside = [&](const std::string& side, op::binary_function f, float bound, float slope) {
    const value_id beyond = p.b.with_scalar(at, name + "." + side, f, x, bound);
    const value_id by = p.b.with_scalar(at, name + "." + side + ".from", sub, beyond, bound);
    return p.b.with_scalar(at, name + "." + side + ".slope", mul, by, slope);
  };
  const value_id inside = p.b.apply(at, name + ".inside", {function::clip, low, high}, x);
  const value_id below = outside("below", minimum, low, parameter("min_slope", 0.01f));
  const value_id above = outside("above", maximum, high, parameter("max_slope", 0.01f));
  return p.b.combine(at, name, add, p.b.combine(at, name + ".low", add, inside, below), above);
}

inline value_id prelu(part& p, const element& at, const std::string& name, value_id x) {
  if (at.is(json::kind::object) && !at.find("negative_slope"))
    if (const auto slopes = at.find("negative_slopes")) {
      op::prelu op;
      op.axis = 1;
      const value_id v = p.b.node(at, name, op, {x});
      p.b.set_weight(*slopes, v, 0, slopes->reals());
      return v;
    }
  const float slope = at.is(json::kind::object) ? at.real_or("negative_slope", 0.01f) : 0.01f;
  return p.b.apply(at, name, {function::leaky_relu, slope}, x);
}

/// The activation that the file has at `at`, of x.
inline value_id activation(part& p, const element& at, const std::string& own_name, value_id x) {
  const std::string name = p.prefix + own_name;
  const bool object = at.is(json::kind::object);
  const element type = object ? at["type"] : at;
  const std::string_view says = type.text();
  using enum function;
  constexpr std::pair<std::string_view, activation_function> plain[] = {{"Tanh", {tanh}},
                                                                        {"Hardtanh", {clip, -1, 1}},
                                                                        {"ReLU", {relu}},
                                                                        {"Sigmoid", {sigmoid}},
                                                                        {"SiLU", {silu}},
                                                                        {"Softsign", {softsign}},
                                                                        {"Hardswish", {hardswish, 1.0f / 6, 0.5f}}};
  for (const auto& [known, f] : plain)
    if (known == says) return p.b.apply(at, name, f, x);
  if (says == "LeakyReLU")
    return p.b.apply(at, name, {leaky_relu, object ? at.real_or("negative_slope", 0.01f) : 0.01f}, x);
  if (says == "PReLU") return nam::prelu(p, at, name, x);
  if (says == "LeakyHardtanh" || says == "LeakyHardTanh") return leaky_hardtanh(p, at, name, x);
  type.refuse("activation '" + std::string(says.substr(0, 80)) + "'");
}

}  // namespace ctnn::nam
