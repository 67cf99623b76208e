// SPDX-License-Identifier: BSL-1.0
// Defects of other optimisers and loaders (X: ncnnoptimize at a4d2ea1, L: ncnn's loader), each as a model that ctnn
// gets right: optimised and not, the same outputs under the same names with the same shapes and numbers.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>

#include <ctnn/model/write_ncnn.hpp>

#include "support/builder.hpp"
#include "support/loaded.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

std::string with_header(const std::string& layers) {
  const auto lines = std::count(layers.begin(), layers.end(), '\n');
  return "7767517\n" + std::to_string(lines) + " 40\n" + layers;
}

/// Made-up weights, or `value` for all of one layer.
loaded_model read(const std::string& layers, std::string_view layer = {}, float value = 0) {
  ncnn::bin_reader zeros = ncnn::bin_reader::zeros({});
  loaded_model m = ncnn::build(ncnn::parse_param(with_header(layers), "t.param"), zeros);
  random_weights weights;
  for (const expression& e : m.network.expressions) {
    floats numbers = weights.of(e);
    if (!layer.empty() && e.layer == layer) numbers.assign(numbers.size(), value);
    m.set_weight(e, std::span<const float>(numbers));
  }
  return m;
}

using answers = std::map<std::string, array>;
answers run(const model& m, bool light = true) {
  extractor ex = m.extractor();
  ex.set_light_mode(light);
  std::size_t i = 0;
  for (const node& n : m.graph().nodes)
    if (n.type == &type_of<op::input>) {
      const extents& shape = m.graph().shape(n.outputs.first);
      ex.input(i++, array(shape, random_floats(n.name, shape.count(), -2, 2)));
    }
  answers out;
  for (const network_output& o : m.graph().outputs) out.insert_or_assign(std::string(o.name), ex.extract(o.name));
  return out;
}

void check_same(const answers& got, const answers& want) {
  CHECK(got.size() == want.size());
  for (const auto& expected : want) {
    const std::string& name = expected.first;
    const array& values = expected.second;
    CAPTURE(name);
    REQUIRE(got.contains(name));
    CHECK(got.at(name).shape() == values.shape());
    const auto numbers = [](const array& a) { return std::vector<floats>{{a.values().begin(), a.values().end()}}; };
    CHECK(difference(numbers(got.at(name)), numbers(values)) == "");
    for (float x : got.at(name).values()) CHECK(std::isfinite(x));
  }
}

/// Optimised and not agree; the optimised graph's operators, in order.
std::string left_after(const std::string& layers, std::string_view layer = {}, float value = 0) {
  const model plain(read(layers, layer, value), {.optimize = false}), better(read(layers, layer, value));
  const answers want = run(plain);
  check_same(run(plain, false), want);
  check_same(run(better), want);
  check_same(run(better, false), want);
  std::string text;
  for (const node& n : better.graph().nodes)
    if (n.type != &type_of<op::input>) text += (text.empty() ? "" : " ") + std::string(n.type->name);
  return text;
}
std::string outputs_of(const std::string& layers) {
  std::string text;
  for (const auto& [name, values] : run(model(read(layers)))) text += (text.empty() ? "" : " ") + name;
  return text;
}
std::string refused_because(const std::string& layers) {
  try {
    read(layers);
  } catch (const error& e) {
    return e.what();
  }
  return "accepted";
}
bool mentions(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

const std::string image = "Input in 0 1 in 0=3 1=3 2=2\n", row = "Input in 0 1 in 0=4\n";

}  // namespace

TEST_CASE("X1: batch_norm behind a convolution's relu stays") {
  CHECK(left_after(image + "Convolution c 1 1 in a 0=2 1=1 5=1 6=4 9=1\nBatchNorm b 1 1 a y 0=2\n") == "conv2d scale");
}
TEST_CASE("X2: a convolution's mish survives relu and clip behind it") {
  CHECK(left_after(image +
                   "Convolution c 1 1 in a 0=2 1=1 5=1 6=4 9=5\nReLU r 1 1 a b 0=0.5\nClip k 1 1 b y 0=-0.1 1=0.2\n") ==
        "conv2d activation activation");
}
TEST_CASE("X3: a weighted sum that broadcasts reads no further than its operands") {
  CHECK(!mentions(left_after("Input p 0 1 p 0=3 1=2 2=2\nInput q 0 1 q 0=2\nBinaryOp s 1 1 p a 0=2 1=1 2=2\n"
                            "BinaryOp t 1 1 q b 0=2 1=1 2=3\nBinaryOp sum 2 1 a b y 0=0\n"),
                  "eltwise"));
}
TEST_CASE("X4: a reshape that makes the shape of a sum stays") {
  left_after(
      "Input p 0 1 p 0=3\nInput q 0 1 q 0=2 1=2 2=1\nReshape r 1 1 p a 0=1 1=1 2=3\nBinaryOp sum 2 1 a q y 0=0\n");
}
TEST_CASE("X5: a reshape of more than a vector before a sum stays") {
  left_after(
      "Input p 0 1 p 0=2 1=2 2=1\nInput q 0 1 q 0=4 1=1 2=3\n"
      "Reshape r 1 1 p a 0=4 1=1 2=1\nBinaryOp sum 2 1 a q y 0=0\n");
}
TEST_CASE("X6: flatten behind the rows of an inner product stays") {
  CHECK(left_after("Input in 0 1 in 0=3 1=2\nInnerProduct f 1 1 in a 0=4 1=1 2=12\nFlatten l 1 1 a y\n") ==
        "linear flatten");
}
TEST_CASE("X7: a split whose outputs are both network outputs") {
  const std::string layers = row + "ReLU r 1 1 in a\nSplit s 1 2 a x y\n";
  CHECK(outputs_of(layers) == "x y");
  left_after(layers);
}
TEST_CASE("X8: a split with one network output and one branch that is read") {
  const std::string layers = row + "ReLU r 1 1 in a\nSplit s 1 2 a x b\nSigmoid g 1 1 b y\n";
  CHECK(outputs_of(layers) == "x y");
  left_after(layers);
}
TEST_CASE("X9: batch_norm with a variance and an eps of zero stays finite when folded") {
  CHECK(left_after(image + "Convolution c 1 1 in a 0=2 1=1 5=1 6=4\nBatchNorm b 1 1 a y 0=2\n", "b") == "conv2d");
}
TEST_CASE("X10: batch_norm behind the rows of an inner product works along the rows") {
  CHECK(left_after("Input in 0 1 in 0=3 1=2\nInnerProduct f 1 1 in a 0=4 1=1 2=12\nBatchNorm b 1 1 a y 0=2\n") ==
        "linear scale");
}
TEST_CASE("X11: means that keep their axes are no global pooling to a vector") {
  const std::string layers = "Input in 0 1 in 0=2 1=2 2=2\nReduction m 1 1 in a 0=3 1=0 -23303=1,2 4=1 5=1\n"
                             "Reduction n 1 1 a y 0=3 1=0 -23303=1,2 4=1 5=1\n";
  left_after(layers);
  CHECK(run(model(read(layers))).at("y").shape() == extents{2, 2, 1});
}
TEST_CASE("X12: written parameters are read back to the last bit") {
  const std::string layers = image + "Convolution c 1 1 in a 0=2 1=1 5=1 6=4 31=64\nReLU r 1 1 a y 0=0.123456789\n";
  const model m(read(layers), {.keep_weights = true});
  const ncnn::written_model w = ncnn::write(m.code());
  ncnn::bin_reader bin(std::as_bytes(std::span(w.bin)), "w.bin");
  const loaded_model again = ncnn::build(ncnn::parse_param(w.param, "w.param"), bin);
  const graph_view g = again.network.view();
  REQUIRE(g.is<op::conv2d>(1));
  CHECK(g.get<op::conv2d>(1).activation == activation_function{function::leaky_relu, 0.123456789f});
  CHECK(left_after(layers) == "conv2d");
}
TEST_CASE("X13: layers are written whole or refused by name") {
  CHECK(mentions(refused_because(row + "Spectrogram s 1 1 in y 0=4\n"), "Spectrogram in 's'"));
  const std::string layers = row + "SELU s 1 1 in y 0=1.5 1=0.5\n";
  const loaded_model m = read(layers);
  const ncnn::written_model w = ncnn::write(m);
  ncnn::bin_reader bin(std::as_bytes(std::span(w.bin)), "w.bin");
  check_same(run(model(ncnn::build(ncnn::parse_param(w.param, "w.param"), bin))), run(model(read(layers))));
  left_after(layers);
}
TEST_CASE("X14: stale shape hints are not believed") {
  const std::string layers =
      "Input in 0 1 in 0=3 1=3 2=2\nConvolution c 1 1 in a -23330=4,3,2,2,2 0=2 1=1 5=1 6=4\nReLU r 1 1 a y\n";
  CHECK(run(model(read(layers))).at("y").shape() == extents{2, 3, 3});
  const model m(read(layers), {.keep_weights = true});
  CHECK(!mentions(ncnn::write(m.code()).param, "2,2,2"));
  left_after(layers);
}
TEST_CASE("X15: dropout that scales stays behind a sigmoid") {
  CHECK(left_after(row + "InnerProduct f 1 1 in a 0=3 1=1 2=12 9=4\nDropout d 1 1 a y 0=0.5\n") == "linear binary");
}
TEST_CASE("X16: inputs keep their names") {
  const model m(read(row + "Dropout d 1 1 in a\nReLU r 1 1 a y\n"));
  CHECK(m.graph().nodes[0].name == "in");
  CHECK(m.graph().nodes.size() == 2);
  left_after(row + "Dropout d 1 1 in a\nReLU r 1 1 a y\n");
}
TEST_CASE("X17: a scalar in a blob of its own, read through a split") {
  const std::string layers =
      image + "MemoryData k 0 1 k 0=1\nSplit s 1 2 k p q\nBinaryOp m 2 1 in p a 0=2\nBinaryOp n 2 1 a q y 0=0\n";
  CHECK(mentions(left_after(layers), "scale"));
  CHECK(mentions(
      left_after(image + "MemoryData k 0 1 k 0=1\nConvolution c 1 1 in a 0=2 1=1 5=1 6=4\nBinaryOp m 2 1 a k y 0=2\n"),
      "conv2d"));
}
TEST_CASE("X18: the header of a written file counts what is in it") {
  const model m(read(image + "Convolution c 1 1 in a 0=2 1=1 5=1 6=4\nBatchNorm b 1 1 a d 0=2\nReLU r 1 1 d y\n"),
                {.keep = {"a"}, .keep_weights = true});
  const std::string text = ncnn::write(m.code()).param;
  int layers = 0, blobs = 0;
  REQUIRE(std::sscanf(text.c_str(), "7767517\n%d %d", &layers, &blobs) == 2);
  CHECK(layers == std::count(text.begin(), text.end(), '\n') - 2);
  const ncnn::param_file file = ncnn::parse_param(text);
  std::size_t produced = 0;
  for (const ncnn::layer& l : file.layers) produced += l.outputs.size();
  CHECK(produced == static_cast<std::size_t>(blobs));
}
TEST_CASE("X19: a constant that is a network output stays") {
  const std::string layers = row + "MemoryData k 0 1 k 0=4\nReLU r 1 1 in y\n";
  CHECK(outputs_of(layers) == "k y");
  left_after(layers);
  CHECK(mentions(ncnn::write(model(read(layers), {.keep_weights = true}).code()).param, "MemoryData"));
  const std::string both = row + "MemoryData k 0 1 k 0=4\nSplit s 1 2 k p q\nBinaryOp a 2 1 in p y 0=0\n";
  CHECK(outputs_of(both) == "q y");
  left_after(both);
}
TEST_CASE("X20: a constant sum and a constant product after a convolution, one run") {
  CHECK(left_after(image + "MemoryData p 0 1 p 0=2\nMemoryData q 0 1 q 0=2\nConvolution c 1 1 in a 0=2 1=1 5=1 6=4\n"
                          "BinaryOp s 2 1 a p b 0=0\nBinaryOp t 2 1 b q y 0=2\n") == "conv2d");
}

TEST_CASE("L1: an integer literal serves for a real parameter") {
  const auto whole = run(model(read(row + "HardSigmoid h 1 1 in y 0=1 1=0\n")));
  check_same(run(model(read(row + "HardSigmoid h 1 1 in y 0=1.0 1=0.0\n"))), whole);
  float most = 0;
  for (float x : whole.at("y").values()) most = std::max(most, x);
  CHECK(most > 0.1f);
}
TEST_CASE("L2: a blob with two readers needs no split") {
  const std::string plain = row + "Sigmoid r 1 1 in a\nTanH s 1 1 a b\nBinaryOp t 2 1 a b y 0=0\n";
  const std::string with_split =
      row + "Sigmoid r 1 1 in a\nSplit x 1 2 a p q\nTanH s 1 1 p b\nBinaryOp t 2 1 q b y 0=0\n";
  left_after(plain);
  check_same(run(model(read(plain), {.optimize = false})), run(model(read(with_split), {.optimize = false})));
}
TEST_CASE("L3: infinity is refused with a reason") {
  CHECK(mentions(refused_because(row + "Clip c 1 1 in y 0=-inf 1=1\n"), "-inf"));
}
TEST_CASE("L4: a number of more than 15 characters is read") {
  check_same(run(model(read(row + "Clip c 1 1 in y 0=-0.2500000000000000 1=0.50000000000000000\n"))),
             run(model(read(row + "Clip c 1 1 in y 0=-0.25 1=0.5\n"))));
}
TEST_CASE("L5: a blob that nothing has produced yet is refused") {
  CHECK(mentions(refused_because(row + "ReLU r 1 1 b a\nReLU s 1 1 in b\n"), "input 'b'"));
}
TEST_CASE("L6: two producers of one blob are refused") {
  CHECK(mentions(refused_because(row + "ReLU r 1 1 in a\nReLU s 1 1 in a\n"), "already the output"));
}

namespace {

/// What a graph gives for x, optimised or not; every constant k holds `numbers`, every other weight 1.
floats answer(ir::graph made, std::span<const float> x, std::span<const float> numbers, bool optimize) {
  loaded_model m;
  m.network = std::move(made);
  for (const expression& e : m.network.expressions)
    m.set_weight(e, e.layer == "k" ? numbers : floats(static_cast<std::size_t>(e.shape.count()), 1.0f));
  const model made_of(std::move(m), {.optimize = optimize});
  extractor ex = made_of.extractor();
  ex.input("x", array(made_of.graph().shape(0), x));
  const array y = ex.extract("y");
  floats out(static_cast<std::size_t>(y.size()));
  if (y.type() == dtype::u8)
    std::copy_n(static_cast<const unsigned char*>(static_cast<const void*>(y.bytes().data())), out.size(), out.begin());
  else std::copy_n(y.values().data(), out.size(), out.begin());
  return out;
}
template <class Recipe>
void check_answers(Recipe recipe, const floats& x, const floats& numbers) {
  const auto made = [&] {
    builder b;
    b.output("y", recipe(b));
    return std::move(b.g);
  };
  const floats want = answer(made(), x, numbers, false), got = answer(made(), x, numbers, true);
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    INFO(i << ": " << got[i] << ", not " << want[i]);
    CHECK(((got[i] != got[i] && want[i] != want[i]) || got[i] == want[i]));
  }
}

}  // namespace

TEST_CASE("relu before a quantisation by negative scales stays") {
  const auto recipe = [](builder& b) {
    const value_id y = b.relu("relu", b.input("x", {6}));
    return b.add_as(dtype::u8, op::quantize{{0, 0}}, "q", {y, b.constant("k", {})});
  };
  check_answers(recipe, {-3, -2, -0.5f, 0, 1, 4}, {-0.5f});
  check_answers(recipe, {-3, -2, -0.5f, 0, 1, 4}, {0.5f});
}
TEST_CASE("a division by channels that hold zeros is not folded into weights") {
  const auto recipe = [](builder& b) {
    const value_id y = b.conv("c", b.input("x", {2, 1, 3}), 2);
    return b.binary("divide", op::binary_function::div, y, b.constant("k", {2, 1, 1}));
  };
  check_answers(recipe, {1, -2, 3, -4, 5, 6}, {0, 2});
  check_answers(recipe, {1, -2, 3, -4, 5, 6}, {4, 2});
}
TEST_CASE("a division by almost zero stays before a product") {
  check_answers(
      [](builder& b) {
        const value_id x = b.scalar("divide", op::binary_function::div, b.input("x", {1, 2}), 1e-39f);
        return b.add(op::matmul{}, "product", {x, b.full("other", {2, 1}, 1.0f)});
      },
      {1e-39f, 0.5e-39f}, {});
}
TEST_CASE("an infinite number stays infinite under a maximum") {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const op::binary_function f : {op::binary_function::maximum, op::binary_function::minimum})
    for (const float k : {0.0f, 0.5f, -0.5f})
      check_answers([&](builder& b) { return b.scalar("bound", f, b.input("x", {4}), k); },
                    {infinity, -infinity, 0.25f, std::numeric_limits<float>::quiet_NaN()}, {});
}
