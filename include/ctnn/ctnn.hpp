// SPDX-License-Identifier: BSL-1.0
// ctnn for networks declared as types: everything that firmware and applications with fixed networks need.
// Define CTNN_PLAIN for targets without Highway (Cortex-M) or Boost: without are then only threads and layers_of<...>.
#pragma once

#include "kernels/targets.hpp"

#include "network/engine.hpp"
#if !defined(CTNN_PLAIN)
#include "network/layers_of.hpp"
#endif
#include "network/modules.hpp"
#include "network/stateful.hpp"
#include "network/texts.hpp"
