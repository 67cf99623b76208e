// SPDX-License-Identifier: BSL-1.0
// What the hosted half throws: one type whose text says what is wrong, where, and what was expected.
#pragma once

#include <stdexcept>
#include <string>

namespace ctnn {

/// A file or a request that cannot be honoured. what() is one line that starts with the place ("net.param:12: ...");
/// further lines follow only where several things are wrong at once.
struct error : std::runtime_error {
  explicit error(const std::string& text) : std::runtime_error(text) {}
};

}  // namespace ctnn
