// SPDX-License-Identifier: BSL-1.0
// ONNX's backend cases: a folder with model.onnx and test_data_set_*/input_*.pb and output_*.pb, run unoptimised,
// optimised, and as they are when they have been written after that and read again.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <ctnn/formats/onnx/evaluate.hpp>
#include <ctnn/formats/onnx/parser.hpp>
#include <ctnn/model.hpp>
#include <ctnn/model/write_onnx.hpp>

namespace ctnn::ir::test::backend {

namespace fs = std::filesystem;

struct tolerance {
  double relative = 1e-3, absolute = 1e-7;  // onnx's own
  double of_largest = 0;                    ///< of the expected output's largest magnitude
};
/// For outputs that another runtime computed, the shared models' rule.
inline constexpr tolerance between_runtimes{1e-3, 1e-5, 1e-4};
/// Where they compute in f16 in between: ONNX Runtime's own for its operators (passes.md, D).
inline constexpr tolerance with_halves{1e-3, 2.5e-3, 0};

enum class verdict { passed, failed, unsupported };
struct answer {
  verdict what = verdict::passed;
  std::string why;
};

struct named_array {
  std::string name;
  array values;
};

/// input_0.pb, input_1.pb, ...
inline std::vector<named_array> read_arrays(const fs::path& folder, const std::string& stem) {
  std::vector<named_array> out;
  for (int i = 0; fs::exists(folder / (stem + std::to_string(i) + ".pb")); ++i) {
    const fs::path path = folder / (stem + std::to_string(i) + ".pb");
    const onnx::tensor t = onnx::parse_tensor(read_file(path.string()), path.filename().string());
    if (!t.values) throw error("not supported: " + t.refused);
    out.push_back({t.name, *t.values});
  }
  return out;
}

/// The input that array k is for: the one of its name, or number k.
inline const std::string* input_for(const onnx::graph_message& g, const std::vector<named_array>& arrays,
                                    std::size_t k) {
  for (const auto& t : g.initializers)
    if (t.sparse && t.name == arrays[k].name) return nullptr;  // a constant
  for (const auto& i : g.inputs)
    if (i.name == arrays[k].name) return &i.name;
  if (k >= g.inputs.size()) throw error("the test has more inputs than the model");
  return &g.inputs[k].name;
}

/// Releases before 1.13 store bf16 as u16.
inline array as_declared(const array& a, dtype declared) {
  if (a.type() != dtype::u16 || declared != dtype::bf16) return a;
  array out(a.shape(), declared);
  std::ranges::copy(a.bytes(), out.bytes().begin());
  return out;
}
inline dtype declared_type(const std::vector<onnx::value_info>& values, const std::string& name) {
  for (const auto& v : values)
    if (v.name == name) return onnx::element_type(v.element).value_or(dtype::f32);
  return dtype::f32;
}

inline std::string difference(const array& got, const array& want, const tolerance& t) {
  if (got.type() != want.type())
    return "is " + std::string(name_of(got.type())) + ", expected " + std::string(name_of(want.type()));
  if (!(got.shape() == want.shape())) return "is " + describe(got.shape()) + ", expected " + describe(want.shape());
  double largest = 0;
  for (std::size_t i = 0; t.of_largest > 0 && i < want.size(); ++i)
    if (const double x = std::fabs(onnx::number_at(want, i)); std::isfinite(x)) largest = std::max(largest, x);
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double a = onnx::number_at(got, i), b = onnx::number_at(want, i);
    if (std::isnan(a) && std::isnan(b)) continue;
    if (a == b) continue;
    if (!(std::fabs(a - b) <= t.absolute + t.relative * std::fabs(b) + t.of_largest * largest))
      return "element " + std::to_string(i) + " is " + std::to_string(a) + ", expected " + std::to_string(b);
  }
  return {};
}

enum class form { as_read, optimised, written };

/// The case's network for the inputs of a set, optimised, written and read again.
inline model written_again(const onnx::model_message& file, const arrays_by_name& fed, bool fused = false) {
  ir::program_options keeping;
  keeping.keep_weights = true;
  const ir::program code(onnx::build(file, {}, fed), keeping);
  onnx::write_options options;
  options.fused = fused;
  if (const auto opset = file.opsets.find(""); opset != file.opsets.end()) options.opset = opset->second;
  const std::string bytes = onnx::write(code, options);
  return model(onnx::build(onnx::parse_model(std::as_bytes(std::span(bytes)), "the written model"), {}, fed));
}

inline answer run_case(const fs::path& folder, form as) {
  try {
    const fs::path path = folder / "model.onnx";
    const onnx::model_message file = onnx::read(path.string());
    const bool other_runtime = folder.parent_path().filename() == "graph_opt";
    tolerance t = other_runtime ? between_runtimes : tolerance{};
    for (const auto& n : file.graph.nodes) {
      if (n.type == "DFT" || n.type == "STFT") t.absolute = 1e-3;
      for (const auto& a : n.attributes)
        if (other_runtime && n.type == "Cast" && a.name == "to" &&
            onnx::element_type(static_cast<int>(a.integer)) == dtype::f16)
          t = with_halves;
    }
    load_options options;
    options.optimize = as == form::optimised;
    std::optional<model> m;
    if (as != form::written) m.emplace(model::load(path.string(), options));
    int sets = 0;
    for (int i = 0; fs::exists(folder / ("test_data_set_" + std::to_string(i))); ++i, ++sets) {
      const fs::path data = folder / ("test_data_set_" + std::to_string(i));
      const std::vector<named_array> in = read_arrays(data, "input_"), want = read_arrays(data, "output_");
      arrays_by_name fed;
      for (std::size_t k = 0; k < in.size(); ++k)
        if (const std::string* name = input_for(file.graph, in, k))
          fed.insert_or_assign(*name, as_declared(in[k].values, declared_type(file.graph.inputs, *name)));
      if (as == form::written) m.emplace(written_again(file, fed));
      extractor e = m->extractor();
      for (const auto& [name, values] : fed) e.input(name, values);
      for (std::size_t k = 0; k < want.size(); ++k) {
        const std::string& name = file.graph.outputs.at(k).name;
        if (const std::string d =
                difference(e.extract(name), as_declared(want[k].values, declared_type(file.graph.outputs, name)), t);
            !d.empty())
          return {verdict::failed, std::string(as == form::as_read     ? ""
                                               : as == form::optimised ? "optimised: "
                                                                       : "written: ") +
                                       "output '" + name + "' " + d};
      }
    }
    if (sets == 0) return {verdict::failed, "no test data"};
  } catch (const error& e) {
    const std::string text = e.what();
    return {text.find("not supported") != text.npos || text.starts_with("ONNX cannot express") ? verdict::unsupported
                                                                                               : verdict::failed,
            text};
  }
  return {};
}

/// Every case below `folder`, sorted; `each` hears of its path below it and what came out.
inline std::array<int, 3> run_all(const fs::path& folder,
                                  const std::function<void(const std::string&, const answer&)>& each) {
  std::vector<fs::path> cases;
  for (const auto& entry : fs::recursive_directory_iterator(folder, fs::directory_options::follow_directory_symlink))
    if (entry.path().filename() == "model.onnx") cases.push_back(entry.path().parent_path());
  std::sort(cases.begin(), cases.end());
  std::array<int, 3> counts{};
  for (const fs::path& one : cases) {
    answer a;
    for (const form as : {form::as_read, form::optimised, form::written})
      if (a.what == verdict::passed) a = run_case(one, as);
    ++counts[static_cast<std::size_t>(a.what)];
    each(fs::relative(one, folder).string(), a);
  }
  return counts;
}

}  // namespace ctnn::ir::test::backend
