// SPDX-License-Identifier: BSL-1.0
// examples/networks/lists/transformer.hpp: torch.nn.TransformerEncoder, beside PyTorch's formulas written out.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "../../examples/networks/lists/transformer.hpp"
#include "support/run_both.hpp"

namespace nn = ctnn;
using nn::ir::test::floats;

// torch.nn.TransformerEncoder(TransformerEncoderLayer(512, 8), 6) has 18,914,304 parameters.
using full = lists::transformer_encoder<32>;
static_assert(nn::parameter_count<full> == 18'914'304);
static_assert(nn::output_shape<full, "layers.5.norm2.norm"> == nn::extents{32, 512});
static_assert(nn::output_shape<full, "layers.0.self_attn.attention"> == nn::extents{1, 8, 32, 32});
static_assert(full::size == 1 + 6 * 28 && nn::optimized<full>::size <= 1 + 6 * 20);
// Four products with weights and two of tokens, of each layer.
static_assert(nn::macs<full> == 6 * (32 * (4 * 512 * 512 + 2 * 512 * 2048) + 2 * 32 * 32 * 512));

constexpr int length = 7, model = 24, heads = 3, hidden = 40, layers = 6;
using net = lists::transformer_encoder<length, model, heads, hidden, layers>;
using fused = nn::optimized<net>;
static_assert(nn::fused_into<net, "layers.0.activation"> == "layers.0.linear1");
static_assert(!fused::has<"layers.3.dropout"> && !fused::has<"layers.5.self_attn.scaled">);

namespace {

/// Rows of numbers, in double precision.
using rows = std::vector<std::vector<double>>;

/// PyTorch's modules over a state_dict.
struct reference {
  const std::vector<nn::named_weight>& state;

  std::vector<double> weight(const std::string& key) const {
    for (const nn::named_weight& w : state)
      if (key == std::string(w.layer) + "." + std::string(w.name) || (w.name == "value" && key == w.layer))
        return {w.numbers.data(), w.numbers.data() + w.numbers.size()};
    FAIL("no weight " << key);
    return {};
  }
  rows linear(const rows& x, const std::string& weights, const std::string& biases) const {
    const std::vector<double> w = weight(weights), b = weight(biases);
    rows y;
    for (const auto& row : x) {
      y.push_back(b);
      for (std::size_t o = 0; o < b.size(); ++o)
        for (std::size_t i = 0; i < row.size(); ++i) y.back()[o] += w[o * row.size() + i] * row[i];
    }
    return y;
  }
  rows norm(rows x, const std::string& name) const {
    const std::vector<double> w = weight(name + ".weight"), b = weight(name + ".bias");
    for (auto& row : x) {
      double mean = 0, variance = 0;
      for (double v : row) mean += v / static_cast<double>(row.size());
      for (double v : row) variance += (v - mean) * (v - mean) / static_cast<double>(row.size());
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = (row[i] - mean) / std::sqrt(variance + 1e-5) * w[i] + b[i];
    }
    return x;
  }
  rows attention(const rows& x, const std::string& name) const {
    const rows qkv = linear(x, name + ".in_proj_weight", name + ".in_proj_bias");
    rows y(length, std::vector<double>(model, 0.0));
    constexpr std::size_t size = model / heads;
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t q = 0; q < length; ++q) {
        std::vector<double> scores(length, 0.0);
        double sum = 0;
        for (std::size_t k = 0; k < length; ++k) {
          for (std::size_t i = h * size; i < (h + 1) * size; ++i) scores[k] += qkv[q][i] * qkv[k][model + i];
          sum += scores[k] = std::exp(scores[k] / std::sqrt(static_cast<double>(size)));
        }
        for (std::size_t k = 0; k < length; ++k)
          for (std::size_t i = h * size; i < (h + 1) * size; ++i) y[q][i] += scores[k] / sum * qkv[k][2 * model + i];
      }
    return linear(y, name + ".out_proj.weight", name + ".out_proj.bias");
  }
  rows layer(const rows& x, const std::string& name) const {
    const rows a = norm(sum(x, attention(x, name + ".self_attn")), name + ".norm1");
    rows h = linear(a, name + ".linear1.weight", name + ".linear1.bias");
    for (auto& row : h)
      for (double& v : row) v = std::max(v, 0.0);
    return norm(sum(a, linear(h, name + ".linear2.weight", name + ".linear2.bias")), name + ".norm2");
  }
  static rows sum(rows a, const rows& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t k = 0; k < a[i].size(); ++k) a[i][k] += b[i][k];
    return a;
  }
};

}  // namespace

TEST_CASE("optimised it computes PyTorch's formulas") {
  nn::ir::test::made_up_weights numbers;
  const auto state = nn::ir::test::weights_of_network<net>(numbers);
  const floats got = nn::ir::test::run_optimized<net>(state);
  const floats tokens = nn::ir::test::random_inputs(nn::ir::declared_graph<net>)[0];
  rows x;
  for (std::size_t i = 0; i < length; ++i)
    x.emplace_back(tokens.begin() + static_cast<long>(i) * model, tokens.begin() + static_cast<long>(i + 1) * model);
  for (int i = 0; i < layers; ++i) x = reference{state}.layer(x, "layers." + std::to_string(i));
  floats want;
  for (const auto& row : x)
    for (double v : row) want.push_back(static_cast<float>(v));
  CHECK(nn::ir::test::difference({got}, {want}, 1e-5) == "");
}
