// SPDX-License-Identifier: BSL-1.0
// What the function form and the list form of a header say is one graph: of every operator, of random graphs, before
// and after rewriting. After a change of the writer: CTNN_WRITE_EXAMPLES=1 test_formats --source-file=*both_forms.cpp
#include <ctnn/formats/cpp/declaration.hpp>
#include <ctnn/formats/file.hpp>
#include <ctnn/typed.hpp>

#include <doctest/doctest.h>

#include <filesystem>

#include "../networks/same_graph.hpp"
#include "cpp_both_forms.hpp"
#include "support/every_operator.hpp"
#include "support/random_graph.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace {

template <class Function, class List>
constexpr bool are_one = test::same_graph(declared_graph<Function>, declared_graph<List>) &&
                         test::same_names(declared_graph<Function>, declared_graph<List>) &&
                         test::same_graph(optimized_graph<Function>, optimized_graph<List>);
static_assert(are_one<both_forms::operators_function, both_forms::operators_list>);
static_assert(are_one<both_forms::random_1_function, both_forms::random_1_list>);
static_assert(are_one<both_forms::random_2_function, both_forms::random_2_list>);
static_assert(are_one<both_forms::random_3_function, both_forms::random_3_list>);
static_assert(are_one<both_forms::random_4_function, both_forms::random_4_list>);
static_assert(are_one<both_forms::random_5_function, both_forms::random_5_list>);
static_assert(are_one<both_forms::random_6_function, both_forms::random_6_list>);

/// structs NAME_function and NAME_list.
std::string both(const graph_view& g, const std::string& name) {
  const cpp::declaration said(g);
  std::string text = "struct " + name + "_function : ctnn::declared<" + name +
                     "_function> {\n  static constexpr auto forward(ctnn::graph& m) {\n";
  for (const std::string& line : said.statements()) text += "    " + line + '\n';
  text += "  }\n};\nstruct " + name + "_list : ctnn::network<";
  std::string before = "\n    ";
  for (const std::string& line : said.list()) {
    text += before + line;
    before = ",\n    ";
  }
  return text + "> {};\n";
}

TEST_CASE("the committed headers are current") {
  std::string text =
      "// Written by tests/formats/cpp_both_forms.cpp.\n#pragma once\n\n#include <ctnn/typed.hpp>\n"
      "#include <limits>\n\nnamespace both_forms {\n\n";
  ir::graph g = test::every_operator(dtype::f32).g;
  for (; g.outputs.size() > max_list; g.outputs.shrink(g.outputs.size() - 1))  // what nobody reads is said so
    --g.at_value(g.outputs[g.outputs.size() - 1].value).readers;
  text += both(g.view(), "operators");
  for (int seed = 1; seed <= 6; ++seed)
    text += both(test::random_graph(static_cast<std::uint64_t>(seed), 12).g.view(), "random_" + std::to_string(seed));
  text += "\n}  // namespace both_forms\n";
  const std::string path = std::filesystem::path(__FILE__).replace_filename("cpp_both_forms.hpp").string();
  if (std::getenv("CTNN_WRITE_EXAMPLES")) write_file(path, text);
  CHECK_MESSAGE(as_text(read_file(path)) == text, path);
}

}  // namespace
