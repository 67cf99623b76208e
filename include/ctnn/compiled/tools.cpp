// SPDX-License-Identifier: BSL-1.0
// What tools need: C++ headers, quantization, comparing models, proofs.
#define CTNN_UNIT CTNN_PART_TOOLS
#include "../formats/cpp_header.hpp"
#include "../loaded/proof/network.hpp"
#include "../model/quantize.hpp"
#include "../model/verify.hpp"
