// SPDX-License-Identifier: BSL-1.0
// A declared network to bytes and back to a type. The committed header is what the bridge writes today, it compiles,
// and gives the bytes of the model that it was written from. After a change:
// CTNN_WRITE_EXAMPLES=1 test_model --source-file=*declared_in_bytes.cpp
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include <ctnn/model.hpp>
#include <ctnn/model/quantize.hpp>
#include <ctnn/model/write_header.hpp>
#include <ctnn/typed.hpp>

#include "small_in_bytes.hpp"

namespace nn = ctnn;

namespace {

/// Numbers of few digits, so that every machine comes to the same sums, and so to the same scales.
struct small
    : nn::network<nn::input<"x", nn::shape<2, 8, 8>>, nn::conv2d<"conv", nn::out<4>, nn::kernel<3>>, nn::relu<"act">,
                  nn::residual<"add", nn::conv2d<"again", nn::out<4>, nn::kernel<1>>, nn::relu<"then">>,
                  nn::max_pool2d<"pool", nn::kernel<2>>, nn::flatten<"flat">, nn::linear<"fc", nn::out<3>>> {};

std::vector<float> steps(std::size_t count, std::size_t period, float step) {
  std::vector<float> out(count);
  for (std::size_t i = 0; i < count; ++i)
    out[i] = (static_cast<float>(i * 7 % period) - static_cast<float>(period / 2)) * step;
  return out;
}
nn::array sample(std::size_t number) { return {{2, 8, 8}, steps(128, 5 + 2 * number, 0.25f)}; }

nn::model of_floats() {
  const std::vector<float> conv = steps(72, 11, 0.125f), bias = steps(4, 3, 0.5f), again = steps(16, 7, 0.25f),
                           fc = steps(108, 13, 0.125f), of_fc = steps(3, 3, 1);
  const nn::named_weight weights[] = {{"conv", "weight", conv}, {"conv", "bias", bias}, {"again", "weight", again},
                                      {"again", "bias", bias},  {"fc", "weight", fc},   {"fc", "bias", of_fc}};
  return nn::to_model<small>(weights, {.keep_weights = true});
}
nn::quantizer calibrated_small(const nn::model& floats, const nn::quantize_options& options = {}) {
  std::vector<nn::arrays_by_name> samples(3);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i].emplace("x", sample(i));
  return nn::calibrated(floats, samples, options);
}

}  // namespace

TEST_CASE("a declared network in bytes is a type again, which gives the model's bytes") {
  const nn::model floats = of_floats();
  nn::quantized_network made = calibrated_small(floats).integers(nn::network_ends::bytes);
  const nn::ir::quantization x_as = made.bytes.at("x"), y_as = made.bytes.at("fc");
  const nn::model bytes(std::move(made.model), {.keep_weights = true});

  const std::string text = nn::cpp::write_header(
      bytes.code(), {.name = "small_in_bytes", .origin = "a declared network", .command = "ctnn::cpp::write_header"});
  const std::string path = std::filesystem::path(__FILE__).replace_filename("small_in_bytes.hpp").string();
  if (std::getenv("CTNN_WRITE_EXAMPLES")) nn::ir::write_file(path, text);
  CHECK(nn::ir::as_text(nn::ir::read_file(path)) == text);

  static nn::parameters<small_in_bytes> weights{nn::zeros};
  REQUIRE(!nn::load(weights, small_in_bytes::weights).found);
  static nn::engine<small_in_bytes> run(weights);
  for (std::size_t number : {0u, 1u, 2u}) {
    const nn::array x = sample(number);
    nn::array as_bytes(x.shape(), nn::dtype::i8);
    for (std::size_t i = 0; i < x.size(); ++i) nn::ir::set_byte(as_bytes, i, static_cast<double>(x[i]), x_as);
    nn::extractor ex = bytes.extractor(), exact = floats.extractor();
    ex.input("x", as_bytes);
    exact.input("x", x);
    const nn::array want = ex.extract("fc"), real = exact.extract("fc");
    const auto got = run(std::span<const std::int8_t, 128>(as_bytes.elements<std::int8_t>()));
    REQUIRE(got.size() == want.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      CHECK(int{got[i]} == int{want.elements<std::int8_t>()[i]});
      CHECK((got[i] - y_as.zero) * y_as.scale == doctest::Approx(static_cast<double>(real[i])).epsilon(0.1));
    }
  }
}

TEST_CASE("layers to be kept in floats go by the names that were declared") {
  const nn::quantized_network made = calibrated_small(of_floats(), {.keep_float = {"act"}}).integers();
  for (const nn::quantized_layer& l : made.layers)
    if (l.name == "conv") CHECK(l.why_float == "kept");
}

TEST_CASE("a model without its weights is not quantized") {
  const std::vector<nn::arrays_by_name> samples(1);
  const nn::model floats = nn::to_model<nn::network<nn::input<"x", nn::shape<4>>, nn::linear<"fc", nn::out<2>>>>(
      std::vector<nn::named_weight>{{"fc", "weight", steps(8, 3, 1)}, {"fc", "bias", steps(2, 3, 1)}});
  CHECK_THROWS_WITH_AS(nn::calibrated(floats, samples), doctest::Contains("load_options::keep_weights"), nn::error);
}
