// SPDX-License-Identifier: BSL-1.0
// Published architectures, without their weights, written and read again.
#include <doctest/doctest.h>

#include <filesystem>
#include <string_view>

#include <ctnn/formats/ncnn/load.hpp>
#include <ctnn/formats/ncnn/write.hpp>

#include "shared_files.hpp"

using namespace ctnn;
using namespace ctnn::ir;

TEST_CASE("every published model that loads is written, and read and written again is the same file") {
  int models = 0;
  for (const char* folder : {"ncnn_benchmark", "ncnn_benchmark_old"})
    for (const auto& path : test::files_below(test::shared_models(folder), ".param")) {
      CAPTURE(path.string());
      if (std::filesystem::file_size(path) > 20'000 || path.string().find("vgg") != std::string::npos ||
          path.string().find("vision") != std::string::npos)
        continue;
      loaded_model m;
      try {
        m = ncnn::load(path.string(), "");
      } catch (const error& e) {
        CHECK(std::string_view(e.what()).find("not supported") != std::string_view::npos);
        continue;
      }
      ncnn::written_model w;
      CHECK_NOTHROW(w = ncnn::write(m));
      ncnn::bin_reader bin(std::as_bytes(std::span(w.bin)), "w.bin");
      CHECK(ncnn::write(build(ncnn::parse_param(w.param, "w.param"), bin)).param == w.param);
      ++models;
    }
  MESSAGE(models << " models");
}
