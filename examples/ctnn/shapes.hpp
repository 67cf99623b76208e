// SPDX-License-Identifier: BSL-1.0
// The shapes of --shape, and what is said where they are missing or cannot be.
#pragma once

#include <functional>

#include "source.hpp"

namespace tool {

/// One of --shape that cannot be: what is wrong with it.
struct bad_shape : usage_error {
  using usage_error::usage_error;
};

/// The shapes of --shape. Throws bad_shape if the model has no inputs of these names, or they have more or fewer axes.
shapes_by_name shapes_for(const model_source&, const opened_model&);

/// Only the first axis of each input that nothing is known of is open, which counts samples: one.
bool assume_one_sample(const opened_model&, const ctnn::arrays_by_name& fed, shapes_by_name& shapes);

/// Makes the network for these shapes of inputs, or throws ctnn::error.
using shape_trial = std::function<void(const shapes_by_name&)>;
shape_trial trial_of(const opened_model&, const ctnn::arrays_by_name& fed);

/// Which inputs are open, and options with which the model can be made, as it has been tried. `e` is the reader's, who
/// does not know how its user gives shapes.
[[noreturn]] void ask_for_shape(const ctnn::error& e, const std::string& file, const opened_model&,
                                const ctnn::arrays_by_name& fed, const shapes_by_name& shapes, const shape_trial&);
/// "; its inputs are 'image' of 1 x 3 x height x width: for example --shape image=1x3x224x224"
std::string inputs_and_example(const opened_model&, const shape_trial&);

/// What an ncnn file's layers may not admit: "input 'data' of 3 x 8 x 8 (the file says 3 x 224 x 224): ".
std::string other_shapes(const opened_model&, const ctnn::arrays_by_name& fed);

}  // namespace tool
