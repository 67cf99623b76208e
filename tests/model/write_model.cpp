// SPDX-License-Identifier: BSL-1.0
// A model as it runs, with its folded weights, to files and back.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <ctnn/model/write_ncnn.hpp>

#include "support/deviation.hpp"
#include "support/scratch_folder.hpp"
#include "synthetic.hpp"

using namespace ctnn;

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
  CHECK_THROWS_AS(ncnn::save(m, folder.file("no/such.param"), numbers), error);
  CHECK_THROWS_WITH_AS(ncnn::save(model::load(param, numbers), param, numbers),
                       "the weights as they were read are gone: load the model with load_options::keep_weights to write it", error);
}
