// SPDX-License-Identifier: BSL-1.0
// ONNX models of open shapes: the file is parsed once, and its large tensors are taken from it for every shape.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <ctnn/model.hpp>

#include "support/onnx_bytes.hpp"
#include "support/scratch_folder.hpp"
#include "synthetic.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace fs = std::filesystem;
namespace pb = test::onnx_bytes;

namespace {

const int width = 40;
const pb::dims square{width, width};

std::string bytes_of(const std::vector<float>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)};
}
std::string head(const char* name, pb::element type) {
  return pb::number(1, width) + pb::number(1, width) + pb::number(2, type) + pb::bytes(8, name);
}
std::string beside(const std::string& name, const std::string& location, std::size_t offset) {
  const auto entry = [](const char* key, const std::string& v) {
    return pb::bytes(13, pb::bytes(1, key) + pb::bytes(2, v));
  };
  return head(name.c_str(), pb::f32) + pb::number(14, 1) + entry("location", location) +
         entry("offset", std::to_string(offset));
}

/// out = relu(x . raw + x . list + x . Constant + x . Cast(half) + x . Cast(bytes) + x . beside0 + ... + bias), with x
/// of n x 40.
struct files {
  test::scratch_folder folder{};
  std::string path = folder.file("m.onnx");
  std::vector<std::string> data;
  std::string bytes;

  /// `others` files beside the model have a matrix each, after 8 bytes of something else.
  explicit files(int others) {
    const std::vector<float> numbers = test::synthetic_input(width * width);
    std::vector<std::uint16_t> halves;
    std::vector<std::uint8_t> small;
    for (const float x : numbers) {
      halves.push_back(float_to_half(x));
      small.push_back(static_cast<std::uint8_t>(x > 0 ? 3 : 0));
    }
    std::vector<std::string> names{"raw", "list", "made", "wide", "truth"};
    std::string graph = pb::initializer(pb::floats("raw", square, numbers)) +
                        pb::initializer(head("list", pb::f32) + pb::bytes(4, bytes_of(numbers))) +
                        pb::initializer(pb::tensor("half", pb::f16, square, halves)) +
                        pb::initializer(pb::tensor("bytes", pb::boolean, square, small)) +
                        pb::node("Constant", {}, {"made"},
                                 pb::bytes(5, pb::bytes(1, "value") + pb::bytes(5, pb::floats("", square, numbers)) +
                                                  pb::number(20, 4))) +
                        pb::node("Cast", {"half"}, {"wide"}, pb::attribute("to", std::int64_t{pb::f32})) +
                        pb::node("Cast", {"bytes"}, {"truth"}, pb::attribute("to", std::int64_t{pb::f32}));
    for (int k = 0; k < others; ++k) {
      const std::string name = "beside" + std::to_string(k);
      graph += pb::initializer(beside(name, name + ".data", 8));
      names.push_back(name);
      data.push_back(folder.file(name + ".data"));
      write_file(data.back(), std::string(8, '?') + bytes_of(numbers));
    }
    std::string sum;
    for (const std::string& name : names) {
      graph += pb::node("MatMul", {"x", name}, {"x." + name});
      if (!sum.empty()) graph += pb::node("Add", {sum, "x." + name}, {sum + "+" + name});
      sum = sum.empty() ? "x." + name : sum + "+" + name;
    }
    graph += pb::initializer(pb::floats("bias", {width}, std::vector<float>(width, 0.5f))) +
             pb::node("Add", {sum, "bias"}, {"all"}) + pb::node("Relu", {"all"}, {"out"}) +
             pb::input(pb::value("x", pb::f32, {-1, width})) + pb::output(pb::value("out", pb::f32, {-1, width}));
    bytes = pb::model(graph);
    write_file(path, bytes);
  }
  model load() const { return model::load(path, {.external_data = true}); }
  /// As if the network had been read for these inputs alone, from memory.
  model in_memory(const arrays_by_name& fed) const {
    return model(onnx::build(onnx::parse_model(pb::view(bytes), "m.onnx", {}, fs::path(path).parent_path().string()),
                             {.external_data = true}, fed));
  }
};

array rows(int n) { return {{n, width}, test::synthetic_input(static_cast<std::size_t>(n * width))}; }

std::vector<float> answer(const model& m, int n) {
  extractor run = m.extractor();
  run.input("x", rows(n));
  const array out = run.extract("out");
  return {out.values().begin(), out.values().end()};
}

/// Gives a file other bytes without making another file of it.
void write_into(const std::string& path, const std::string& text) {
  const auto before = fs::last_write_time(path);
  write_file(path, text);
  fs::last_write_time(path, before + std::chrono::seconds(1));  // clocks of file systems may be coarse
}

}  // namespace

TEST_CASE("every shape gives what a network read for it alone gives, also when the files are gone") {
  for (const int others : {0, 2, 20}) {  // of 20 files some are read at once and closed
    CAPTURE(others);
    const files f(others);
    std::vector<std::vector<float>> want;
    for (const int n : {3, 5, 8}) want.push_back(answer(f.in_memory({{"x", rows(n)}}), n));
    const model m = f.load();
    CHECK(answer(m, 3) == want[0]);
    fs::remove(f.path);
    for (const std::string& name : f.data) fs::remove(name);
    CHECK(answer(m, 5) == want[1]);
    CHECK(answer(m, 8) == want[2]);
    CHECK(answer(m, 3) == want[0]);
  }
}

TEST_CASE("a parsed file refers to its large tensors and has the others; who takes numbers has them alone") {
  const files f(1);
  const onnx::model_message file = onnx::read(f.path, {.external_data = true});
  const onnx::model_message whole =
      onnx::parse_model(pb::view(f.bytes), "m.onnx", {}, fs::path(f.path).parent_path().string());
  REQUIRE(file.graph.initializers.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    const onnx::tensor &t = file.graph.initializers[i], &in_memory = whole.graph.initializers[i];
    CAPTURE(t.name);
    const bool is_small = t.name == "bias";
    REQUIRE(t.values);
    CHECK(static_cast<bool>(t.values->source()) == !is_small);
    REQUIRE(in_memory.values);
    const shared_array numbers = onnx::numbers_of(t);
    CHECK((numbers == t.values) == is_small);
    CHECK(numbers->shape() == in_memory.values->shape());
    CHECK(numbers->type() == in_memory.values->type());
    CHECK(same_bytes(*numbers, *in_memory.values));
  }
}

TEST_CASE("a large matrix is packed as it is read, and is what it is in memory") {
  constexpr int in = 1030, out = 1029;  // above a million numbers; the last rows fill no block
  const test::scratch_folder folder;
  const std::string path = folder.file("m.onnx"),
                    bytes = pb::model(
                        pb::initializer(pb::floats("w", {out, in}, test::synthetic_input(std::size_t{out} * in))) +
                        pb::node("Gemm", {"x", "w"}, {"y"}, pb::attribute("transB", std::int64_t{1})) +
                        pb::input(pb::value("x", pb::f32, {-1, in})) + pb::output(pb::value("y", pb::f32, {-1, out})));
  write_file(path, bytes);
  std::vector<std::vector<float>> got;
  for (const model& m : {model::load(path), model::load(pb::view(bytes))})
    for (const int n : {1, 2}) {
      extractor run = m.extractor();
      run.input("x", {{n, in}, test::synthetic_input(static_cast<std::size_t>(n) * in)});
      const array y = run.extract("y");
      got.emplace_back(y.values().begin(), y.values().end());
    }
  CHECK(got[0] == got[2]);
  CHECK(got[1] == got[3]);
  CHECK(std::ranges::count(got[0], 0.0f) == 0);
}

TEST_CASE("files that have been written into are refused, and the model goes on with what it has read") {
  const files f(1);
  for (const std::string& name : {f.path, f.data[0]}) {
    const std::string before(as_text(read_file(name)));
    for (const std::size_t length : {std::size_t{0}, before.size() / 2, before.size()}) {
      const model m = f.load(), other = f.load();
      const auto first = answer(m, 3), second = answer(m, 4);
      const model again = f.load();
      CHECK(answer(again, 3) == first);
      write_into(name, std::string(length, '\0'));
      CHECK_THROWS_WITH_AS(answer(other, 4),
                           doctest::Contains("cannot be read: the file has changed since it was opened"), error);
      CHECK(answer(again, 4) == second);
      CHECK(answer(again, 3) == first);
      write_into(name, before);
      CHECK_THROWS_AS(answer(other, 4), error);
    }
  }
}

TEST_CASE("a file whose clock has been turned back may give other numbers, and nothing worse") {
  const files f(0);
  const model m = f.load();
  const auto before = fs::last_write_time(f.path);
  const auto turn = [&](const std::string& from, const std::string& to) {
    std::string bytes = f.bytes;
    bytes.replace(bytes.find(from), from.size(), to);
    write_file(f.path, bytes);
    fs::last_write_time(f.path, before);
  };
  const std::string list = head("list", pb::f32);
  turn(list, head("list", pb::text));
  CHECK_THROWS_WITH_AS(answer(m, 4), doctest::Contains("'list' cannot be read: the file has changed"), error);
  turn(list, std::string(list.size(), '\0'));
  CHECK_THROWS_AS(answer(m, 4), error);
  turn(bytes_of(test::synthetic_input(width * width)), std::string(width * width * sizeof(float), '\0'));
  CHECK(answer(m, 4).size() == 4 * width);
}

TEST_CASE("what is wrong with a large tensor is said when the file is read") {
  const test::scratch_folder folder;
  const std::string path = folder.file("m.onnx"),
                    rest = pb::input(pb::value("x", pb::f32, {-1})) + pb::output(pb::value("x", pb::f32, {-1}));
  const std::string numbers(width * width * sizeof(float), '\0');
  const auto refusal_of = [&](const std::string& tensor) -> std::string {
    write_file(path, pb::model(pb::initializer(tensor) + rest));
    try {
      onnx::read(path);
    } catch (const error& e) {
      return e.what();
    }
    return "";
  };
  CHECK(refusal_of(head("w", pb::f32) + pb::bytes(9, numbers)) == "");
  CHECK(refusal_of(head("w", pb::f32) + pb::bytes(9, numbers + "?")).find("6401 bytes of raw data") !=
        std::string::npos);
  CHECK(refusal_of(head("w", pb::i64) + pb::bytes(4, numbers)).find("list of another type") != std::string::npos);
  CHECK(refusal_of(beside("w", "none.data", 0)).find("is refused") != std::string::npos);
}
