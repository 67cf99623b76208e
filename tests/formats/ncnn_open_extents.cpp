// SPDX-License-Identifier: BSL-1.0
// formats/ncnn/open_extents.hpp: what a .param leaves open stays open when it is rewritten, or is refused with a
// reason.
#include <doctest/doctest.h>

#include <string>

#include <ctnn/formats/ncnn/load.hpp>
#include <ctnn/formats/ncnn/write.hpp>
#include <ctnn/loaded/folded_weights.hpp>
#include <ctnn/loaded/rewriting.hpp>

#include "reference_run.hpp"

using namespace ctnn;
using namespace ctnn::ir;

namespace {

loaded_model read(const std::string& param, const std::string& bin, const ncnn::input_shapes& shapes) {
  ncnn::read_options options;
  options.input_shapes = shapes;
  ncnn::bin_reader numbers =
      bin.empty() ? ncnn::bin_reader::zeros({}) : ncnn::bin_reader(std::as_bytes(std::span(bin)), "t.bin");
  return build(ncnn::parse_param(param, "t.param"), numbers, options);
}
/// The layers rewritten as they are, with zeros for weights.
ncnn::open_model optimized(const std::string& layers, const ncnn::input_shapes& given = {}) {
  const auto make = [&](const ncnn::input_shapes& shapes) {
    const loaded_model m = read(layers, "", shapes);
    const optimization o = optimize(m.network, default_rule_records());
    folded_weights numbers(m, o.g.view());
    return ncnn::write(o.g.view(), std::ref(numbers));
  };
  return ncnn::write_open(ncnn::parse_param(layers, "t.param"), make, given);
}
/// The shape of the only output for an input of that shape.
extents output_for(const ncnn::open_model& made, const extents& x) {
  const loaded_model m = read(made.files.param, made.files.bin, {{"x", x}});
  return m.network.view().shape(m.network.outputs[0].value);
}
/// One line a layer, blanks as single ones.
std::string lines_of(const std::string& param) {
  std::string out;
  for (const char c : param)
    if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
  return out;
}
std::string why_not(const std::string& layers) {
  try {
    optimized(layers);
  } catch (const ncnn::unknown_input_shape& e) {
    return e.what();
  }
  return "";
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

const std::string conv = "Convolution c 1 1 x c 0=4 1=3 4=1 6=108\nReLU r 1 1 c r\n";

}  // namespace

TEST_CASE("inputs without extents: a convolution takes its activation, and any size is taken as before") {
  const std::string all[] = {"Input x 0 1 x\n",
                             "Input x 0 1 x 0=0 1=0 2=0\n",
                             "Input x 0 1 x 0=-1 1=-1 2=3\n",
                             "Input x 0 1 x 0=-1 1=-1 2=-1\n",
                             "Input x 0 1 x 0=0 1=0 2=3\n",
                             "Input x 0 1 x 2=3\n"};
  for (const std::string& input : all) {
    CAPTURE(input);
    const std::string layers = "7767517\n3 3\n" + input + conv;
    CHECK(ncnn::has_open_extents(ncnn::parse_param(layers), {}));
    const ncnn::open_model made = optimized(layers);
    CHECK(has(lines_of(made.files.param), "\n2 2\nInput x 0 1 x"));
    CHECK(has(lines_of(made.files.param), input.substr(13, input.size() - 14)));
    CHECK(has(lines_of(made.files.param), "Convolution c 1 1 x r 0=4 1=3 4=1 6=108 9=1"));
    CHECK(output_for(made, {3, 5, 7}) == extents{4, 5, 7});
  }
  CHECK_FALSE(ncnn::has_open_extents(ncnn::parse_param("7767517\n1 1\nInput x 0 1 x 0=3 1=3 2=3\n"), {}));
  CHECK_FALSE(ncnn::has_open_extents(ncnn::parse_param("7767517\n1 1\nInput x 0 1 x\n"), {{"x", {3}}}));
  CHECK(ncnn::declared_inputs(ncnn::parse_param("7767517\n1 1\nInput x 0 1 x 1=-1 2=3\n"))[0].axes.size() == 3);
}

TEST_CASE("the layers with weights say how many channels, rows or numbers there are") {
  const auto tried_with = [](const std::string& reader) {
    return optimized("7767517\n3 3\nInput x 0 1 x\nDropout d 1 1 x d\n" + reader).shapes.at("x");
  };
  CHECK(tried_with("Convolution c 1 1 d c 0=4 1=3 6=180\n")[0] == 5);
  CHECK(tried_with("ConvolutionDepthWise c 1 1 d c 0=6 1=3 6=54 7=6\n")[0] == 6);
  CHECK(tried_with("InnerProduct f 1 1 d f 0=4 1=1 2=28\n")[1] == 7);
  CHECK(tried_with("LSTM l 1 1 d l 0=4 1=80\n")[1] == 5);
  const ncnn::open_model two = optimized(
      "7767517\n5 5\nInput x 0 1 x\nInput z 0 1 z\nConvolution c 1 1 x c 0=4 1=3 6=108\nConvolution d 1 1 z d 0=2 1=1 "
      "6=10\nNoop n 1 1 d n\n");
  CHECK(two.shapes.at("x")[0] == 3);
  CHECK(two.shapes.at("z")[0] == 5);
  CHECK(two.shapes.at("x")[1] != two.shapes.at("z")[1]);
  CHECK(optimized("7767517\n2 2\nInput x 0 1 x\nReLU r 1 1 x r\n", {{"x", {2, 9}}}).shapes.at("x") == extents{2, 9});
}

TEST_CASE("a Reshape keeps an extent or takes what is left; an Interp goes by its scale") {
  const std::string begin = "7767517\n3 3\nInput x 0 1 x\nConvolution c 1 1 x c 0=4 1=1 6=12\n";
  const ncnn::open_model rows = optimized(begin + "Reshape s 1 1 c s 0=-1 1=4\n");
  CHECK(has(lines_of(rows.files.param), "Reshape s 1 1 c s 0=-1 1=4"));
  const ncnn::open_model halves = optimized(begin + "Reshape s 1 1 c s 0=0 1=-1 2=2\n");
  CHECK(has(lines_of(halves.files.param), "Reshape s 1 1 c s 0=0 1=-1 2=2"));
  const ncnn::open_model doubled = optimized(begin + "Interp s 1 1 c s 0=2 1=2.0 2=2.0\n");
  CHECK(has(lines_of(doubled.files.param), "Interp s 1 1 c s 0=2 1=2"));
  CHECK(output_for(doubled, {3, 5, 7}) == extents{4, 10, 14});
}

TEST_CASE("what follows from the extents is refused, where no parameter says it for every size") {
  const std::string begin = "7767517\n3 3\nInput x 0 1 x\nConvolution c 1 1 x c 0=4 1=1 6=12\n";
  CHECK(why_not(begin + "ReLU r 1 1 c r\n") == "");
  const ncnn::open_model most = optimized(begin + "Crop r 1 1 c r 9=1,2 10=-233,-1 11=1,2\n");
  CHECK(output_for(most, {3, 5, 7}) == extents{4, 4, 4});
  const std::string two = "7767517\n4 4\nInput x 0 1 x\nInput z 0 1 z\nConvolution c 1 1 x c 0=4 1=1 6=12\n";
  CHECK(has(why_not(two + "Interp s 2 1 c z s 0=2\n"), "(Interp) follows from the extents of an input"));
  // SAME says itself what it is for every size.
  const ncnn::open_model same =
      optimized("7767517\n2 2\nInput x 0 1 x\nConvolution c 1 1 x c 0=4 1=3 3=2 4=-233 6=108\n");
  for (const int n : {4, 5, 6, 7}) CHECK(output_for(same, {3, n, n}) == extents{4, (n + 1) / 2, (n + 1) / 2});
  // Built for no size, it is said what is wrong.
  CHECK(has(why_not(begin + "InnerProduct f 1 1 c f 0=4 1=1 2=28\n"), "its inputs cannot stay open: "));
}
