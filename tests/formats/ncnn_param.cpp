// SPDX-License-Identifier: BSL-1.0
// The text of .param files: what is read, what is refused, and writing it back.
#include <doctest/doctest.h>

#include <clocale>
#include <string>

#include <ctnn/formats/file.hpp>
#include <ctnn/formats/ncnn/param_reader.hpp>
#include <ctnn/formats/ncnn/param_writer.hpp>
#include <ctnn/formats/ncnn/parameter_reader.hpp>

#include "shared_files.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using ncnn::parse_param;

namespace {

std::string one_layer(const std::string& params) { return "7767517\n1 1\nInput data 0 1 data " + params + "\n"; }

ncnn::parameter_reader params_of(const ncnn::param_file& f) { return {f, f.layers[0]}; }

std::string refused(const std::string& text) {
  try {
    parse_param(text, "t.param");
  } catch (const error& e) {
    return e.what();
  }
  return "accepted";
}

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("a param file becomes plain structs") {
  const auto f = parse_param(
      "7767517\r\n3 4\nInput\tdata 0 1 data 0=3 1=4\n\nSplit s 1 2 data a b\nConcat c 2 1 a b out 0=-1\nNoop x 0 1 y\n",
      "t.param");
  REQUIRE(f.layers.size() == 3);
  CHECK(f.layers[1].type == "Split");
  CHECK(f.layers[1].outputs == std::vector<std::string>{"a", "b"});
  CHECK(f.layers[2].inputs == std::vector<std::string>{"a", "b"});
  CHECK(f.layers[2].line == 6);
  CHECK(ncnn::parameter_reader(f, f.layers[2]).int_or(0, 7) == -1);
  CHECK(ncnn::parameter_reader(f, f.layers[2]).int_or(1, 7) == 7);
}

TEST_CASE("parameters keep their spelling, getters decide what serves") {
  const auto f = parse_param(one_layer("0=5 1=1.5 2=2.0 -23303=3,1,2.5,-3 4=1,2 5=7, 6=abc 7=\"a b\" 8=1e-3 -23309=0"));
  const auto p = params_of(f);
  CHECK(p.int_or(0, 0) == 5);
  CHECK(p.float_or(0, 0) == 5.0f);
  CHECK(p.float_or(1, 0) == 1.5f);
  CHECK(p.int_or(2, 0) == 2);
  CHECK_THROWS_AS(p.int_or(1, 0), error);
  CHECK(p.floats_or(3) == std::vector<float>{1, 2.5f, -3});
  CHECK_THROWS_AS(p.ints_or(3), error);
  CHECK(p.ints_or(4) == std::vector<int>{1, 2});
  CHECK(p.ints_or(5) == std::vector<int>{7});
  CHECK(p.text_or(6) == "abc");
  CHECK(p.text_or(7) == "a b");
  CHECK(p.float_or(8, 0) == 1e-3f);
  CHECK(p.ints_or(9, {1}).empty());
  CHECK_THROWS_AS(p.int_or(3, 0), error);
  CHECK_THROWS_AS(p.ints_or(0), error);
  CHECK_THROWS_AS(p.text_or(0), error);
}

TEST_CASE("refusals name the line and the reason") {
  CHECK(mentions(refused(""), "t.param:1: file ends where the number 7767517"));
  CHECK(mentions(refused("7767516\n1 1\n"), "expected 7767517"));
  CHECK(mentions(refused("7767517\n-1 1\n"), "layer count '-1'"));
  CHECK(mentions(refused("7767517\n0 0\n"), "layer count 0"));
  CHECK(mentions(refused("7767517\n9000 1\nInput a 0 1 a\n"), "file this short"));
  CHECK(mentions(refused("7767517\n2 1\nInput a 0 1 a\n"), "ends after 1 of 2 layers"));
  CHECK(mentions(refused("7767517\n1 0\nInput a 0 1 a\n"), "more blobs"));
  CHECK(mentions(refused("7767517\n1 2\nReLU r 1 1 a b\n"), "t.param:3: layer 'r': input 'a'"));
  CHECK(mentions(refused("7767517\n1 2\nInput r 0 2 a a\n"), "already the output"));
  CHECK(mentions(refused("7767517\n1 2\nInput r 0 2147483648 a a\n"), "output count"));
  CHECK(mentions(refused("7767517\n1 2\nInput " + std::string(256, 'x') + " 0 1 a\n"), "256 characters"));
  for (const char* bad : {"32=1", "-1=1", "-23332=1,1", "99999999999=1", "0=", "0=1e999", "0=0x10", "0=nan", "0=-inf",
                          "0=1,5", "-23300=2,1", "-23300=2,1,2,3", "-23300=-1,1", "-23300=2147483647,1", "-23300=",
                          "0=3000000000", "0=1.2.3", "0=\"open", "0=1 0=2", "0=1,,2"}) {
    CAPTURE(bad);
    if (std::string(bad) == "0=1,5") CHECK(refused(one_layer(bad)) == "accepted");
    else CHECK(mentions(refused(one_layer(bad)), "t.param:3: "));
  }
  for (const char* bad : {"0=inf", "0=-inf", "0=+INF", "0=nan", "0=-Infinity", "0=1.0,-inf", "-23300=2,1.0,-inf"}) {
    CAPTURE(bad);
    CHECK(mentions(refused(one_layer(bad)),
                   "is no number of ncnn's, which has no infinity (3.402823e+38 stands for it) and no NaN"));
  }
  CHECK(refused("7767517\n1 1\nInput a 0 1 a 0=1 garbage that follows is ignored") == "accepted");
  std::string long_array = "0=1";
  for (int i = 0; i < 70'000; ++i) long_array += ",1";
  CHECK(mentions(refused(one_layer(long_array)), "array longer"));
}

TEST_CASE("numbers do not depend on the locale") {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8"}) std::setlocale(LC_NUMERIC, name);
  CHECK(params_of(parse_param(one_layer("0=1.5"))).float_or(0, 0) == 1.5f);
  std::setlocale(LC_NUMERIC, before.c_str());
}

TEST_CASE("written text reads back, within what ncnn's own reader takes") {
  ncnn::layer in{"Input", "data", {}, {"data"}, {}, 0};
  in.params[0] = ncnn::number{227, false};
  in.params[1] = ncnn::number{static_cast<double>(-1.17549435e-38f), true};
  in.params[2] = ncnn::number{3.402823466e+38, true};
  in.params[3] = ncnn::numbers{{1, false}, {static_cast<double>(0.1f), true}};
  in.params[6] = std::string("a b");
  ncnn::layer a{"ReLU", "a", {"data"}, {"a"}, {}, 0}, b{"ReLU", "b", {"data"}, {"b"}, {}, 0},
      sum{"Eltwise", "sum", {"a", "a", "b"}, {"sum"}, {}, 0};
  const auto split = ncnn::with_splits({"t", {in, a, b, sum}});
  const std::string text = write_param(split);
  CHECK(mentions(text, "7767517\n6 8\n"));
  CHECK(mentions(text, "1=-1.17549435e-38"));
  CHECK(mentions(text, "2=3.40282300e+38"));
  CHECK(mentions(text, "-23303=2,1,1.00000001e-01"));
  CHECK(mentions(text, "splitncnn_0              1 2 data data_splitncnn_0 data_splitncnn_1"));
  CHECK(mentions(text, "3 1 a_splitncnn_0 a_splitncnn_1 b sum"));
  const auto again = parse_param(text);
  REQUIRE(again.layers.size() == 6);
  CHECK(params_of(again).float_or(1, 0) == -1.17549435e-38f);
  CHECK(params_of(again).text_or(6) == "a b");
  CHECK(write_param(again) == text);
  CHECK_THROWS_AS(ncnn::write_param({"t", {{"Input", "with blank", {}, {"a"}, {}, 0}}}), error);
}

TEST_CASE("every published .param parses") {
  int files = 0;
  for (const char* folder : {"ncnn", "ncnn_converted", "ncnn_benchmark", "ncnn_benchmark_old"})
    for (const auto& path : test::files_below(test::shared_models(folder), ".param")) {
      CAPTURE(path.string());
      const auto bytes = read_file(path.string());
      ncnn::param_file f;
      CHECK_NOTHROW(f = parse_param(as_text(bytes), path.string()));
      const std::string text = write_param(f);
      CHECK(write_param(parse_param(text)) == text);
      ++files;
    }
  MESSAGE(files << " .param files");
}
