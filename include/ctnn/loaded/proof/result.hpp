// SPDX-License-Identifier: BSL-1.0
// What is proved of a rewritten graph, and of a loaded network.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ctnn {

enum class proof_result : char {
  algebra,      ///< whatever the functions and the order of numbers are
  order,        ///< in the order of real numbers: each branch that random numbers come to
  differs,      ///< `what` is the first number that does
  not_algebra,  ///< a number differs, and `what` is a layer of which nothing is known but that it is a function
};
struct proof {
  proof_result result = proof_result::algebra;
  std::string what{};
  constexpr explicit operator bool() const { return result <= proof_result::order; }
};

/// A rule whose rewrites of a network are not proved.
struct unproved_rule {
  std::string name, why;
};
struct network_proof : proof {
  std::size_t rewrites = 0;             ///< that are proved
  std::vector<unproved_rule> others{};  ///< by which the rules rewrite the network, too
};

}  // namespace ctnn
