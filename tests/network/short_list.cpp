// SPDX-License-Identifier: BSL-1.0
// Networks under short names: what is equal is one type, what differs is another, and no name is long.
#include <doctest/doctest.h>

#include <concepts>
#include <cstring>
#include <typeinfo>

#include <ctnn/network/questions.hpp>

namespace nn = ctnn;

namespace outside {

struct half : nn::op::identity {
  static constexpr std::string_view name = "half";
};
template <nn::fixed_string>
struct called : nn::op::identity {
  static constexpr std::string_view name = "called";
};

}  // namespace outside

namespace {

struct half : nn::op::identity {
  static constexpr std::string_view name = "half";
};

template <class... Layers>
using made = nn::network<nn::input<"x", nn::shape<4, 8>>, Layers...>;
template <class List>
inline constexpr nn::detail::type_key key = nn::detail::key_of<typename List::list>;

static_assert(std::same_as<made<nn::relu<"r">>, made<nn::relu<"r">>>);
static_assert(!std::same_as<made<nn::relu<"r">>, made<nn::relu<"s">>>);
static_assert(!std::same_as<made<nn::relu<"r">>, made<nn::relu6<"r">>>);
static_assert(!std::same_as<made<nn::relu<"r">>, made<nn::relu<"r">, nn::output<"r">>>);
static_assert(!std::same_as<made<nn::relu<"r">, nn::output<"r">>, made<nn::relu<"r">, nn::keep<"r">>>);
static_assert(!std::same_as<made<nn::relu<"r">>, made<nn::relu<"r", nn::from<"x">>>>);
static_assert(!std::same_as<made<nn::add<"a", nn::from<"x", "y">>>, made<nn::add<"a", nn::from<"xy", "">>>>);
static_assert(!std::same_as<made<nn::leaky_relu<"r", 0.0>>, made<nn::leaky_relu<"r", -0.0>>>);
static_assert(!std::same_as<made<nn::block<"b", nn::relu<"r">>>, made<nn::repeat<"b", 1, nn::relu<"r">>>>);
static_assert(!std::same_as<made<nn::repeat<"b", 2, nn::relu<"r">>>, made<nn::repeat<"b", 3, nn::relu<"r">>>>);
static_assert(!std::same_as<made<nn::block<"b", nn::relu<"r">>, nn::relu<"s">>,
                            made<nn::block<"b", nn::relu<"r">, nn::relu<"s">>>>);
static_assert(!std::same_as<made<made<nn::relu<"r">>>, made<nn::input<"x", nn::shape<4, 8>>, nn::relu<"r">>>);

// The list is behind the name.
static_assert(std::same_as<made<nn::relu<"r">>::list,
                           nn::detail::layer_list<nn::input<"x", nn::shape<4, 8>>, nn::relu<"r">>>);

// A number stands for what has a name; of unnamed namespaces in this unit alone.
static_assert(key<made<nn::layer<outside::half, "h">>>.is_whole && !key<made<nn::layer<outside::half, "h">>>.is_local);
static_assert(key<made<nn::layer<half, "h">>>.is_whole && key<made<nn::layer<half, "h">>>.is_local);
static_assert(!std::same_as<made<nn::layer<half, "h">>, made<nn::layer<outside::half, "h">>>);
static_assert(!key<made<nn::layer<outside::called<"a">, "h">>>.is_whole);
static_assert(!std::same_as<made<nn::layer<outside::called<"a">, "h">>, made<nn::layer<outside::called<"b">, "h">>>);
struct named : made<nn::relu<"r">> {};
static_assert(key<nn::network<named, nn::relu<"s">>>.is_local);
static_assert(!std::same_as<nn::network<named, nn::relu<"s">>, nn::network<made<nn::relu<"r">>, nn::relu<"s">>>);

template <nn::fixed_string Name>
using twelve = nn::block<Name, nn::linear<"first", nn::out<4>>, nn::tanh_activation<"1">,
                         nn::linear<"second", nn::out<4>>, nn::tanh_activation<"2">,
                         nn::linear<"third", nn::out<4>>, nn::tanh_activation<"3">,
                         nn::linear<"fourth", nn::out<4>>, nn::tanh_activation<"4">,
                         nn::linear<"fifth", nn::out<4>>, nn::tanh_activation<"5">,
                         nn::linear<"sixth", nn::out<4>>, nn::tanh_activation<"6">>;
using sixty = nn::network<nn::input<"x", nn::shape<4>>, twelve<"a">, twelve<"b">, twelve<"c">, twelve<"d">,
                          twelve<"e">>;
static_assert(sixty::size == 61);

TEST_CASE("no name of a network is long") {
  CHECK(std::strlen(typeid(sixty).name()) < 100);
  CHECK(std::strlen(typeid(nn::optimized<sixty>).name()) < 100);
  CHECK(std::strlen(typeid(nn::optimized<made<nn::layer<half, "h">>>).name()) < 100);
  // But where a number cannot stand for it.
  CHECK(std::strlen(typeid(made<nn::layer<outside::called<"a">, "h">>).name()) > 200);
}

}  // namespace
