// SPDX-License-Identifier: BSL-1.0
// Engines hold tiles of the sizes that their shapes need: no others, and none is missing, at the edges of images, of
// columns and of what fits into caches.
#include <doctest/doctest.h>

#include <bit>

#include "support/run_both.hpp"

namespace nn = ctnn;
namespace target = nn::ir::HWY_NAMESPACE;

namespace {

template <int Channels, int Height, int Width, class... Options>
struct convolution : nn::network<nn::input<"x", nn::shape<Channels, Height, Width>>,
                                 nn::conv2d<"conv", nn::no_winograd, Options...>> {};
/// Behind another one: the first layer's channels lie apart.
template <int Channels, int Width, int Columns, class... Options>
struct depthwise
    : nn::network<nn::input<"x", nn::shape<2, 9, Width>>, nn::conv2d<"first", nn::out<Channels>, nn::kernel<1>>,
                  nn::conv2d<"conv", nn::out<Channels>, nn::groups<Channels>, nn::kernel<3, Columns>, Options...>> {};
template <int Rows, int Depth, int Columns>
struct product : nn::network<nn::input<"x", nn::shape<Rows, Depth>>, nn::linear<"fc", nn::out<Columns>>> {};

template <class Net>
constexpr nn::ir::tile_set tiles_of =
    target::tiles_of_steps<typename nn::optimized<Net>::network_type,
                           std::make_index_sequence<nn::ir::executable<nn::optimized<Net>>::plan.steps.size()>>;
constexpr int count(const nn::ir::tile_set& s) {
  int n = std::popcount(s.any_rows) + std::popcount(s.single_rows);
  for (std::uint16_t heights : s.heights) n += std::popcount(heights);
  for (std::uint16_t vectors : s.planes) n += std::popcount(vectors);
  for (const auto& kind : s.pixels) n += std::popcount(kind[0]) + std::popcount(kind[1]);
  return n;
}

template <class... Nets>
void check() {
  int at = 0;
  const auto one = [&](const std::string& wrong, int tiles) {
    CAPTURE(at++);
    CHECK(wrong == "");
    CHECK(tiles >= 1);
    CHECK(tiles <= 10);
  };
  (one(nn::ir::test::optimized_differs<Nets>(), count(tiles_of<Nets>)), ...);
}

using nn::dilation;
using nn::groups;
using nn::kernel;
using nn::out;
using nn::pad;
using nn::stride;

}  // namespace

// One row alone takes tiles of one row, others panels.
static_assert(tiles_of<product<1, 9, 100>>.any_rows == 0 && count(tiles_of<product<1, 9, 100>>) <= 2);
static_assert(tiles_of<product<5, 9, 8>>.single_rows == 0 && count(tiles_of<product<5, 9, 8>>) <= 2);
static_assert(count(nn::ir::all_tiles) > 60);
// Where all pixels stand as rows, alone and in parts, none is looked up.
constexpr nn::ir::tile_set as_rows = tiles_of<convolution<8, 40, 41, out<24>, kernel<1>>>;
static_assert(!as_rows.looks_up && !nn::ir::tiles_of_parts(as_rows).looks_up);
constexpr nn::ir::tile_set anywhere = tiles_of<convolution<40, 9, 9, out<24>, kernel<3>, pad<1>>>;
static_assert(anywhere.looks_up && nn::ir::tiles_of_parts(anywhere).looks_up && nn::ir::all_tiles.looks_up);

TEST_CASE("few output channels") {
  check<convolution<1, 20, 70, out<2>, kernel<5>, pad<2>>, convolution<3, 9, 250, out<1>, kernel<3>>,
        convolution<2, 12, 40, out<3>, kernel<5>, stride<2>>, convolution<60, 5, 190, out<1>, kernel<3>, pad<1>>,
        convolution<1, 32, 32, out<6>, kernel<5>>, convolution<4, 8, 34, out<4>, kernel<3>, groups<2>>>();
}
// Depthwise tiles are those of a row of pixels: nine are a tile of 5 and one of 4.
constexpr nn::ir::tile_set none_deep = tiles_of<convolution<8, 9, 9, out<8>, kernel<3>>>;
static_assert(!none_deep.has_depthwise() && !nn::ir::tiles_of_parts(none_deep).has_depthwise());
constexpr nn::ir::tile_set nine_wide = tiles_of<depthwise<32, 9, 3, pad<1>>>;
constexpr int kind = nine_wide.depthwise_kind(3, 1);
static_assert(target::lanes == 1 ||
              (nine_wide.pixels[kind][0] == (1 << 5 | 1 << 4) && nine_wide.pixels[kind][1] == 0));
static_assert(nn::ir::tiles_of_parts(nine_wide).pixels[kind][0] == nine_wide.pixels[kind][0]);

TEST_CASE("windows that stand as rows") {
  check<convolution<8, 9, 11, out<5>, kernel<1>>, convolution<16, 7, 7, out<40>, kernel<1>>,
        convolution<8, 40, 41, out<24>, kernel<1>>,                      // more rows than a block has
        convolution<4, 13, 12, out<17>, kernel<1>, stride<2>>,           //
        convolution<12, 9, 27, out<70>, kernel<3>>,                      // lines apart
        convolution<200, 6, 5, out<33>, kernel<1>>>();                   // sums in parts
}
TEST_CASE("copied strips") {
  check<convolution<3, 33, 35, out<16>, kernel<3>, stride<2>, pad<1>>,
        convolution<1, 28, 28, out<6>, kernel<5>, pad<2>>,
        convolution<3, 5, 700, out<9>, kernel<3>, pad<1>>,               // rows in parts
        convolution<20, 30, 30, out<48>, kernel<3>, pad<1>>>();          // several strips
}
TEST_CASE("rows anywhere, single rows, groups") {
  check<convolution<40, 9, 9, out<24>, kernel<3>, pad<1>>, convolution<12, 5, 5, out<20>, kernel<5>>,
        convolution<40, 10, 10, out<100>, kernel<3>, dilation<2>, pad<2>>,
        convolution<24, 8, 8, out<36>, kernel<3>, pad<1>, groups<4>>>();
}
TEST_CASE("products of matrices") {
  check<product<2, 5, 3>, product<13, 20, 31>, product<25, 70, 130>, product<1000, 9, 50>, product<1, 300, 77>>();
}
TEST_CASE("depthwise") {
  check<depthwise<32, 9, 3, pad<1>>, depthwise<20, 17, 3, pad<1>, stride<2>>, depthwise<70, 30, 3>,
        depthwise<3, 12, 3, pad<1>>, depthwise<66, 200, 3, pad<1>>,            // parts of a vector
        depthwise<24, 21, 5, pad<1, 2>>, depthwise<24, 22, 5, stride<2>>,      //
        depthwise<5, 11, 5>, depthwise<16, 11, 7>, depthwise<16, 20, 3, dilation<2>>,
        depthwise<16, 11, 3, stride<3>>>();                                    // pixel by pixel
  check<convolution<6, 9, 9, out<6>, kernel<3>, groups<6>>>();                 // channels apart
}
