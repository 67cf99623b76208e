// SPDX-License-Identifier: BSL-1.0
// ctnn for networks declared as types: everything that firmware and applications with fixed networks need.
// Define CTNN_PLAIN for targets without Highway (Cortex-M).
#pragma once

#include "kernels/targets.hpp"

#include "network/engine.hpp"
#include "network/questions.hpp"
