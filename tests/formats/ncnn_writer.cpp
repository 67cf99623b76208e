// SPDX-License-Identifier: BSL-1.0
// What is written reads back as the same network, in ncnn's own habits.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <ctnn/formats/ncnn/load.hpp>
#include <ctnn/formats/ncnn/write.hpp>

#include "reference_run.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using floats = std::vector<float>;

namespace {

loaded_model read_back(const ncnn::written_model& w) {
  ncnn::bin_reader bin(std::as_bytes(std::span(w.bin)), "w.bin");
  return build(ncnn::parse_param(w.param, "w.param"), bin);
}

/// The network of a .param, with the same numbers in [-0.5, 0.5) every time.
loaded_model with_random_weights(const std::string& param) {
  ncnn::bin_reader zeros = ncnn::bin_reader::zeros({});
  loaded_model m = build(ncnn::parse_param(param, "t.param"), zeros);
  unsigned seed = 1;
  for (auto& [name, numbers] : m.weights) {
    array made(numbers->shape());
    for (float& v : made.values())
      v = static_cast<float>(static_cast<int>((seed = seed * 1664525u + 1013904223u) >> 20) - 2048) / 4096;
    numbers = std::make_shared<const array>(std::move(made));
  }
  return m;
}

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

void give(loaded_model& m, std::string_view layer, std::string_view slot, const floats& numbers) {
  for (const expression& e : m.network.expressions)
    if (e.layer == layer && e.name == slot) m.set_weight(e, numbers);
}
bool same_weights(const loaded_model& a, const loaded_model& b) {
  if (a.weights.size() != b.weights.size()) return false;
  // Whatever type a file keeps them in.
  for (const auto& [key, numbers] : a.weights) {
    const array& other = *b.weights.at(key);
    if (numbers->size() != other.size()) return false;
    for (std::size_t i = 0; i < other.size(); ++i)
      if (number_at(*numbers, i) != number_at(other, i)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("ncnn's layers survive: shuffles, broadcasts, fused and separate activations") {
  const std::string text =
      "7767517\n12 13\n"
      "Input            in  0 1 in 0=4 1=4 2=8\n"
      "ShuffleChannel   sh  1 1 in a 0=2\n"
      "PixelShuffle     ps  1 1 a b 0=2\n"
      "Reorg            ro  1 1 b c 0=2 1=1\n"
      "Pooling          gp  1 1 c d 0=1 4=1\n"
      "HardSigmoid      hs  1 1 d e\n"
      "BinaryOp         mu  2 1 c e f 0=2\n"
      "Pooling          mp  1 1 f g 0=0 1=3 2=2\n"
      "Slice            sl  1 2 g h i -23300=2,3,-233\n"
      "Concat           co  2 1 i h j 0=0\n"
      "Permute          pe  1 1 j k 0=4\n"
      "Softmax          so  1 1 k l 0=1 1=1\n";
  ncnn::bin_reader none({}, "none");
  const loaded_model m = build(ncnn::parse_param(text, "t.param"), none);
  const ncnn::written_model w = ncnn::write(m);
  CAPTURE(w.param);
  for (const char* line : {"ShuffleChannel   sh", "PixelShuffle     ps", "Reorg            ro",
                           "BinaryOp         mu                       2 1 c_splitncnn_1 e f 0=2", "Split",
                           "Pooling          mp                       1 1 f g 1=3 2=2\n", "0=1 1=1"})
    CHECK(mentions(w.param, line));
  CHECK(!mentions(w.param, "Reshape"));
  floats x(128);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 37 % 101) / 50;
  CHECK(test::run_reference(read_back(w), {{"in", x}}).at("l") == test::run_reference(m, {{"in", x}}).at("l"));
}

namespace {

/// A file of seven layers behind an input of `count` numbers, whose output is g: written it mentions these words, and
/// what is read again has the weights and answers of what was read first.
void check_written_again(const std::string& text, std::size_t count, std::initializer_list<const char*> words) {
  const loaded_model m = with_random_weights(text);
  CHECK(m.network.nodes.size() == 8);
  const ncnn::written_model w = ncnn::write(m);
  CAPTURE(w.param);
  CHECK(std::count(w.param.begin(), w.param.end(), '\n') == 10);
  for (const char* each : words) CHECK_MESSAGE(mentions(w.param, each), each);
  const loaded_model again = read_back(w);
  CHECK(same_weights(again, m));
  floats x(count);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 37 % 101) / 50 - 1;
  CHECK(test::run_reference(again, {{"in", x}}).at("g") == test::run_reference(m, {{"in", x}}).at("g"));
}

}  // namespace

TEST_CASE("transposed convolutions, LRN, crops and InnerProduct of images are written as they were read") {
  const std::string text =
      "7767517\n8 8\n"
      "Input            in  0 1 in 0=3 1=4 2=4\n"
      "DeconvolutionDepthWise dw 1 1 in a 0=4 1=4 3=2 4=1 5=1 6=64 7=4 9=1\n"
      "Deconvolution    de  1 1 a b 0=6 1=2 11=3 2=2 12=1 3=3 13=2 4=1 14=0 15=2 16=1 18=1 19=0 "
      "6=144 9=2 -23310=1,0.2\n"
      "LRN              ln  1 1 b c 1=3 2=0.5 3=0.6 4=2.0\n"
      "LRN              lw  1 1 c d 0=1 1=3 2=0.5\n"
      "Crop             cr  1 1 d e -23309=2,1,2 -23310=2,5,10 -23311=2,1,2\n"
      "InnerProduct     fc  1 1 e f 0=5 1=1 2=960\n"
      "InnerProduct     fd  1 1 f g 0=3 2=15\n";
  check_written_again(
      text, 48,
      {"0=6 1=2 2=2 3=3 4=1 6=144 9=2 -23310=1,2.00000003e-01 11=3 12=1 13=2 14=0 15=2 16=1 18=1 19=0",
       "1=3 2=5.00000000e-01 3=6.00000024e-01 4=2.00000000e+00", "7=4", "-23309=2,1,2 -23310=2,5,10 -23311=2,1,2"});
}

TEST_CASE("layers of signals are written as they were read") {
  const std::string text =
      "7767517\n8 8\n"
      "Input            in  0 1 in 0=20 1=4\n"
      "Convolution1D    c   1 1 in a 0=6 1=3 2=2 3=1 4=2 15=1 5=1 6=72 9=1\n"
      "ConvolutionDepthWise1D cd 1 1 a b 0=6 1=3 4=-233 5=1 6=18 7=6\n"
      "Pooling1D        mp  1 1 b c 0=0 1=2 2=2\n"
      "DeconvolutionDepthWise1D dd 1 1 c d 0=6 1=4 3=2 4=1 6=24 7=6\n"
      "Deconvolution1D  de  1 1 d e 0=5 1=3 2=2 3=3 4=1 15=2 18=1 5=1 6=90 9=2 -23310=1,0.2\n"
      "Pooling1D        ap  1 1 e f 0=1 7=1 8=7\n"
      "PReLU            pr  1 1 f g 0=5\n";
  check_written_again(
      text, 80,
      {"Convolution1D    c ", "0=6 1=3 2=2 4=2 5=1 6=72 9=1 15=1", "ConvolutionDepthWise1D cd ", "4=-233 5=1 6=18 7=6",
       "Pooling1D        mp ", "DeconvolutionDepthWise1D dd ", "0=6 1=4 3=2 4=1 6=24 7=6", "Deconvolution1D  de ",
       "0=5 1=3 2=2 3=3 4=1 5=1 6=90 9=2 -23310=1,2.00000003e-01 15=2 18=1", "7=1 8=7"});
}

TEST_CASE("what ncnn cannot fuse becomes layers of its own; outputs that are read stay outputs") {
  loaded_model m;
  ir::graph& g = m.network;
  const auto node = [&](const auto& op, const char* name, std::vector<value_id> in) {
    REQUIRE(!add_node(g, op, name, in));
    return g.nodes.back().outputs.first;
  };
  op::input shape;
  for (int d : {2, 3, 3}) shape.shape.push_back(d);
  const value_id x = node(shape, "x", {});
  op::conv2d conv;
  conv.out = 2;
  conv.kernel = {1, 1};
  conv.activation = {function::tanh};
  const value_id c = node(conv, "conv", {x, x});
  op::binary row{op::binary_function::add};
  row.activation = {function::relu};
  op::constant three;
  three.shape.push_back(3);
  const value_id k = node(three, "k", {});
  const value_id sum = node(row, "sum", {c, k});
  const value_id fc = node(op::linear{2, true, {function::silu}}, "fc", {sum});
  add_output(g, "conv", c);
  add_output(g, "answer", fc);
  add_output(g, "again", fc);
  give(m, "conv", "weight", {1, 2, -1, 0.5f});
  give(m, "conv", "bias", {0.1f, 0.2f});
  give(m, "k", "value", {-1, 0, 1});
  give(m, "fc", "weight", {1, 2, 3, 4, 5, 6});
  give(m, "fc", "bias", {0.5f, -0.5f});

  const ncnn::written_model w = ncnn::write(m);
  CAPTURE(w.param);
  for (const char* type : {"TanH", "Swish", "ReLU", "MemoryData", "Noop"}) CHECK(mentions(w.param, type));
  floats in(18);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i) / 20 - 0.4f;
  const auto before = test::run_reference(m, {{"x", in}}), after = test::run_reference(read_back(w), {{"x", in}});
  REQUIRE(after.size() == 3);
  for (const char* name : {"conv", "answer", "again"}) CHECK(test::deviation(after.at(name), before.at(name)) <= 1e-3);
}

TEST_CASE("a convolution with slopes is written as two layers, behind a residual as three") {
  loaded_model m;
  ir::graph& g = m.network;
  const auto node = [&](const auto& op, const char* name, std::vector<value_id> in) {
    REQUIRE(!add_node(g, op, name, in));
    return g.nodes.back().outputs.first;
  };
  op::input shape;
  for (int d : {2, 3, 3}) shape.shape.push_back(d);
  const value_id x = node(shape, "x", {});
  op::conv2d conv;
  conv.out = 2;
  conv.kernel = {1, 1};
  conv.activation = {function::prelu};
  const value_id first = node(conv, "first", {x});
  conv.bias = false;
  const value_id second = node(conv, "second", {first, x});
  add_output(g, "second", second);
  conv.residual_last = true;
  add_output(g, "third", node(conv, "third", {second, x}));
  for (const char* name : {"first", "second", "third"}) {
    give(m, name, "weight", {1, 2, -1, 0.5f});
    give(m, name, "slope", {-3, 0.25f});
  }
  give(m, "first", "bias", {0.1f, 0.2f});
  const ncnn::written_model w = ncnn::write(m);
  CAPTURE(w.param);
  for (const char* type : {"Convolution", "PReLU", "BinaryOp"}) CHECK(mentions(w.param, type));
  floats in(18);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i) / 20 - 0.4f;
  const auto before = test::run_reference(m, {{"x", in}}), after = test::run_reference(read_back(w), {{"x", in}});
  for (const char* name : {"second", "third"}) CHECK(test::deviation(after.at(name), before.at(name)) <= 1e-3);
}

TEST_CASE("a log_softmax is the logarithm of a softmax") {
  loaded_model m;
  REQUIRE(!add_node(m.network, op::input{{3, 4}}, "x", {}));
  const value_id x = 0;
  REQUIRE(!add_node(m.network, op::log_softmax{1}, "y", {&x, 1}));
  add_output(m.network, "y", 1);
  const ncnn::written_model w = ncnn::write(m);
  CAPTURE(w.param);
  CHECK(mentions(w.param, "Softmax"));
  CHECK(mentions(w.param, "UnaryOp"));
  floats in(12);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i * i) / 20 - 1;
  const auto before = test::run_reference(m, {{"x", in}}), after = test::run_reference(read_back(w), {{"x", in}});
  // The largest ones are near 0, where a logarithm of what is nearly 1 keeps fewer digits.
  CHECK(test::deviation(after.at("y"), before.at("y")) <= 1e-4);
}

TEST_CASE("a linear layer that adds a residual is its product and a sum") {
  struct layer_case {
    op::linear fc;
    list<int> in;
  };
  for (const layer_case& t :
       {layer_case{{4, true, {function::relu}}, {3, 4}}, layer_case{{4, false, {}}, {4}},
        layer_case{{2, true, {function::silu}, 2}, {3, 4, 1}}, layer_case{{3, true, {}, 1, 2}, {4}},
        layer_case{{4, true, {function::tanh}}, {3, 2, 4}}, layer_case{{3, true, {function::relu}, 3, 2}, {4, 1, 1}},
        layer_case{{4, true, {function::relu}, 1, 0, true}, {4}},
        layer_case{{4, true, {function::tanh}, 1, 0, true}, {3, 4}},
        layer_case{{2, true, {function::silu}, 2, 0, true}, {3, 4, 1}},
        layer_case{{3, true, {function::relu}, 3, 2, true}, {4, 1, 1}}}) {
    loaded_model m;
    ir::graph& g = m.network;
    REQUIRE(!add_node(g, op::input{t.in}, "x", {}));
    extents x{}, y{};
    for (const int n : t.in) x.push_back(n);
    REQUIRE(!t.fc.infer({&x, 1}, {&y, 1}));
    REQUIRE(!add_node(g, op::input{as_list(y)}, "r", {}));
    const value_id in[] = {0, 1};
    REQUIRE(!add_node(g, t.fc, "fc", in));
    add_output(g, "y", 2);
    const auto numbers = [](std::int64_t n, int step) {
      floats all(static_cast<std::size_t>(n));
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>(static_cast<int>(i) * step % 11) / 4 - 1;
      return all;
    };
    give(m, "fc", "weight", numbers(t.fc.out * t.fc.depth(x), 3));
    if (t.fc.bias) give(m, "fc", "bias", numbers(t.fc.out, 7));
    const ncnn::written_model w = ncnn::write(m);
    CAPTURE(w.param);
    CHECK(mentions(w.param, t.fc.axes == 3 ? "Convolution" : "InnerProduct"));
    CHECK(mentions(w.param, "BinaryOp"));
    const std::map<std::string, floats> given{{"x", numbers(x.count(), 5)}, {"r", numbers(y.count(), 4)}};
    CHECK(test::deviation(test::run_reference(read_back(w), given).at("y"), test::run_reference(m, given).at("y")) <=
          1e-6);
  }
}

TEST_CASE("scales and biases along another axis than the channels are products and sums with blobs") {
  loaded_model m;
  ir::graph& g = m.network;
  const auto node = [&](const auto& op, const char* name, std::vector<value_id> in) {
    REQUIRE(!add_node(g, op, name, in));
    return g.nodes.back().outputs.first;
  };
  const value_id x = node(op::input{{2, 3, 4}}, "x", {});
  const value_id rows = node(op::scale{true, 1, {function::relu}}, "rows", {x});
  const value_id columns = node(op::bias{-1, {function::tanh}}, "columns", {rows});
  add_output(g, "y", node(op::scale{false, 2}, "slopes", {columns}));
  give(m, "rows", "scale", {-1, 2, 0.5f});
  give(m, "rows", "bias", {0.25f, -0.5f, 1});
  give(m, "columns", "bias", {0, -1, 0.5f, 2});
  give(m, "slopes", "scale", {1, -2, 3, 0.25f});
  const ncnn::written_model w = ncnn::write(m);
  CAPTURE(w.param);
  for (const char* type : {"MemoryData", "BinaryOp", "ReLU", "TanH"}) CHECK(mentions(w.param, type));
  CHECK_FALSE(mentions(w.param, "Scale"));
  floats in(24);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i) / 8 - 1.5f;
  const std::map<std::string, floats> given{{"x", in}};
  CHECK(test::deviation(test::run_reference(read_back(w), given).at("y"), test::run_reference(m, given).at("y")) <=
        1e-6);
}

TEST_CASE("what ncnn has no layer for is named") {
  loaded_model m;
  op::input in;
  for (int d : {2, 3, 4, 5, 6}) in.shape.push_back(d);
  REQUIRE(!add_node(m.network, in, "five", {}));
  add_output(m.network, "five", 0);
  CHECK_THROWS_WITH_AS(ncnn::write(m), "ncnn cannot express: input 'five': a value of 2 x 3 x 4 x 5 x 6", error);

  loaded_model slopes;  // whose number ncnn has for another function
  for (const char* name : {"x", "k"}) REQUIRE(!add_node(slopes.network, op::input{{2, 3}}, name, {}));
  const value_id both[] = {0, 1};
  REQUIRE(!add_node(slopes.network, op::binary{op::binary_function::prelu}, "p", both));
  add_output(slopes.network, "p", 2);
  CHECK_THROWS_WITH_AS(ncnn::write(slopes), "ncnn cannot express: binary 'p': slopes that are no numbers a channel",
                       error);
}

TEST_CASE("recurrent layers that are not ncnn's are named") {
  const auto refusal = [](auto op) {
    loaded_model m;
    op.hidden = 2;
    REQUIRE(!add_node(m.network, op::input{{5, 3}}, "x", {}));
    std::vector<value_id> in{0};
    if (op.lengths) REQUIRE(!add_node(m.network, op::input{{1}, dtype::i32}, "lengths", {}));
    if (op.lengths) in.push_back(1);
    REQUIRE(!add_node(m.network, op, "layer", in));
    add_output(m.network, "y", m.network.nodes.back().outputs.first);
    try {
      ncnn::write(m);
    } catch (const error& e) {
      return std::string(e.what());
    }
    return std::string("written");
  };
  CHECK(mentions(refusal(op::gru{{}, false}), "'layer': a reset before the product"));
  CHECK(mentions(refusal(op::lstm{{}, true}), "'layer': functions or gates that are not PyTorch's"));
  op::rnn p;
  p.clip = 1;
  CHECK(mentions(refusal(p), "'layer': functions or gates that are not PyTorch's"));
  p.clip = 0;
  p.lengths = true;
  CHECK(mentions(refusal(p), "'layer': sequences of several lengths"));
}

TEST_CASE("an attention whose projections are part of its layer, behind it sums and products with itself") {
  for (const char* behind : {"BinaryOp sum 2 1 x m y 0=0\n", "BinaryOp sum 2 1 m x y 0=1\n", "MatMul mm 2 1 t m y\n"}) {
    const bool turned = std::string_view(behind).starts_with("MatMul");
    const std::string text = "7767517\n" + std::string(turned ? "5" : "4") +
                             " 6\nInput in 0 1 in 0=4 1=3\nSplit s 1 2 in a x\n"
                             "MultiHeadAttention mha 1 1 a m 0=4 1=2 2=16\n" +
                             (turned ? "Permute p 1 1 x t 0=1\n" : "") + behind;
    CAPTURE(text);
    const loaded_model m = with_random_weights(text);
    const ncnn::written_model w = ncnn::write(m);
    CAPTURE(w.param);
    CHECK(mentions(w.param, "MultiHeadAttention"));
    CHECK(!mentions(w.param, "InnerProduct"));
    const loaded_model again = read_back(w);
    CHECK(same_weights(again, m));
    CHECK(ncnn::write(again).param == w.param);
  }
}

TEST_CASE("what does not read back is refused before anybody gets it") {
  const std::string text = "7767517\n2 2\nInput in 0 1 in 0=3\nReLU r 1 1 in y\n";
  const auto refusal = [](const ncnn::written_model& w, std::vector<ncnn::written_output> outputs) {
    try {
      ncnn::require_readable(w, outputs);
    } catch (const error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const std::string begin = "what was written does not read back, which is a defect of ctnn: ";
  CHECK(refusal({text, ""}, {{"y", {3}}}) == "");
  CHECK(refusal({text, "more"}, {{"y", {3}}}) ==
        begin + "the .bin: byte 0: expected the end of the file, 4 bytes follow");
  CHECK(refusal({text, ""}, {{"z", {3}}}) == begin + "it has no output 'z'");
  CHECK(refusal({text, ""}, {{"y", {3, 1}}}) == begin + "output 'y' is 3, expected 3 x 1");
  CHECK(refusal({"7767517\n1 1\nReLU r 1 1 in y\n", ""}, {}) ==
        begin + "the .param:3: layer 'r': input 'in' is not the output of a layer above");
}

TEST_CASE("half precision weights are stored as such") {
  ncnn::bin_writer bin;
  bin.tagged(floats{0.5f, -2});
  bin.raw(floats{3.14159f});
  ncnn::bin_reader r(std::as_bytes(std::span(bin.bytes())), "t.bin");
  const loaded_model m =
      build(ncnn::parse_param("7767517\n2 2\nInput i 0 1 i 0=2\nInnerProduct f 1 1 i o 0=1 1=1 2=2\n"), r);
  const ncnn::written_model w = ncnn::write(m, ncnn::weight_storage::fp16);
  CHECK(w.bin.size() == 12);
  CHECK(same_weights(read_back(w), m));
}
