// SPDX-License-Identifier: BSL-1.0
// linear by packed weights on every target this CPU has.
#include "bits_cases.hpp"
#include "targets_of_this_cpu.hpp"

using namespace ctnn;
using namespace ctnn::ir;

TEST_CASE("linear by packed weights: what is refused") {
  const extents x{3, 40};
  const auto refused = [&](auto change) {
    op::linear p = packed_layer(8, {dtype::u8, 4, 16, false, false}, true);
    change(p);
    extents y;
    return p.infer({&x, 1}, {&y, 1}).what;
  };
  CHECK(refused([](op::linear&) {}) == "");
  CHECK(refused([](op::linear& p) { p.weight.bits = 3; }) == "bits");
  CHECK(refused([](op::linear& p) { p.weight.block = 7; }) == "block");
  CHECK(refused([](op::linear& p) { p.weight.type = dtype::i8; }) == "weight");
  CHECK(refused([](op::linear& p) { p.weight.by_output = true; }) == "by_output");
  CHECK(refused([](op::linear& p) { p.transposed = true; }) == "transposed");
  CHECK(refused([](op::linear& p) { p.given = 1; }) == "given");
  const element half = dtype::f16;
  element made;
  CHECK(packed_layer(8, {dtype::u8, 4, 16, false, false}, true).infer_types({&half, 1}, {}, {&made, 1}).what ==
        "input");
}

TEST_CASE("linear by packed weights: bits, blocks, zero points, one row and many") {
  for_each_target([] { sweep_packed(dispatched); });
}
