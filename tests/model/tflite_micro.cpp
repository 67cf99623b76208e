// SPDX-License-Identifier: BSL-1.0
// What TensorFlow Lite Micro has kernels for, against its answers (tflite_micro_answers.hpp).
#include <ctnn/model.hpp>
#include <doctest/doctest.h>

#include "support/tflite_micro_samples.hpp"
#include "tflite_checked.hpp"
#include "tflite_micro_answers.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace fb = test::tflite_bytes;

TEST_CASE("activations of 16 bits, weights of 4 and clipped cells give TensorFlow Lite Micro's answers") {
  const std::size_t answers = test::check_samples(fb::micro_samples(), test::tflite_micro_answers, rounding::twice);
  MESSAGE(answers << " answers compared");
}

TEST_CASE("16 bits: what TensorFlow Lite has no kernel for is refused") {
  const auto says = [](const std::function<void(fb::sample&)>& make) {
    fb::sample s;
    make(s);
    const std::string file = s.file();
    try {
      model::load(std::as_bytes(std::span(file)));
    } catch (const error& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  const fb::scales of{{0.001f}, {0}}, shifted{{0.001f}, {4}}, curve{{1.0f / 32768}, {0}};
  const auto layer = [&](const fb::scales& x, fb::type bias, const fb::scales& weight) {
    return says([&](fb::sample& s) {
      const int w = s.tensor("w", fb::i8, {2, 3}, weight, std::string(6, 1)),
                b = s.tensor("b", bias, {2}, {{0.001f}, {0}}, std::string(bias == fb::i64 ? 16 : 8, 0));
      s.op("FULLY_CONNECTED", {s.in({1, 3}, fb::i16, x), w, b}, {s.out({1, 2}, fb::i16, of)});
    });
  };
  CHECK(layer(of, fb::i64, {{1}, {0}}) == "nothing");
  CHECK(layer(of, fb::i32, {{1}, {0}}).find("a bias of i32") != std::string::npos);
  CHECK(layer(shifted, fb::i64, {{1}, {0}}).find("of makes no sense") != std::string::npos);
  CHECK(layer(of, fb::i64, {{1}, {3}}).find("zero_points") != std::string::npos);
  const auto curved = [&](const char* op, const fb::scales& as, const fb::options& options = {}) {
    return says([&](fb::sample& s) { s.op(op, {s.in({3}, fb::i16, of)}, {s.out({3}, fb::i16, as)}, options); });
  };
  CHECK(curved("TANH", curve) == "nothing");
  CHECK(curved("TANH", of).find("as makes no sense") != std::string::npos);
  CHECK(curved("SOFTMAX", of, {{0, fb::real(1)}}).find("1/32768") != std::string::npos);
  CHECK(curved("EXP", of).find("quantized i16") != std::string::npos);
  CHECK(curved("HARD_SWISH", of).find("quantized i16") != std::string::npos);
}
