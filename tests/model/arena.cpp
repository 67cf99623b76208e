// SPDX-License-Identifier: BSL-1.0
// Models that put the arena first need no more of it than they do layer by layer as they were read, whatever their
// format; few are left of which rewriting takes more.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include <ctnn/formats/ncnn/load.hpp>
#include <ctnn/formats/onnx/load.hpp>
#include <ctnn/formats/tflite/load.hpp>
#include <ctnn/loaded/planning.hpp>
#include <ctnn/loaded/rewriting.hpp>

#include "published.hpp"

using namespace ctnn;

namespace {

/// What rewriting adds for other reasons, in bytes: memory of attention for models of few numbers, and values that wait
/// longer where layers have other places in the order.
const std::map<std::string, std::int64_t> known_growth{
    {"basic_pitch/model.onnx", 181'632},
    {"cct_2_32_32_128/model.onnx", 38'912},
    {"gtcrn_simple/model.onnx", 2'176},
    {"kws_on_off_v3.tflite", 1'152},
};

/// As it is read, with one sample where first axes are open and 16 along others; nothing of what is to be refused, or
/// needs numbers to be read.
std::optional<loaded_model> read(const std::filesystem::path& file) {
  try {
    if (file.extension() == ".param") {
      auto bin = file;
      bin.replace_extension(".bin");
      return ncnn::build(ncnn::open_network(file.string(), std::filesystem::exists(bin) ? bin.string() : "", {}), {});
    }
    onnx::read_options options;
    options.external_data = true;
    const bool is_onnx = file.extension() == ".onnx";
    const onnx::model_message m = is_onnx ? onnx::read(file.string(), options) : tflite::read(file.string(), options);
    for (const declared_value& v : onnx::declared_inputs(m)) {
      if (!v.open()) continue;
      if (!v.ranked) return {};
      extents shape;
      for (const declared_axis& a : v.axes) shape.push_back(a.open() ? shape.rank == 0 ? 1 : 16 : a.extent);
      options.input_shapes.insert_or_assign(v.name, shape);
    }
    return onnx::build(m, options, {});
  } catch (const std::exception&) {
    return {};
  }
}

std::string name_of(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  return name.starts_with("model.") ? file.parent_path().filename().string() + '/' + name : name;
}

}  // namespace

TEST_CASE("models that put the arena first need no more than as they were read") {
  int all = 0, smaller = 0;
  for (const std::string room : {"light", "mlperf_tiny", "ncnn", "ncnn_benchmark", "ncnn_converted", "onnx",
                                 "rewriting/models", "tflite_public"}) {
    const std::filesystem::path folder = ir::test::shared_models(room);
    if (folder.empty()) return;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      const std::filesystem::path& file = entry.path();
      if (file.extension() != ".onnx" && file.extension() != ".tflite" && file.extension() != ".param") continue;
      const std::string name = name_of(file);
      CAPTURE(name);
      std::optional<loaded_model> m = read(file);
      if (!m) continue;
      const ir::graph_view declared = m->network.view();
      ir::optimization o = ir::optimize_loaded(*m, ir::thaw(declared), ir::default_rule_records());
      ir::put_arena_first(o.g, declared);
      const auto known = known_growth.find(name);
      const std::int64_t by_layer = 4 * ir::loaded_arena_by_layer(declared),
                         now = 4 * ir::plan_loaded(o.g.view()).arena_size;
      // Lines of the arena, of models with a few numbers a layer.
      CHECK(now <= by_layer + (known == known_growth.end() ? 2048 : known->second));
      ++all;
      smaller += now < by_layer ? 1 : 0;
    }
  }
  MESSAGE(all << " models, " << smaller << " smaller than as they were read");
  CHECK(all > 100);
}
