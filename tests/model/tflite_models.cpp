// SPDX-License-Identifier: BSL-1.0
// MLPerf Tiny's networks as TensorFlow Lite files: the bytes that its own interpreter gives.
#include <ctnn/model.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "formats/shared_files.hpp"

using namespace ctnn;
using namespace ctnn::ir;

namespace {

byte_buffer bytes_of(const std::filesystem::path& file) { return read_file(file.string()); }

int count(const graph_view& g, const operator_type& type) {
  return static_cast<int>(std::ranges::count_if(g.nodes, [&](const node& n) { return n.type == &type; }));
}

}  // namespace

TEST_CASE("int8 networks give the interpreter's bytes, as they were read and optimised") {
  const auto folder = test::shared_models("mlperf_tiny");
  if (folder.empty()) return;
  int inputs = 0;
  for (const std::string name : {"ic", "kws", "vww", "ad"}) {
    CAPTURE(name);
    const std::string path = (folder / (name + "_int8.tflite")).string();
    for (const bool optimized : {false, true}) {
      CAPTURE(optimized);
      const model m = model::load(path, {.optimize = optimized});
      const graph_view g = m.source();
      const ir::value& x = g.at_value(g.at(0).outputs.first);
      // What is channels last in the file comes and goes so; inside nothing is turned.
      if (optimized) CHECK(count(m.graph(), type_of<op::permute>) <= (name == "ad" ? 0 : 2));
      for (int k = 0; k < 7; ++k) {
        CAPTURE(k);
        const auto file = folder / "int8" / (name + "_" + std::to_string(k));
        const byte_buffer in = bytes_of(file.string() + "_in.bin"), out = bytes_of(file.string() + "_out.bin");
        array image(x.shape, x.type);
        REQUIRE(x.type == dtype::i8);
        REQUIRE(image.bytes().size() == in.size());
        std::ranges::copy(in, image.bytes().begin());
        extractor ex = m.extractor();
        ex.input(x.name, image);
        const array y = ex.extract(std::string(g.outputs[0].name));
        CHECK(y.type() == dtype::i8);
        CHECK(std::ranges::equal(y.bytes(), out));
        ++inputs;
      }
    }
  }
  MESSAGE(inputs << " outputs compared");
}
