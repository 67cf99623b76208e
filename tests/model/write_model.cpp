// SPDX-License-Identifier: BSL-1.0
// A model as it runs, with its folded weights, to files and back.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <ctnn/model/write_ncnn.hpp>
#include <ctnn/model/write_onnx.hpp>

#include "support/builder.hpp"
#include "support/deviation.hpp"
#include "support/loaded.hpp"
#include "support/scratch_folder.hpp"
#include "synthetic.hpp"

using namespace ctnn;
using namespace ctnn::ir;

namespace {

const std::string unfused =
    "7767517\n6 6\n"
    "Input       in   0 1 in 0=8 1=6 2=3\n"
    "Convolution conv 1 1 in a 0=4 1=3 4=1 5=1 6=108\n"
    "BatchNorm   bn   1 1 a b 0=4 1=1e-5\n"
    "Scale       sc   1 1 b c 0=4 1=1\n"
    "ReLU        act  1 1 c d\n"
    "Pooling     gap  1 1 d out 0=1 4=1\n";

array answer(const model& m) {
  extractor run = m.extractor();
  run.input("in", {{3, 6, 8}, test::synthetic_input(3 * 6 * 8)});
  return run.extract("out");
}

}  // namespace

TEST_CASE("what runs is what is written: fused layers with folded weights, in full or half precision") {
  const ncnn::param_file file = ncnn::parse_param(unfused);
  const test::synthetic_weights weights(file);
  ncnn::bin_reader bin(weights.bytes(), "t.bin");
  const model m(ncnn::build(file, bin), {.keep_weights = true});
  const array want = answer(m);
  const test::scratch_folder folder;
  const std::string param = folder.file("again.param"), numbers = folder.file("again.bin");
  for (const auto storage : {ncnn::weight_storage::fp32, ncnn::weight_storage::fp16}) {
    ncnn::save(m, param, numbers, storage);
    const model again = model::load(param, numbers, {.optimize = false});
    CHECK(again.graph().nodes.size() == 3);  // input, convolution with everything in it, pooling
    const double allowed = storage == ncnn::weight_storage::fp32 ? 1e-2 : 10;
    const array got = answer(again);
    CHECK(test::deviation(got.values(), want.values()) <= allowed);
    CHECK(read_file(numbers).size() == (storage == ncnn::weight_storage::fp32 ? 4 + 4 * 108 + 16 : 4 + 2 * 108 + 16));
  }
  CHECK_THROWS_AS(ncnn::save(m, folder.file("no/such.param"), folder.file("alone.bin")), error);
  CHECK(!std::filesystem::exists(folder.file("alone.bin")));
  CHECK_THROWS_WITH_AS(
      ncnn::save(model::load(param, numbers), param, numbers),
      "the weights as they were read are gone: load the model with load_options::keep_weights", error);
}

TEST_CASE("an attention and what adds its input to it or multiplies by it, as read and as it runs") {
  for (const std::string behind : {"BinaryOp sum 2 1 x m out 0=0\n", "BinaryOp sum 2 1 m x out 0=1\n",
                                   "Permute p 1 1 x t 0=1\nMatMul mm 2 1 t m out\n"}) {
    const std::string text = "7767517\n" + std::to_string(3 + std::count(behind.begin(), behind.end(), '\n')) +
                             " 6\nInput in 0 1 in 0=4 1=3\n"
                             "Split s 1 2 in a x\nMultiHeadAttention mha 1 1 a m 0=4 1=2 2=16\n" +
                             behind;
    CAPTURE(text);
    const ncnn::param_file file = ncnn::parse_param(text);
    const test::synthetic_weights weights(file);
    const auto answer_of = [](const model& m) {
      extractor run = m.extractor();
      run.input("in", {{3, 4}, test::synthetic_input(12)});
      return run.extract("out");
    };
    for (const bool optimize : {false, true}) {
      ncnn::bin_reader bin(weights.bytes(), "t.bin");
      const model m(ncnn::build(file, bin), {.optimize = optimize, .keep_weights = true});
      const ncnn::written_model w = ncnn::write(m.code());
      CAPTURE(w.param);
      ncnn::bin_reader again(std::as_bytes(std::span(w.bin)), "w.bin");
      const array got = answer_of(model(ncnn::build(ncnn::parse_param(w.param), again))), want = answer_of(m);
      CHECK(got.shape() == want.shape());
      CHECK(test::deviation(got.values(), want.values()) <= 1e-3);
    }
  }
}

TEST_CASE("a batch norm and the activation behind it run as one step, and are written as the two layers ncnn has") {
  for (const std::string then : {"ReLU act 1 1 b out\n", "TanH act 1 1 b out\n"}) {
    const std::string text = "7767517\n3 3\nInput in 0 1 in 0=8 1=6 2=3\nBatchNorm bn 1 1 in b 0=3 1=1e-5\n" + then;
    const ncnn::param_file file = ncnn::parse_param(text);
    const test::synthetic_weights weights(file);
    ncnn::bin_reader bin(weights.bytes(), "t.bin"), once_more(weights.bytes(), "t.bin");
    const model as_read(ncnn::build(file, once_more), {.optimize = false}),
        m(ncnn::build(file, bin), {.keep_weights = true});
    CHECK(m.graph().nodes.size() == 2);
    const array got = answer(m), want = answer(as_read);
    CHECK(test::deviation(got.values(), want.values()) <= 1e-2);
    const ncnn::written_model w = ncnn::write(m.code());
    CAPTURE(w.param);
    CHECK(w.param.find("Scale") != w.param.npos);
    ncnn::bin_reader again(std::as_bytes(std::span(w.bin)), "w.bin");
    const model written(ncnn::build(ncnn::parse_param(w.param), again), {.optimize = false});
    CHECK(written.graph().nodes.size() == 3);
    const array as_written = answer(written);
    CHECK(test::deviation(as_written.values(), got.values()) == 0);
  }
}

namespace {

/// Two channels of the first layer are zeros, or one number each, which the second takes in if it does not pad.
void check_without_channels(int kernel, std::initializer_list<int> zeros_of_bias) {
  test::builder b;
  const value_id x = b.input("in", {3, 6, 8});
  const value_id y = b.conv("first", x, 4, 3, {function::leaky_relu, 0.5f});
  b.zeros(0, {1, 2});
  b.zeros(1, zeros_of_bias);
  b.output("out", b.conv("second", y, 5, kernel));
  test::random_weights numbers(b.g.view());
  const model m(test::as_loaded(b.g.view(), numbers), {.keep_weights = true});
  const model as_it_was(test::as_loaded(b.g.view(), numbers), {.optimize = false});
  const test::scratch_folder folder;
  const std::string param = folder.file("m.param"), bin = folder.file("m.bin"), onnx = folder.file("m.onnx");
  ncnn::save(m, param, bin);
  onnx::save(m, onnx);
  const auto taps = static_cast<std::size_t>(kernel * kernel);
  CHECK(read_file(bin).size() == 4 + 4 * (2 * 27 + 2) + 4 + 4 * (5 * 2 * taps + 5));
  const array want = answer(as_it_was), here = answer(m);
  CHECK(test::deviation(here.values(), want.values()) <= 1e-2);
  const auto check = [&](const model& again) {
    int outputs = 0;
    for (const node& n : again.code().g().nodes)
      if (!n.dead && n.type == &type_of<op::conv2d>)
        outputs += decode<op::conv2d>(again.code().g().fields_of(n.fields)).out;
    CHECK(outputs == 2 + 5);
    const array got = answer(again);
    CHECK(test::deviation(got.values(), want.values()) <= 1e-2);
  };
  check(model::load(param, bin, {.optimize = false}));
  check(model::load(onnx, {.optimize = false}));
}

}  // namespace

TEST_CASE("files have no channels of zeros, which the model had") { check_without_channels(3, {1, 2, 3}); }
TEST_CASE("files have no channels of one number, which the model had") { check_without_channels(1, {}); }

namespace {

/// "out" of a graph whose first node is the input "in", before and after it was an ONNX file, or what `save` makes.
struct written_and_read {
  array want, got;

  template <class Save>
  written_and_read(const ir::graph& g, const Save& save) {
    test::random_weights numbers(g.view());
    const model m(test::as_loaded(g.view(), numbers), {.keep_weights = true});
    const test::scratch_folder folder;
    const extents& shape = g.view().shape(g.nodes[0].outputs.first);
    want = run(m, shape);
    got = run(save(m, folder), shape);
  }
  explicit written_and_read(const ir::graph& g)
      : written_and_read(g, [](const model& m, const test::scratch_folder& folder) {
          onnx::save(m, folder.file("m.onnx"));
          return model::load(folder.file("m.onnx"));
        }) {}

 private:
  static array run(const model& of, const extents& shape) {
    extractor run = of.extractor();
    run.input("in", {shape, test::synthetic_input(std::size_t(shape.count()))});
    return run.extract("out");
  }
};

}  // namespace

TEST_CASE("a window as large as a graph can have is written and read back") {
  test::builder b;
  op::pool pool;
  pool.kernel = {1, 1 << 24};
  pool.stride = {1};
  pool.pad = {0, (1 << 23) - 4, 0, (1 << 23) - 3};
  b.output("out", b.add(pool, "most", {b.input("in", {1, 1, 3, 8})}));
  const written_and_read file(b.g);
  CHECK(file.got.shape() == extents{1, 1, 3, 2});
  CHECK(test::deviation(file.got.values(), file.want.values()) == 0);
}

TEST_CASE("a norm of groups along any axis is one of ONNX's, which has a batch before its channels") {
  const extents x{4, 2, 6, 3};
  for (const int axis : {0, 1, 2, 3})
    for (const int groups : {1, x[axis]}) {
      CAPTURE(axis);
      CAPTURE(groups);
      test::builder b;
      const value_id y = b.input("in", {4, 2, 6, 3}), scale = b.constant("scale", {x[axis]}),
                     shift = b.constant("bias", {x[axis]});
      b.output("out", b.add(op::group_norm{groups, 1e-3f, axis}, "norm", {y, scale, shift}));
      const written_and_read file(b.g);
      CHECK(file.got.shape() == x);
      CHECK(test::deviation(file.got.values(), file.want.values()) <= 1e-2);
    }
}

TEST_CASE("parts whose sizes were not said, and an axis that becomes two, are written in numbers") {
  test::builder b;
  const value_id x = b.input("in", {8, 5, 3});
  const value_id parts = b.add(op::split{{-1, -1, -1}, 0}, "parts", {x});
  const value_id two = b.add(op::reshape{{2, -1}, true, 0}, "two", {parts + 2});
  b.output("out", b.add(op::activation{{function::sigmoid}}, "y", {two}));
  b.output("first", parts);
  const auto check = [](const written_and_read& file) {
    CHECK(file.got.shape() == extents{2, 1, 5, 3});
    CHECK(test::deviation(file.got.values(), file.want.values()) <= 1e-3);
  };
  check(written_and_read(b.g));
  check({b.g, [](const model& m, const test::scratch_folder& folder) {
           ncnn::save(m, folder.file("m.param"), folder.file("m.bin"), ncnn::weight_storage::fp32);
           return model::load(folder.file("m.param"), folder.file("m.bin"));
         }});
}

TEST_CASE("an lstm of bytes is in no format but TensorFlow Lite's") {
  test::builder b;
  const auto input = [&](const char* name, const extents& shape, dtype type) {
    return b.add(op::input{as_list(shape), type}, name, {});
  };
  op::input x{{4, 1, 5}, dtype::i8};
  x.as = {0.5, 3};
  op::lstm lstm;
  lstm.hidden = 3;
  lstm.weight.type = dtype::i8;
  lstm.given = 31;
  b.output("out", b.add_as({dtype::i8, {0.25, 0}, rounding::twice}, lstm, "lstm",
                           {b.add(x, "in", {}), input("w", {12, 5}, dtype::i8), input("r", {12, 3}, dtype::i8),
                            input("b", {12}, dtype::i32), input("s", {4}, dtype::f32), input("t", {4}, dtype::f32)}));
  test::random_weights none(b.g.view());
  const model m(test::as_loaded(b.g.view(), none), {.keep_weights = true});
  CHECK_THROWS_WITH_AS(onnx::write(m.code()), doctest::Contains("an lstm of bytes"), error);
  CHECK_THROWS_WITH_AS(ncnn::write(m.code()), doctest::Contains("numbers of i16"), error);
}
