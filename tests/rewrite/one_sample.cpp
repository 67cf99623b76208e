// SPDX-License-Identifier: BSL-1.0
// A batch taken apart: where there is a network for one sample it gives the bits of the batch, of every operator on
// every type and of random graphs; what mixes samples is left whole.
#include <doctest/doctest.h>

#include <set>

#include <ctnn/rewrite/one_sample.hpp>
#include <ctnn/loaded/rewriting.hpp>

#include "support/builder.hpp"
#include "support/every_operator.hpp"
#include "support/random_graph.hpp"
#include "support/seeds.hpp"
#include "support/typed_numbers.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

bytes sample_of(const bytes& all, std::int64_t size, std::int64_t i) {
  return {all.begin() + static_cast<std::ptrdiff_t>(size * i),
          all.begin() + static_cast<std::ptrdiff_t>(size * (i + 1))};
}

/// Whether g is taken apart; then its samples are checked, one by one.
bool is_apart(const graph_view& g) {
  const std::optional<ir::graph> made = one_sample(g);
  if (!made) return false;
  const graph_view one = made->view();
  const auto size = [&](value_id v) { return one.shape(v).count() * size_of(one.at_value(v).type); };
  const std::vector<bytes> all = typed_outputs(g);
  const int samples = g.shape(g.outputs[0].value)[0];
  CHECK(samples > 1);
  for (int i = 0; i < samples; ++i) {
    CAPTURE(i);
    const std::vector<bytes> alone = typed_outputs_for(one, [&](const graph_view&, const node& n) {
      const bytes fed = typed_input(g, n);
      const value_id v = n.outputs.first;
      return one.shape(v) == g.shape(v) ? fed : sample_of(fed, size(v), i);
    });
    for (std::size_t o = 0; o < all.size(); ++o) {
      CHECK(one.shape(one.outputs[o].value)[0] == 1);
      CHECK(alone[o] == sample_of(all[o], size(one.outputs[o].value), i));
    }
  }
  return true;
}

/// A graph of this node alone, what it reads are inputs, its results outputs.
ir::graph alone(const graph_view& g, const node& n) {
  ir::graph made;
  std::vector<value_id> read;
  for (const value_id v : g.inputs(n)) {
    const ir::value& now = g.at_value(v);
    REQUIRE(!add_node(made, op::input{as_list(now.shape), now.type}, now.name, {}));
    read.push_back(made.nodes.back().outputs.first);
  }
  REQUIRE(!add_node(made, *n.type, n.name, read, g.fields_of(n.fields)));
  for (int k = 0; k < n.outputs.count; ++k) add_output(made, {}, made.nodes.back().outputs.first + k);
  return made;
}

}  // namespace

TEST_CASE("every operator on every type, for one sample") {
  std::set<std::string_view> apart;
  for (const dtype type : {dtype::f32, dtype::f64, dtype::f16, dtype::bf16, dtype::i8, dtype::u8, dtype::i16,
                           dtype::i32, dtype::i64, dtype::boolean}) {
    const every_operator all(type);
    for (const node& n : all.g.nodes) {
      if (n.type == &type_of<op::input> || n.inputs.count == 0) continue;
      CAPTURE(std::string(name_of(type)));
      CAPTURE(std::string(n.name));
      if (is_apart(alone(all.g.view(), n).view())) apart.insert(n.name);
    }
  }
  for (const char* const name : {"relu", "div", "conv2d", "pool", "linear", "softmax", "attention", "where"}) {
    CAPTURE(name);
    CHECK(apart.contains(name));
  }
  MESSAGE(apart.size(), " taken apart");
  CHECK(apart.size() > 50);
}

TEST_CASE("random graphs for one sample, as they are and optimised") {
  int apart = 0, optimised = 0;
  for (const std::uint64_t seed : seeds(0, 4000)) {
    CAPTURE(seed);
    const random_graph made(seed, 1 + static_cast<int>(seed % 6));
    const optimization o = optimize(thaw(made.g.view()), default_rule_records());
    apart += is_apart(made.g.view());
    optimised += is_apart(o.g.view());
  }
  MESSAGE(apart, " and ", optimised, " taken apart");
  CHECK(apart > 200);
  CHECK(optimised > 200);
}

TEST_CASE("a network of layers that keep samples apart") {
  builder b;
  value_id x = b.input("x", {3, 4, 6, 6});
  x = b.conv("c1", x, 8, 3);
  x = b.add(op::pool{.kernel{2}, .stride{2}}, "p", {x});
  const value_id y = b.conv("c2", x, 8);
  x = b.add(op::binary{}, "sum", {x, y});
  x = b.add(op::reshape{{3, 2, 4, 9}}, "groups", {x});
  x = b.add(op::permute{{0, 2, 1, 3}}, "turn", {x});
  x = b.add(op::pad{.before{0, 0, 1, 0}, .after{0, 0, 1, 2}}, "frame", {x});
  x = b.add(op::slice{.axis{2, 3}, .start{0, 1}, .end{4, 9}}, "window", {x});
  x = b.add(op::split{{1, 3}, 1}, "parts", {x});
  x = b.add(op::concat{1}, "again", {x + 1, x});
  x = b.add(op::matmul{}, "product", {x, b.add(op::permute{{0, 1, 3, 2}}, "transposed", {x})});
  x = b.add(op::reshape{{3, -1}}, "flat", {x});
  x = b.add(op::linear{5}, "fc", {x});
  x = b.add(op::softmax{}, "probabilities", {x});
  add_output(b.g, "y", x);
  CHECK(is_apart(b.g.view()));
  CHECK(one_sample(b.g.view())->view().shape(x) == extents{1, 5});
}

TEST_CASE("what is the same for all samples stays as it is") {
  builder b;
  const value_id x = b.input("x", {4, 3, 5}), table = b.input("table", {1, 3, 5}), row = b.input("row", {5});
  value_id y = b.add(op::binary{}, "sum", {x, table});
  y = b.add(op::binary{op::binary_function::mul}, "product", {y, row});
  add_output(b.g, "y", y);
  CHECK(is_apart(b.g.view()));
}

TEST_CASE("samples that meet are left together") {
  const auto whole = [](auto&& make) {
    builder b;
    const value_id x = b.input("x", {4, 4, 4});
    const value_id y = make(b, x);
    CAPTURE(std::string(b.g.nodes.back().name));
    REQUIRE(!b.error);
    add_output(b.g, "y", y);
    CHECK(!one_sample(b.g.view()));
  };
  whole([](builder& b, value_id x) { return b.add(op::softmax{0}, "over samples", {x}); });
  whole([](builder& b, value_id x) { return b.add(op::permute{{1, 0, 2}}, "to the second axis", {x}); });
  whole([](builder& b, value_id x) { return b.add(op::concat{0}, "twice", {x, x}); });
  whole([](builder& b, value_id x) {
    return b.add(op::slice{.axis{0}, .start{3}, .end{-5}, .step{-1}}, "turned round", {x});
  });
  whole([](builder& b, value_id x) { return b.add(op::slice{.axis{0}, .start{1}, .end{3}}, "the middle", {x}); });
  whole([](builder& b, value_id x) { return b.add(op::reshape{{16, 4}}, "in a row", {x}); });
  whole([](builder& b, value_id x) { return b.add(op::matmul{}, "with a matrix", {x, b.input("w", {4, 4})}); });
  // Of lower rank samples meet another axis than their own.
  whole([](builder& b, value_id x) { return b.add(op::binary{}, "sum", {x, b.input("row", {4, 4})}); });
  whole([](builder& b, value_id x) { return b.conv("as channels", x, 4); });
  // A constant may be of all samples.
  whole([](builder& b, value_id x) { return b.add(op::binary{}, "sum", {x, b.constant("w", {4, 4, 4})}); });
  whole([](builder& b, value_id) { return b.add(op::softmax{}, "of none", {b.constant("w", {4, 4})}); });
}
