// SPDX-License-Identifier: BSL-1.0
// What a small ncnn file may make its reader do: memory and time are bounded by what it holds.
#include <doctest/doctest.h>

#include <ctime>

#include <ctnn/formats/ncnn/load.hpp>
#include <ctnn/formats/ncnn/param_reader.hpp>

using namespace ctnn;
using namespace ctnn::ir;

namespace {

std::string refused(const std::string& text, const budget& limits = {}) {
  try {
    ncnn::read_options options;
    options.limits = limits;
    const ncnn::param_file file = ncnn::parse_param(text, "m.param", limits);
    auto zeros = ncnn::bin_reader::zeros(limits);
    ncnn::build(file, zeros, options);
  } catch (const error& e) {
    return e.what();
  }
  return {};
}
bool mentions(const std::string& text, const std::string& part) {
  if (text.find(part) != text.npos) return true;
  MESSAGE(text);
  return false;
}
std::string file(int layers, const std::string& lines) {
  return "7767517\n" + std::to_string(layers) + " " + std::to_string(2 * layers) + "\n" + lines;
}

}  // namespace

TEST_CASE("extents are checked before anything has their size") {
  CHECK(refused(file(1, "Input x 0 1 x 0=100 1=100 2=100\n"), {.value_elements = 1'000'000}).empty());
  CHECK(mentions(refused(file(1, "Input x 0 1 x 0=100 1=100 2=100\n"), {.value_elements = 999'999}),
                 "above the limit of 999999 elements"));
  CHECK(!refused(file(1, "Input x 0 1 x 0=2147483647 1=2147483647 11=2147483647 2=2147483647\n")).empty());
  CHECK(mentions(refused(file(1, "Input x 0 1 x 0=-5\n")), "extent -5"));
  CHECK(!refused(file(1, "MemoryData m 0 1 m 0=2147483647 1=2147483647\n")).empty());
}

TEST_CASE("weights come out of the memory budget, and one weight may not grow into a huge output") {
  const std::string dense = file(2, "Input x 0 1 x 0=1000\nInnerProduct f 1 1 x y 0=1000 1=0 2=1000000\n");
  CHECK(refused(dense).empty());
  CHECK(mentions(refused(dense, {.memory_bytes = 3'999'999}), "more than the memory budget has left"));
  const std::string stride = file(2, "Input x 0 1 x 0=2 1=2 2=1\nDeconvolution d 1 1 x y 0=1 1=1 3=64 6=1\n");
  CHECK(refused(stride).empty());
  CHECK(mentions(refused(stride, {.value_elements = 4'000}), "4000 elements"));
}

TEST_CASE("many layers of one name, and many inputs, take no longer than others") {
  const std::clock_t begin = std::clock();  // of this process: others may use the machine
  std::string chain = "Input x 0 1 v0 0=2\n", inputs;
  for (int i = 0; i < 5000; ++i) {
    const std::string n = std::to_string(i);
    chain += "ReLU same 1 1 v" + n + " v" + std::to_string(i + 1) + "\n";
    inputs += "Input i" + n + " 0 1 i" + n + " 0=3 1=2 2=3\n";
  }
  CHECK(refused(file(5001, chain)).empty());
  CHECK(refused(file(5000, inputs)).empty());
  CHECK(std::clock() - begin < 5 * CLOCKS_PER_SEC);
}
