// SPDX-License-Identifier: BSL-1.0
// Numbers far from 1, whose products leave the range of floats, and infinities: what rules may make of them.
#pragma once

#include <algorithm>
#include <limits>

#include <ctnn/rewrite/rewriter.hpp>

#include "numbers.hpp"

namespace ctnn::ir::test {

/// Of numbers up to 1e30 every sum in these tests is a float, in whatever order.
inline constexpr double headroom = 2e31;

/// 1 as often as not, else as small or large as floats are, or as the roots of those.
inline float any_size(dice& d) {
  constexpr float all[] = {1, 1, 1, 1, 1e-40f, 1e-30f, 1e-19f, 1e10f, 1e19f, 1e30f};
  return all[d.below(static_cast<int>(std::size(all)))];
}

/// random_weights, each times a number of any size; what is known of some holds still.
class weights_of_any_size {
 public:
  weights_of_any_size(const graph_view& g, std::uint64_t seed) : tame_(g), seed_(seed) {}

  const float* operator()(const expression& e) {
    const std::string key = std::string(e.layer) + "." + std::string(e.name);
    if (const auto at = known_.find(key); at != known_.end()) return at->second.data();
    floats numbers = tame_.of(e);
    std::uint64_t seed = seed_;
    for (char c : key) seed = seed * 131 + static_cast<unsigned char>(c);
    dice d(seed);
    const float size = any_size(d);
    if (e.numbers == numbers_are::anything)
      for (float& x : numbers) x *= size;
    return known_.emplace(key, std::move(numbers)).first->second.data();
  }
  void look_at(const graph_view& g) { tame_.look_at(g); }

 private:
  random_weights tame_;
  std::uint64_t seed_;
  std::map<std::string, floats> known_;
};

/// random_inputs, each times a number of any size, some with infinities.
inline std::vector<floats> inputs_of_any_size(const graph_view& g, std::uint64_t seed) {
  dice d(seed);
  std::vector<floats> in = random_inputs(g);
  for (floats& numbers : in) {
    const float size = any_size(d);
    const bool infinities = d.one_in(2);
    for (float& x : numbers) {
      x *= size;
      if (infinities && d.one_in(6)) x = d.one_in(2) ? HUGE_VALF : -HUGE_VALF;
    }
  }
  return in;
}

/// The same graph; some numbers of its functions with a number are of any size, too.
inline graph with_scalars_of_any_size(const graph_view& g, std::uint64_t seed) {
  constexpr float others[] = {1e-40f, 1e-20f, -1e19f, 1e30f, 1e-38f, 3e38f, HUGE_VALF};
  rewriter r(thaw(g));
  dice d(seed);
  for (node_id n = 0; n < static_cast<node_id>(g.nodes.size()); ++n) {
    if (!r.is<op::binary>(n)) continue;
    auto b = r.get<op::binary>(n);
    if (!b.scalar || !d.one_in(3)) continue;
    b.scalar = others[d.below(static_cast<int>(std::size(others)))];
    r.recode(n, b);
  }
  return r.finish();
}

/// A graph's outputs, and the largest finite number among all of its values.
struct outputs_and_size {
  std::vector<floats> outputs;
  double size = 0;

  outputs_and_size(const graph_view& g, weights_of_any_size& weights, const std::vector<floats>& in) {
    weights.look_at(g);
    graph_values values;
    run_graph(g, weights, pointers_to(in), values);
    for (const float x : values.numbers)
      if (std::isfinite(x)) size = std::max(size, std::fabs(static_cast<double>(x)));
    for (const network_output& o : g.outputs)
      outputs.emplace_back(values.of(o.value).begin(), values.of(o.value).end());
  }
};

/// Where a finite number became infinite or NaN, an infinity NaN or the other one; empty if nowhere.
inline std::string left_the_floats(const std::vector<floats>& got, const std::vector<floats>& want) {
  std::ostringstream s;
  for (std::size_t o = 0; o < want.size(); ++o)
    for (std::size_t i = 0; i < want[o].size(); ++i) {
      const float a = got[o][i], b = want[o][i];
      if (std::isnan(b) || std::isfinite(a) || a == b) continue;
      s << "output " << o << "[" << i << "] is " << a << ", not " << b;
      return s.str();
    }
  return {};
}

}  // namespace ctnn::ir::test
