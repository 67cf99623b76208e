// SPDX-License-Identifier: BSL-1.0
// Declared networks as real-time objects that take any number of samples a call.
#pragma once

#include "ctnn.hpp"
#include "network/stream.hpp"
