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
  CHECK(cpp::declaration(b.g.view()).lines() ==
        std::vector<std::string>{
            "ctnn::input<\"x\", ctnn::shape<2, 3, 3>>", "ctnn::input<\"noise\", ctnn::shape<4>, ctnn::unused>",
            "ctnn::relu<\"r\", ctnn::from<\"x\">>", "ctnn::tanh_activation<\"dead\">",
            "ctnn::named_output<ctnn::from<\"r\", \"raw\", \"again\">, ctnn::from<\"r\", \"x\", \"r\">>"});
}

}  // namespace
