// SPDX-License-Identifier: BSL-1.0
// How many operators are left of every shared model: no more than other rewriters leave, and no fewer by any choice of
// a rule to leave out.
#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <ctnn/formats/ncnn/load.hpp>
#include <ctnn/formats/onnx/load.hpp>
#include <ctnn/formats/tflite/load.hpp>
#include <ctnn/loaded/rewriting.hpp>
#include <ctnn/rewrite/measure.hpp>

#include "formats/shared_files.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace fs = std::filesystem;

namespace {

loaded_model load(const fs::path& file) {
  const std::string path = file.string();
  if (path.ends_with(".onnx")) return onnx::load(path);
  if (path.ends_with(".tflite")) return tflite::load(path);
  return ncnn::load(path, path.substr(0, path.size() - 5) + "bin");
}

struct rewritten {
  int operators = 0;
  std::set<std::string> rules{};  ///< that were applied
};
/// The file as read, rewritten by all rules but those of this name.
rewritten without(const fs::path& file, std::string_view left_out = {}) {
  std::vector<rule_record> rules;
  for (const rule_record& r : default_rule_records())
    if (r.info.name != left_out) rules.push_back(r);
  loaded_model m = load(file);
  ir::graph source = std::move(m.network);
  const optimization o = optimize_loaded(m, std::move(source), rules);
  rewritten done;
  for (const node& n : o.g.nodes) done.operators += counts_as_node(n.type);
  for (const rewrite_step& s : o.history) done.rules.insert(std::string(s.rule));
  return done;
}

/// Rules that leave fewer operators when they are left out. One that is not applied makes no difference.
std::string better_without(const fs::path& file) {
  std::ostringstream out;
  const rewritten all = without(file);
  for (const std::string& rule : all.rules)
    if (const int operators = without(file, rule).operators; operators < all.operators)
      out << " without " << rule << ": " << operators << " instead of " << all.operators;
  return out.str();
}

/// Files below a folder of the shared models that say the shapes of their inputs.
std::vector<fs::path> files_of(const std::string& folder, const std::string& ending) {
  std::vector<fs::path> all;
  for (const fs::path& file : test::files_below(test::shared_models(folder), ending)) {
    try {
      load(file);
      all.push_back(file);
    } catch (const error&) {}
  }
  return all;
}

}  // namespace

TEST_CASE("no choice of a rule to leave out gives fewer operators of a shared model") {
  int models = 0;
  for (const auto& [folder, ending] : std::vector<std::pair<std::string, std::string>>{{"rewriting", ".onnx"},
                                                                                       {"rewriting/ncnn", ".param"},
                                                                                       {"strangers", ".onnx"},
                                                                                       {"onnx", ".onnx"},
                                                                                       {"mlperf_tiny", ".onnx"},
                                                                                       {"mlperf_tiny", ".tflite"},
                                                                                       {"tflite_public", ".tflite"},
                                                                                       {"ncnn", ".param"},
                                                                                       {"ncnn_converted", ".param"},
                                                                                       {"ncnn_int8", ".param"}})
    for (const fs::path& file : files_of(folder, ending)) {
      CAPTURE(file.string());
      CHECK(better_without(file) == "");
      ++models;
    }
  if (models > 0) MESSAGE(models << " models rewritten without each of their rules");
}

TEST_CASE("as many operators are left as when others were counted, or fewer") {
  const fs::path folder = test::shared_models("rewriting");
  if (folder.empty()) return;
  std::ifstream table(folder / "nodes.tsv");
  int rows = 0;
  for (std::string line; std::getline(table, line);) {
    std::istringstream row(line);
    std::string model, onnxruntime, ctnn;
    if (line.starts_with("#") || !(row >> model >> onnxruntime >> ctnn)) continue;
    CAPTURE(model);
    CHECK(without(folder / "models" / (model + ".onnx")).operators <= std::stoi(ctnn));
    ++rows;
  }
  CHECK(rows > 0);
}

TEST_CASE("networks of NHWC end as small as those of NCHW and the permute of their input") {
  const fs::path folder = test::shared_models("rewriting");
  if (folder.empty()) return;
  const std::map<std::string, int> expected{{"pre_nhwc_after_transpose", 2},
                                            {"pre_nhwc_after_transpose_mul", 2},
                                            {"pre_nhwc_before_transpose", 2},
                                            {"tf_bias_nhwc", 4},
                                            {"tf_mbv2", 11},
                                            {"tf_resnet", 11},
                                            {"o_scalar_chain_2d", 1}};
  for (const auto& [name, operators] : expected) {
    const std::string called = name;  // a lambda cannot have what a declaration took apart
    CAPTURE(called);
    CHECK(without(folder / "cases" / (name + ".onnx")).operators <= operators);
  }
}
