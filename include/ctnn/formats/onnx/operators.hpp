// SPDX-License-Identifier: BSL-1.0
// ONNX's operators by name: tables in operators/, one small function each in readers/.
#pragma once

#include <string_view>

#include "../../base/compiled.hpp"
#include "messages.hpp"

namespace ctnn::onnx {

// Null for a name that the table does not have.
const operator_entry* find_computing(std::string_view name);
const operator_entry* find_moving(std::string_view name);
const operator_entry* find_sequences(std::string_view name);
const operator_entry* find_microsoft(std::string_view name);

/// Null if ONNX has no such operator or ctnn cannot say it.
inline const operator_entry* find_operator(std::string_view domain, std::string_view name) {
  if (domain == "com.microsoft") return find_microsoft(name);
  if (!domain.empty()) return nullptr;
  for (const auto find : {&find_computing, &find_moving, &find_sequences})
    if (const operator_entry* const found = find(name)) return found;
  return nullptr;
}

}  // namespace ctnn::onnx

#if CTNN_DEFINES(CTNN_PART_ONNX_COMPUTING)
#include "operators/computing.hpp"
#endif
#if CTNN_DEFINES(CTNN_PART_ONNX_MOVING)
#include "operators/moving.hpp"
#endif
#if CTNN_DEFINES(CTNN_PART_ONNX_SEQUENCES)
#include "operators/sequences.hpp"
#endif
#if CTNN_DEFINES(CTNN_PART_ONNX_MICROSOFT)
#include "operators/microsoft.hpp"
#endif
