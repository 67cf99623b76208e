// SPDX-License-Identifier: BSL-1.0
// Operators of com.microsoft against ONNX Runtime's answers (onnx_microsoft.hpp), as read, optimised, and written: as
// ONNX's own, and fused. With CTNN_WRITE_CASES=FOLDER the cases are written there, for another runtime to answer.
#include <cstdlib>
#include <sstream>

#include <doctest/doctest.h>

#include <ctnn/weights/packed.hpp>

#include "onnx_microsoft.hpp"
#include "support/onnx_backend.hpp"
#include "support/onnx_bytes.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace pb = test::onnx_bytes;
namespace backend = test::backend;

namespace {

struct one_case {
  std::string name, graph, values;
  std::string spelled_out;  ///< nodes that say the same where ONNX Runtime has the operator for other processors only
  arrays_by_name fed;
  std::vector<backend::named_array> wanted;
};

dtype type_called(const std::string& name) {
  for (const dtype t : {dtype::f32, dtype::i32, dtype::i64, dtype::i8, dtype::u8})
    if (name_of(t) == name) return t;
  throw error("a case has a tensor of " + name);
}
pb::element element_of(dtype t) {
  return t == dtype::f32   ? pb::f32
         : t == dtype::i32 ? pb::i32
         : t == dtype::i64 ? pb::i64
         : t == dtype::i8  ? pb::i8
                           : pb::u8;
}
std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string one; std::getline(in, one, at);) parts.push_back(one);
  return parts;
}

/// A tensor as a line says it: type, extents if it is no scalar, and its numbers behind a "=" or, without, some that
/// follow from the name: multiples of 1/16 from -20/16 to 20/16, bytes of all kinds.
array tensor_of(std::istringstream& line, const std::string& name) {
  std::string type, word;
  line >> type;
  extents s;
  if (line >> word && word != "=") {
    for (const std::string& d : split(word, 'x')) s.push_back(std::stoi(d));
    word.clear();
    line >> word;
  }
  array a(s, type_called(type));
  int seed = 0;
  for (const char c : name) seed += c;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const int k = static_cast<int>(i) * 37 + seed * 17 + static_cast<int>(i) * static_cast<int>(i) * 5;
    double v = size_of(a.type()) == 1 ? k * 7 % 256 : (k % 41 - 20) / 16.0;
    if (word == "=") line >> v;
    if (a.type() == dtype::f32) a.elements<float>()[i] = static_cast<float>(v);
    else if (a.type() == dtype::i32) a.elements<std::int32_t>()[i] = static_cast<std::int32_t>(v);
    else if (a.type() == dtype::i64) a.elements<std::int64_t>()[i] = static_cast<std::int64_t>(v);
    else a.bytes()[i] = static_cast<std::byte>(static_cast<int>(v));
  }
  if (word == "=" && !line) throw error("'" + name + "' lacks numbers");
  return a;
}
pb::dims dims_of(const array& a) {
  pb::dims d;
  for (int i = 0; i < a.shape().rank; ++i) d.push_back(a.shape()[i]);
  return d;
}
std::string bytes_of(const std::string& name, const array& a) {
  std::vector<std::byte> raw(a.bytes().begin(), a.bytes().end());
  return pb::tensor(name, element_of(a.type()), dims_of(a), raw);
}

/// name=3, name=-0.5, name="word", name=[1,2] or name=[0.5,1.0]: with a point they are floats.
std::string attribute_of(const std::string& text) {
  const std::size_t at = text.find('=');
  const std::string name = text.substr(0, at), value = text.substr(at + 1);
  const bool real = value.find('.') != value.npos;
  if (value[0] == '"') return pb::attribute(name, std::string_view(value).substr(1, value.size() - 2));
  if (value[0] != '[')
    return real ? pb::attribute(name, std::stof(value)) : pb::attribute(name, std::int64_t{std::stoi(value)});
  std::string list = pb::bytes(1, name);
  for (const std::string& one : split(value.substr(1, value.size() - 2), ','))
    list += real ? pb::real(7, std::stof(one)) : pb::number(8, std::stoi(one));
  return pb::bytes(5, list + pb::number(20, real ? 6 : 7));
}
std::string node_of(std::istringstream& line) {
  std::string type, in, arrow, out, attributes;
  line >> type >> in >> arrow >> out;
  for (std::string one; line >> one;) attributes += attribute_of(one);
  if (type.starts_with("onnx:")) type = type.substr(5);
  else attributes += pb::bytes(7, "com.microsoft");
  return pb::node(type, split(in, ','), split(out, ','), attributes);
}
std::string value_of(const std::string& name, dtype type) {
  return pb::bytes(1, name) + pb::bytes(2, pb::bytes(1, pb::number(1, element_of(type))));
}

std::vector<one_case> read_cases() {
  std::vector<one_case> all;
  std::istringstream lines(test::microsoft_cases);
  for (std::string text, more; std::getline(lines, text);) {
    for (; lines.peek() == ' '; text += more) std::getline(lines, more);  // a long one goes on
    std::istringstream line(text);
    std::string what, name;
    line >> what;
    if (what == "case") {
      line >> all.emplace_back().name;
      continue;
    }
    if (what == "node") all.back().graph += node_of(line);
    if (what == "as") all.back().spelled_out += node_of(line);
    if (what != "in" && what != "const" && what != "out") continue;
    line >> name;
    one_case& c = all.back();
    if (what == "out") {
      std::string type;
      const auto here = line.tellg();
      line >> type;
      c.values += pb::output(value_of(name, type_called(type)));
      line.seekg(here);
      if (!std::getenv("CTNN_WRITE_CASES")) c.wanted.push_back({name, tensor_of(line, name)});
      continue;
    }
    const array a = tensor_of(line, name);
    if (what == "const") {
      c.values += pb::initializer(bytes_of(name, a));
      continue;
    }
    c.values += pb::input(pb::value(name, element_of(a.type()), dims_of(a)));
    c.fed.emplace(name, a);
  }
  return all;
}
std::string model_of(const std::string& graph) {
  return pb::model(graph, 17) + pb::bytes(8, pb::bytes(1, "com.microsoft") + pb::number(2, 1));
}

void check(const one_case& c, const model& m, const std::string& form) {
  extractor e = m.extractor();
  for (const auto& [name, values] : c.fed) e.input(name, values);
  for (const backend::named_array& y : c.wanted) {
    INFO(c.name << ", " << form << ", output " << y.name);
    CHECK(backend::difference(e.extract(y.name), y.values, {1e-5, 2e-6}) == "");
  }
}

}  // namespace

TEST_CASE("com.microsoft's operators are what ONNX Runtime computes") {
  load_options as_read;
  as_read.optimize = false;
  const char* folder = std::getenv("CTNN_WRITE_CASES");
  for (const one_case& c : read_cases()) {
    const std::string bytes = model_of(c.graph + c.values);
    if (folder) {
      const std::string to = std::string(folder) + "/" + c.name;
      write_file(to + ".onnx", c.spelled_out.empty() ? bytes : model_of(c.spelled_out + c.values));
      for (const auto& [name, a] : c.fed) write_file(to + "." + name + ".pb", bytes_of(name, a));
    }
    CAPTURE(c.name);
    try {
      const onnx::model_message file = onnx::parse_model(pb::view(bytes), c.name);
      check(c, model(onnx::build(file, {}, c.fed), as_read), "as read");
      check(c, model(onnx::build(file, {}, c.fed)), "optimised");
      check(c, backend::written_again(file, c.fed), "written");
      check(c, backend::written_again(file, c.fed, true), "written, fused");
    } catch (const error& e) {
      FAIL_CHECK(std::string(e.what()));
    }
  }
}

TEST_CASE("weights of 4 bits stay packed, from the file to the kernel and back") {
  const auto graph_of = [](const std::string& line, const std::string& constants) {
    std::istringstream text(line);
    return model_of(node_of(text) + constants + pb::input(pb::value("x", pb::f32, {3, 256})) +
                    pb::output(value_of("y", dtype::f32)));
  };
  const std::vector<std::uint8_t> words(256 * 8 * 16, 0x5a);
  const std::vector<float> scales(256 * 8, 0.5f), floats(256 * 256, 0.5f);
  const std::string packed = graph_of("MatMulNBits x,b,s -> y K=256 N=256 bits=4 block_size=32",
                                      pb::initializer(pb::tensor("b", pb::u8, {256, 8, 16}, words)) +
                                          pb::initializer(pb::floats("s", {256 * 8}, scales))),
                    wide = graph_of("onnx:MatMul x,b -> y", pb::initializer(pb::floats("b", {256, 256}, floats)));
  load_options as_read;
  as_read.optimize = false;
  for (const load_options& how : {load_options{}, as_read}) {
    const model four(onnx::build(onnx::parse_model(pb::view(packed), "four.onnx")), how);
    const model twin(onnx::build(onnx::parse_model(pb::view(wide), "twin.onnx")));
    const graph_view g = four.graph();
    int layers = 0;
    for (const node& n : g.nodes) layers += n.type != &type_of<op::input> && n.type != &type_of<op::constant>;
    CHECK(layers == 1);
    if (how.optimize)
      CHECK(static_cast<double>(packed_total(g)) <= 0.3 * static_cast<double>(packed_total(twin.graph())));
    // 0xa is 10 - 8, 0x5 is 5 - 8.
    extractor e = four.extractor();
    array x({3, 256});
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = i % 2 == 0 ? 1.0f : static_cast<float>(i / 256);
    e.input("x", x);
    const array y = e.extract("y");
    for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == 128 * (2 - 3 * static_cast<float>(i / 256)) * 0.5f);
  }
}

TEST_CASE("what of com.microsoft is refused, and why") {
  const std::string x = pb::input(pb::value("x", pb::f32, {2, 3, 8}));
  const auto tensors = [](const std::vector<std::pair<const char*, pb::dims>>& of) {
    std::string all;
    for (const auto& [name, shape] : of) {
      std::int64_t count = 1;
      for (const std::int64_t d : shape) count *= d;
      all += pb::initializer(pb::floats(name, shape, std::vector<float>(static_cast<std::size_t>(count), 1)));
    }
    return all;
  };
  const auto refused = [&](const std::string& line, const std::string& values, const char* why) {
    CAPTURE(line);
    std::istringstream text(line);
    const std::string bytes = model_of(node_of(text) + values + x + pb::output(value_of("y", dtype::f32)));
    CHECK_THROWS_WITH_AS(onnx::build(onnx::parse_model(pb::view(bytes), "m.onnx")), doctest::Contains(why), error);
  };
  const std::string cube = tensors({{"w", {8, 12}}, {"m", {2, 1, 3, 3}}, {"e", {1}}});
  refused("MoE x -> y", "", "com.microsoft:MoE in 'y'");
  refused("Gelu x,x -> y", "", "has 2 inputs, expected 1");
  refused("Gelu x -> y other=1", "", "attribute 'other'");
  refused("FusedMatMulActivation x,w -> y activation=\"Softmax\"", tensors({{"w", {8, 2}}}),
          "attribute 'activation' (Softmax)");
  refused("FusedGemm w,w -> y activation=\"LeakyRelu\" activation_alpha=1.0 activation_beta=1.0",
          tensors({{"w", {8, 8}}}), "activation 'LeakyRelu' has 2 parameters, expected 1");
  refused("SkipLayerNormalization x,x -> y", "", "has 2 inputs, expected 3 to 5");
  refused("SkipLayerNormalization w,x,x -> y", tensors({{"w", {8}}}), "the sum is 2 x 3 x 8, expected 8");
  refused("Attention x,w -> y num_heads=5", cube, "5 groups do not divide the channels 4");
  refused("Attention x,w -> y num_heads=0", cube, "num_heads is 0");
  refused("Attention x,e -> y num_heads=1", cube, "input 1 is 1, expected 2 dimensions");
  refused("Attention x,w,,m -> y num_heads=2", cube, "a mask of 2 x 1 x 3 x 3 for 2 x 3 queries and 3 keys");
  refused("Attention x,w -> y num_heads=2 do_rotary=1", cube, "attribute 'do_rotary' (1)");
  refused("Attention x,w -> y num_heads=2 qkv_hidden_sizes=[4,4,5]", cube, "which are not those of Q, K and V");
  refused("MultiHeadAttention x,x,x,e -> y num_heads=2", cube, "bias is 1 for Q, K and V of 2 x 3 x 8");
  refused("MultiHeadAttention x -> y num_heads=2", cube, "input 0 is 2 x 3 x 8, expected 5 dimensions");
  refused("GroupQueryAttention x,x,x,,,e,e -> y num_heads=2 kv_num_heads=2 qk_output=3", cube, "qk_output is 3");
  refused("GroupQueryAttention x,x,x,,,e,e,,,,x -> y,,,z num_heads=2 kv_num_heads=2 qk_output=1", cube,
          "output 'output_qk' before the softmax, with 'attention_bias'");
  refused("GroupQueryAttention x,x,x,,,w,e -> y num_heads=2 kv_num_heads=2", cube, "seqlens_k is 8 x 12");
  const std::string heads = " num_heads=2 kv_num_heads=2 k_quant_type=\"PER_TENSOR\"",
                    same = heads + " v_quant_type=\"PER_TENSOR\" kv_cache_bit_width=";
  refused("GroupQueryAttention x,x,x,,,e,e,,,,,,e,e -> y num_heads=2 kv_num_heads=2", cube,
          "has scales of caches that are no integers");
  refused("GroupQueryAttention x,x,x,,,e,e,,,,,,e,e -> y" + heads, cube,
          "k_quant_type is PER_TENSOR, v_quant_type NONE");
  refused("GroupQueryAttention x,x,x,,,e,e,,,,,,e,e -> y" + same + "2", cube, "kv_cache_bit_width is 2");
  refused("GroupQueryAttention x,x,x,,,e,e,,,,,,e -> y" + same + "8", cube, "v_scale is missing");
  refused("GroupQueryAttention x,x,x,,,e,e,,,,,,e,w -> y" + same + "8", cube, "v_scale is 8 x 12, expected 1");
  refused("GroupQueryAttention w,w,w,,,e,e,,,,,,e,e -> y" + same + "4", tensors({{"w", {1, 1, 6}}, {"e", {1}}}),
          "keys of 3 numbers share no bytes in pairs");
  const std::string table = tensors({{"s", {3, 1}}, {"g", {8}}});
  const auto bytes_of_shape = [](const char* name, const pb::dims& shape, std::size_t count) {
    return pb::initializer(pb::tensor(name, pb::u8, shape, std::vector<std::uint8_t>(count, 7)));
  };
  const std::string b = bytes_of_shape("b", {3, 1, 8}, 24) + table;
  refused("MatMulNBits x,b,s -> y K=8 N=3 bits=3 block_size=16", b, "attribute 'bits' (3)");
  refused("MatMulNBits x,b,s -> y K=8 N=3 bits=4 block_size=24", b, "block_size is 24");
  refused("MatMulNBits x,b,s -> y K=40 N=3 bits=4 block_size=16", b, "input 1 is 3 x 1 x 8, expected 3 x 24");
  refused("MatMulNBits x,b,s -> y K=2147483647 N=2147483647 bits=4 block_size=16", b, "input 1 is 3 x 1 x 8");
  refused("MatMulNBits x,b,s,,g -> y K=8 N=3 bits=4 block_size=16", b, "input 'g_idx'");
  refused("MatMulNBits x,b,g -> y K=8 N=3 bits=4 block_size=16", b, "input 2 is 8, expected 3 x 1");
  refused("CDist w,w -> y metric=\"cosine\"", cube, "attribute 'metric' (cosine)");
}
