// SPDX-License-Identifier: BSL-1.0
// Layers that run some rows at a time (kernels/cascade.hpp): the same bits as layer by layer, on every target and
// any number of threads, and a smaller arena. Values that are outputs keep layers apart.
#include <doctest/doctest.h>

#include <cstring>

#include <ctnn/ctnn.hpp>
#include <ctnn/model/thread_pool.hpp>

#include "support/numbers.hpp"

namespace nn = ctnn;
using nn::ir::test::floats;

namespace {

template <class Image, class Output>
using mobile = nn::optimized<nn::network<
    nn::input<"image", Image>,
    // Two convolutions, the first one depthwise.
    nn::conv2d<"depth", nn::out<40>, nn::kernel<3>, nn::pad<1>, nn::groups<40>>, nn::relu6<"depth_relu">,
    nn::conv2d<"point", nn::out<20>, nn::kernel<1>>,
    // Three, with stride, then three with what they add; odd sizes, padding on one side more than on the other.
    nn::conv2d<"a", nn::out<100>, nn::kernel<1>>, nn::prelu<"a_prelu">,
    nn::conv2d<"b", nn::out<100>, nn::kernel<3>, nn::pad<1>, nn::stride<2>, nn::groups<100>>, nn::relu<"b_relu">,
    nn::conv2d<"c", nn::out<36>, nn::kernel<1>>,  //
    nn::conv2d<"e", nn::out<150>, nn::kernel<1>>, nn::silu<"e_silu">,
    nn::conv2d<"f", nn::out<150>, nn::kernel<5, 4>, nn::pad<2, 1, 2, 2>, nn::groups<150>>, nn::hardswish<"f_hs">,
    nn::conv2d<"g", nn::out<36>, nn::kernel<1>>, nn::add<"sum", nn::from<"g", "c">>, nn::relu<"sum_relu">,
    // Two, the last one depthwise and dilated, of which some windows are all padding.
    nn::conv2d<"h", nn::out<160>, nn::kernel<1>>, nn::relu<"h_relu">,
    nn::conv2d<"i", nn::out<160>, nn::kernel<3>, nn::pad<7>, nn::dilation<2>, nn::groups<160>>, nn::relu<"i_relu">,
    nn::adaptive_avg_pool2d<"pool">, nn::conv2d<"scores", nn::out<10>, nn::kernel<1>>, Output>>;

// A stem that reads planes, its depthwise convolution and the 1 x 1 behind it; one with pooling behind it, whose last
// windows reach over the edge; one that reads pixels; and 1 x 1 with an average of windows that are padding in part.
template <class Image, class Output>
using stems = nn::optimized<nn::network<
    nn::input<"image", Image>,
    nn::conv2d<"a", nn::out<40>, nn::kernel<3>, nn::pad<1>, nn::stride<2>, nn::from<"image">>, nn::relu6<"a_relu6">,
    nn::conv2d<"b", nn::out<40>, nn::kernel<3>, nn::pad<1>, nn::groups<40>>, nn::relu6<"b_relu6">,
    nn::conv2d<"c", nn::out<24>, nn::kernel<1>>, nn::adaptive_avg_pool2d<"c_pool">,
    nn::conv2d<"d", nn::out<72>, nn::kernel<5, 4>, nn::pad<2, 0, 1, 2>, nn::stride<3, 2>, nn::from<"image">>,
    nn::silu<"d_silu">, nn::max_pool2d<"e", nn::kernel<3>, nn::stride<2>, nn::ceil_mode>, nn::relu<"e_relu">,
    nn::conv2d<"f", nn::out<3>, nn::kernel<1>>,
    nn::conv2d<"g", nn::out<41>, nn::kernel<3>, nn::pad<2>, nn::dilation<2, 1>>, nn::relu<"g_relu">,
    nn::avg_pool2d<"h", nn::kernel<3, 2>, nn::stride<1, 2>, nn::pad<1>>, nn::conv2d<"i", nn::out<24>, nn::kernel<1>>,
    nn::adaptive_avg_pool2d<"i_pool">, nn::conv2d<"j", nn::out<90>, nn::kernel<1>, nn::from<"h">>,
    nn::avg_pool2d<"k", nn::kernel<4>, nn::pad<1>, nn::count_include_pad>, nn::conv2d<"l", nn::out<24>, nn::kernel<1>>,
    nn::adaptive_avg_pool2d<"l_pool">, nn::concat<"scores", nn::from<"c_pool", "i_pool", "l_pool">>, Output>>;

template <class Net>
constexpr int cascades = [] {
  int n = 0;
  for (const nn::ir::plan_step& s : nn::ir::executable<Net>::plan.steps) n += s.cascade.count;
  return n;
}();

using one = nn::shape<40, 45, 39>;
using three = nn::shape<3, 40, 45, 39>;
template <class Image>
using in_rows = mobile<Image, nn::output<"scores">>;
template <class Image>
using by_layer = mobile<Image, nn::output<"scores", "depth_relu", "a_prelu", "b_relu", "e_silu", "f_hs", "h_relu">>;

struct eager_pool : nn::thread_pool {
  using thread_pool::thread_pool;
  double least_nanoseconds() const override { return 1; }
};

bool same_bits(const floats& a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

template <class Net>
nn::parameters<Net>& loaded(std::span<const nn::named_weight> weights) {
  static nn::parameters<Net> packed{nn::zeros};
  REQUIRE(!nn::load(packed, weights).found);
  return packed;
}

template <class net, class apart>
void compare() {
  nn::ir::test::random_weights numbers;
  std::vector<nn::named_weight> weights;
  for (const nn::ir::expression& e : nn::ir::declared_graph<net>.expressions)
    if (!e.type) weights.push_back({e.layer, e.name, numbers.of(e)});
  const auto image = nn::ir::test::random_inputs(nn::ir::declared_graph<net>);
  const float* const pointers[] = {image[0].data()};
  static nn::engine<net> run{loaded<net>(weights)};
  static nn::engine<apart> run_apart{loaded<apart>(weights)};
  for (const nn::target_id target : nn::supported_targets()) {
    CAPTURE(std::string(nn::target_name(target)));
    run.use(target);
    run_apart.use(target);
    run_apart.run(pointers);
    const floats want(run_apart.template output<0>().begin(), run_apart.template output<0>().end());
    run.run(pointers);
    CHECK(same_bits(want, run.template output<0>()));
    for (int threads : {2, 3, 5}) {
      CAPTURE(threads);
      eager_pool pool(threads);
      run.run(pointers, pool);
      CHECK(same_bits(want, run.template output<0>()));
    }
  }
}

static_assert(cascades<in_rows<one>> == 10 && cascades<by_layer<one>> == 0);

using picture = nn::shape<3, 212, 203>;
using pictures = nn::shape<3, 3, 212, 203>;
using scores = nn::output<"scores">;
using each_value = nn::output<"scores", "a_relu6", "b_relu6", "d_silu", "g_relu", "j">;
static_assert(cascades<stems<picture, scores>> == 8 && cascades<stems<picture, each_value>> == 0);

template <class Net>
constexpr std::int64_t bytes_by_layer = 4 *
                                        nn::ir::make_plan(nn::ir::declared_graph<Net>, {.cascades = false}).arena_size;
static_assert(nn::arena_bytes<in_rows<one>> < 850'000 && bytes_by_layer<in_rows<one>> > 900'000);

}  // namespace

TEST_CASE("cascades beside the same layers") { compare<in_rows<one>, by_layer<one>>(); }
TEST_CASE("cascades of a batch") { compare<in_rows<three>, by_layer<three>>(); }
TEST_CASE("stems and pooling beside the same layers") {
  compare<stems<picture, scores>, stems<picture, each_value>>();
  compare<stems<pictures, scores>, stems<pictures, each_value>>();
}
