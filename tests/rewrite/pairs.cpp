// SPDX-License-Identifier: BSL-1.0
// Every model that upstream's ncnnoptimize was run on: ctnn leaves no more layers than it does, and the same answers.
//
// Counted are ncnn's layers without Input and Split against the nodes of the optimised graph without inputs: constants,
// reshapes that are mere views and every other node count one, whatever they cost.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <ctnn/formats/ncnn/param_reader.hpp>
#include <ctnn/loaded/rewriting.hpp>
#include <ctnn/model.hpp>

#include "model/published.hpp"
#include "model/synthetic.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace fs = std::filesystem;

namespace {

/// Input shapes where neither the file nor a published case says one.
const std::map<std::string_view, std::pair<std::string_view, extents>> shapes{
    {"ncnn_benchmark__FastestDet", {"in0", {3, 352, 352}}},
    {"ncnn_benchmark_old__mnasnet", {"data", {3, 224, 224}}},
};

/// Weights are synthetic floats: what the int8 tables say is not looked at.
ncnn::param_file without_int8(const fs::path& path) {
  const byte_buffer text = read_file(path.string(), {});
  ncnn::param_file file = ncnn::parse_param(as_text(text), path.filename().string(), {});
  for (ncnn::layer& l : file.layers)
    if (l.type.starts_with("Convolution") || l.type == "InnerProduct")
      l.params.erase(8);
  return file;
}

struct pair_files {
  ncnn::param_file param;
  ncnn::read_options options;
};
pair_files files_of(const std::string& pair) {
  const auto cut = pair.find("__");
  const std::string set = pair.substr(0, cut), name = pair.substr(cut + 2);
  const fs::path folder = test::shared_directory() / "models" / set;
  ncnn::read_options options;
  if (const auto known = shapes.find(pair); known != shapes.end())
    options.input_shapes[std::string(known->second.first)] = known->second.second;
  fs::path param = folder / (name + ".param");
  if (!fs::exists(param)) {
    param = folder / name / "model.param";
    const auto described = test::read_json((folder / name / "model.json").string());
    for (const auto& in : described["cases"][0]["inputs"].items) {
      extents shape;
      for (const auto& extent : in["shape"].items) shape.push_back(extent.integer());
      options.input_shapes[in["name"].text] = shape;
    }
  }
  return {without_int8(param), options};
}
loaded_model load_pair(const std::string& pair) {
  const pair_files f = files_of(pair);
  ncnn::bin_reader zeros = ncnn::bin_reader::zeros(f.options.limits);
  return ncnn::build(f.param, zeros, f.options);
}
std::vector<std::string> all_pairs() {
  std::vector<std::string> pairs;
  const fs::path folder = test::shared_models("ncnnoptimize_pairs");
  if (folder.empty()) return pairs;
  for (const auto& entry : fs::directory_iterator(folder)) pairs.push_back(entry.path().filename().string());
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

int layers_of(const test::json& operators) {
  int n = 0;
  for (const auto& [type, count] : operators.members)
    if (type != "Input" && type != "Split") n += count.integer();
  return n;
}
int nodes_of(const graph_view& g, const operator_type* type = nullptr) {
  int n = 0;
  for (const node& x : g.nodes) n += type ? x.type == type : x.type != &type_of<op::input>;
  return n;
}

}  // namespace

TEST_CASE("no more layers left than ncnnoptimize leaves") {
  const std::vector<std::string> pairs = all_pairs();
  if (pairs.empty()) return;
  const fs::path folder = test::shared_models("ncnnoptimize_pairs");
  std::string table = "before  ncnnoptimize  ctnn\n";
  int theirs_all = 0, ours_all = 0;
  for (const std::string& pair : pairs) {
    CAPTURE(pair);
    const auto summary = test::read_json((folder / pair / "summary.json").string());
    const int before = layers_of(summary["ops_before"]), theirs = layers_of(summary["ops_after"]);
    loaded_model m = load_pair(pair);
    const optimization o = optimize_loaded(m, thaw(m.network.view()), default_rule_records());
    CHECK(o.broken_rule == "");
    const int ours = nodes_of(o.g.view());
    CHECK(ours <= theirs);
    table += std::to_string(before) + " " + std::to_string(theirs) + " " + std::to_string(ours) + "  " + pair + "\n";
    theirs_all += theirs;
    ours_all += ours;
  }
  MESSAGE(table << pairs.size() << " pairs: ncnnoptimize leaves " << theirs_all << " layers, ctnn " << ours_all);
  CHECK(pairs.size() >= 57);
}

TEST_CASE("the optimised model's answers are the unoptimised one's") {
  // Made-up weights. An architecture counts once whatever its files are called; larger ones (VGG, ResNet-50, waifu2x
  // and realcugan at full size) take too long here.
  constexpr std::int64_t most_macs = 1'200'000'000;
  std::set<std::pair<std::size_t, std::int64_t>> seen;
  std::string passed_over;
  int compared = 0;
  double worst = 0;
  for (const std::string& pair : all_pairs()) {
    CAPTURE(pair);
    pair_files f = files_of(pair);
    ncnn::bin_reader zeros = ncnn::bin_reader::zeros({});
    std::int64_t macs = 0;
    const loaded_model empty = ncnn::build(f.param, zeros, f.options);
    const graph_view g = empty.network.view();
    for (const node& n : g.nodes) {
      std::vector<extents> in, out;
      for (value_id v : g.inputs(n)) in.push_back(g.shape(v));
      for (int k = 0; k < n.outputs.count; ++k) out.push_back(g.shape(n.outputs.first + k));
      macs += n.type->macs(g.fields_of(n.fields), in, out);
    }
    if (!seen.emplace(g.nodes.size(), macs).second) continue;
    if (macs > most_macs) {
      passed_over += " " + pair;
      continue;
    }
    const test::synthetic_weights weights(f.param);
    std::vector<array> answers[2];
    for (const bool optimized : {false, true}) {
      ncnn::bin_reader bin(weights.bytes(), "synthetic");
      const model m(ncnn::build(f.param, bin, f.options), {.optimize = optimized});
      extractor run = m.extractor();
      for (const node& n : g.nodes) {
        if (n.type != &type_of<op::input>) continue;
        const extents& shape = g.shape(n.outputs.first);
        run.input(std::string(g.at_value(n.outputs.first).name),
                  array(shape, test::synthetic_input(static_cast<std::size_t>(shape.count()))));
      }
      for (const network_output& o : g.outputs) answers[optimized].push_back(run.extract(std::string(o.name)));
    }
    for (std::size_t i = 0; i < answers[0].size(); ++i) {
      if (test::is_detections(empty, std::string(g.outputs[i].name))) {
        CHECK(test::shared_rows(answers[1][i].values(), answers[0][i].values()) >= 0.98);
        continue;
      }
      CHECK(answers[0][i].shape() == answers[1][i].shape());
      const double off = test::deviation(answers[1][i].values(), answers[0][i].values());
      CHECK(off <= 1);
      worst = std::max(worst, off);
    }
    ++compared;
  }
  MESSAGE(compared << " architectures, the worst " << worst << " of what is allowed; too large:" << passed_over);
  CHECK((all_pairs().empty() || compared > 20));
}

TEST_CASE("residual networks lose their sums and activations to convolutions") {
  if (test::shared_models("ncnn_benchmark_old").empty()) return;
  for (const char* name :
       {"ncnn_benchmark_old__resnet50", "ncnn_benchmark__resnet50", "ncnn_benchmark__resnet50_int8"}) {
    CAPTURE(name);
    loaded_model m = load_pair(name);
    const optimization o = optimize_loaded(m, thaw(m.network.view()), default_rule_records());
    CHECK(nodes_of(o.g.view(), &type_of<op::conv2d>) == 53);
    CHECK(nodes_of(o.g.view()) <= 58);  // as ONNX Runtime
    for (const operator_type* gone :
         {&type_of<op::activation>, &type_of<op::binary>, &type_of<op::scale>, &type_of<op::batch_norm>})
      CHECK(nodes_of(o.g.view(), gone) == 0);
  }
  for (const fs::path& path : test::files_below(test::shared_models("ncnn_benchmark_old"), ".param")) {
    const std::string name = path.stem().string();
    if (!name.starts_with("resnet") && !name.starts_with("mobilenet") && !name.starts_with("mnasnet")) continue;
    if (name == "mobilenet_ssd" || name.ends_with("int8") || name.find("yolo") != std::string::npos) continue;
    CAPTURE(name);
    loaded_model m;
    try {
      m = load_pair("ncnn_benchmark_old__" + name);
    } catch (const error& e) {
      MESSAGE("not counted: " << e.what());
      continue;
    }
    const optimization o = optimize_loaded(m, thaw(m.network.view()), default_rule_records());
    CHECK(nodes_of(o.g.view(), &type_of<op::activation>) == 0);
    CHECK(nodes_of(o.g.view(), &type_of<op::batch_norm>) + nodes_of(o.g.view(), &type_of<op::scale>) == 0);
  }
}
