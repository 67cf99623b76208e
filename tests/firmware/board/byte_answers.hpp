// SPDX-License-Identifier: BSL-1.0
// A trained network of bytes: its answers to several inputs are TensorFlow Lite's, byte by byte. ../run writes programs
// that include this, with both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "board.hpp"

namespace board {

/// The engine's exit status as a program. Its input is in the arena.
template <class Engine>
int check_bytes(const char* what, Engine& engine, std::span<const std::int8_t> inputs,
                std::span<const std::int8_t> expected) {
  constexpr std::size_t in = Engine::template input_size<0>, out = Engine::template output_size<0>;
  const std::span<std::int8_t, in> input = engine.template input<0>();
  std::uint32_t wrong = 0, answers = 0;
  for (; inputs.size() >= in; inputs = inputs.subspan(in), expected = expected.subspan(out), ++answers) {
    for (std::size_t i = 0; i < in; ++i) input[i] = inputs[i];
    if (answers == 0) measure(what, [&] { engine(); });
    else engine();
    for (std::size_t i = 0; i < out; ++i) wrong += engine.template output<0>()[i] != expected[i] ? 1u : 0u;
  }
  print(answers);
  print(" answers, wrong bytes: ");
  print(wrong);
  print("\n");
  return wrong == 0 && answers != 0 && expected.empty() ? 0 : 1;
}

}  // namespace board
