// SPDX-License-Identifier: BSL-1.0
// Weights that several layers read, in types: they are given, packed and stored once, and rewriting keeps it so.
#include <doctest/doctest.h>

#include <memory>

#include <ctnn/typed.hpp>

#include "support/run_both.hpp"

namespace nn = ctnn;
namespace ir = nn::ir;
using ir::test::floats;

namespace {

// clang-format off

/// Two pictures through the same layers, and how alike what comes out is.
template <class... Tied>
using siamese = nn::network<
    nn::input<"left", nn::shape<3, 12, 10>>, nn::input<"right", nn::shape<3, 12, 10>>,
    nn::conv2d<"a1", nn::from<"left">, nn::out<8>, nn::kernel<3>, nn::pad<1>>, nn::batch_norm<"n1">, nn::relu<"r1">,
    nn::linear<"f1", nn::axes<3>, nn::out<5>>,
    nn::conv2d<"a2", nn::from<"right">, nn::out<8>, nn::kernel<3>, nn::pad<1>>, nn::batch_norm<"n2">, nn::relu<"r2">,
    nn::linear<"f2", nn::axes<3>, nn::out<5>>,
    nn::sub<"apart", nn::from<"f1", "f2">>, Tied...>;
using apart = siamese<>;
using together = siamese<nn::tied<"a1.weight", "a2.weight">, nn::tied<"a1.bias", "a2.bias">,
                         nn::tied<"n1.weight", "n2.weight">, nn::tied<"n1.bias", "n2.bias">,
                         nn::tied<"n1.running_mean", "n2.running_mean">, nn::tied<"n1.running_var", "n2.running_var">,
                         nn::tied<"f1.weight", "f2.weight">, nn::tied<"f1.bias", "f2.bias">>;
/// The towers' batch normalisations differ.
using other_norms = siamese<nn::tied<"a1.weight", "a2.weight">, nn::tied<"f1.weight", "f2.weight">>;

/// One layer with another stride, another padding and another activation: the same filters.
using strides = nn::network<
    nn::input<"x", nn::shape<3, 12, 12>>,
    nn::conv2d<"a", nn::out<8>, nn::kernel<3>>,
    nn::conv2d<"b", nn::from<"x">, nn::out<8>, nn::kernel<3>, nn::stride<2>, nn::pad<1>, nn::fused<nn::function::relu>>,
    nn::output<"a", "b">, nn::tied<"a.weight", "b.weight">>;
/// As many numbers, which kernels want in two ways: (8, 2, 3, 3) as two groups of four rows, or eight.
using groups = nn::network<
    nn::input<"x", nn::shape<4, 8, 8>>, nn::input<"y", nn::shape<2, 8, 8>>,
    nn::conv2d<"a", nn::from<"x">, nn::out<8>, nn::kernel<3>, nn::groups<2>, nn::no_bias>,
    nn::conv2d<"b", nn::from<"y">, nn::out<8>, nn::kernel<3>, nn::no_bias>,
    nn::output<"a", "b">, nn::tied<"a.weight", "b.weight">>;
/// A constant that two layers are given.
using given = nn::network<
    nn::input<"x", nn::shape<6>>, nn::input<"y", nn::shape<6>>, nn::constant<"w", nn::shape<4, 6>>,
    nn::linear<"a", nn::from<"x", "w">, nn::out<4>, nn::no_bias, nn::given<1>>,
    nn::linear<"b", nn::from<"y", "w">, nn::out<4>, nn::no_bias, nn::given<1>>,
    nn::concat<"c", nn::from<"a", "b">, nn::axis<0>>>;
using in_blocks = nn::network<
    nn::input<"x", nn::shape<6>>,
    nn::block<"one", nn::linear<"fc", nn::out<6>>, nn::relu<"act">, nn::linear<"back", nn::out<6>>,
              nn::tied<"fc.weight", "back.weight">>>;

// clang-format on

template <class Net>
constexpr std::size_t packed = ir::executable<Net>::weights_size;
constexpr std::size_t of_tower = static_cast<std::size_t>(ir::round_up_to_block(8)) * 27 + 16 +
                                 static_cast<std::size_t>(ir::round_up_to_block(5)) * 960 + 16;

/// What is wrong with a list of layers.
template <class Net>
nn::problem mistake_in() {
  ir::lowering l;
  ir::lower(Net::flat(), l);
  return l.error;
}
template <class... Tied>
using pair = nn::network<nn::input<"x", nn::shape<4>>, nn::linear<"a", nn::out<4>>, nn::linear<"b", nn::out<3>>,
                         nn::output<"b">, Tied...>;

}  // namespace

static_assert(nn::weight_count<together> == nn::weight_count<apart> / 2);
static_assert(nn::parameter_count<together> == nn::parameter_count<apart> / 2);
static_assert(packed<nn::optimized<apart>> == 2 * of_tower && packed<nn::optimized<together>> == of_tower);
static_assert(nn::optimized<together>::size == nn::optimized<apart>::size);
static_assert(nn::weight_count<nn::optimized<together>> == 4);
static_assert(nn::weight_count<nn::optimized<other_norms>> == 7);  // what is folded into a1 and a2 is not the same
static_assert(std::is_same_v<nn::canonical<together>, nn::canonical<nn::canonical<together>>>);
static_assert(packed<strides> == static_cast<std::size_t>(ir::round_up_to_block(8)) * 27 + 2 * 16);
static_assert(packed<groups> == static_cast<std::size_t>(2 * ir::round_up_to_block(4) + ir::round_up_to_block(8)) * 18);
static_assert(nn::weight_count<groups> == 1);
static_assert(nn::weight_count<given> == 1 && nn::weight_count<nn::optimized<given>> == 1);
static_assert(nn::weight_count<in_blocks> == 3);

TEST_CASE("layers that share their weights give what layers with equal ones give") {
  const auto check = []<class Tied>(std::type_identity<Tied>) {
    ir::test::made_up_weights numbers;
    std::vector<nn::named_weight> once = ir::test::weights_of_network<Tied>(numbers), twice;
    for (const nn::named_weight& w : once) twice.push_back(w);
    constexpr ir::graph_view all = ir::declared_graph<apart>;
    for (const ir::expression& e : all.expressions) {
      const auto is = [&](const nn::named_weight& w) { return w.layer == e.layer && w.name == e.name; };
      if (std::ranges::any_of(twice, is)) continue;
      const std::string layer = std::string(e.layer).replace(1, 1, "1");
      const auto twin =
          std::ranges::find_if(once, [&](const nn::named_weight& w) { return w.layer == layer && w.name == e.name; });
      REQUIRE(twin != once.end());
      twice.push_back({e.layer, e.name, twin->numbers});
    }
    const auto shared = std::make_unique<nn::parameters<nn::optimized<Tied>>>(nn::zeros);
    const auto copied = std::make_unique<nn::parameters<nn::optimized<apart>>>(nn::zeros);
    REQUIRE(!nn::load_folded<Tied>(*shared, once).found);
    REQUIRE(!nn::load_folded<apart>(*copied, twice).found);
    const auto one = std::make_unique<nn::engine<nn::optimized<Tied>>>(*shared);
    const auto two = std::make_unique<nn::engine<nn::optimized<apart>>>(*copied);
    const floats left = ir::test::random_floats("left", 360), right = ir::test::random_floats("right", 360);
    const float* const in[] = {left.data(), right.data()};
    one->run(std::span<const float* const, 2>(in));
    two->run(std::span<const float* const, 2>(in));
    const auto got = one->template output<0>(), want = two->template output<0>();
    CHECK(std::ranges::equal(got, want));
    CHECK(std::ranges::any_of(got, [](float y) { return y != 0; }));
  };
  check(std::type_identity<together>());
  check(std::type_identity<other_norms>());
}

TEST_CASE("filters that are packed in two ways have two places") {
  ir::test::made_up_weights numbers;
  const auto weights = ir::test::weights_of_network<groups>(numbers);
  static nn::parameters<groups> memory{nn::zeros};
  REQUIRE(!nn::load(memory, weights).found);
  static nn::engine<groups> run(memory);
  const floats x = ir::test::random_floats("x", 256), y = ir::test::random_floats("y", 128);
  const float* const in[] = {x.data(), y.data()};
  run.run(std::span<const float* const, 2>(in));
  // The first two channels of x and the first four filters; all of y and all filters.
  const float* const w = weights[0].numbers.data();
  const auto sum = [&](const float* planes, int out) {
    double all = 0;
    for (int c = 0; c < 2; ++c)
      for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
          all +=
              static_cast<double>(planes[c * 64 + i * 8 + k]) * static_cast<double>(w[((out * 2 + c) * 3 + i) * 3 + k]);
    return all;
  };
  for (const int out : {0, 3, 4, 7}) {
    CAPTURE(out);
    CHECK(run.output<0>()[static_cast<std::size_t>(out) * 36] ==
          doctest::Approx(sum(x.data() + (out < 4 ? 0 : 128), out)).epsilon(1e-5));
    CHECK(run.output<1>()[static_cast<std::size_t>(out) * 36] == doctest::Approx(sum(y.data(), out)).epsilon(1e-5));
  }
}

TEST_CASE("what cannot be one weight is said") {
  CHECK(mistake_in<pair<nn::tied<"a.bias", "c.bias">>>().kind == nn::mistake::unknown_weight);
  CHECK(mistake_in<pair<nn::tied<"a.slope", "b.bias">>>().kind == nn::mistake::unknown_weight);
  CHECK(mistake_in<pair<nn::tied<"a", "b.bias">>>().kind == nn::mistake::unknown_weight);
  CHECK(mistake_in<pair<nn::tied<"a.weight", "b.weight">>>().kind == nn::mistake::weight_shape_mismatch);
  CHECK(mistake_in<pair<nn::tied<"a.weight", "a.weight">>>().kind == nn::mistake::duplicate_weight);
  CHECK(!mistake_in<pair<>>());
}

namespace {

using classifier = nn::network<nn::input<"x", nn::shape<3, 12, 10>>,
                               nn::conv2d<"conv", nn::out<16>, nn::kernel<3>, nn::pad<1>>, nn::batch_norm<"norm">,
                               nn::relu<"relu">, nn::linear<"fc", nn::axes<3>, nn::out<7>>, nn::softmax<"prob">>;
using fast = nn::optimized<classifier>;
using batch = nn::batched<fast, 3>;
using sequence = nn::network<nn::input<"x", nn::shape<9, 6>>, nn::gru<"gru", nn::hidden<5>>, nn::output<"gru.0">>;

}  // namespace
static_assert(std::is_constructible_v<nn::weights_of<batch>, const nn::parameters<fast>&>);
static_assert(!std::is_constructible_v<nn::weights_of<batch>, const nn::parameters<classifier>&> &&
              !std::is_constructible_v<nn::weights_of<fast>, const nn::parameters<batch>&>);
static_assert(std::is_constructible_v<nn::weights_of<nn::batched<sequence, 2>>, const nn::parameters<sequence>&>);

TEST_CASE("a batch runs on the packed weights of the network for one") {
  ir::test::made_up_weights numbers;
  static nn::parameters<fast> weights{nn::zeros};
  REQUIRE(!nn::load_folded<classifier>(weights, ir::test::weights_of_network<classifier>(numbers)).found);
  static nn::engine<fast> one(weights);
  static nn::engine<batch> three(weights);
  const floats x = ir::test::random_floats("x", 3 * 360);
  const float* const in[] = {x.data()};
  three.run(in);
  for (std::size_t n = 0; n < 3; ++n) {
    const float* const sample[] = {x.data() + 360 * n};
    one.run(sample);
    for (std::size_t i = 0; i < 7; ++i)
      CHECK(three.output<0>()[7 * n + i] == doctest::Approx(one.output<0>()[i]).epsilon(1e-5));
  }
}
