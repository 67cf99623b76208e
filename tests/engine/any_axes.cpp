// SPDX-License-Identifier: BSL-1.0
// Pooling, interpolating and slicing along any number of axes in declared networks: the kernels against the definition.
#include <doctest/doctest.h>

#include <ctnn/ctnn.hpp>
#include <ctnn/network/constant_run.hpp>

#include "../support/numbers.hpp"

namespace nn = ctnn;

namespace {

struct signals
    : nn::network<nn::input<"x", nn::shape<3, 19>>,
                  nn::max_pool1d<"most", nn::kernel<3>, nn::stride<1>, nn::dilation<2>, nn::pad<1>>,  // 3 x 17
                  nn::avg_pool1d<"mean", nn::from<"most">, nn::kernel<4>, nn::stride<2>, nn::pad<2, 1>,
                                 nn::count_include_pad>,                                     // 3 x 9
                  nn::lp_pool1d<"norm", nn::from<"most">, nn::kernel<2>, nn::norm_type<3>>,  // 3 x 8
                  nn::interpolate_linear<"line", nn::from<"mean">, nn::size<13>>,
                  nn::slice<"back", nn::from<"line">, nn::axis<0, 1>, nn::start<1, -2>, nn::end<3, 1>,
                            nn::step<1, -3>>,  // 2 x 4
                  nn::output<"norm", "line", "back">> {};
struct volumes : nn::network<nn::input<"x", nn::shape<2, 4, 5, 6>>,
                             nn::max_pool3d<"most", nn::kernel<2, 3, 2>, nn::stride<1>>,           // 2 x 3 x 3 x 5
                             nn::avg_pool3d<"mean", nn::kernel<2>, nn::stride<1>, nn::ceil_mode>,  // 2 x 2 x 2 x 4
                             nn::interpolate_trilinear<"larger", nn::size<3, 4, 5>>, nn::output<"mean", "larger">> {};
struct images : nn::network<
    nn::input<"x", nn::shape<5, 7, 8>>,
    nn::max_pool2d<"gaps", nn::kernel<2>, nn::stride<1>, nn::dilation<2, 3>>,                            // 5 x 5 x 5
    nn::lp_pool2d<"norm", nn::from<"gaps">, nn::kernel<2>>,                                              // 5 x 2 x 2
    nn::interpolate_bicubic<"smooth", nn::from<"gaps">, nn::size<9, 3>>,
    nn::interpolate_bilinear<"corners", nn::from<"gaps">, nn::size<9, 3>, nn::align_corners>,
    nn::output<"gaps", "norm", "smooth", "corners">> {};

constexpr std::array<nn::named_weight, 0> nothing{};

template <class Net, std::size_t Output>
void check_output(const nn::engine<Net>& run, const std::vector<float>& x) {
  const auto want = nn::constant_run<Net, nothing, Output>(x);
  const auto got = run.template output<Output>();
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < want.size(); ++i) CHECK(got[i] == doctest::Approx(want[i]).epsilon(1e-5));
}
template <class Net, std::size_t... Output>
void check(std::int64_t count, std::index_sequence<Output...>) {
  const std::vector<float> x = ctnn::ir::test::random_floats("x", count, -1, 1);
  static nn::parameters<Net> none;
  for (nn::target_id t : nn::supported_targets()) {
    nn::engine<Net> run{none, t};
    const float* const in[] = {x.data()};
    run.run(in);
    (check_output<Net, Output>(run, x), ...);
  }
}

static_assert(nn::optimized<signals>::size == 6);

}  // namespace

TEST_CASE("signals") { check<signals>(3 * 19, std::make_index_sequence<3>{}); }
TEST_CASE("volumes") { check<volumes>(2 * 4 * 5 * 6, std::make_index_sequence<2>{}); }
TEST_CASE("images with gaps, norms and curves") { check<images>(5 * 7 * 8, std::make_index_sequence<4>{}); }
