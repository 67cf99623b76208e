// SPDX-License-Identifier: BSL-1.0
// verify() of loaded models: right rules pass, and a rule that changes numbers is named, however far it is from the
// first.
#include <doctest/doctest.h>

#include <string>

#include <ctnn/model/verify.hpp>
#include <ctnn/rewrite/rules.hpp>

#include "support/onnx_bytes.hpp"

using namespace ctnn;

namespace {

/// Takes the first relu behind a pooling away.
struct forgets_relu {
  static constexpr ir::rule_info info{"forgets_relu", "pool > relu -> pool", ir::lowers::nodes,
                                      ir::numerics::exact};
  using pattern = ir::edge<op::pool, op::activation>;
  static constexpr void rewrite(ir::rewriter& r, const ir::match& m) { r.bypass(m.last, r.output(m.first)); }
};
using wrong_rules = joined_rules<default_rules, rule_list<forgets_relu>>;

/// Ten convolutions with their activations, then a pooling and an activation behind it.
loaded_model small_model() {
  std::string layers, last = "x";
  int n = 0, count = 1;
  const auto add = [&](const std::string& type, const std::string& options) {
    const std::string name = type + std::to_string(n++);
    layers += type + ' ' + name + " 1 1 " + last + ' ' + name + ' ' + options + '\n';
    last = name;
    ++count;
  };
  for (int i = 0; i < 10; ++i) {
    add("Convolution", "0=4 1=3 4=1 5=1 6=" + std::to_string(i == 0 ? 72 : 144));
    add("Dropout", "");
    add("TanH", "");
  }
  add("Pooling", "0=1 1=2 2=2");
  add("ReLU", "");
  const std::string text = "7767517\n" + std::to_string(count) + ' ' + std::to_string(count) +
                           "\nInput x 0 1 x 0=8 1=8 2=2\n" + layers;
  loaded_model m;
  {
    const ncnn::param_file file = ncnn::parse_param(text, "small.param", {});
    ncnn::bin_reader zeros = ncnn::bin_reader::zeros({});
    m = ncnn::build(file, zeros);
  }
  for (auto& [name, numbers] : m.weights) {
    array some(numbers->shape());
    for (std::size_t i = 0; i < some.size(); ++i)
      some.data()[i] = static_cast<float>((i * 7919 + name.first.size() * 31) % 211) / 211.0f - 0.5f;
    numbers = std::make_shared<const array>(std::move(some));
  }
  return m;
}

}  // namespace

TEST_CASE("ctnn's rules leave a loaded model's numbers as they are") {
  const verification v = verify(small_model);
  CHECK(v.same);
  CHECK(v.difference < 1e-5);
  CHECK(v.rule.empty());
}

TEST_CASE("the first wrong rewrite is named among others") {
  load_options options;
  options.rules = wrong_rules::records;
  const verification v = verify(small_model, {}, 1e-4, options);
  CHECK(!v.same);
  CHECK(v.rule == "forgets_relu");
  CHECK(v.layer == "ReLU31");
  CHECK(v.output == "ReLU31");
  const std::string text = ir::describe(v);
  CHECK(text.find("since rule 'forgets_relu' made layer 'ReLU31' part of 'Pooling30'") != std::string::npos);
}

TEST_CASE("inputs that are given are used") {
  load_options options;
  options.rules = wrong_rules::records;
  arrays_by_name inputs;
  inputs.emplace("x", array({2, 8, 8}));
  const verification v = verify(small_model, inputs, 1e9, options);
  CHECK(v.same);  // by that tolerance
}

TEST_CASE("rewriting stops after so many rewrites") {
  load_options options;
  const model all(small_model(), options);
  REQUIRE(all.code().rewrites() > 5);
  options.rewrites = 5;
  const model some(small_model(), options);
  CHECK(some.code().rewrites() == 5);
  CHECK(some.graph().nodes.size() > all.graph().nodes.size());
}

TEST_CASE("networks that run in parts are verified, and the wrong rewrite is named in whichever part it is") {
  namespace pb = ir::test::onnx_bytes;
  const std::string graph = pb::node("MatMul", {"x", "x"}, {"h"}) + pb::node("NonZero", {"h"}, {"at"}) +
                            pb::node("Transpose", {"at"}, {"rows"}) + pb::node("GatherND", {"h", "rows"}, {"found"}) +
                            pb::node("ReduceMax", {"found"}, {"most"}) +
                            pb::node("MaxPool", {"image"}, {"pooled"}, pb::attribute("kernel_shape", pb::dims{2, 2})) +
                            pb::node("Mul", {"pooled", "most"}, {"scaled"}) +
                            pb::node("AveragePool", {"scaled"}, {"p"}, pb::attribute("kernel_shape", pb::dims{2, 2})) +
                            pb::node("Relu", {"p"}, {"z"}) + pb::input(pb::value("x", pb::f32, {64, 64})) +
                            pb::input(pb::value("image", pb::f32, {1, 1, 4, 4})) +
                            pb::output(pb::value("z", pb::f32, {1, 1, -1, -1}));
  const std::string bytes = pb::model(graph, 13);
  const auto file = std::make_shared<const onnx::model_message>(onnx::parse_model(pb::view(bytes), "m.onnx", {}));
  onnx::read_options read;
  read.limits.work = 1 << 16;  // less than the product takes
  const ir::network_maker maker = onnx::maker_of(file, read);
  arrays_by_name fed;
  array x({64, 64}), image({1, 1, 4, 4});
  x.values()[0] = -2;
  for (std::size_t i = 0; i < image.size(); ++i) image.values()[i] = -1.0f - static_cast<float>(i);
  fed.emplace("x", x);
  fed.emplace("image", image);
  REQUIRE_FALSE(model(maker, {}, fed).is_known());
  CHECK(verify(maker, fed).same);
  CHECK(compare(model(maker, {.optimize = false}), model(maker, {}), fed).same);
  load_options options;
  options.rules = wrong_rules::records;
  const verification v = verify(maker, fed, 1e-4, options);
  CHECK_FALSE(v.same);
  CHECK(v.output == "z");
  CHECK(v.rule == "forgets_relu");
  CHECK(v.layer == "z");
}
