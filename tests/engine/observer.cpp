// SPDX-License-Identifier: BSL-1.0
// An observer is told of every layer, and the answers are the same.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

namespace {

struct net : nn::network<nn::input<"x", nn::shape<6, 6, 6>>, nn::max_pool2d<"pool", nn::kernel<3>>,
                         nn::tanh_activation<"t">, nn::softmax<"y", nn::axis<0>>> {};
const nn::parameters<net> none;

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
