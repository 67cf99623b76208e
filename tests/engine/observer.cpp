// SPDX-License-Identifier: BSL-1.0
// An observer is told of every layer, and the answers are the same.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <ctnn/typed.hpp>

namespace nn = ctnn;

namespace {

struct net : nn::network<nn::input<"x", nn::shape<6, 6, 6>>, nn::max_pool2d<"pool", nn::kernel<3>>,
                         nn::tanh_activation<"t">, nn::softmax<"y", nn::axis<0>>> {};
const nn::parameters<net> none;
struct of_bytes : nn::network<nn::input<"x", nn::shape<4, 3>, nn::i8, nn::as_i8<0.25, 3>>,
                              nn::relu<"cut", nn::as_i8<0.25, 3>>, nn::dequantize<"reals">, nn::softmax<"y">> {};
const nn::parameters<of_bytes> no_numbers;

}  // namespace

TEST_CASE("an observer sees the layers in their order, on every target") {
  float x[6 * 6 * 6];
  for (std::size_t i = 0; i < std::size(x); ++i) x[i] = static_cast<float>(i * 7 % 11) - 4;
  const float* const inputs[] = {x};
  nn::engine<net> watched{none}, usual{none};
  for (const nn::target_id t : nn::supported_targets()) {
    watched.use(t);
    usual.use(t);
    std::string layers;
    watched.run(inputs,
                {[](void* to, std::string_view layer) { (*static_cast<std::string*>(to) += layer) += ' '; }, &layers});
    CHECK(layers == "x pool t y y ");  // from nchw and back
    usual.run(inputs);
    for (std::size_t i = 0; i < watched.output<0>().size(); ++i) CHECK(watched.output<0>()[i] == usual.output<0>()[i]);
  }
}

TEST_CASE("an observer sees layers of bytes, with inputs by place and by name") {
  std::int8_t x[12];
  for (std::size_t i = 0; i < std::size(x); ++i) x[i] = static_cast<std::int8_t>(i * 7 % 11);
  nn::engine<of_bytes> watched{no_numbers}, usual{no_numbers};
  usual.run(x);
  std::string layers;
  const nn::layer_observer observer{
      [](void* to, std::string_view layer) { (*static_cast<std::string*>(to) += layer) += ' '; }, &layers};
  watched.run_before(observer, x);
  CHECK(layers == "cut reals y ");
  CHECK(std::ranges::equal(watched.output<0>(), usual.output<0>()));
  layers.clear();
  float y[12];
  watched.run_before(observer, nn::in<"x">(x), nn::into<"y">(y));
  CHECK(layers == "cut reals y ");
  CHECK(std::ranges::equal(usual.output<0>(), y));
}
