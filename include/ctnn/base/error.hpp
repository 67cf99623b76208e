// SPDX-License-Identifier: BSL-1.0
// What the hosted half throws (thrown.hpp), and the same as a value for those who do not want it thrown.
#pragma once

#include <new>
#include <type_traits>

#include "result.hpp"
#include "thrown.hpp"

namespace ctnn {

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
