// SPDX-License-Identifier: BSL-1.0
// Static engines against the reference on every target; weights from constants, load(), load_folded() and blobs.
#include <doctest/doctest.h>

#include <algorithm>

#include <ctnn/ctnn.hpp>

#include "support/numbers.hpp"

namespace nn = ctnn;
using nn::ir::test::floats;

namespace {

/// Convolutions of all kinds, residual in place, pooling, concatenation, split, slice, permute; two inputs, four
/// outputs.
// clang-format off: a row for each step
struct everything : nn::network<
    nn::input<"image", nn::shape<3, 12, 11>>,
    nn::input<"bias", nn::shape<8, 1, 1>>,
    nn::conv2d<"stem", nn::from<"image">, nn::out<8>, nn::kernel<3>, nn::pad<1>, nn::stride<2, 1>>,
    nn::batch_norm<"stem_bn">, nn::relu<"stem_relu">,
    nn::conv2d<"depth", nn::out<8>, nn::kernel<3>, nn::pad<1>, nn::groups<8>>,
    nn::batch_norm<"depth_bn">, nn::relu6<"depth_relu">,
    nn::conv2d<"point", nn::out<8>, nn::kernel<1>>, nn::add<"sum", nn::from<"point", "stem_relu">>,
    nn::relu<"sum_relu">,
    nn::conv2d<"self", nn::out<8>, nn::kernel<3>, nn::pad<1>>, nn::add<"self_sum", nn::from<"self", "sum_relu">>,
    nn::conv2d<"wide", nn::from<"sum_relu">, nn::out<5>, nn::kernel<1, 3>, nn::dilation<2>, nn::same_upper>,
    nn::tanh_activation<"wide_tanh">,
    nn::max_pool2d<"pool", nn::from<"sum_relu">, nn::kernel<3>, nn::stride<1>, nn::pad<1>>,
    nn::concat<"inner", nn::from<"wide_tanh", "pool">>,
    nn::concat<"outer", nn::from<"self_sum", "inner", "sum_relu">>,
    nn::split<"parts", nn::sizes<9, 20>>,
    nn::add<"biased", nn::from<"self_sum", "bias">>,
    nn::avg_pool2d<"avg", nn::from<"parts.1">, nn::kernel<2>, nn::ceil_mode>,
    nn::permute<"turned", nn::order<1, 2, 0>>,
    nn::adaptive_avg_pool2d<"gap", nn::from<"parts.0">>, nn::flatten<"flat">,
    nn::dropout<"drop">, nn::linear<"fc", nn::out<7>>, nn::softmax<"prob">,
    nn::flatten<"image_flat", nn::from<"image">>,
    nn::output<"prob", "turned", "biased", "image_flat", "bias">> {};
// clang-format on
using fused = nn::optimized<everything>;

/// Layers that have nothing to do, because their results lie in an input or a constant that nobody may write.
struct views : nn::network<
    nn::input<"image", nn::shape<2, 6, 4>>,
    nn::constant<"table", nn::shape<4, 6>>,
    nn::reshape<"flat_image", nn::from<"image">, nn::shape<8, 6>>, nn::relu<"positive">,
    nn::reshape<"flat_table", nn::from<"table">, nn::shape<24>>, nn::sigmoid<"bounded">,
    nn::split<"halves", nn::from<"image">, nn::sizes<1, 1>>, nn::add<"sum", nn::from<"halves.0", "halves.1">>,
    nn::slice<"part", nn::from<"table">, nn::start<1>, nn::end<3>, nn::axis<0>>, nn::flatten<"same">,
    nn::output<"positive", "bounded", "sum", "same">> {};

template <class Net>
std::vector<nn::named_weight> weights_for(nn::ir::test::random_weights& numbers) {
  std::vector<nn::named_weight> out;
  for (const nn::ir::expression& e : nn::ir::declared_graph<Net>.expressions)
    if (!e.type) out.push_back({e.layer, e.name, numbers.of(e)});
  return out;
}

template <class Net, std::size_t... O>
std::vector<floats> outputs_of(const nn::engine<Net>& e, std::index_sequence<O...>) {
  return {floats(e.template output<O>().begin(), e.template output<O>().end())...};
}
template <class Net>
std::vector<floats> run(nn::engine<Net>& e, const std::vector<floats>& in) {
  const auto pointers = nn::ir::test::pointers_to(in);
  e.run(std::span<const float* const, nn::engine<Net>::inputs>(pointers));
  return outputs_of(e, std::make_index_sequence<nn::engine<Net>::outputs>{});
}

}  // namespace

TEST_CASE("as declared and optimised, on every target") {
  nn::ir::test::random_weights numbers;
  const auto given = weights_for<everything>(numbers);
  const auto in = nn::ir::test::random_inputs(nn::ir::declared_graph<everything>);
  const auto want = nn::ir::test::reference_outputs(nn::ir::declared_graph<everything>, numbers);
  static nn::parameters<everything> plain{nn::zeros};
  static nn::parameters<fused> folded{nn::zeros};
  REQUIRE(!nn::load(plain, given).found);
  REQUIRE(!nn::load_folded<everything>(folded, given).found);
  static nn::engine<everything> slow{plain};
  static nn::engine<fused> fast{folded}, second{folded};
  for (const nn::target_id t : nn::supported_targets()) {
    const std::string target(nn::target_name(t));
    CAPTURE(target);
    slow.use(t);
    fast.use(t);
    second.use(t);
    CHECK(nn::ir::test::difference(run(slow, in), want, 1e-4) == "");
    CHECK(nn::ir::test::difference(run(fast, in), want, 1e-4) == "");
    // Engines share weights and nothing else; inputs are only read.
    auto other = in;
    for (floats& f : other)
      for (float& x : f) x = -x;
    const auto others = run(second, other);
    CHECK(nn::ir::test::difference(outputs_of(fast, std::make_index_sequence<5>{}), want, 1e-4) == "");
    CHECK(nn::ir::test::difference(others, want, 1e-4) != "");
    CHECK(run(second, in) == run(fast, in));
  }
}

TEST_CASE("results that lie in inputs and constants") {
  nn::ir::test::random_weights numbers;
  const auto given = weights_for<views>(numbers);
  const auto in = nn::ir::test::random_inputs(nn::ir::declared_graph<views>), kept = in;
  const auto want = nn::ir::test::reference_outputs(nn::ir::declared_graph<views>, numbers);
  nn::parameters<views> weights{nn::zeros};
  REQUIRE(!nn::load(weights, given).found);
  const nn::parameters<views> loaded = weights;
  nn::engine<views> run_views{weights};
  CHECK(nn::ir::test::difference(run(run_views, in), want) == "");
  CHECK(in == kept);
  CHECK(std::ranges::equal(weights.packed, loaded.packed));
}

TEST_CASE("weights that are wrong are named, and nothing is changed") {
  nn::ir::test::random_weights numbers;
  auto given = weights_for<everything>(numbers);
  static nn::parameters<everything> p{nn::zeros};
  p.packed[0] = 42;
  given.back().numbers = {given.back().numbers.data(), 3};
  auto error = nn::load(p, given);
  CHECK(error.found.kind == nn::mistake::weight_size_mismatch);
  CHECK(error.layer == "fc");
  CHECK(error.found.what == "bias");
  CHECK(error.found.got == nn::extents{3});
  CHECK(error.found.needed == nn::extents{7});
  given.pop_back();
  error = nn::load(p, given);
  CHECK(error.found.kind == nn::mistake::missing_weight);
  CHECK(error.found.what == "bias");
  given = weights_for<everything>(numbers);
  given.push_back({"fc", "gamma", given[0].numbers});
  error = nn::load(p, given);
  CHECK(error.found.kind == nn::mistake::unknown_weight);
  CHECK(error.found.what == "gamma");
  CHECK(p.packed[0] == 42);
}

TEST_CASE("a blob is split into weights, if it has exactly as many numbers") {
  static nn::named_weight table[nn::weight_count<everything>];
  const floats blob = nn::ir::test::random_floats("blob", nn::parameter_count<everything>);
  REQUIRE(nn::split_blob<everything>(blob, table));
  static nn::parameters<everything> p{nn::zeros};
  CHECK(!nn::load(p, table).found);
  CHECK(table[0].layer == "stem");
  CHECK(table[0].name == "weight");
  CHECK(table[0].numbers.data() == blob.data());
  CHECK(table[1].numbers.data() == blob.data() + 8 * 27);
  CHECK(!nn::split_blob<everything>(std::span<const float>(blob).first(blob.size() - 1), table));
}

namespace {

struct small : nn::network<nn::input<"x", nn::shape<2, 3, 3>>, nn::conv2d<"c", nn::out<2>, nn::kernel<2>>,
                           nn::batch_norm<"b">, nn::relu<"r">> {};
constexpr float w[16] = {1, -2, 3, 0, 1, 1, -1, 2, 0, 1, 0, -1, 2, 2, 1, 1}, two[2] = {1, 0.5f},
                half[2] = {0.5f, -0.25f};
constexpr nn::named_weight small_weights[] = {{"c", "weight", w},          {"c", "bias", two},
                                              {"b", "weight", two},        {"b", "bias", half},
                                              {"b", "running_mean", half}, {"b", "running_var", two}};
constexpr auto small_folded = nn::fold<small, small_weights>();
constexpr auto small_packed = nn::pack<small, small_weights>();

}  // namespace

TEST_CASE("weights folded by the compiler") {
  const floats x = nn::ir::test::random_floats("x", 18);
  const auto want = nn::constant_run<small, small_weights>(x);
  nn::engine<nn::optimized<small>> fast{small_folded};
  nn::engine<small> slow{small_packed};
  const auto a = fast(std::span<const float, 18>(x)), b = slow(std::span<const float, 18>(x));
  CHECK(nn::ir::test::difference({floats(a.begin(), a.end())}, {floats(want.begin(), want.end())}) == "");
  CHECK(nn::ir::test::difference({floats(b.begin(), b.end())}, {floats(want.begin(), want.end())}) == "");
}

namespace {

/// A name for an optimised network.
struct small_and_fused : nn::optimized<small> {};
nn::arena<small_and_fused> small_memory;
constinit nn::engine<small_and_fused, nn::shared_arena> named_in_memory{small_folded, small_memory};

}  // namespace

TEST_CASE("a struct that inherits an optimised network takes its weights") {
  const floats x = nn::ir::test::random_floats("x", 18);
  const std::span<const float, 18> input(x);
  nn::engine<nn::optimized<small>> one{small_folded};
  const auto want = one(input);
  const auto same = [&](auto& run) { return std::ranges::equal(run(input), want); };
  nn::engine<small_and_fused> by_base{small_folded};
  CHECK(same(by_base));
  CHECK(same(named_in_memory));
  static nn::parameters<small_and_fused> own{nn::zeros};
  REQUIRE(!nn::load_folded<small>(own, small_weights).found);
  nn::engine<small_and_fused> by_own{own};
  CHECK(same(by_own));
  one.use(own);
  CHECK(std::ranges::equal(one(input), by_own.output<0>()));
}
