// SPDX-License-Identifier: BSL-1.0
// A network's layers as a Hana sequence, and dead ones pruned as types.
#include <doctest/doctest.h>

#include <cstdio>
#include <string>

#include <boost/hana/all_of.hpp>
#include <boost/hana/contains.hpp>
#include <boost/hana/count_if.hpp>
#include <boost/hana/filter.hpp>
#include <boost/hana/first.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/partition.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/size.hpp>
#include <boost/hana/unpack.hpp>

#include <ctnn/ctnn.hpp>

namespace nn = ctnn;
namespace hana = boost::hana;

namespace {

using net = nn::network<
    nn::input<"x", nn::shape<2, 8, 8>>, nn::conv2d<"c", nn::out<4>, nn::kernel<3>>, nn::batch_norm<"bn">, nn::relu<"r">,
    nn::conv2d<"dead", nn::from<"x">, nn::out<2>, nn::kernel<1>>, nn::relu<"dead_too">,
    nn::conv2d<"d", nn::from<"r">, nn::out<4>, nn::kernel<3>>, nn::output<"d">>;
using fused = nn::optimized<net>;

static_assert(hana::size(nn::layers_of<net>) == hana::size_c<7>);  // output<...> is not a layer
static_assert(hana::count_if(nn::layers_of<net>, nn::is<nn::op::conv2d>) == hana::size_c<3>);
static_assert(hana::count_if(nn::layers_of<fused>, nn::is<nn::op::conv2d>) == hana::size_c<2>);
static_assert(hana::count_if(nn::layers_of<fused>, nn::is<nn::op::batch_norm>) == hana::size_c<0>);

/// A question of one's own: does every convolution have few outputs?
constexpr auto is_narrow = [](auto layer) {
  using type = typename decltype(layer)::type;
  return hana::bool_c<nn::output_shape<fused, nn::fixed_string<type::record.name.size()>(type::record.name)>[0] <= 4>;
};
static_assert(hana::all_of(nn::layers_of<fused>, is_narrow));

/// What a layer was given, options on the one side and what it reads on the other.
constexpr auto parted =
    hana::partition(nn::arguments_of<nn::conv2d<"c", nn::out<4>, nn::from<"x">, nn::kernel<3>>>, nn::is_option);
static_assert(hana::first(parted) == hana::tuple_t<nn::out<4>, nn::kernel<3>>);
static_assert(hana::second(parted) == hana::tuple_t<nn::from<"x">>);

/// Rules are types, too: those that begin at a batch norm, as a list of their own.
struct norm_rules
    : decltype(hana::unpack(hana::filter(nn::rules_of<nn::default_rules>, nn::is_about<nn::op::batch_norm>),
                            hana::template_<nn::rule_list>))::type {};
static_assert(hana::size(nn::rules_of<nn::default_rules>) == hana::size_c<nn::default_rules::records.size()>);
static_assert(norm_rules::records.size() > 0 && norm_rules::records.size() < nn::default_rules::records.size());
static_assert(hana::contains(nn::rules_of<norm_rules>, hana::type_c<nn::rules::batch_norm_to_scale>));
static_assert(!hana::contains(nn::rules_of<norm_rules>, hana::type_c<nn::rules::fold_affine>));
using only_norms = nn::optimized<net, norm_rules>;
static_assert(hana::count_if(nn::layers_of<only_norms>, nn::is<nn::op::scale>) == hana::size_c<1>);
static_assert(hana::count_if(nn::layers_of<only_norms>, nn::is<nn::op::activation>) == hana::size_c<1>);

/// README's network and its questions.
struct readme
    : nn::network<nn::input<"image", nn::shape<3, 32, 32>>, nn::conv2d<"conv1", nn::out<16>, nn::kernel<3>, nn::pad<1>>,
                  nn::batch_norm<"bn1">, nn::relu<"relu1">, nn::adaptive_avg_pool2d<"gap">, nn::flatten<"flat">,
                  nn::linear<"fc", nn::out<10>>, nn::softmax<"prob">> {};
static_assert(hana::count_if(nn::layers_of<nn::optimized<readme>>, nn::is<nn::op::conv2d>) == hana::size_c<1>);
[[maybe_unused]] void list() {
  hana::for_each(nn::layers_of<nn::optimized<readme>>,
                 [](auto layer) { std::puts(decltype(layer)::type::record.name.data()); });
}

/// Dead layers are gone, living ones as they were.
static_assert(std::is_same_v<nn::prune_dead<net>,
                             nn::network<nn::input<"x", nn::shape<2, 8, 8>>, nn::conv2d<"c", nn::out<4>, nn::kernel<3>>,
                                         nn::batch_norm<"bn">, nn::relu<"r">,
                                         nn::conv2d<"d", nn::out<4>, nn::kernel<3>>, nn::output<"d">>>);

}  // namespace

TEST_CASE("a visit to each layer") {
  std::string names;
  hana::for_each(nn::layers_of<fused>, [&](auto layer) { (names += decltype(layer)::type::record.name) += ' '; });
  CHECK(names == "x c d ");
}
