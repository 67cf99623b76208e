// SPDX-License-Identifier: BSL-1.0
// A network's weights in one run of numbers: each at its place, aligned, none on another, in the order of its kernel.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <ctnn/weights/packed.hpp>

#include "support/builder.hpp"

using namespace ctnn;
using namespace ctnn::ir;

namespace {

struct piece {
  std::string_view layer, name;
  std::int64_t offset, size;
};

/// A convolution of 3 channels to 5, a scale, a product, and a table of other numbers than floats.
constexpr ir::graph layers() {
  test::builder b;
  value_id x = b.conv("conv", b.input("x", {3, 4, 4}), 5, 3);
  x = b.add(op::scale{}, "scale", {x});
  x = b.linear("fc", b.flatten("flat", x), 7);
  b.output("y", x);
  const value_id t = b.add(op::constant{{9}, dtype::i64}, "table", {});
  b.output("t", t);
  return b.g;
}

std::vector<piece> pieces_of(const ir::graph& g, int block) {
  std::vector<piece> out;
  const graph_view v = g.view();
  const std::int64_t total = for_each_slot(
      v,
      [&](const node& n, int i, expression_id e, std::int64_t offset, std::int64_t size, bool) {
        CHECK(v.weights(n)[static_cast<std::size_t>(i)] == e);
        CHECK(size == packed_size(v, n, i, block));
        out.push_back({n.name, v.at_expression(e).name, offset, size});
      },
      block);
  CHECK(total == packed_total(v, block));
  CHECK(out.back().offset + out.back().size <= total);
  return out;
}

}  // namespace

TEST_CASE("every weight has a place of its own") {
  const ir::graph g = layers();
  for (int block : {4, 16}) {
    CAPTURE(block);
    const std::vector<piece> all = pieces_of(g, block);
    REQUIRE(all.size() == 7);  // two each of conv, scale and fc; the table
    std::int64_t end = 0;
    for (const piece& p : all) {
      CAPTURE(std::string(p.layer));
      CHECK(p.offset >= end);
      CHECK(p.offset % arena_alignment == 0);
      end = p.offset + p.size;
    }
  }
}

TEST_CASE("packed weights are whole blocks of channels, with zeros behind the last") {
  const ir::graph g = layers();
  const graph_view v = g.view();
  for (int block : {4, 16}) {
    CAPTURE(block);
    const node& conv = v.at(1);
    const std::int64_t blocks = (5 + block - 1) / block;
    CHECK(packed_size(v, conv, 0, block) == blocks * block * 3 * 3 * 3);
    CHECK(packed_size(v, conv, 1, block) == 5);  // a bias stays as it is
    std::vector<float> weight(5 * 27), packed(static_cast<std::size_t>(packed_size(v, conv, 0, block)), -1.0f);
    for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = static_cast<float>(i + 1);
    pack_slot(
        v, conv, 0, [&](int) { return typed_span(weight); }, packed.data(), block);
    // Every number is there once; what is left are zeros.
    std::vector<float> sorted = packed;
    std::sort(sorted.begin(), sorted.end());
    const auto zeros = static_cast<std::ptrdiff_t>(packed.size() - weight.size());
    CHECK(std::count(sorted.begin(), sorted.end(), 0.0f) == zeros);
    CHECK(std::equal(weight.begin(), weight.end(), sorted.begin() + zeros));
    // The channels of a block are side by side.
    CHECK(packed[0] == 1);
    CHECK(packed[1] == 28);
  }
}

TEST_CASE("other types than floats are copied as they are, in words of four bytes") {
  const ir::graph g = layers();
  const graph_view v = g.view();
  const auto found = std::find_if(v.nodes.begin(), v.nodes.end(), [](const node& n) { return n.name == "table"; });
  REQUIRE(found != v.nodes.end());
  CHECK(packed_size(v, *found, 0) == 18);
  const std::vector<std::int64_t> numbers{1, -2, 3, -4, 5, -6, 7, -8, std::int64_t{1} << 40};
  std::vector<float> packed(18);
  pack_slot(
      v, *found, 0, [&](int) { return typed_span(std::span<const std::int64_t>(numbers)); }, packed.data());
  CHECK(std::memcmp(packed.data(), numbers.data(), 72) == 0);
}

namespace {

/// Two layers that read one weight, with one field of the second as `change` makes it.
ir::graph two_readers(auto&& change) {
  test::builder b;
  op::conv2d p;
  p.out = 8;
  p.kernel = {3, 3};
  const value_id x = b.input("x", {8, 9, 9});
  const value_id one = b.add(p, "one", {x});
  change(p);
  b.output("y", b.add(p, "two", {x}));
  b.output("z", one);
  for (int k = 0; k < 2; ++k)
    b.g.operands[static_cast<std::size_t>(b.g.nodes[2].weights.first + k)] =
        b.g.operands[static_cast<std::size_t>(b.g.nodes[1].weights.first + k)];
  return std::move(b.g);
}
/// How many weights lie where others do.
int shared_in(const ir::graph& g, int block) {
  int n = 0;
  std::int64_t end = 0;
  for_each_slot(
      g.view(),
      [&](const node&, int, expression_id, std::int64_t offset, std::int64_t size, bool is_there) {
        CHECK(is_there == (offset < end));
        end = std::max(end, offset + size);
        n += is_there ? 1 : 0;
      },
      block);
  CHECK(packed_total(g.view(), block) >= end);
  return n;
}

}  // namespace

TEST_CASE("a weight that several layers read has one place for each way that it is packed") {
  for (const int block : {4, 16}) {
    CAPTURE(block);
    CHECK(shared_in(two_readers([](op::conv2d&) {}), block) == 2);
    CHECK(shared_in(two_readers([](op::conv2d& p) { p.stride = {2, 1}, p.pad = {1, 0, 1, 0}; }), block) == 2);
    CHECK(shared_in(two_readers([](op::conv2d& p) { p.activation.kind = function::relu; }), block) == 2);
  }
}
