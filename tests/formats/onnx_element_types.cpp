// SPDX-License-Identifier: BSL-1.0
// What is written as ONNX has operators of element types that these take: where ctnn computes in others, bytes become
// what they stand for, and other types such that hold their numbers.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <ctnn/model.hpp>
#include <ctnn/model/write_onnx.hpp>

#include "support/every_operator.hpp"
#include "support/onnx_bytes.hpp"
#include "support/onnx_pairs.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;
namespace pb = test::onnx_bytes;

namespace {

onnx::model_message parsed(const std::string& bytes) { return onnx::parse_model(pb::view(bytes), "written.onnx"); }
/// The operators of a file, in their order.
std::string operators(const onnx::model_message& file) {
  std::string all;
  for (const onnx::node_message& n : file.graph.nodes) all += (all.empty() ? "" : " ") + n.type;
  return all;
}
const onnx::tensor& initializer(const onnx::model_message& file, const std::string& name) {
  const auto at = std::ranges::find(file.graph.initializers, name, &onnx::tensor::name);
  REQUIRE(at != file.graph.initializers.end());
  return *at;
}

/// x > QuantizeLinear > DequantizeLinear > an operator > QuantizeLinear of the same scale > DequantizeLinear.
template <class Byte>
model between_bytes(const char* type, const std::string& attributes, pb::element bytes, Byte zero) {
  const std::string graph =
      pb::node("QuantizeLinear", {"x", "s", "z"}, {"q"}) + pb::node("DequantizeLinear", {"q", "s", "z"}, {"d"}) +
      pb::node(type, {"d"}, {"p"}, attributes) + pb::node("QuantizeLinear", {"p", "s", "z"}, {"r"}) +
      pb::node("DequantizeLinear", {"r", "s", "z"}, {"y"}) + pb::initializer(pb::floats("s", {}, {0.05f})) +
      pb::initializer(pb::tensor<Byte>("z", bytes, {}, {zero})) + pb::input(pb::value("x", pb::f32, {1, 2, 4, 4})) +
      pb::output(pb::value("y", pb::f32, {}));
  const std::string file = pb::model(graph);
  load_options options;
  options.keep_weights = true;
  return model::load(pb::view(file), options);
}
std::vector<float> answer(const model& m) {
  extractor e = m.extractor();
  e.input("x", array({1, 2, 4, 4}, random_floats("x", 32, -5, 5)));
  const array y = e.extract("y");
  return {y.values().begin(), y.values().end()};
}
template <class Byte>
void check_between_bytes(const char* type, const std::string& attributes, pb::element bytes, Byte zero,
                         const std::string& written_as, std::string_view computed_by) {
  CAPTURE(std::string(type));
  const model m = between_bytes(type, attributes, bytes, zero);
  const auto of_bytes = [](const model& any, std::string_view op) {
    return std::ranges::any_of(any.graph().nodes, [&](const node& n) {
      return n.type->name == op && is_byte(any.graph().at_value(n.outputs.first).type);
    });
  };
  CHECK(of_bytes(m, computed_by));
  const std::string written = onnx::write(m.code());
  const onnx::model_message file = parsed(written);
  CHECK(operators(file) == written_as);
  for (const onnx::node_message& n : file.graph.nodes) {
    if (n.type != "QuantizeLinear" && n.type != "DequantizeLinear") continue;
    CHECK(initializer(file, n.inputs[1]).values->template elements<float>()[0] == 0.05f);
    CHECK(initializer(file, n.inputs[2]).values->template elements<Byte>()[0] == zero);
  }
  const model again = model::load(pb::view(written));
  CHECK(of_bytes(again, computed_by));
  CHECK(answer(again) == answer(m));
}

/// What is written of one operator on inputs of these types, or why it is refused.
template <class Op>
std::string written(const Op& op, std::initializer_list<std::pair<list<int>, dtype>> in,
                    std::int64_t* opset = nullptr) {
  builder b;
  std::vector<value_id> values;
  constexpr std::string_view names[] = {"a", "b", "c"};
  for (const auto& [shape, type] : in) values.push_back(b.add(op::input{shape, type}, names[values.size()], {}));
  REQUIRE(!add_node(b.g, op, "y", values));
  add_output(b.g, "y", b.g.nodes.back().outputs.first);
  const loaded_model m = as_typed_model(b.g.view());
  try {
    const onnx::model_message file = parsed(onnx::write(m));
    if (opset) *opset = file.opsets.at("");
    return operators(file);
  } catch (const error& e) {
    return e.what();
  }
}

}  // namespace

TEST_CASE("pooling of bytes is written between what the bytes stand for, a maximum as one of ONNX's of bytes") {
  const std::string around = "QuantizeLinear DequantizeLinear ", behind = " QuantizeLinear DequantizeLinear";
  const std::string windows = pb::attribute("kernel_shape", pb::dims{2, 2}) + pb::attribute("strides", pb::dims{2, 2});
  check_between_bytes<std::uint8_t>("GlobalAveragePool", {}, pb::u8, 120, around + "GlobalAveragePool" + behind,
                                    "adaptive_pool");
  check_between_bytes<std::uint8_t>("AveragePool", windows, pb::u8, 120, around + "AveragePool" + behind, "pool");
  check_between_bytes<std::int8_t>("AveragePool", windows, pb::i8, -3, around + "AveragePool" + behind, "pool");
  check_between_bytes<std::uint8_t>("GlobalMaxPool", {}, pb::u8, 7, "QuantizeLinear MaxPool DequantizeLinear",
                                    "adaptive_pool");
}

TEST_CASE("a type that an operator does not take: a later operator set, a type that holds its numbers, or a reason") {
  std::int64_t opset = 0;
  CHECK(written(op::adaptive_pool{}, {{{1, 2, 3, 3}, dtype::bf16}}, &opset) == "GlobalAveragePool");
  CHECK(opset == 22);
  CHECK(written(op::is_inf{}, {{{3}, dtype::f16}}, &opset) == "IsInf");
  CHECK(opset == 20);
  CHECK(written(op::binary{}, {{{3}, dtype::i8}, {{3}, dtype::i8}}, &opset) == "Add");
  CHECK(opset == 17);
  CHECK(written(op::cumsum{}, {{{3}, dtype::i8}}) == "Cast CumSum Cast");
  CHECK(written(op::einsum::of("ij->ji"), {{{2, 3}, dtype::bf16}}) == "Cast Einsum Cast");
  CHECK(written(op::matmul{}, {{{2, 3}, dtype::u8}, {{3, 2}, dtype::u8}}) == "Cast Cast MatMul Cast");
  CHECK(written(op::one_hot{4, -1}, {{{3}, dtype::i32}, {{2}, dtype::bf16}}) == "Cast OneHot Cast");
  CHECK(written(op::activation{{function::relu}}, {{{3}, dtype::u8}}) == "Identity");
  op::pool windows;
  windows.kernel = {2, 2};
  CHECK(written(windows, {{{1, 2, 4, 4}, dtype::i32}}) == "Cast MaxPool Cast");
  CHECK(written(windows, {{{1, 2, 4, 4}, dtype::i8}}) == "MaxPool");
  CHECK(written(windows, {{{1, 2, 4, 4}, dtype::i64}}) == "ONNX cannot express: pool 'y': ONNX's MaxPool has no i64");
}

TEST_CASE("every operator of every element type is written, or there is a reason") {
  int count = 0;
  for (const dtype type : {dtype::f32, dtype::f64, dtype::f16, dtype::bf16, dtype::i64, dtype::i32, dtype::i16,
                           dtype::i8, dtype::u64, dtype::u32, dtype::u16, dtype::u8, dtype::boolean}) {
    const every_operator all(type);
    const graph_view g = all.g.view();
    for (const node& n : g.nodes) {
      if (n.type == &type_of<op::input>) continue;
      ir::graph one;
      std::vector<value_id> in;
      std::map<value_id, value_id> inputs;
      for (const value_id v : g.inputs(n)) {
        const node& from = g.at(g.at_value(v).producer);
        if (!inputs.contains(v)) {
          REQUIRE(!add_node(one, *from.type, std::string_view(from.name), {}, g.fields_of(from.fields)));
          inputs[v] = one.nodes.back().outputs.first;
        }
        in.push_back(inputs[v]);
      }
      REQUIRE(!add_node(one, *n.type, std::string_view(n.name), in, g.fields_of(n.fields)));
      const std::vector<std::string> names{"y0", "y1", "y2", "y3"};
      const range made = one.nodes.back().outputs;
      for (int k = 0; k < made.count; ++k) add_output(one, names[static_cast<std::size_t>(k)], made.first + k);
      const std::string why =
          why_not_written("op_" + std::string(name_of(type)) + "_" + std::string(n.name), one.view());
      CAPTURE(n.name);
      CAPTURE(std::string(name_of(type)));
      CAPTURE(why);
      const bool counts = why.find("feed it first") != std::string::npos;  // its numbers decide how many there are
      CHECK((why.empty() || counts || why.starts_with("ONNX cannot express: ")));
      count += why.empty();
    }
  }
  CHECK(count > 850);
}

TEST_CASE("layers of bytes in TensorFlow Lite's arithmetic are written between real numbers, within a step") {
  builder b;
  op::input image{{1, 3, 6, 6}, dtype::i8};
  image.as = {0.05, 4};
  const value_id x = b.add(image, "x", {});
  op::conv2d conv;
  conv.weight = {dtype::i8, true, false, false};
  conv.out = 4;
  conv.kernel = {3, 3};
  conv.activation = {function::relu};
  const value_id c = b.add_as({dtype::i8, {0.5, -100}}, conv, "conv", {x});
  op::interpolate twice;
  twice.mode = op::interpolation::linear;
  twice.size = {8, 8};
  twice.fraction_bits = 10;
  const value_id r = b.add(twice, "twice", {c});
  const value_id flat = b.add(op::flatten{}, "flat", {r});
  op::linear fc;
  fc.weight.type = dtype::i8;
  fc.out = 5;
  add_output(b.g, "y", b.add_as({dtype::i8, {50, 10}}, fc, "fc", {flat}));
  REQUIRE(!b.error);
  const graph_view g = b.g.view();
  const std::string bytes = onnx::write(as_typed_model(g));
  CHECK(operators(parsed(bytes)) ==
        "DequantizeLinear DequantizeLinear DequantizeLinear Conv Relu QuantizeLinear DequantizeLinear Resize "
        "QuantizeLinear Reshape DequantizeLinear DequantizeLinear MatMul DequantizeLinear Add QuantizeLinear");
  array in({1, 3, 6, 6}, dtype::i8);
  const auto some = random_elements("x", 108, dtype::i8);
  std::memcpy(in.bytes().data(), some.data(), 108);
  const auto run = [&](const model& m) {
    extractor e = m.extractor();
    e.input("x", in);
    return e.extract("y");
  };
  const array got = run(model::load(pb::view(bytes))), want = run(model(as_typed_model(g)));
  REQUIRE(got.size() == want.size());
  bool tells = false;
  for (std::size_t i = 0; i < got.size(); ++i) {
    CHECK(std::fabs(number_at(got, i) - number_at(want, i)) <= 1);
    tells = tells || std::fabs(number_at(want, i) - 10) > 5;
  }
  CHECK(tells);
}
