// SPDX-License-Identifier: BSL-1.0
// Every published ncnn model against ncnn's own answers: as read, optimised, keeping all values, and written out again.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include <ctnn/model/write_ncnn.hpp>

#include "published.hpp"
#include "support/scratch_folder.hpp"

using namespace ctnn;
using namespace ctnn::ir;

namespace {

const std::vector<std::string> known_models{
    "ncnn/antispoof_1",
    "ncnn/fastestdet",
    "ncnn/mnet25",
    "ncnn/mobilefacenet",
    "ncnn/mtcnn_det1",
    "ncnn/mtcnn_det3",
    "ncnn/nanodet_m",
    "ncnn/ppocr_rec_lstm",
    "ncnn/ppocrv5_det",
    "ncnn/realcugan_pro",
    "ncnn/retinaface_det",
    "ncnn/retinaface_landmark",
    "ncnn/rfb320",
    "ncnn/squeezenet11",
    "ncnn/waifu2x_cunet",
    "ncnn/waifu2x_upconv7",
    "ncnn/yolofastest11",
    "ncnn_converted/fastestdet",
    "ncnn_converted/keras_mlp",
    "ncnn_converted/mnist_8",
    "ncnn_converted/steerable_nafx_tcn",
    "ncnn_converted/super_resolution_10",
    "ncnn_converted/tfl_helloworld",
    "ncnn_converted/ultraface_rfb320_simplified",
    "ncnn_int8/rfb320",
    "ncnn_int8/squeezenet11",
};

/// All cases in all ways: as read and optimised on one thread and two, keeping all values, and written and read again.
void run_all_ways(const std::string& name, const std::filesystem::path& folder) {
  const std::string param = (folder / "model.param").string(), bin = (folder / "model.bin").string();
  const test::scratch_folder scratch;
  const std::string param_again = scratch.file("again.param"), bin_again = scratch.file("again.bin");
  test::verdict as_read, optimized;
  double keeping = 0, written = 0;
  bool same_written = true;  // the optimised model, written, read and optimised again
  const auto note = [](double& most, double now) { most = std::max(most, now); };
  const auto cases = test::read_cases(folder);
  for (const test::published_case& c : cases) {
    CAPTURE(c.id);
    const ncnn::read_options shapes = c.shapes();
    {
      const auto m = model::load(param, bin, {.optimize = false, .read = shapes});
      as_read.note(m, c);
      note(keeping, test::deviation(m, c, false));
    }
    const auto m = model::load(param, bin, {.read = shapes, .keep_weights = true});
    optimized.note(m, c);
    note(keeping, test::deviation(m, c, false));
    ncnn::save(m, param_again, bin_again);
    const auto ran = test::answers_to(c, m);
    for (bool optimize : {false, true}) {
      const auto again = test::answers_to(c, model::load(param_again, bin_again, {.optimize = optimize}));
      note(written, test::deviation(again, c));
      if (optimize) same_written = same_written && test::same_bits(again, ran);
    }
  }
  std::ostringstream more;
  more << ", " << keeping << " keeping all values, " << written << " written and read again";
  test::report(name, cases.size(), as_read, optimized, more.str());
  CHECK(same_written);
  for (double d : {keeping, written}) CHECK(d <= 1);
}

std::vector<int> best_five(const array& scores) {
  std::vector<int> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + 5, order.end(), [&](int a, int b) {
    return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
  });
  order.resize(5);
  return order;
}

}  // namespace

TEST_CASE("published models answer as in ncnn, in every way of running") {
  if (test::shared_models("ncnn").empty()) return;
  for (const std::string& name : known_models) {
    CAPTURE(name);
    const auto folder = test::shared_models(name);
    if (folder.empty()) continue;
    run_all_ways(name, folder);
  }
}

TEST_CASE("layers of int8 models make the bytes that the next ones would, on every target") {
  std::vector<rule_record> alone;
  for (const rule_record& r : default_rule_records())
    if (r.info.name == "bytes_of_products") alone.push_back(r);
  for (const std::string name : {"rfb320", "squeezenet11"}) {
    const auto folder = test::shared_models("ncnn_int8/" + name);
    if (folder.empty()) return;
    CAPTURE(name);
    const std::string param = (folder / "model.param").string(), bin = (folder / "model.bin").string();
    for (const target_id target : supported_targets()) {
      CAPTURE(target_name(target));
      const test::published_case c = test::read_cases(folder).at(0);
      const auto as_read = model::load(param, bin, {.optimize = false, .target = target, .read = c.shapes()});
      const auto less = model::load(param, bin, {.rules = alone, .target = target, .read = c.shapes()});
      CHECK((name == "rfb320" || less.code().history().size() >= 8));
      CHECK(test::same_bits(test::answers_to(c, as_read), test::answers_to(c, less)));
    }
  }
}

TEST_CASE("one model takes inputs of any size, said in its file or not, where its layers do") {
  for (const std::string name : {"mtcnn_det1", "nanodet_m", "retinaface_landmark", "squeezenet11"}) {
    CAPTURE(name);
    const auto folder = test::shared_models("ncnn/" + name);
    if (folder.empty()) return;
    const auto m = model::load((folder / "model.param").string(), (folder / "model.bin").string());
    for (int round = 0; round < 2; ++round)
      for (const test::published_case& c : test::read_cases(folder)) {
        CAPTURE(c.id);
        CHECK(test::deviation(m, c) <= 1);
      }
  }
}

TEST_CASE("no published model is missing from the list") {
  for (const std::string group : {"ncnn", "ncnn_converted", "ncnn_int8"})
    for (const auto& path : test::files_below(test::shared_models(group), "model.json")) {
      const std::string folder = group + "/" + path.parent_path().filename().string();
      CAPTURE(folder);
      CHECK(std::find(known_models.begin(), known_models.end(), folder) != known_models.end());
    }
}

TEST_CASE("SqueezeNet v1.1 has ncnn's best five and its probabilities on every target, in every way of running") {
  const auto folder = test::shared_models("ncnn/squeezenet11");
  if (folder.empty()) return;
  const std::string param = (folder / "model.param").string(), bin = (folder / "model.bin").string();
  const test::scratch_folder scratch;
  const std::string param_again = scratch.file("again.param"), bin_again = scratch.file("again.bin");
  ncnn::save(model::load(param, bin, {.keep_weights = true}), param_again, bin_again, ncnn::weight_storage::fp16);
  const auto cases = test::read_cases(folder);
  for (const target_id target : supported_targets()) {
    CAPTURE(target_name(target));
    double worst = 0;
    for (const model& m : {model::load(param, bin, {.optimize = false, .target = target}),
                           model::load(param, bin, {.target = target}),
                           model::load(param_again, bin_again, {.target = target})})
      for (const test::published_case& c : cases) {
        CAPTURE(c.id);
        extractor run = m.extractor();
        run.input("data", c.inputs[0].second);
        const array got = run.extract("prob"), &want = c.answers[0].second;
        REQUIRE(got.shape() == want.shape());
        CHECK(best_five(got) == best_five(want));
        for (std::size_t i = 0; i < got.size(); ++i)
          worst = std::max(worst, std::fabs(static_cast<double>(got[i]) - static_cast<double>(want[i])));
      }
    CHECK(worst <= 1e-4);
    MESSAGE("SqueezeNet v1.1 on " << target_name(target) << ": probabilities within " << worst);
  }
}
