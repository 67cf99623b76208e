// SPDX-License-Identifier: BSL-1.0
// Networks that are functions: names, shared weights, outputs, shapes that are known while they are built, and
// PyTorch's functions of tensors, run by the compiler's own evaluator.
#include <doctest/doctest.h>

#include <vector>

#include <ctnn/ctnn.hpp>
#include <ctnn/network/constant_run.hpp>
#include <ctnn/typed.hpp>

namespace nn = ctnn;
namespace ir = ctnn::ir;

namespace {

constexpr std::array<nn::named_weight, 0> no_weights{};

// Names: scopes, words that count in each scope, names given behind.
struct names : nn::declared<names> {
  static constexpr auto forward(nn::graph& m) {
    auto x = m.input("x", {2, 4});
    x = m.relu(m.relu(x));
    for (int i = 0; i < 2; ++i) {
      const auto layer = m.scope("layers", i);
      x = m.relu(m.linear("fc", x, {.out_features = 4}));
    }
    return m.named("probabilities", m.softmax(x, {.dim = -1}));
  }
};
static_assert(names::has<"relu"> && names::has<"relu_1"> && names::has<"layers.0.fc"> && names::has<"layers.1.relu"> &&
              names::has<"probabilities"> && !names::has<"softmax">);
static_assert(names::network_type::size == 8);
static_assert(nn::output_shape<names, "layers.1.fc"> == nn::extents{2, 4});
static_assert(nn::fused_into<names, "layers.0.relu"> == "layers.0.fc");
static_assert(std::same_as<nn::optimized<names>, nn::optimized<nn::canonical<names>>>);

static_assert(nn::layers<names>[0].line + 1 == nn::layers<names>[1].line);

// One module for two inputs: its weights are there once.
struct siamese : nn::declared<siamese> {
  static constexpr auto forward(nn::graph& m) {
    const auto tower = m.module("tower", [](nn::graph& g, nn::value x) {
      x = g.relu(g.batch_norm("bn", g.conv2d("conv", x, {.out_channels = 4, .kernel_size = 3})));
      return g.linear("fc", g.flatten(x), {.out_features = 5});
    });
    const auto a = tower(m.input("left", {3, 6, 6})), b = tower(m.input("right", {3, 6, 6}));
    return a - b;
  }
};
static_assert(nn::parameter_count<siamese> == 4 * 27 + 4 + 4 * 4 + 5 * 64 + 5);
static_assert(siamese::has<"tower.conv"> && siamese::has<"tower_1.conv">);

// A layer as a module, three times.
struct again : nn::declared<again> {
  static constexpr auto forward(nn::graph& m) {
    const auto layer =
        m.module("layer", [](nn::graph& g, nn::value x) { return g.tanh(g.linear("", x, {.out_features = 3})); });
    return layer(layer(layer(m.input("x", {3}))));
  }
};
static_assert(nn::parameter_count<again> == 12);
constexpr float turn[] = {0, 1, 0, 0, 0, 1, 1, 0, 0}, none[] = {0, 0, 0};
constexpr nn::named_weight turning[] = {{"layer", "weight", turn}, {"layer", "bias", none}};
constexpr float one_two_three[] = {1, 2, 3};
static_assert(nn::constant_run<again, turning>(one_two_three)[0] < nn::constant_run<again, turning>(one_two_three)[1]);

// lm_head.weight = wte.weight
struct tied_embedding : nn::declared<tied_embedding> {
  static constexpr auto forward(nn::graph& m) {
    const auto ids = m.input("ids", {4}, {.dtype = nn::dtype::i64});
    const auto x = m.embedding("wte", ids, {.num_embeddings = 10, .embedding_dim = 6});
    m.tie("wte.weight", "lm_head.weight");
    return m.linear("lm_head", x, {.out_features = 10, .bias = false});
  }
};
static_assert(nn::parameter_count<tied_embedding> == 60);

// Several results, and outputs with names.
struct recurrent : nn::declared<recurrent> {
  static constexpr auto forward(nn::graph& m) {
    auto [y, h] = m.gru("cell", m.input("x", {5, 3}), {.hidden_size = 4});
    m.unused(h);
    auto [z, hidden, cell] = m.lstm("lstm", y, {.hidden_size = 2});
    return nn::outputs{{"steps", z}, {"state", cell}, {"last", hidden}};
  }
};
static_assert(ir::declared_graph<recurrent>.outputs.size() == 3);
static_assert(ir::declared_graph<recurrent>.outputs[1].name == "state");
static_assert(nn::output_shape<recurrent, "lstm.2"> == nn::extents{1, 2});
struct pair : nn::declared<pair> {
  static constexpr auto forward(nn::graph& m) {
    const auto parts = m.chunk<2>(m.input("x", {6, 2}));
    return std::pair{parts[0] * 2.0, parts[1] + parts[0]};
  }
};
constexpr float twelve[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
static_assert(nn::constant_run<pair, no_weights, 1>(twelve) == std::array<float, 6>{8, 10, 12, 14, 16, 18});

// A network that is a function is a block of a list, and has its batch, stream and optimised form.
using in_list = nn::network<nn::input<"a", nn::shape<2, 4>>, nn::block<"inner", names>, nn::relu<"last">>;
static_assert(nn::output_shape<in_list, "inner.layers.0.fc"> == nn::extents{2, 4});
static_assert(nn::output_shape<nn::batched<siamese, 3>, "tower.conv"> == nn::extents{3, 4, 4, 4});
static_assert(nn::exact_convolutions<siamese>::size == siamese::network_type::size);
static_assert(nn::optimized<nn::kept<names, "layers.0.relu">>::has<"layers.0.fc">);

/// What a function of values gives for x (2, 3, 4) of 0, 1, 2, ...
template <nn::value (*Function)(nn::graph&, nn::value)>
struct of_tensor : nn::declared<of_tensor<Function>> {
  static constexpr nn::value forward(nn::graph& m) { return Function(m, m.input("x", {2, 3, 4})); }
};
template <nn::value (*Function)(nn::graph&, nn::value)>
std::vector<float> result() {
  float x[24];
  for (int i = 0; i < 24; ++i) x[i] = static_cast<float>(i);
  using net = of_tensor<Function>;
  static const auto weights = nn::fold<net, no_weights>();
  nn::engine<nn::optimized<net>> run{weights};
  const auto y = run(x);
  return {y.begin(), y.end()};
}
template <nn::value (*Function)(nn::graph&, nn::value)>
constexpr nn::extents shape_of =
    ir::declared_graph<of_tensor<Function>>.shape(ir::declared_graph<of_tensor<Function>>.outputs[0].value);

constexpr nn::value transposed(nn::graph& m, nn::value x) { return m.transpose(x, 0, -1); }
constexpr nn::value rolled(nn::graph& m, nn::value x) { return m.select(m.roll(x, 1, -1), 0, 0); }
constexpr nn::value rolled_back(nn::graph& m, nn::value x) { return m.select(m.roll(x, -1, -1), 0, -1); }
constexpr nn::value stacked(nn::graph& m, nn::value x) {
  const auto rows = m.unbind(x, 1);
  return m.stack({rows[2], rows[0]}, -1);
}
constexpr nn::value flipped(nn::graph& m, nn::value x) { return m.flip(x, 1); }
constexpr nn::value variance(nn::graph& m, nn::value x) { return m.var(x, {0, 2}); }
constexpr nn::value deviation(nn::graph& m, nn::value x) { return m.std(x, -1, true, 0); }
constexpr nn::value norm(nn::graph& m, nn::value x) { return m.norm(x, 2, {1, 2}); }
constexpr nn::value padded(nn::graph& m, nn::value x) { return m.pad(x, {1, 0, 0, 2}, {.value = 7}); }
constexpr nn::value arithmetic(nn::graph&, nn::value x) { return 1.0 - (2.0 / (x + 1.0) - x) * 3.0 + -x / 2.0; }
constexpr nn::value product(nn::graph& m, nn::value x) { return m.einsum("bij, bkj -> bik", {x, x}); }
constexpr nn::value repeated(nn::graph& m, nn::value x) { return m.repeat(m.narrow(x, 0, 1, 1), {2, 1, 1, 2}); }
constexpr nn::value masked(nn::graph& m, nn::value x) { return m.masked_fill(x, m.gt(x, m.full({1}, 20)), -1); }
constexpr nn::value found(nn::graph& m, nn::value x) { return m.topk(x, 2).values; }
constexpr nn::value outer(nn::graph& m, nn::value x) {
  const auto row = m.select(m.select(x, 0, 0), 0, 1);
  return m.outer(row, row);
}
constexpr nn::value normalized(nn::graph& m, nn::value x) {
  return m.layer_norm("", x, {.normalized_shape = {3, 4}, .elementwise_affine = false});
}

}  // namespace

TEST_CASE("functions of tensors are PyTorch's") {
  static_assert(shape_of<transposed> == nn::extents{4, 3, 2} && shape_of<stacked> == nn::extents{2, 4, 2} &&
                shape_of<variance> == nn::extents{3} && shape_of<deviation> == nn::extents{2, 3, 1} &&
                shape_of<padded> == nn::extents{2, 5, 5} && shape_of<repeated> == nn::extents{2, 1, 3, 8});
  CHECK(result<transposed>()[1] == 12);
  CHECK(result<rolled>() == std::vector<float>{3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10});
  CHECK(result<rolled_back>() == std::vector<float>{13, 14, 15, 12, 17, 18, 19, 16, 21, 22, 23, 20});
  CHECK(result<stacked>() == std::vector<float>{8, 0, 9, 1, 10, 2, 11, 3, 20, 12, 21, 13, 22, 14, 23, 15});
  CHECK(result<flipped>() ==
        std::vector<float>{8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3, 20, 21, 22, 23, 16, 17, 18, 19, 12, 13, 14, 15});
  for (const float v : result<variance>()) CHECK(v == doctest::Approx(42.571428));  // eight numbers by seven
  for (const float v : result<deviation>()) CHECK(v == doctest::Approx(1.1180340));
  CHECK(result<norm>()[0] == doctest::Approx(22.494444));
  CHECK(result<norm>()[1] == doctest::Approx(61.789967));
  CHECK(result<padded>()[0] == 7);
  CHECK(result<padded>()[1] == 0);
  CHECK(result<padded>()[15] == 7);
  CHECK(result<arithmetic>()[4] == doctest::Approx(1 - (2.0 / 5 - 4) * 3 - 2));
  CHECK(result<product>()[1] == 0 * 4 + 1 * 5 + 2 * 6 + 3 * 7);
  CHECK(result<repeated>()[5] == 13);
  CHECK(result<masked>()[20] == 20);
  CHECK(result<masked>()[21] == -1);
  CHECK(result<found>()[0] == 3);
  CHECK(result<outer>()[5] == 25);
  CHECK(result<normalized>()[0] == doctest::Approx(-1.5932547));
}
