// SPDX-License-Identifier: BSL-1.0
// What is wrong with a network or its weights, as a value: the compiler and the loaders word it for their readers.
#pragma once

#include <string_view>

#include "shape.hpp"

namespace ctnn {

enum class mistake {
  none,
  missing_option,                    ///< `what` is required
  unknown_option,                    ///< the operator has no `what`
  option_out_of_range,               ///< `what` is got[0], needs at least needed[0]
  wrong_number_of_inputs,            ///< got[0], needs needed[0] to needed[1]
  rank_mismatch,                     ///< input is `got`, needs rank needed[0]
  shape_mismatch,                    ///< input is `got`, needs `needed`
  window_larger_than_padded_input,   ///< padded input `got`, window `needed`
  groups_do_not_divide_channels,     ///< channels got[0], groups needed[0]
  axis_out_of_range,                 ///< axis got[0] of rank needed[0]
  element_count_mismatch,            ///< `got` elements cannot be `needed`
  unknown_input,                     ///< no layer is called `what`
  input_declared_after_user,         ///< `what` stands further down
  duplicate_name,                    ///< two layers are called `what`
  duplicate_output,                  ///< two outputs are called `what`
  unknown_output,                    ///< no layer is called `what`
  no_input_before,                   ///< first layer reads "the layer before"
  missing_weight,                    ///< `what` has no numbers
  unknown_weight,                    ///< no layer has a weight called `what`
  weight_size_mismatch,              ///< `what` has `got`, needs `needed`
  too_large,                         ///< more elements than an index can count
  element_type,                      ///< `what` cannot have elements of dtype got[0]
};

struct problem {
  mistake kind = mistake::none;
  std::string_view what{};
  extents got{};
  extents needed{};

  constexpr explicit operator bool() const { return kind != mistake::none; }
};

}  // namespace ctnn
