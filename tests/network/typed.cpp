// SPDX-License-Identifier: BSL-1.0
// Declared networks of other elements than f32: inputs, constants, outputs, operators without a word of their own.
#include <doctest/doctest.h>

#include <ctnn/typed.hpp>

#include <algorithm>
#include <bit>

#include "../support/numbers.hpp"

namespace nn = ctnn;

namespace {

struct lookup : nn::network<
    nn::input<"ids", nn::shape<4>, nn::i64>,
    nn::constant<"table", nn::shape<3, 2>>,
    nn::layer<nn::op::gather, "rows", nn::from<"table", "ids">>,
    nn::relu<"positive">,
    nn::constant<"offset", nn::shape<4>, nn::i64>,
    nn::add<"sum", nn::from<"ids", "offset">>,
    nn::layer<nn::op::topk, "top", nn::option<"k", 2>>,
    nn::layer<nn::op::cast, "wide", nn::from<"sum">, nn::to<nn::dtype::f64>>,
    nn::softmax<"prob", nn::axis<0>>,
    nn::output<"positive", "top.0", "top.1", "prob", "ids">> {};

constexpr float table[] = {1, -2, 3, -4, 5, 6};
constexpr std::int64_t offset[] = {10, 20, 30, 40'000'000'000};
constexpr nn::named_weight numbers[] = {{"table", "value", table}, {"offset", "value", offset}};
constexpr auto weights = nn::pack<lookup, numbers>();
constexpr auto folded = nn::fold<lookup, numbers>();

template <class Net>
void check_lookup(const nn::parameters<Net>& packed) {
  static nn::engine<Net> run(packed);
  const std::int64_t ids[] = {0, 2, 1, -1};
  run.run(ids);
  const auto same = [](auto got, auto... want) {
    std::size_t i = 0;
    return got.size() == sizeof...(want) && ((got[i++] == want) && ...);
  };
  CHECK(same(run.template output<0>(), 1.0f, 0.0f, 5.0f, 6.0f, 3.0f, 0.0f, 5.0f, 6.0f));
  CHECK(same(run.template output<1>(), 39'999'999'999, 31));
  CHECK(same(run.template output<2>(), 3, 2));
  CHECK(same(run.template output<3>(), 0.0, 0.0, 0.0, 1.0));
  CHECK(same(run.template output<4>(), 0, 2, 1, -1));  // an input has a place of its own as an output
  static_assert(std::is_same_v<typename nn::engine<Net>::template input_span<0>, std::span<const std::int64_t, 4>>);
  static_assert(std::is_same_v<typename nn::engine<Net>::template output_span<3>, std::span<const double, 4>>);
}

}  // namespace

TEST_CASE("integers in, floats, integers and doubles out") {
  check_lookup<lookup>(weights);
  check_lookup<nn::optimized<lookup>>(folded);
  static nn::parameters<lookup> loaded{nn::zeros};
  REQUIRE(!nn::load(loaded, numbers).found);
  check_lookup<lookup>(loaded);
  CHECK(std::ranges::equal(loaded.packed, weights.packed,
                           [](float a, float b) { return std::bit_cast<int>(a) == std::bit_cast<int>(b); }));
}

TEST_CASE("weights of another type are refused") {
  static constexpr std::int32_t narrow[] = {1, 2, 3, 4};
  const nn::named_weight wrong[] = {{"table", "value", table}, {"offset", "value", narrow}};
  static nn::parameters<lookup> packed{nn::zeros};
  const nn::problem_report report = nn::load(packed, wrong);
  CHECK(report.found.kind == nn::mistake::weight_type_mismatch);
  CHECK(report.layer == "offset");
}

TEST_CASE("inputs of several types, constants of small elements") {
  struct net : nn::network<nn::input<"on", nn::shape<3>, nn::boolean>, nn::input<"a", nn::shape<3>, nn::i8>,
                           nn::input<"x", nn::shape<3>>, nn::constant<"b", nn::shape<3>, nn::i8>,
                           nn::add<"sum", nn::from<"a", "b">>,
                           nn::layer<nn::op::where, "chosen", nn::from<"on", "sum", "b">>, nn::relu<"r", nn::from<"x">>,
                           nn::layer<nn::op::bitwise_not, "off", nn::from<"on">>, nn::output<"chosen", "r", "off">> {};
  static constexpr std::int8_t b[] = {100, 1, -1};
  static constexpr nn::named_weight given[] = {{"b", "value", b}};
  static constexpr auto packed = nn::pack<net, given>();
  static nn::engine<net> run(packed);
  const bool on[] = {true, false, true};
  const std::int8_t a[] = {100, 2, -3};
  const float x[] = {-1, 2, 3};
  run.run(on, a, x);
  CHECK(run.output<0>()[0] == -56);  // integers wrap around
  CHECK(run.output<0>()[1] == 1);
  CHECK(run.output<0>()[2] == -4);
  CHECK(run.output<1>()[0] == 0);
  CHECK(run.output<1>()[2] == 3);
  CHECK(!run.output<2>()[0]);
  CHECK(run.output<2>()[1]);
}

TEST_CASE("an index out of range is refused when it is met") {
  static nn::engine<lookup> run(weights);
  const std::int64_t ids[] = {0, 3, 1, -1};
  CHECK_THROWS_WITH_AS(run.run(ids), "operator 'gather': index 3 is out of range for 3 elements", nn::error);
}

namespace {

struct halves : nn::network<nn::input<"x", nn::shape<2, 8, 8>, nn::f16>, nn::conv2d<"c", nn::out<4>, nn::kernel<3>>,
                            nn::batch_norm<"bn">, nn::relu<"r">> {};
using floats_inside = nn::optimized<halves>;
static_assert(
    std::same_as<floats_inside,
                 nn::network<nn::input<"x", nn::shape<2, 8, 8>, nn::f16>, nn::layer<nn::op::cast, "x.f32">,
                             nn::conv2d<"c", nn::out<4>, nn::kernel<3>, nn::fused<nn::function::relu>>,
                             nn::layer<nn::op::cast, "r.f16", nn::to<nn::dtype::f16>, nn::option<"of_result", 1>>>>);

}  // namespace

TEST_CASE("halves are stored, floats are computed with, and operators over them fuse") {
  std::vector<std::vector<nn::float16>> numbers;
  std::vector<nn::named_weight> given;
  for (const nn::ir::expression& e : nn::ir::declared_graph<halves>.expressions) {
    CHECK(e.element == nn::dtype::f16);
    const float least = e.name == "running_var" ? 0.5f : -1.0f;
    numbers.emplace_back();
    for (float v : nn::ir::test::random_floats(std::string(e.name), e.shape.count(), least, 1))
      numbers.back().push_back(nn::float16{nn::float_to_half(v)});
    given.push_back({e.layer, e.name, numbers.back()});
  }
  std::vector<nn::float16> x;
  for (float v : nn::ir::test::random_floats("x", 2 * 8 * 8, -1, 1)) x.push_back(nn::float16{nn::float_to_half(v)});
  static nn::parameters<halves> plain{nn::zeros};
  static nn::parameters<floats_inside> folded{nn::zeros};
  REQUIRE(!nn::load(plain, given).found);
  REQUIRE(!nn::load_folded<halves>(folded, given).found);
  static nn::engine<halves> slow(plain);
  static nn::engine<floats_inside> fast(folded);
  const std::span<const nn::float16, 2 * 8 * 8> numbers_of_x(x);
  slow.run(numbers_of_x);
  fast.run(numbers_of_x);
  const auto value = [](nn::float16 h) { return nn::half_to_float(static_cast<std::uint16_t>(h)); };
  bool some = false;
  for (std::size_t i = 0; i < slow.output<0>().size(); ++i) {
    CHECK(value(fast.output<0>()[i]) == doctest::Approx(value(slow.output<0>()[i])).epsilon(4e-3));
    some = some || value(fast.output<0>()[i]) > 0.5f;
  }
  CHECK(some);
}
