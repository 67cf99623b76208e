// SPDX-License-Identifier: BSL-1.0
// Loaded models, compiled once for all programs here.
#include <ctnn/compile.hpp>
