// SPDX-License-Identifier: BSL-1.0
// As stub_floats.cpp, for networks of bytes (byte_answers.hpp).
#include "byte_answers.hpp"
#include "stub_engine.hpp"

namespace {
[[gnu::section(".samples")]] const std::int8_t inputs[128] = {}, expected[128] = {};
}

int main() {
  board::stub_engine<std::int8_t> one;
  return board::check_bytes("nothing", one, inputs, expected);
}
