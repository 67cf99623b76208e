// SPDX-License-Identifier: BSL-1.0
// Public files of TensorFlow Lite: the bytes of its interpreter, and where they cannot be equal, how far they are
// apart.
#include <ctnn/model.hpp>
#include <ctnn/plan/carried.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "formats/shared_files.hpp"

using namespace ctnn;
using namespace ctnn::ir;

namespace {

/// How far numbers are from the interpreter's: steps of integers, or parts of the largest real number.
struct distance {
  std::size_t different = 0, all = 0;
  double most = 0;
  double share() const { return static_cast<double>(different) / static_cast<double>(all); }
  void add(const array& y, const array& w) {
    double largest = 1e-9;
    if (y.type() == dtype::f32)
      for (std::size_t i = 0; i < y.size(); ++i) largest = std::max(largest, std::abs(number_at(w, i)));
    else largest = 1;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double apart = std::abs(number_at(y, i) - number_at(w, i)) / largest;
      different += apart > (y.type() == dtype::f32 ? 1e-5 : 0) ? 1 : 0;
      most = std::max(most, apart);
    }
    all += y.size();
  }
};

/// Files whose numbers are not the interpreter's: how many differ at most, how far, and why.
struct apart {
  double share, most;
};
const std::map<std::string, apart> others{
    // Values are floats and weights bytes: the interpreter quantises the values for each product.
    {"magic_wand_int8", {1, 5e-4}},
};
array bytes_of(const extents& shape, const dtype type, const std::string& file) {
  array a(shape, type);
  const byte_buffer in = read_file(file);
  REQUIRE(a.bytes().size() == in.size());
  std::memcpy(a.bytes().data(), in.data(), in.size());
  return a;
}

/// Of all inputs that lie beside a file, one after the other. Memories that a network carries begin with zeros and go
/// on.
distance of_file(const std::filesystem::path& file, bool optimized) {
  distance d;
  const model m = model::load(file.string(), {.optimize = optimized});
  const graph_view g = m.source();
  extractor ex = m.extractor();
  for (int k = 0; k < 3; ++k) {
    const std::string stem = (file.parent_path() / file.stem()).string() + "_" + std::to_string(k);
    if (!std::filesystem::exists(stem + "_in0.bin")) continue;
    int next = 0;
    for (const node& n : g.nodes) {
      if (n.type != &type_of<op::input> || is_carried(g, n)) continue;
      const ir::value& x = g.at_value(n.outputs.first);
      ex.input(x.name, bytes_of(x.shape, x.type, stem + "_in" + std::to_string(next++) + ".bin"));
    }
    for (std::size_t o = 0; std::filesystem::exists(stem + "_out" + std::to_string(o) + ".bin"); ++o) {
      const array y = ex.extract(std::string(g.outputs[o].name));
      d.add(y, bytes_of(y.shape(), y.type(), stem + "_out" + std::to_string(o) + ".bin"));
    }
  }
  return d;
}

}  // namespace

TEST_CASE("public files give the interpreter's numbers") {
  const auto folder = test::shared_models("tflite_public");
  if (folder.empty()) return;
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".tflite") names.insert(entry.path().stem().string());
  int exact = 0;
  for (const std::string& name : names) {
    // Files with memories: the interpreter built for the web answers 0.
    if (name.starts_with("mww_")) continue;
    CAPTURE(name);
    const std::filesystem::path file = folder / (name + ".tflite");
    const auto known = others.find(name);
    for (const bool optimized : {false, true}) {
      const distance d = of_file(file, optimized);
      CAPTURE(optimized);
      CAPTURE(d.share());
      CAPTURE(d.most);
      CHECK(d.share() <= (known == others.end() ? 0 : known->second.share));
      CHECK(d.most <= (known == others.end() ? 1e-5 : known->second.most));
    }
    exact += known == others.end();
  }
  MESSAGE(exact << " of " << names.size() << " files to the byte");
}
