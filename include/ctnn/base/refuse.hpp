// SPDX-License-Identifier: BSL-1.0
// What a kernel does when the numbers admit no answer (an index out of range): it throws ctnn::error, or, where there
// are no exceptions, tells ctnn::on_refusal and does not go on.
#pragma once

#include <cstdint>
#include <string_view>

#include "compiled.hpp"
#include "compiler.hpp"
#if defined(__cpp_exceptions) && !defined(CTNN_PLAIN)
#define CTNN_THROWS 1
#if CTNN_DEFINES(CTNN_PART_DISPATCH)
#include "thrown.hpp"
#endif
#else
#define CTNN_THROWS 0
#endif

namespace ctnn {

/// What is wrong with operator `op`: each % of `reason` is one of the numbers.
struct refusal {
  std::string_view op, reason;
  std::int64_t numbers[2];
};

#if CTNN_THROWS

[[noreturn]] void refuse_at_run_time(std::string_view op, std::string_view reason, std::int64_t first = 0,
                                     std::int64_t second = 0);

#if CTNN_DEFINES(CTNN_PART_DISPATCH)
CTNN_ONCE void refuse_at_run_time(std::string_view op, std::string_view reason, std::int64_t first,
                                  std::int64_t second) {
  std::string text = "operator '" + std::string(op) + "'";
  text += reason.substr(0, 4) == "has " ? " " : ": ";
  std::int64_t numbers[] = {first, second}, *next = numbers;
  for (char c : reason)
    if (c == '%') text += std::to_string(*next++);
    else text += c;
  throw error(text);
}
#endif

#else

/// A program's own: it may report, and must not return (a reset, a loop for the watchdog). Null: the processor traps.
inline void (*on_refusal)(const refusal&) = nullptr;

[[noreturn]] inline void refuse_at_run_time(std::string_view op, std::string_view reason, std::int64_t first = 0,
                                            std::int64_t second = 0) {
  if (on_refusal != nullptr) on_refusal({op, reason, {first, second}});
  CTNN_TRAP();
}

#endif

}  // namespace ctnn
