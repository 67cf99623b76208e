// SPDX-License-Identifier: BSL-1.0
// loaded/known_numbers.hpp: constants of two names are one if their bytes are the same.
#include <algorithm>
#include <cstring>
#include <limits>

#include <doctest/doctest.h>

#include <ctnn/loaded/known_numbers.hpp>
#include <ctnn/loaded/rewriting.hpp>
#include <ctnn/rewrite/rules.hpp>

#include "support/builder.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

/// relu(x + one) - relu(x + other), of whole shapes, so that the constants stay.
std::size_t nodes_left(std::vector<float> one, std::vector<float> other, std::initializer_list<int> shape = {2, 2},
                       dtype type = dtype::f32) {
  builder b;
  const value_id x = b.input("x", {2, 2});
  const value_id k[] = {b.constant("one", {2, 2}), b.constant("other", shape)};
  value_id y[2];
  for (int i = 0; i < 2; ++i) y[i] = b.relu(i ? "r" : "q", b.sum(i ? "b" : "a", x, k[i]));
  b.output("", b.binary("y", op::binary_function::sub, y[0], y[1]));
  loaded_model m;
  m.network = thaw(b.g.view());
  const auto set = [&](int i, const std::vector<float>& numbers, dtype t) {
    array a(m.network.view().shape(k[i]), t);
    if (t == dtype::f32) std::copy(numbers.begin(), numbers.end(), a.data());
    else
      for (std::size_t n = 0; n < numbers.size(); ++n) a.elements<std::uint16_t>()[n] = float_to_half(numbers[n]);
    const graph_view g = m.network.view();
    m.set_weight(g.at_expression(g.weights(g.at(g.at_value(k[i]).producer))[0]),
                 std::make_shared<const array>(std::move(a)));
  };
  set(0, one, dtype::f32);
  if (!other.empty()) set(1, other, type);
  const optimization o = optimize_loaded(m, thaw(m.network.view()), default_rule_records());
  return o.g.nodes.size();
}

}  // namespace

TEST_CASE("constants of equal bytes are one, and so are the layers that read them") {
  CHECK(nodes_left({1, 2, 3, 4}, {1, 2, 3, 4}) == 4);
}
TEST_CASE("constants that differ in a bit, in shape or in type stay two") {
  CHECK(nodes_left({1, 2, 3, 4}, {1, 2, 3, 5}) == 6);
  CHECK(nodes_left({0, 0, 0, 1}, {0, 0, -0.0f, 1}) == 6);
  CHECK(nodes_left({1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 2}) == 6);
  CHECK(nodes_left({1, 2, 3, 4}, {1, 2, 3, 4}, {2, 2}, dtype::f16) == 6);
}
TEST_CASE("constants without numbers stay two") { CHECK(nodes_left({1, 2, 3, 4}, {}) == 6); }
TEST_CASE("zeros of a file go, but not those that stand for a file that is not there") {
  CHECK(nodes_left({0, 0, -0.0f, 0}, {1, 2, 3, 4}) == 5);  // the sum is gone, its relu stays
  for (const bool without_numbers : {false, true}) {
    builder b;
    b.output("", b.relu("r", b.flatten("f", b.linear("fc", b.input("x", {2, 3}), 2))));
    loaded_model m;
    m.network = thaw(b.g.view());
    m.without_numbers = without_numbers;
    for (const expression& e : m.network.expressions)
      m.set_weight(e, std::vector<float>(static_cast<std::size_t>(e.shape.count())));
    const optimization o = optimize_loaded(m, thaw(m.network.view()), default_rule_records());
    CHECK(o.g.view().get<op::linear>(1).bias == without_numbers);
  }
}

namespace {

/// Numbers of a file: threes, and one number at the end.
class in_a_file final : public number_source {
 public:
  in_a_file(std::size_t count, float last) : bytes_(count * sizeof(float)) {
    for (std::size_t i = 0; i < count; ++i) set(i, i + 1 < count ? 3.0f : last);
  }
  void set(std::size_t i, float number) { std::memcpy(bytes_.data() + i * sizeof number, &number, sizeof number); }
  std::span<const std::byte> bytes(byte_buffer&) const override { return ++whole, bytes_; }
  bool part(std::size_t from, std::span<std::byte> to) const override {
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(from), to.size(), to.begin());
    most = std::max(most, to.size());
    ++parts;
    return true;
  }
  mutable std::size_t whole = 0, most = 0, parts = 0;

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace

TEST_CASE("large numbers of files are compared some at a time, and never in memory as a whole") {
  constexpr int rows = 300, columns = 299;
  for (const float last : {1.0f, 2.0f}) {
    builder b;
    const value_id x = b.input("x", {rows, columns});
    const value_id one = b.constant("one", {rows, columns}), other = b.constant("other", {rows, columns});
    const value_id q = b.relu("q", b.sum("a", x, one)), r = b.relu("r", b.sum("b", x, other));
    b.output("", b.binary("y", op::binary_function::sub, q, r));
    loaded_model m;
    m.network = thaw(b.g.view());
    const auto first = std::make_shared<const in_a_file>(rows * columns, 1.0f),
               second = std::make_shared<const in_a_file>(rows * columns, last);
    const auto set = [&](value_id v, std::shared_ptr<const number_source> from) {
      const graph_view g = m.network.view();
      m.set_weight(g.at_expression(g.weights(g.at(g.at_value(v).producer))[0]),
                   std::make_shared<const array>(extents{rows, columns}, dtype::f32, std::move(from)));
    };
    set(one, first);
    set(other, second);
    const optimization o = optimize_loaded(m, thaw(m.network.view()), default_rule_records());
    CHECK(o.g.nodes.size() == (last == 1 ? 4 : 6));
    for (const auto& from : {first, second}) {
      CHECK(from->whole == 0);
      CHECK(from->most > 0);
      CHECK(from->most <= 65536);
    }
  }
}

TEST_CASE("channels of zeros are looked for where they begin, in few reads of a file") {
  const extents shapes[] = {{7},       {40000},       {3, 1},         {1, 3},        {130, 127},      {5000, 4},
                            {4, 5000}, {20, 9, 3, 3}, {2, 3, 50, 50}, {64, 1, 3, 3}, {2, 20000, 3, 1}};
  for (const extents& shape : shapes) {
    CAPTURE(describe(shape));
    const auto count = static_cast<std::size_t>(shape.count());
    const auto row = static_cast<std::size_t>(shape.count(1, shape.rank));
    const std::size_t each = shape.rank > 1 ? static_cast<std::size_t>(shape.count(2, shape.rank)) : 1;
    in_a_file numbers(count, 3);
    CHECK_FALSE(may_have_zero_channels(numbers, shape));
    CHECK(numbers.most <= 65536);
    CHECK(numbers.parts <= 4 + 2 * count / 2048);
    // At each beginning, and beside it; of many, at some.
    for (std::size_t i = 0; i < count; i += count < 2000 ? 1 : 97) {
      CAPTURE(i);
      numbers.set(i, 0);
      CHECK(may_have_zero_channels(numbers, shape) == (i % row == 0 || (i < row && i % each == 0)));
      numbers.set(i, 3);
    }
  }
}

namespace {

/// What is left of five channels, of which one has weights of `small` and -`small`, and another zeros.
int channels_left(float small, float prune_below) {
  builder b;
  b.output("", b.linear("second", b.linear("first", b.input("x", {6}), 5), 2));
  loaded_model m;
  m.network = thaw(b.g.view());
  m.prune_below = prune_below;
  for (const expression& e : m.network.expressions) {
    std::vector<float> numbers(static_cast<std::size_t>(e.shape.count()), 1.0f);
    const auto row = static_cast<std::size_t>(e.shape.count(1, e.shape.rank));
    for (std::size_t i = 0; i < row && e.layer == "first"; ++i) {
      numbers[row + i] = i % 2 == 0 ? small : -small;
      numbers[3 * row + i] = 0;
    }
    m.set_weight(e, numbers);
  }
  const optimization o = optimize_loaded(m, thaw(m.network.view()), {&rule_entry<rules::zero_channels>::record, 1});
  return o.g.view().get<op::linear>(1).out;
}

}  // namespace

TEST_CASE("channels of small numbers go if somebody wants it, those of zeros always") {
  CHECK(channels_left(1e-6f, 0) == 4);
  CHECK(channels_left(1e-6f, 1e-7f) == 4);
  CHECK(channels_left(1e-6f, 1e-6f) == 3);
  CHECK(channels_left(std::numeric_limits<float>::quiet_NaN(), 0.5f) == 4);
}

namespace {

/// Two towers of a layer and a batch normalisation whose factors are `one` and `other` for all channels.
struct towers {
  loaded_model m;
  optimization o;

  towers(dtype second, float one, float other, bool without_numbers = false) {
    builder b;
    value_id y[2];
    for (const int i : {0, 1}) {
      const value_id x = b.input(i ? "right" : "left", {6});
      y[i] = b.add(op::batch_norm{}, i ? "n2" : "n1", {b.linear(i ? "f2" : "f1", x, 4)});
    }
    b.output("", b.binary("y", op::binary_function::sub, y[0], y[1]));
    m.network = thaw(b.g.view());
    m.without_numbers = without_numbers;
    for (const expression& e : m.network.expressions) {
      const bool is_second = e.layer.ends_with('2');
      array a(e.shape, is_second && e.name == "weight" && e.layer[0] == 'f' ? second : dtype::f32);
      const float all = e.name == "running_var" || e.layer[0] == 'f' ? 1.0f : is_second ? other : one;
      for (std::size_t i = 0; i < a.size(); ++i)
        if (a.type() == dtype::f32) a.data()[i] = all + (e.layer[0] == 'f' ? 0.5f * static_cast<float>(i) : 0);
        else a.elements<std::uint16_t>()[i] = float_to_half(all + 0.5f * static_cast<float>(i));
      m.set_weight(e, std::make_shared<const array>(std::move(a)));
    }
    o = optimize_loaded(m, thaw(m.network.view()), default_rule_records());
  }
  bool share(std::size_t slot) const {
    const graph_view g = o.g.view();
    std::vector<expression_id> of;
    for (const node& n : g.nodes)
      if (n.type == &type_of<op::linear>) of.push_back(g.weights(n)[slot]);
    REQUIRE(of.size() == 2);
    return of[0] == of[1];
  }
  const array* of(std::string_view layer) const { return m.weights.at({layer, "weight"}).get(); }
};

}  // namespace

TEST_CASE("weights of equal bytes are one, and so is what is made of them in the same way") {
  const towers same(dtype::f32, 2, 2);
  CHECK((same.share(0) && same.share(1)));
  CHECK(same.of("f1") == same.of("f2"));
  CHECK(same.of("n1") == same.of("n2"));
  const towers apart(dtype::f32, 2, 3);
  CHECK(!(apart.share(0) || apart.share(1)));
  CHECK(apart.of("f1") == apart.of("f2"));  // one in memory
  CHECK(apart.of("n1") != apart.of("n2"));
  const towers halves(dtype::f16, 2, 2);
  CHECK((!halves.share(0) && halves.share(1)));
  const towers zeros(dtype::f32, 2, 2, true);  // that stand for a file that is not there
  CHECK(!(zeros.share(0) || zeros.share(1)));
}
