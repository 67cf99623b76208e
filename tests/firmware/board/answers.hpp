// SPDX-License-Identifier: BSL-1.0
// A network's answer to one input, beside what is expected of it: ../run gives the header ANSWERS both, of the trained
// network where it has that, else what this very program gave on the host (BOARD_ON_HOST), as the header's text.
#pragma once

#include <span>

#if defined(BOARD_ON_HOST)
#include <cstdio>
#else
#include "compare.hpp"
#include ANSWERS
#endif

namespace board {

/// The engine's exit status as a program, its input being in the arena: 0 if every output is within `tolerance`.
template <class Engine>
int check_answers([[maybe_unused]] const char* what, Engine& engine, [[maybe_unused]] float tolerance) {
  const std::span<float, Engine::template input_size<0>> input = engine.template input<0>();
#if defined(BOARD_ON_HOST)
  const auto write = [](const char* name, auto&& numbers) {
    std::printf("BOARD_SAMPLE float %s[] = {", name);
    for (float x : numbers) std::printf("%af,", static_cast<double>(x));
    std::printf("};\n");
  };
  unsigned seed = 7;
  for (float& x : input) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<float>(seed >> 8) / 16777216.0f;
  }
  write("input", input);
  write("expected", engine());
  return 0;
#else
  static_assert(sizeof answers::input == Engine::template input_size<0> * sizeof(float));
  static_assert(sizeof answers::expected == Engine::template output_size<0> * sizeof(float));
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = answers::input[i];
  measure(what, [&] { engine(); });
  const int wrong = differences("output", engine.template output<0>(), answers::expected, tolerance);
  print(wrong == 0 ? "answers: all right\n" : "answers: wrong\n");
  return wrong == 0 ? 0 : 1;
#endif
}

}  // namespace board
