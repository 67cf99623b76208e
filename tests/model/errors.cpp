// SPDX-License-Identifier: BSL-1.0
// Errors of loaded models, thrown or as values: the same text.
#include <doctest/doctest.h>

#include <ctnn/formats/file.hpp>
#include <ctnn/formats/ncnn/bin_writer.hpp>
#include <ctnn/model.hpp>

#include "support/scratch_folder.hpp"

using namespace ctnn;
using namespace ctnn::ir;

namespace {

template <class F>
std::string thrown(F f) {
  try {
    f();
  } catch (const error& e) {
    return e.what();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("loading and running say the same in both ways") {
  const test::scratch_folder folder;
  const std::string good = folder.file("good.param"), bad = folder.file("bad.param"),
                    missing = folder.file("missing.param");
  write_file(good, "7767517\n2 2\nInput in 0 1 in 0=4\nReLU r 1 1 in out\n");
  write_file(folder.file("good.bin"), "");
  write_file(bad, "7767517\n1 1\nNonsense n 0 1 out\n");
  for (const std::string& file : {bad, missing, folder.file("x.txt"), folder.file("x.onnx")}) {
    const result<model> none = model::try_load(file);
    REQUIRE(!none);
    CHECK(none.error().what() == thrown([&] { model::load(file); }));
    CHECK(std::string(none.error().what()) != "");
  }
  CHECK(!model::try_load(bad, ""));

  const result<model> m = model::try_load(good);
  REQUIRE(m);
  extractor run = m->extractor();
  CHECK(run.try_extract("out").error().what() == thrown([&] { run.extract("out"); }));
  CHECK(run.try_input("nobody", array({4})).error().what() == thrown([&] { run.input("nobody", array({4})); }));
  CHECK(!run.try_input(7, array({4})));
  REQUIRE(run.try_input("in", {{4}, std::vector<float>{-1, 0, 1, 2}}));
  const result<array> out = run.try_extract(0);
  REQUIRE(out);
  CHECK((*out)[3] == 2);
}

TEST_CASE("half-precision weights stay so until they are packed; what was read is released") {
  const test::scratch_folder folder;
  const std::string param = folder.file("t.param"), bin = folder.file("t.bin");
  write_file(param, "7767517\n2 2\nInput in 0 1 in 0=4\nInnerProduct fc 1 1 in out 0=2 1=1 2=8\n");
  ncnn::bin_writer numbers(ncnn::weight_storage::fp16);
  numbers.tagged(std::vector<float>{1, 2, 3, 4, -1, -2, -3, -0.5f});
  numbers.raw(std::vector<float>{10, 20});
  write_file(bin, numbers.bytes());
  const loaded_model read = ncnn::load(param, bin);
  std::size_t bytes = 0, halves = 0;
  for (const auto& [name, numbers_read] : read.weights) {
    bytes += numbers_read->bytes().size();
    halves += numbers_read->type() == dtype::f16 ? 1 : 0;
  }
  CHECK(halves == 1);
  CHECK(bytes == 8 * 2 + 2 * 4);
  for (bool keep : {false, true}) {
    const model m = model::load(param, bin, {.keep_weights = keep});
    CHECK(m.code().source().weights.size() == (keep ? 2 : 0));
    extractor run = m.extractor();
    run.input("in", {{4}, std::vector<float>{1, 1, 1, 2}});
    const array out = run.extract("out");
    CHECK(out[0] == 24);
    CHECK(out[1] == 13);
  }
}
