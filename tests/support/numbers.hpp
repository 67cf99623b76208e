// SPDX-License-Identifier: BSL-1.0
// Numbers for any graph: pseudo-random inputs and weights that depend on names only, the reference kernels' outputs,
// and how far two results lie apart.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <ctnn/graph/zero_channels.hpp>
#include <ctnn/network/constant_run.hpp>

namespace ctnn::ir::test {

using floats = std::vector<float>;

/// The same everywhere for the same words.
class dice {
 public:
  explicit dice(std::uint64_t seed) : state_(seed * 2862933555777941757u + 3037000493u) {}
  /// Throws these bytes first.
  explicit dice(std::span<const std::uint8_t> bytes) : dice(bytes.size()) { bytes_ = bytes; }
  std::uint32_t bits() {
    if (bytes_.size() >= 2) {
      const std::uint32_t n = bytes_[0] | static_cast<std::uint32_t>(bytes_[1]) << 8;
      bytes_ = bytes_.subspan(2);
      return n;
    }
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 33);
  }
  /// In [0, n).
  int below(int n) { return static_cast<int>(bits() % static_cast<std::uint32_t>(n)); }
  bool one_in(int n) { return below(n) == 0; }
  float uniform(float low, float high) {
    return low + (high - low) * static_cast<float>(bits() & 0xffffffu) / 16777216.0f;
  }

 private:
  std::uint64_t state_;
  std::span<const std::uint8_t> bytes_{};
};

inline floats random_floats(std::string_view word, std::int64_t count, float low = -1, float high = 1) {
  std::uint64_t seed = 7;
  for (char c : word) seed = seed * 131 + static_cast<unsigned char>(c);
  dice r(seed);
  floats out(static_cast<std::size_t>(count));
  for (float& f : out) f = r.uniform(low, high);
  return out;
}

/// Weights made up on demand; a variance is positive.
class random_weights {
 public:
  random_weights() = default;
  /// Of leaves of this graph, or of one that was rewritten from it: what it knows of their numbers holds.
  explicit random_weights(const graph_view& g) : g_(g) {}

  const float* operator()(const expression& e) { return of(e).data(); }
  const floats& of(const expression& e) {
    const std::string key = std::string(e.layer) + "." + std::string(e.name);
    auto at = known_.find(key);
    if (at != known_.end()) return at->second;
    floats numbers = random_floats(key, e.shape.count(), e.name == "running_var" ? 0.2f : -1.0f);
    if (e.numbers == numbers_are::zeros) numbers.assign(numbers.size(), 0.0f);
    if (e.numbers == numbers_are::ones) numbers.assign(numbers.size(), 1.0f);
    if (e.numbers == numbers_are::positive)
      for (float& x : numbers) x = std::fabs(x) + 0.1f;
    write_zero_channels(g_, e, [&](std::size_t i) { numbers[i] = 0; });
    return known_.emplace(key, std::move(numbers)).first->second;
  }
  void look_at(const graph_view& g) { g_ = g; }

 private:
  std::map<std::string, floats> known_;
  graph_view g_{};
};

/// Inputs of a graph in order, made up from their names.
inline std::vector<floats> random_inputs(const graph_view& g) {
  std::vector<floats> out;
  for (const node& n : g.nodes)
    if (n.type == &type_of<op::input>) out.push_back(random_floats(n.name, g.shape(n.outputs.first).count(), -2, 2));
  return out;
}
inline std::vector<const float*> pointers_to(const std::vector<floats>& many) {
  std::vector<const float*> out;
  for (const floats& f : many) out.push_back(f.data());
  return out;
}

/// The outputs of a graph by the reference kernels.
inline std::vector<floats> reference_outputs(const graph_view& g, random_weights& weights) {
  weights.look_at(g);
  const std::vector<floats> in = random_inputs(g);
  const std::vector<const float*> pointers = pointers_to(in);
  graph_values values;
  run_graph(g, weights, pointers, values);
  std::vector<floats> out;
  for (const network_output& o : g.outputs) out.emplace_back(values.of(o.value).begin(), values.of(o.value).end());
  return out;
}

/// Empty if every number is close, else what is not. Close: within `relative` of the output's largest magnitude.
inline std::string difference(const std::vector<floats>& got, const std::vector<floats>& want, double relative = 2e-5) {
  std::ostringstream s;
  if (got.size() != want.size()) {
    s << got.size() << " outputs, not " << want.size();
    return s.str();
  }
  for (std::size_t o = 0; o < got.size(); ++o) {
    if (got[o].size() != want[o].size()) {
      s << "output " << o << " has " << got[o].size() << " numbers, not " << want[o].size();
      return s.str();
    }
    double largest = 1;
    for (float x : want[o])
      if (std::isfinite(x)) largest = std::max(largest, std::fabs(static_cast<double>(x)));
    for (std::size_t i = 0; i < got[o].size(); ++i) {
      const double a = got[o][i], b = want[o][i];
      if (a == b || (std::isnan(a) && std::isnan(b))) continue;
      if (std::fabs(a - b) <= relative * largest) continue;
      s << "output " << o << "[" << i << "] is " << a << ", not " << b;
      return s.str();
    }
  }
  return {};
}

/// One line a node, for messages.
inline std::string describe_graph(const graph_view& g) {
  std::ostringstream s;
  for (const node& n : g.nodes) {
    s << n.type->name << " " << n.name << (n.dead ? " dead" : "") << " (";
    for (value_id v : g.inputs(n)) s << " v" << v;
    s << " ) ->";
    for (int k = 0; k < n.outputs.count; ++k) {
      s << " v" << n.outputs.first + k << "[";
      const extents& x = g.shape(n.outputs.first + k);
      for (int i = 0; i < x.rank; ++i) s << (i ? "," : "") << x[i];
      s << "]";
    }
    s << " {";
    for (double d : g.fields_of(n.fields)) s << " " << d;
    s << " }\n";
  }
  for (const network_output& o : g.outputs) s << "output " << o.name << " = v" << o.value << "\n";
  return s.str();
}

}  // namespace ctnn::ir::test
