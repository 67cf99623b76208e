// SPDX-License-Identifier: BSL-1.0
#include <ctnn/ctnn.hpp>
#include <ctnn/formats/layer_words.hpp>

#include <doctest/doctest.h>

#include <string>

#include "../../examples/browser/modules/graph_json.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace {

struct net : network<input<"x", shape<4, 9, 9>>, conv2d<"c", out<8>, kernel<3>, stride<2>>, batch_norm<"b">, relu<"r">,
                     conv2d<"d", out<8>, kernel<3, 1>, groups<8>, pad<1, 0>>, add<"s", from<"d", "b">>,
                     max_pool2d<"p", kernel<2>>, flatten<"f">, linear<"l", out<3>>, softmax<"y">> {};

template <class Net>
struct words_of {
  static constexpr void write(text& out) {
    const graph_view& g = declared_graph<Net>;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
      append_words(out, g, static_cast<node_id>(i));
      out += i + 1 < g.nodes.size() ? ", " : "";
    }
  }
};

template <class Out>
constexpr void append_json(Out& out) {
  browser::append_graphs(out, declared_graph<net>, optimized_graph<net>, report<net>, 1);
}
struct json_of_net {
  static constexpr void write(text& out) { append_json(out); }
};

TEST_CASE("what layers do, in a few words, as a constant") {
  CHECK(constant_text<words_of<net>>::view ==
        "input, conv2d 3x3 /2, batch_norm, relu, depthwise 3x1, add, max_pool2d 2x2 /2, flatten, linear, softmax");
  CHECK(constant_text<words_of<optimized<net>>>::view ==
        "input, conv2d 3x3 /2, relu, depthwise 3x1 + add, max_pool2d 2x2 /2, linear, softmax");
}

struct of_signals : network<input<"x", shape<4, 30>>, relu<"p">, conv1d<"c", out<4>, kernel<3>, pad<1>, groups<4>>,
                            add<"s", from<"c", "x">>, conv1d<"d", out<8>, kernel<5>, stride<2>>, tanh_activation<"t">,
                            conv1d<"e", out<8>, kernel<1>, groups<2>>> {};
TEST_CASE("convolutions of signals say what those of images do") {
  CHECK(constant_text<words_of<optimized<of_signals>>>::view ==
        "input, relu, depthwise 3 + add, conv1d 5 /2 + tanh, grouped conv1d 1");
}

TEST_CASE("their families") {
  const graph_view& g = declared_graph<net>;
  using enum layer_family;
  const layer_family expected[] = {data,       product, normalization, activation, product,
                                   arithmetic, pooling, other,         product,    activation};
  REQUIRE(g.nodes.size() == std::size(expected));
  for (std::size_t i = 0; i < g.nodes.size(); ++i) CHECK(family_of(g, static_cast<node_id>(i)) == expected[i]);
}

TEST_CASE("the page's JSON is the same from the compiler and at run time") {
  constexpr std::string_view made = constant_text<json_of_net>::view;
  std::string now;
  append_json(now);
  CHECK(made == now);
  CHECK(
      made.find(
          R"({"name":"b","does":"batch_norm","family":2,"shapes":["8 x 4 x 4"],"reads":[1],"outputs":[],"into":"c")") !=
      made.npos);
  CHECK(made.find(R"({"name":"y","does":"softmax","family":3,"shapes":["3"],"reads":[5],"outputs":["y"]}],"macs":)") !=
        made.npos);
  std::string quoted;
  browser::append_quoted(quoted, "a\"b\\c\nd");
  CHECK(quoted == R"("a\"b\\c d")");
}

}  // namespace
