// SPDX-License-Identifier: BSL-1.0
// What the hosted half throws: one type whose text says what is wrong, where, and what was expected. The same as a
// value for those who do not want it thrown.
#pragma once

#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "result.hpp"

namespace ctnn {

/// A file or a request that cannot be honoured. what() is one line that starts with the place ("net.param:12: ...");
/// further lines follow only where several things are wrong at once.
struct error : std::runtime_error {
  explicit error(const std::string& text) : std::runtime_error(text) {}
};

/// f(), with ctnn::error for whatever else it throws.
template <class F>
auto or_error(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw error("out of memory");
  } catch (const std::exception& e) {
    throw error(e.what());
  }
}

/// f(), or the ctnn::error that it would throw.
template <class F>
auto attempt(F&& f) -> result<decltype(f())> {
  try {
    if constexpr (std::is_void_v<decltype(f())>) {
      or_error(f);
      return {};
    } else {
      return or_error(f);
    }
  } catch (const error& e) {
    return e;
  }
}

}  // namespace ctnn
