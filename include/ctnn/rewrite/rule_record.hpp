// SPDX-License-Identifier: BSL-1.0
// Rules and what they did, for those who only hold them: rule.hpp makes records, driver.hpp applies them.
#pragma once

#include <cstddef>
#include <string_view>

#include "../graph/graph.hpp"

namespace ctnn::ir {

class rewriter;

/// The component a rule lowers; the ones before it stay or fall.
enum class lowers { nodes, tier, position, movable, weights, results };

/// Whether applying a rule changes numbers.
enum class numerics {
  exact,  ///< the same bits from kernels that sum in the same order
  /// Equal in real arithmetic: rounding differs. As long as the sizes of what is summed have a sum, no finite number
  /// becomes infinite or NaN, and no infinity NaN or the other one. What left the range of floats on the way, as
  /// 0 * infinity and b * (1 / 1e-40) do, may become the number that real arithmetic gives.
  reassociates,
  /// As `reassociates`, but weights or numbers are multiplied with each other first: where that leaves the range of
  /// floats, so may results. Or an infinity meets numbers that it did not meet, as others of its row.
  rescales,
  unrounded,  ///< what was rounded to half precision is not
};

/// Why a rule declines: the first condition that fails and, where there is one, the layer it is about.
struct reason {
  std::string_view text{};
  std::string_view layer{};
  bool shared = false;  ///< somebody else reads what `layer` makes
  bool silent = false;  ///< the operators are not there: no near miss
  bool said = false;    ///< the pattern's own words for this place
  double now = 0, then = 0;  ///< nanoseconds before and after, where it would cost too much (graph/cost.hpp)
  constexpr explicit operator bool() const { return !text.empty(); }
};

/// Operators as a set; no types: all there are.
struct operator_set {
  const operator_type* const* types = nullptr;
  std::size_t count = 0;
  constexpr bool has(const operator_type* type) const {
    if (count == 0) return true;
    for (std::size_t i = 0; i < count; ++i)
      if (types[i] == type) return true;
    return false;
  }
};

/// How it is known that a rule is right but for its numerics (../loaded/proof/prove.hpp). All are run besides.
enum class proved_by {
  algebra,  ///< over a field, whatever the functions and the order of numbers are
  order,    ///< the same, by the order of real numbers
  running,  ///< not at all, for a reason
};

struct rule_info {
  std::string_view name;
  std::string_view arrow;
  lowers component;
  numerics effect;
  proved_by proof = proved_by::algebra;
  std::string_view unproved{};  ///< why it is checked by running alone
};

/// A rule without its type: what the driver looks up and the reports list.
struct rule_record {
  rule_info info;
  operator_set roots;   ///< the last operator of the pattern
  operator_set firsts;  ///< what an input's producer must be
  /// Tries the rule at a node; true if it was applied. Otherwise `why` may hold a near miss.
  bool (*apply)(rewriter&, node_id, reason* why);
};

/// One application of a rule.
struct rewrite_step {
  std::string_view rule;
  std::string_view consumed;  ///< the layer that is gone
  std::string_view into;  ///< the layer that does its work: itself if it is another operator now; empty if nothing does
  double now = 0, then = 0;  ///< nanoseconds before and after, where the rule chose by cost (graph/cost.hpp)
};

/// How many rewrites there may be: fewer, to see what the next one does (model/verify.hpp).
inline constexpr std::size_t every_rewrite = ~std::size_t{0};

}  // namespace ctnn::ir
