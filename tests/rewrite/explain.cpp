// SPDX-License-Identifier: BSL-1.0
// rewrite/explain.hpp and sentences.hpp: why a layer is still there, where it went.
#include <ctnn/loaded/rewriting.hpp>
#include <ctnn/rewrite/rules.hpp>
#include <ctnn/rewrite/sentences.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/builder.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

/// conv3 feeds relu3 and add4; conv1 takes in its relu.
constexpr void two_readers(builder& b) {
  const value_id x = b.input("x", {3, 4, 4}), c1 = b.relu("relu1", b.conv("conv1", x, 3, 1)),
                 c3 = b.conv("conv3", c1, 3, 1);
  b.output("sum", b.binary("add4", op::binary_function::mul, c3, c1));
  b.output("relu", b.relu("relu3", c3));
}
std::vector<std::string> ask(void (*make)(builder&), std::string_view layer) {
  builder b, same;
  make(b);
  make(same);
  const optimization o = optimize(static_cast<ir::graph&&>(b.g), default_rule_records());
  pool<text> lines;
  explain(same.g.view(), o.g.view(), o.history, default_rule_records(), layer, lines);
  std::vector<std::string> out;
  for (const text& line : lines) out.emplace_back(line.view());
  return out;
}
void output_between(builder& b) {
  const value_id c = b.conv("conv", b.input("x", {3, 4, 4}), 3, 1);
  b.output("linear", c);
  b.output("it", b.relu("relu", c));
}

constexpr bool found_in_a_constant() {
  builder b;
  two_readers(b);
  const optimization o = optimize(static_cast<ir::graph&&>(b.g), default_rules::records);
  pool<near_miss> misses;
  find_near_misses(o.g.view(), default_rules::records, "relu3", misses);
  for (const near_miss& m : misses)
    if (m.rule.name == "fuse_activation")
      return m.why.layer == "conv3" && m.why.shared && m.other_readers.size() == 1 && m.other_readers[0] == "add4";
  return false;
}
static_assert(found_in_a_constant());

}  // namespace

TEST_CASE("the first condition that failed, at run time and in the compiler") { CHECK(found_in_a_constant()); }

TEST_CASE("who else reads a value") {
  CHECK(ask(two_readers, "relu3").front() ==
        "relu3: not fused into conv3, whose output is also read by add4 (fuse_activation)");
  // The same from the other end, before what keeps conv3 itself out of conv1.
  const std::vector<std::string> at_conv = ask(two_readers, "conv3");
  REQUIRE(at_conv.size() >= 2);
  CHECK(at_conv[0] == "relu3: not fused into conv3, whose output is also read by add4 (fuse_activation)");
  CHECK(at_conv[1] == "conv3: multiply_weights does not apply: its input has an activation already (conv1)");
  CHECK(ask(output_between, "relu").front() ==
        "relu: not fused into conv, whose output is a network output too (fuse_activation)");
}

TEST_CASE("other conditions, layers that are gone, layers without a rule, unknown layers") {
  CHECK(ask(two_readers, "add4").size() == 3);  // of many
  CHECK(ask(two_readers, "relu1") == std::vector<std::string>{"relu1: part of conv1 (fuse_activation)"});
  CHECK(ask(two_readers, "x").front().starts_with("x: no rule's pattern"));
  CHECK(ask(two_readers, "nobody").empty());
}
