// SPDX-License-Identifier: BSL-1.0
// A static network in parts: the same bits as on one thread, on every target.
#include <doctest/doctest.h>

#include <cstring>

#include <ctnn/ctnn.hpp>
#include <ctnn/model/thread_pool.hpp>

#include "support/numbers.hpp"

namespace nn = ctnn;
using nn::ir::test::floats;

namespace {

using net = nn::optimized<
    nn::network<nn::input<"image", nn::shape<3, 24, 20>>, nn::conv2d<"stem", nn::out<32>, nn::kernel<3>, nn::pad<1>>,
                nn::relu<"stem_relu">, nn::conv2d<"depth", nn::out<32>, nn::kernel<3>, nn::pad<1>, nn::groups<32>>,
                nn::conv2d<"point", nn::out<48>, nn::kernel<1>>, nn::tanh_activation<"curve">,
                nn::max_pool2d<"pool", nn::kernel<2>, nn::stride<2>>, nn::flatten<"flat">,
                nn::linear<"fc", nn::out<70>>, nn::softmax<"prob">, nn::output<"prob", "curve">>>;

struct eager_pool : nn::thread_pool {
  using thread_pool::thread_pool;
  double least_nanoseconds() const override { return 1; }
};

bool same_bits(const floats& a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

TEST_CASE("an engine on several threads") {
  nn::ir::test::random_weights numbers;
  std::vector<nn::named_weight> given;
  for (const nn::ir::expression& e : nn::ir::declared_graph<net>.expressions)
    if (!e.type) given.push_back({e.layer, e.name, numbers.of(e)});
  const auto values = nn::ir::test::random_inputs(nn::ir::declared_graph<net>);
  const float* const pointers[] = {values[0].data()};
  static nn::parameters<net> weights{nn::zeros};
  REQUIRE(!nn::load(weights, given).found);
  static nn::engine<net> run{weights};
  for (const nn::target_id target : nn::supported_targets()) {
    CAPTURE(std::string(nn::target_name(target)));
    run.use(target);
    run.run(pointers);
    const floats prob(run.output<0>().begin(), run.output<0>().end()),
        curve(run.output<1>().begin(), run.output<1>().end());
    for (int threads : {1, 2, 3, 5}) {
      CAPTURE(threads);
      eager_pool pool(threads);
      for (int round = 0; round < 5; ++round) {
        run.run(pointers, pool);
        CHECK(same_bits(prob, run.output<0>()));
        CHECK(same_bits(curve, run.output<1>()));
      }
    }
  }
}
