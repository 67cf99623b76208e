// SPDX-License-Identifier: BSL-1.0
// Public files of TensorFlow Lite: the bytes of its interpreter, and where they cannot be equal, how far they are
// apart.
#include <ctnn/model.hpp>
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
  void add(const array& y, std::span<const std::byte> wanted) {
    array w(y.shape(), y.type());
    REQUIRE(w.bytes().size() == wanted.size());
    std::memcpy(w.bytes().data(), wanted.data(), wanted.size());
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

}  // namespace

TEST_CASE("public files give the interpreter's numbers") {
  const auto folder = test::shared_models("tflite_public");
  if (folder.empty()) return;
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".tflite") names.insert(entry.path().stem().string());
  for (const std::string& name : names) {
    CAPTURE(name);
    distance d[2];
    try {
      for (const bool optimized : {false, true}) {
        const model m = model::load((folder / (name + ".tflite")).string(), {.optimize = optimized});
        const graph_view g = m.source();
        for (int k = 0; k < 3; ++k) {
          const std::string stem = (folder / (name + "_" + std::to_string(k))).string();
          if (!std::filesystem::exists(stem + "_in0.bin")) continue;
          extractor ex = m.extractor();
          int next = 0;
          for (const node& n : g.nodes) {
            if (n.type != &type_of<op::input>) continue;
            const value& x = g.at_value(n.outputs.first);
            array image(x.shape, x.type);
            const byte_buffer in = read_file(stem + "_in" + std::to_string(next++) + ".bin");
            REQUIRE(image.bytes().size() == in.size());
            std::memcpy(image.bytes().data(), in.data(), in.size());
            ex.input(x.name, image);
          }
          for (std::size_t o = 0; o < g.outputs.size(); ++o) {
            const byte_buffer out = read_file(stem + "_out" + std::to_string(o) + ".bin");
            d[optimized].add(ex.extract(std::string(g.outputs[o].name)),
                             std::as_bytes(std::span(out.data(), out.size())));
          }
        }
      }
    } catch (const error& e) {
      MESSAGE(name << ": " << e.what());
      continue;
    }
    MESSAGE(name << ": " << 100.0 * static_cast<double>(d[0].different) / static_cast<double>(d[0].all)
                 << " % differ, at most by " << d[0].most << "; optimised "
                 << 100.0 * static_cast<double>(d[1].different) / static_cast<double>(d[1].all) << " %, " << d[1].most);
  }
}
