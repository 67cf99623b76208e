// SPDX-License-Identifier: BSL-1.0
// A graph and its weights as a C++ header that needs ctnn/ctnn.hpp (or ctnn/typed.hpp) alone: a network, which is
// a function, with its numbers.
#pragma once

#include <functional>

#include "../base/compiled.hpp"
#include "../base/typed_span.hpp"
#include "../graph/graph.hpp"
#include "cpp/linked.hpp"

namespace ctnn::cpp {

struct header_options {
  std::string name = "network";  ///< of the type
  std::string origin{};          ///< for the comment at the top
  int packed = 0;                ///< channel_block of the target to pack the weights for; 0: logical order
  std::string* image = nullptr;  ///< gets an image of packed weights (network/weights_image.hpp)
  std::string_view command = "ctnn header";  ///< that writes it
  bool list = false;                         ///< network<...> of a list of layers, instead of a function
};

namespace detail {

/// The values of a weight expression, until the next call.
using weight_reader = std::function<typed_span(expression_id)>;

}  // namespace detail

/// The text of the header. `numbers` gives the values of a weight expression in logical order, until its next call.
/// Floats go to `linked`, which has a name, if there is one. Throws ctnn::error naming a layer that a type cannot
/// express.
std::string write_header(const graph_view& g, const detail::weight_reader& numbers, const header_options& options,
                         linked_numbers* linked = nullptr);

}  // namespace ctnn::cpp

#if CTNN_DEFINES(CTNN_PART_TOOLS)
#include "cpp/header_writer.hpp"
#endif
