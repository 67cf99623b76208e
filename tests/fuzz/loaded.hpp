// SPDX-License-Identifier: BSL-1.0
// What the fuzz targets share: tiny limits, and running what was loaded. Compiled once for all of them (loaded.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include <ctnn/loaded/loaded_model.hpp>

namespace ctnn::ir::fuzz {

/// Prints what is wrong and aborts, which libFuzzer takes for a finding.
[[noreturn]] void found(const std::string& what);

/// Loads what `make` gives, as it is and optimised, runs both unless that is much work, and compares the answers.
/// A ctnn::error that says something is fine; anything else is a finding.
void try_model(const std::function<loaded_model()>& make);

// Each takes the bytes of one file.
void try_param(std::string_view text);
void try_bin(std::span<const std::byte> bytes);
void try_onnx(std::span<const std::byte> bytes);
/// Fed each of these, of which every number is exact.
void try_parts(std::span<const std::byte> bytes, std::span<const arrays_by_name> inputs);
void try_tflite(std::span<const std::byte> bytes);
void try_json(std::string_view text);
void try_npy(std::string_view bytes);
void try_weights(std::span<const std::byte> bytes);

}  // namespace ctnn::ir::fuzz
