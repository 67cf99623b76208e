// SPDX-License-Identifier: BSL-1.0
// The committed headers are what `ctnn header` writes today for every_layer.hpp, they compile, and they give the loaded
// model's numbers. After a change of the writer: CTNN_WRITE_EXAMPLES=1 test_formats --source-file=*cpp_header.cpp
#include <ctnn/loaded/rewriting.hpp>
#include <ctnn/formats/cpp/declaration.hpp>
#include <ctnn/formats/cpp/identifier.hpp>
#include <ctnn/formats/cpp/numbers.hpp>
#include <ctnn/formats/cpp_header.hpp>
#include <ctnn/loaded/folded_weights.hpp>
#include <ctnn/model.hpp>

#include <doctest/doctest.h>

#include <filesystem>

#include "../networks/same_graph.hpp"
#include "cpp_header_list.hpp"
#include "cpp_header_loads.hpp"
#include "cpp_header_packed.hpp"
#include "every_layer.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace {

std::string header(bool rewrite, const cpp::header_options& options) {
  const loaded_model m = test::every_layer();
  optimization o;
  o.g = thaw(m.network.view());
  if (rewrite) o = optimize(thaw(m.network.view()), default_rule_records());
  folded_weights numbers(m, o.g.view());
  return cpp::write_header(o.g.view(), std::ref(numbers), options);
}
cpp::header_options named(std::string name, int packed = 0, bool list = false) {
  return {.name = std::move(name), .origin = "every_layer.param", .packed = packed, .list = list};
}

void check_committed(const std::string& file, const std::string& text) {
  const std::string path = std::filesystem::path(__FILE__).replace_filename(file).string();
  if (std::getenv("CTNN_WRITE_EXAMPLES")) write_file(path, text);
  CHECK_MESSAGE(as_text(read_file(path)) == text, path);
}

TEST_CASE("the committed headers are current") {
  check_committed("cpp_header_loads.hpp", header(false, named("loads")));
  check_committed("cpp_header_packed.hpp", header(true, named("ready", 16)));
  check_committed("cpp_header_list.hpp", header(false, named("loads_list", 0, true)));
}

TEST_CASE("a function and a list are one network") {
  using test::same_graph, test::same_names;
  static_assert(same_graph(declared_graph<loads>, declared_graph<loads_list>));
  static_assert(same_names(declared_graph<loads>, declared_graph<loads_list>));
  static_assert(same_graph(optimized_graph<loads>, optimized_graph<loads_list>));
  CHECK(std::size(loads::weights) == std::size(loads_list::weights));
}

template <class Net>
void check_answers(const parameters<Net>& weights) {
  const model m(test::every_layer());
  static engine<Net> run(weights);
  array image({4, 8, 8});
  for (std::size_t i = 0; i < image.size(); ++i) image.data()[i] = static_cast<float>(i * 37 % 101) / 50.0f - 1.0f;
  const float* const in[] = {image.data()};
  for (target_id t : supported_targets()) {
    run.use(t);
    run.run(in);
    const model same_target(test::every_layer(), {.target = t});
    extractor ex = same_target.extractor();
    ex.input("image", image);
    const auto agree = [&](std::span<const float> got, std::string_view name) {
      const array expected = ex.extract(name);
      REQUIRE(got.size() == expected.size());
      for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == doctest::Approx(expected[i]).epsilon(1e-4));
    };
    agree(run.template output<0>(), m.graph().outputs[0].name);
    agree(run.template output<1>(), m.graph().outputs[1].name);
    agree(run.template output<2>(), m.graph().outputs[2].name);
  }
}

TEST_CASE("a header's network gives the loaded model's numbers") {
  static parameters<loads> weights{zeros};
  REQUIRE(!load(weights, loads::weights).found);
  check_answers<loads>(weights);
  check_answers<ready>(ready::packed);
}

TEST_CASE("what was rewritten in the tool is what the compiler makes of the network") {
  CHECK(optimized<loads>::size == ready::size);
  CHECK(optimized<loads>::has<"conv/1">);
  CHECK(!ready::has<"bn">);
}

void check_words(const std::string& text, std::initializer_list<const char*> all) {
  for (const char* words : all) CHECK_MESSAGE(text.find(words) != std::string::npos, std::string(words));
}

TEST_CASE("the words of a function") {
  check_words(header(false, named("net")),
              {"struct net : ctnn::declared<net> {",
               "  static constexpr auto forward(ctnn::graph& m) {",
               "const auto image = m.input(\"image\", {4, 8, 8});",
               "// 8 x 4 x 4",
               "const auto conv_1 = m.conv2d(\"conv/1\", image, {.out_channels = 8, .kernel_size = 3, .stride = 2, "
               ".padding = 1});",
               "m.named(\"leaky\", m.leaky_relu(bn, 0.10000000149011612));",
               "m.named(\"swish\", m.hardswish(sum));",
               ".groups = 8, .bias = false}",
               "\"\\\"quoted\\\\\\\\name\\\"\"",
               "const auto [halves_0, halves_1] = m.split<2>(swish, {3, 5}); m.named(\"halves\", halves_0);",
               "m.max_pool2d(halves_0, {.kernel_size = 2, .stride = 2})",
               "m.concat({max, mean})",
               "m.add(join, 0.25)",
               "m.interpolate_nearest(halves_0, {.scale_factor = 2})",
               "m.abs(dw)",
               "{{\"coefficients\", {0.5, 1}}}",
               ".activation = ctnn::function::relu}",
               "m.slice(respond, {.dim = {1, 2}, .start = {1, 2}, .end = {9, 10}})",
               "return ctnn::outputs{{\"out\", fc_1}, {\"u\", root}, {\"cut\", cut}};",
               "namespace net_numbers {",
               "inline constexpr float conv_1_weight[288] = {",
               "{\"fc.1\", \"bias\", net_numbers::fc_1_bias},"});
}

TEST_CASE("the words of a list") {
  check_words(header(false, named("net", 0, true)),
              {"struct net : ctnn::network<",
               "ctnn::input<\"image\", ctnn::shape<4, 8, 8>>,",
               "// 8 x 4 x 4",
               "ctnn::conv2d<\"conv/1\", ctnn::out<8>, ctnn::kernel<3>, ctnn::stride<2>, ctnn::pad<1>>",
               "ctnn::leaky_relu<\"leaky\", 0.10000000149011612>",
               "ctnn::hardswish<\"swish\">",
               "ctnn::groups<8>",
               "\\\"quoted\\\\\\\\name\\\"",
               "ctnn::split<\"halves\", ctnn::sizes<3, 5>>",
               "ctnn::from<\"halves.0\">",
               "ctnn::max_pool2d<\"max\"",
               "ctnn::avg_pool2d<\"mean\"",
               "ctnn::concat<\"join\", ctnn::from<\"max\", \"mean\">>",
               "ctnn::add<\"shift\", ctnn::scalar<0.25>>",
               "ctnn::interpolate_nearest<\"grow\"",
               "ctnn::unary<\"root\", ctnn::function::abs",
               "ctnn::coefficients<0.5, 1>",
               "ctnn::conv_transpose2d<\"up\", ctnn::out<4>, ctnn::kernel<4>, ctnn::stride<2>, ctnn::pad<1>",
               "ctnn::local_response_norm<\"respond\", ctnn::size<3>, ",
               "ctnn::slice<\"cut\", ctnn::axis<1, 2>, ctnn::start<1, 2>, ctnn::end<9, 10>>",
               "namespace net_numbers {",
               "inline constexpr float conv_1_weight[288] = {",
               "{\"fc.1\", \"bias\", net_numbers::fc_1_bias},"});
}

TEST_CASE("numbers are exact") {
  std::string hex;
  cpp::append_hex_floats(hex, std::vector<float>{0.0f, -0.0f, 1.5f, -0.1f, 1e-45f, 3.4028235e38f});
  CHECK(hex == "\n    0.0f, -0.0f, 0x1.8p+0f, -0x1.99999ap-4f, 0x0.000002p-126f, 0x1.fffffep+127f,");
  CHECK(cpp::argument(3) == "3");
  CHECK(cpp::argument(-1) == "-1");
  CHECK(cpp::argument(static_cast<double>(0.1f)) == "0.10000000149011612");
  CHECK(cpp::argument(0.1) == "0.1");
  CHECK(cpp::argument(1e20) == "1e+20");
  CHECK(cpp::argument(static_cast<double>(3.4028235e38f)) == "3.4028234663852886e+38");
  CHECK(cpp::argument(-0.0) == "-0.0");
  std::string bytes;
  cpp::append_bytes(bytes, std::vector<float>{1.0f, 0.0f});
  CHECK(bytes == "\n    \"\\0\\0\\200\\77\\0\\0\\0\\0\"");
  CHECK(cpp::in_quotes(std::string_view("a\0001\"?\\", 6)) == "\"a\\0001\\\"\\77\\\\\"");
}

TEST_CASE("names of types") {
  CHECK(cpp::as_identifier("squeezenet_v1.1") == "squeezenet_v1_1");
  CHECK(cpp::as_identifier("7up") == "net_7up");
  CHECK(cpp::as_identifier("") == "net");
  CHECK(cpp::as_identifier("union") == "union_net");
  CHECK(cpp::as_identifier("--x") == "x");
  CHECK(cpp::is_identifier("tiny2"));
  for (const char* word : {"", "2", "a b", "class", "ctnn", "_x", "a__b", "packed", "size"})
    CHECK_MESSAGE(!cpp::is_identifier(word), word);
  CHECK_THROWS_WITH_AS(header(false, named("new")), "'new' cannot be the name of a C++ type", error);
}

TEST_CASE("equal names are told apart") {
  ir::graph g;
  add_node(g, op::input{{4}}, "x", {});
  for (int i = 0; i < 3; ++i) {
    const value_id in[] = {i};
    add_node(g, op::activation{{function::relu}}, "x", in);
  }
  add_output(g, "y", 3);
  const cpp::declaration d(g.view());
  CHECK(d.name(1) == "x_2");
  CHECK(d.name(3) == "x_4");
  CHECK(d.list().back() == "ctnn::named_output<ctnn::from<\"y\">, ctnn::from<\"x_4\">>");
  CHECK(d.statements() == std::vector<std::string>{"const auto x = m.input(\"x\", {4});",
                                                   "const auto x_2 = m.named(\"x_2\", m.relu(x));",
                                                   "const auto x_3 = m.named(\"x_3\", m.relu(x_2));",
                                                   "const auto x_4 = m.named(\"x_4\", m.relu(x_3));",
                                                   "return ctnn::outputs{{\"y\", x_4}};"});
}

struct unheard_of : op::identity {
  static constexpr std::string_view name = "unheard_of";
};

TEST_CASE("a layer that has no word is named") {
  ir::graph g;
  add_node(g, op::input{{4}}, "x", {});
  const value_id in[] = {0};
  add_node(g, unheard_of{}, "odd", in);
  add_output(g, "y", 1);
  CHECK_THROWS_WITH_AS(cpp::declaration(g.view()), "no name that a header can use for: unheard_of in 'odd'", error);
}

}  // namespace
