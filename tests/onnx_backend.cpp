// SPDX-License-Identifier: BSL-1.0
// onnx_backend DIR: runs every ONNX backend case below a folder (model.onnx, test_data_set_*/input_*.pb and output_*.pb),
// unoptimised and optimised, and prints a line for each and how many passed.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <ctnn/model.hpp>

using namespace ctnn;
namespace fs = std::filesystem;

namespace {

struct tolerance {
  double relative = 1e-3, absolute = 1e-7;  // onnx's own
};

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
std::vector<named_array> read_arrays(const fs::path& folder, const std::string& stem) {
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
const std::string* input_for(const onnx::graph_message& g, const std::vector<named_array>& arrays, std::size_t k) {
  for (const auto& t : g.initializers)
    if (t.sparse && t.name == arrays[k].name) return nullptr;  // a constant
  for (const auto& i : g.inputs)
    if (i.name == arrays[k].name) return &i.name;
  if (k >= g.inputs.size()) throw error("the test has more inputs than the model");
  return &g.inputs[k].name;
}

std::string difference(const array& got, const array& want, const tolerance& t) {
  if (got.type() != want.type()) return "is " + std::string(name_of(got.type())) + ", expected " + std::string(name_of(want.type()));
  if (!(got.shape() == want.shape())) return "is " + describe(got.shape()) + ", expected " + describe(want.shape());
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double a = onnx::number_at(got, i), b = onnx::number_at(want, i);
    if (std::isnan(a) && std::isnan(b)) continue;
    if (a == b) continue;
    if (!(std::fabs(a - b) <= t.absolute + t.relative * std::fabs(b)))
      return "element " + std::to_string(i) + " is " + std::to_string(a) + ", expected " + std::to_string(b);
  }
  return {};
}

answer run_case(const fs::path& folder, bool optimize) {
  try {
    const fs::path path = folder / "model.onnx";
    const onnx::model_message file = onnx::read(path.string());
    tolerance t;
    for (const auto& n : file.graph.nodes)
      if (n.type == "DFT" || n.type == "STFT") t.absolute = 1e-3;
    load_options options;
    options.optimize = optimize;
    const model m = model::load(path.string(), options);
    int sets = 0;
    for (int i = 0; fs::exists(folder / ("test_data_set_" + std::to_string(i))); ++i, ++sets) {
      const fs::path data = folder / ("test_data_set_" + std::to_string(i));
      const std::vector<named_array> in = read_arrays(data, "input_"), want = read_arrays(data, "output_");
      extractor e = m.extractor();
      for (std::size_t k = 0; k < in.size(); ++k)
        if (const std::string* name = input_for(file.graph, in, k)) e.input(*name, in[k].values);
      for (std::size_t k = 0; k < want.size(); ++k) {
        const std::string& name = file.graph.outputs.at(k).name;
        if (const std::string d = difference(e.extract(name), want[k].values, t); !d.empty())
          return {verdict::failed, std::string(optimize ? "optimised: " : "") + "output '" + name + "' " + d};
      }
    }
    if (sets == 0) return {verdict::failed, "no test data"};
  } catch (const error& e) {
    const std::string text = e.what();
    return {text.find("not supported") != text.npos ? verdict::unsupported : verdict::failed, text};
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || !fs::is_directory(argv[1])) {
    std::fprintf(stderr, "usage: onnx_backend DIR\n");
    return 2;
  }
  std::vector<fs::path> cases;
  for (const auto& entry : fs::recursive_directory_iterator(argv[1], fs::directory_options::follow_directory_symlink))
    if (entry.path().filename() == "model.onnx") cases.push_back(entry.path().parent_path());
  std::sort(cases.begin(), cases.end());
  int counts[3] = {};
  for (const fs::path& folder : cases) {
    answer a = run_case(folder, false);
    if (a.what == verdict::passed) a = run_case(folder, true);
    ++counts[static_cast<int>(a.what)];
    constexpr const char* words[] = {"passed", "FAILED", "unsupported"};
    std::printf("%s %s%s%s\n", words[static_cast<int>(a.what)], fs::relative(folder, argv[1]).c_str(), a.why.empty() ? "" : ": ", a.why.c_str());
    std::fflush(stdout);
  }
  std::printf("%d passed, %d failed, %d unsupported\n", counts[0], counts[1], counts[2]);
  return counts[1] == 0 && counts[0] > 0 ? 0 : 1;
}
