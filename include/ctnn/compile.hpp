// SPDX-License-Identifier: BSL-1.0
// For the one unit of a project that compiles what all others with CTNN_COMPILED only declare (base/compiled.hpp).
#pragma once

#if !defined(CTNN_COMPILE)
#define CTNN_COMPILE
#endif
#include "model.hpp"
#include "formats/cpp_header.hpp"
#include "loaded/proof/network.hpp"
#include "model/quantize.hpp"
#include "model/verify.hpp"
#include "model/write_ncnn.hpp"
#include "network/block_table.hpp"
#if __has_include(<protozero/pbf_writer.hpp>)
#include "model/write_onnx.hpp"
#endif
