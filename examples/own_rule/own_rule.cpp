// SPDX-License-Identifier: BSL-1.0
// A rule of one's own beside ctnn's, for declared networks and for loaded models: abs(relu(x)) is relu(x).
#include <ctnn/ctnn.hpp>
#include <ctnn/model.hpp>

#include <concepts>
#include <cstdio>

namespace nn = ctnn;
namespace ir = ctnn::ir;

namespace mine {

/// relu > abs  ->  relu
struct abs_of_relu {
  static constexpr ir::rule_info info{"abs_of_relu", "relu > abs -> relu", ir::lowers::nodes, ir::numerics::exact};
  using pattern = ir::edge<nn::op::activation, nn::op::activation>;
  static constexpr ir::reason guard(const ir::rewriter& r, const ir::match& m) {
    if (!r.applies(m.last, nn::function::abs)) return {"it is not abs"};
    if (r.get<nn::op::activation>(m.first).activation.kind != nn::function::relu)
      return {"its input may be negative", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(ir::rewriter& r, const ir::match& m) { r.bypass(m.last, r.output(m.first)); }
};

struct rules : nn::joined_rules<nn::default_rules, nn::rule_list<abs_of_relu>> {};

using net = nn::network<nn::input<"x", nn::shape<4>>, nn::relu<"r">, nn::unary<"a", nn::function::abs>>;
static_assert(std::same_as<nn::optimized<net, rules>, nn::network<nn::input<"x", nn::shape<4>>, nn::relu<"r">>>);
static_assert(nn::optimized<net>::has<"a">);  // ctnn's own rules do not know

}  // namespace mine

int main() {
  const std::string text = "7767517\n3 3\nInput x 0 1 x 0=4\nReLU r 1 1 x r\nUnaryOp a 1 1 r a 0=0\n";
  const nn::ncnn::param_file file = nn::ncnn::parse_param(text, "example.param", {});
  nn::ncnn::bin_reader weights = nn::ncnn::bin_reader::zeros({});
  nn::load_options options;
  options.rules = mine::rules::records;
  const nn::model m(nn::ncnn::build(file, weights), options);
  for (const ir::rewrite_step& s : m.code().history())
    std::printf("%s: %s is now part of %s\n", std::string(s.rule).c_str(), std::string(s.consumed).c_str(),
                std::string(s.into).c_str());
  std::printf("%zu nodes left\n", m.graph().nodes.size());
}
