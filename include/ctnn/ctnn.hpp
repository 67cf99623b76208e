// SPDX-License-Identifier: BSL-1.0
// ctnn for networks declared as types: everything that firmware and applications with fixed networks need.
// Define CTNN_PLAIN for targets without Highway (Cortex-M): without are then only threads and layers_of<...>, which
// needs the headers of Boost.Hana.
#pragma once

#include "base/compiler.hpp"
CTNN_BEGIN_FIRMWARE
// Compilers say through which headers they came to an error: those that have sentences are included here, first.
#include "base/mistakes.hpp"
#include "kernels/targets.hpp"
#include "kernels/operator_code.hpp"
#include "rewrite/rule.hpp"
#include "network/layers.hpp"
#include "network/blocks.hpp"
#include "network/network.hpp"
#include "network/parameters.hpp"

#include "network/batched.hpp"
#include "network/engine.hpp"
#include "network/layer_info.hpp"
#if !defined(CTNN_PLAIN) && __has_include(<boost/hana/tuple.hpp>)
#include "network/layers_of.hpp"
#endif
#include "network/modules.hpp"
#include "network/shared_weights.hpp"
#include "network/stateful.hpp"
#include "network/recorded_network.hpp"
#include "network/texts.hpp"
#include "network/with_weights.hpp"
#include "version.h"
CTNN_END_FIRMWARE
