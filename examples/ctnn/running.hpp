// SPDX-License-Identifier: BSL-1.0
// Makes models of what a command line names ready to run.
#pragma once

#include <ctnn/model.hpp>

#include "inputs.hpp"

namespace tool {

/// The instruction set of this name; the best one for an empty name. Throws usage_error.
ctnn::target_id find_target(const std::string& name);

/// The model for the arrays of the first run, and for other shapes when those of another come. Its weights as they were
/// read can be kept beside those that run.
ctnn::model load_model(const model_source&, const opened_model&, const ctnn::arrays_by_name& fed, ctnn::target_id,
                       std::shared_ptr<ctnn::executor> threads, bool keep_weights = false);

/// What is fed, and made-up numbers for the other inputs that the model needs: ctnn::made_up_numbers, or those that
/// follow from a `seed` other than 0.
ctnn::arrays_by_name completed(const ctnn::model&, const model_source&, const opened_model&, ctnn::arrays_by_name fed,
                               std::uint32_t seed = 0);

/// None for one thread.
std::shared_ptr<ctnn::executor> make_threads(int n);

}  // namespace tool
