// SPDX-License-Identifier: BSL-1.0
// Networks of words, of numbers over time and of points as functions, beside PyTorch's modules in series.py.
#include <doctest/doctest.h>

#include <ctnn/typed.hpp>

#include "beside_pytorch.hpp"

namespace nn = ctnn;
using nn::ir::test::beside_pytorch;

namespace {

constexpr nn::value causal_self_attention(nn::graph& m, nn::value x, int heads) {
  const int size = m.size(x, -1);
  const auto three = m.unflatten(m.linear("c_attn", x, {.out = 3 * size}), 1, {3, heads, -1});
  const auto qkv = m.unbind(m.permute(three, {1, 2, 0, 3}));
  const auto y = m.scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], {.is_causal = true});
  return m.linear("c_proj", m.flatten(m.transpose(y, 0, 1), {.start_dim = 1}), {.out = size});
}

constexpr nn::value mlp(nn::graph& m, nn::value x) {
  const int size = m.size(x, -1);
  return m.linear("c_proj", m.gelu(m.linear("c_fc", x, {.out = 4 * size}), "tanh"), {.out = size});
}

constexpr nn::value gpt_block(nn::graph& m, nn::value x, int heads) {
  x = x + m.module("attn", causal_self_attention)(m.layer_norm("ln_1", x), heads);
  return x + m.module("mlp", mlp)(m.layer_norm("ln_2", x));
}

/// Radford et al. 2019, with GPT-2's names.
struct gpt : nn::declared<gpt> {
  static constexpr auto forward(nn::graph& m) {
    const auto ids = m.input("ids", {9}, {.dtype = nn::dtype::i64});
    auto x = m.embedding("wte", ids, {.num_embeddings = 50, .embedding_dim = 24});
    x = x + m.embedding("wpe", m.arange(9), {.num_embeddings = 9, .embedding_dim = 24});
    for (int i = 0; i < 2; ++i) x = m.module("h", i, gpt_block)(x, 3);
    m.tie("wte.weight", "lm_head.weight");
    return m.linear("lm_head", m.layer_norm("ln_f", x), {.out = 50, .bias = false});
  }
};

/// Salinas et al. 2017: of series and what is known beside them the mean and deviation of what comes next.
struct deepar : nn::declared<deepar> {
  static constexpr auto forward(nn::graph& m) {
    const auto target = m.input("target", {2, 11});
    const auto covariates = m.input("covariates", {2, 11, 3});
    const auto ids = m.input("ids", {2}, {.dtype = nn::dtype::i64});
    const auto scale = 1 + m.mean(m.abs(target), 1, true);
    const auto lagged = m.unsqueeze(target / scale, 2);
    const auto rows = m.embedding("embedding", ids, {.num_embeddings = 50, .embedding_dim = 4});
    const auto x = m.cat({m.expand(m.unsqueeze(rows, 1), {-1, 11, -1}), lagged, covariates}, {.dim = 2});
    const auto y = m.lstm("lstm", x, {.hidden_size = 12, .num_layers = 2, .batch_first = true}).output;
    const auto mean = m.squeeze(m.linear("mu", y, {.out = 1}), 2) * scale;
    const auto deviation = m.squeeze(m.softplus(m.linear("sigma", y, {.out = 1})), 2) * scale;
    return std::pair(mean, deviation);
  }
};

/// A matrix that turns points.
constexpr nn::value tnet(nn::graph& m, nn::value x) {
  const int size = m.size(x, 1);
  x = m.relu(m.batch_norm1d("bn1", m.conv1d("conv1", x, {.out = 16, .kernel = 1})));
  x = m.relu(m.batch_norm1d("bn2", m.conv1d("conv2", x, {.out = 32, .kernel = 1})));
  x = m.relu(m.batch_norm1d("bn3", m.linear("fc1", m.amax(x, 2), {.out = 16})));
  return m.view(m.linear("fc2", x, {.out = size * size}), {-1, size, size}) + m.eye(size);
}

/// Qi et al. 2017: what a set of points shows.
struct pointnet : nn::declared<pointnet> {
  static constexpr auto forward(nn::graph& m) {
    auto x = m.input("points", {1, 3, 40});
    x = m.matmul(m.transpose(m.module("tnet1", tnet)(x), 1, 2), x);
    x = m.relu(m.batch_norm1d("bn1", m.conv1d("conv1", x, {.out = 8, .kernel = 1})));
    x = m.matmul(m.transpose(m.module("tnet2", tnet)(x), 1, 2), x);
    x = m.relu(m.batch_norm1d("bn2", m.conv1d("conv2", x, {.out = 16, .kernel = 1})));
    x = m.amax(m.batch_norm1d("bn3", m.conv1d("conv3", x, {.out = 48, .kernel = 1})), 2);
    x = m.relu(m.batch_norm1d("bn4", m.linear("fc1", x, {.out = 24})));
    return m.log_softmax(m.linear("fc2", x, {.out = 10}), {.dim = 1});
  }
};

}  // namespace

TEST_CASE("GPT") { CHECK(beside_pytorch<gpt>("gpt", 2e-6) == ""); }
TEST_CASE("DeepAR") { CHECK(beside_pytorch<deepar>("deepar", 2e-6) == ""); }
TEST_CASE("PointNet") { CHECK(beside_pytorch<pointnet>("pointnet", 2e-6) == ""); }
