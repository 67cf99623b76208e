// SPDX-License-Identifier: BSL-1.0
// formats/cpp/declaration.hpp: what a declaration has to say besides its layers.
#include <doctest/doctest.h>

#include <ctnn/formats/cpp/declaration.hpp>

#include "support/builder.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace {

TEST_CASE("inputs that nobody reads, one value as several outputs, inputs as outputs") {
  test::builder b;
  const value_id x = b.input("x", {2, 3, 3});
  b.input("noise", {4});
  const value_id r = b.add(op::activation{{function::relu}}, "r", {x});
  b.add(op::activation{{function::tanh}}, "dead", {r});
  b.output("", r);
  b.output("raw", x);
  b.output("again", r);
  const cpp::declaration said(b.g.view());
  CHECK(said.list() ==
        std::vector<std::string>{
            "ctnn::input<\"x\", ctnn::shape<2, 3, 3>>", "ctnn::input<\"noise\", ctnn::shape<4>, ctnn::unused>",
            "ctnn::relu<\"r\", ctnn::from<\"x\">>", "ctnn::tanh_activation<\"dead\">",
            "ctnn::named_output<ctnn::from<\"r\", \"raw\", \"again\">, ctnn::from<\"r\", \"x\", \"r\">>"});
  CHECK(said.statements() ==
        std::vector<std::string>{"const auto x = m.input(\"x\", {2, 3, 3});",
                                 "m.input(\"noise\", {4}, {.unused = true});",
                                 "const auto r = m.named(\"r\", m.relu(x));", "m.unused(m.named(\"dead\", m.tanh(r)));",
                                 "return ctnn::outputs{{\"r\", r}, {\"raw\", x}, {\"again\", r}};"});
}

TEST_CASE("layers that would call themselves so are not named, and variables are names of C++") {
  test::builder b;
  const value_id x = b.input("m", {2, 3, 3}), a = b.add(op::activation{{function::relu}}, "relu", {x}),
                 c = b.add(op::activation{{function::relu}}, "relu_1", {a}),
                 d = b.add(op::activation{{function::relu}}, "class", {c});
  b.output("", d);
  CHECK(cpp::declaration(b.g.view()).statements() ==
        std::vector<std::string>{"const auto m_2 = m.input(\"m\", {2, 3, 3});", "const auto relu = m.relu(m_2);",
                                 "const auto relu_1 = m.relu(relu);",
                                 "const auto class_net = m.named(\"class\", m.relu(relu_1));", "return class_net;"});
}

TEST_CASE("more outputs than a function gives") {
  test::builder b;
  const value_id x = b.input("x", {2});
  std::vector<std::string> names;  // of which the graph has views
  for (int i = 0; i < 65; ++i) names.push_back("y" + std::to_string(i));
  for (const std::string& name : names) b.output(name, x);
  const cpp::declaration said(b.g.view());
  CHECK(said.list().size() == 2);
  CHECK_THROWS_WITH_AS(said.statements(), "65 outputs: a function gives 64 at most; a list has any number (--list)",
                       error);
}

}  // namespace
