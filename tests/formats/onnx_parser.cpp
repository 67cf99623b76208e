// SPDX-License-Identifier: BSL-1.0
// Bytes to plain structs: every element type, both ways of storing numbers, limits, and external data.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include <ctnn/formats/named_file.hpp>
#include <ctnn/formats/onnx/parser.hpp>

#include "support/onnx_bytes.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace pb = test::onnx_bytes;
namespace fs = std::filesystem;

namespace {

onnx::tensor parse(const std::string& bytes, const budget& limits = {}) {
  return onnx::parse_tensor(pb::view(bytes), "t.pb", limits);
}
std::string refused(const std::string& bytes, const budget& limits = {}) {
  try {
    parse(bytes, limits);
  } catch (const error& e) {
    return e.what();
  }
  return {};
}
bool mentions(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

std::string head(std::initializer_list<int> dims, int type) {
  std::string out;
  for (int d : dims) out += pb::number(1, d);
  return out + pb::number(2, type) + pb::bytes(8, "t");
}

}  // namespace

TEST_CASE("raw and listed numbers of every type") {
  CHECK(parse(pb::floats("t", {2}, {1.5f, -2})).values->values()[1] == -2);
  CHECK(parse(head({2}, 1) + pb::real(4, 1.5f) + pb::real(4, -2)).values->values()[0] == 1.5f);
  CHECK(parse(head({2}, 7) + pb::bytes(7, pb::varint(3) + pb::varint(static_cast<std::uint64_t>(-4))))
            .values->elements<std::int64_t>()[1] == -4);
  const auto halves = parse(head({1}, 10) + pb::number(5, 0x3c00));
  CHECK(halves.values->type() == dtype::f16);
  CHECK(halves.values->elements<std::uint16_t>()[0] == 0x3c00);
  CHECK(parse(head({1}, 16) + pb::number(5, 0x3f80)).values->type() == dtype::bf16);
  CHECK(parse(head({2}, 9) + pb::bytes(9, std::string("\0\7", 2))).values->elements<std::uint8_t>()[1] == 1);
  CHECK(parse(head({1}, 3) + pb::number(5, -3)).values->elements<std::int8_t>()[0] == -3);
  CHECK(parse(head({0, 4}, 1)).values->size() == 0);
  CHECK(parse(head({}, 7) + pb::number(7, 5)).values->shape().rank == 0);
  CHECK(mentions(parse(head({1}, 8) + pb::bytes(6, "word")).refused, "string"));
}

TEST_CASE("numbers that contradict the shape or each other are refused with the byte") {
  CHECK(
      mentions(refused(head({3}, 1) + pb::real(4, 1)), "t.pb: byte 0: tensor 't' has 1 numbers, the shape 3 needs 3"));
  CHECK(mentions(refused(head({1}, 1) + pb::bytes(9, "12345")), "5 bytes of raw data"));
  CHECK(mentions(refused(pb::floats("t", {1}, {1}) + pb::real(4, 1)), "twice"));
  CHECK(mentions(refused(head({1}, 7) + pb::real(4, 1)), "list of another type"));
  CHECK(mentions(refused(head({-1}, 1)), "out of range"));
  CHECK(mentions(refused(head({1 << 30, 1 << 30}, 1)), "more elements than the limit"));
  CHECK(mentions(refused(head({1}, 99)), "element type 99 is unknown"));
  CHECK(mentions(refused(head({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 1)), "more than 10 elements"));
  budget small;
  small.memory_bytes = 100;
  CHECK(mentions(refused(pb::floats("t", {50}, std::vector<float>(50)), small), "more memory than the limit"));
  CHECK(mentions(refused(pb::floats("t", {2}, {1, 2}).substr(0, 9)), "cut off"));
}

TEST_CASE("unknown fields are skipped, broken ones are not") {
  const std::string model =
      pb::model(pb::node("Relu", {"x"}, {"y"}) + pb::bytes(99, "new") + pb::output(pb::value("y", pb::f32, {1}))) +
      pb::number(77, 1);
  const auto m = onnx::parse_model(pb::view(model), "m.onnx");
  CHECK(m.graph.nodes.size() == 1);
  CHECK(m.opsets.at("") == 13);
  CHECK_THROWS_AS(onnx::parse_model(pb::view(model.substr(0, model.size() - 5)), "m.onnx"), error);
  CHECK_THROWS_WITH_AS(onnx::parse_model({}, "m.onnx"), "m.onnx: byte 0: empty file", error);
}

TEST_CASE("limits on nodes, names and nesting") {
  std::string graph = pb::node("Relu", {"x"}, {"y"});
  for (int i = 0; i < 20; ++i) graph = pb::node("If", {"c"}, {"y"}, pb::graph_attribute("then_branch", graph));
  CHECK_THROWS_AS(onnx::parse_model(pb::view(pb::model(graph)), "m.onnx"), error);
  budget limits;
  limits.layers = 1;
  const std::string two = pb::model(pb::node("Relu", {"x"}, {"y"}) + pb::node("Relu", {"y"}, {"z"}));
  CHECK_THROWS_AS(onnx::parse_model(pb::view(two), "m.onnx", limits), error);
  limits = {.name_length = 3};
  CHECK_THROWS_AS(onnx::parse_model(pb::view(two), "m.onnx", limits), error);
}

TEST_CASE("external data only when asked for, and only inside the model's folder") {
  std::string name = (fs::temp_directory_path() / "ctnn_external_XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  const fs::path outer = name, folder = outer / "model";
  fs::create_directories(folder / "sub");
  const std::string numbers("\0\0\x80\x3f\0\0\0\x40", 8);
  write_file((folder / "sub" / "w.bin").string(), numbers);
  write_file((outer / "secret.bin").string(), numbers);
  fs::create_symlink(outer / "secret.bin", folder / "link.bin");
  fs::create_directory_symlink(outer, folder / "up");
  fs::create_hard_link(outer / "secret.bin", folder / "hard.bin");
  const auto load = [&](const std::string& location, bool allowed, const std::string& more = {}) {
    const auto entry = [](const char* key, const std::string& v) {
      return pb::bytes(13, pb::bytes(1, key) + pb::bytes(2, v));
    };
    const std::string t = head({2}, 1) + pb::number(14, 1) + entry("location", location) + more;
    const std::string model = pb::model(pb::initializer(t));
    return onnx::parse_model(pb::view(model), "m.onnx", {}, allowed ? folder.string() : std::string())
        .graph.initializers[0]
        .values->values()[1];
  };
  CHECK(load("sub/w.bin", true) == 2);
  CHECK(load("./sub/w.bin", true) == 2);
  CHECK_THROWS_WITH_AS(load("sub/w.bin", false), doctest::Contains("is refused"), error);
  for (const char* bad :
       {"../secret.bin", "sub/../../secret.bin", "link.bin", "up/secret.bin", "hard.bin", "", "sub", "nothing.bin"})
    CHECK_THROWS_AS(load(bad, true), error);
  CHECK_THROWS_AS(load((outer / "secret.bin").string(), true), error);
  const auto offset = [](const char* v) { return pb::bytes(13, pb::bytes(1, "offset") + pb::bytes(2, v)); };
  for (const char* bad : {"4", "-4", "99999999999999999999", "x"})
    CHECK_THROWS_AS(load("sub/w.bin", true, offset(bad)), error);
  CHECK_THROWS_WITH_AS(load("sub/w.bin", false), doctest::Contains("needs the option external_data (--external-data)"),
                       error);

  // Systems without POSIX files make the same checks.
  const auto part = [&]<class File>(const std::string& location, std::int64_t from, std::size_t n) {
    std::shared_ptr<const File> file;
    std::string problem = onnx::detail::open_in_folder(folder.string(), location, file), to(n, '?');
    if (problem.empty()) problem = onnx::detail::check_part(*file, location, from, static_cast<std::int64_t>(n));
    if (!problem.empty()) return problem;
    CHECK(file->read(from, std::as_writable_bytes(std::span(to))));
    return to;
  };
  for (const char* location :
       {"sub/w.bin", "../secret.bin", "link.bin", "up/secret.bin", "hard.bin", "", "sub", "nothing.bin"})
    for (const std::int64_t from : {0, 4, 5}) {
      CAPTURE(location);
      const std::string one = part.operator()<data_file>(location, from, 4);
      CHECK(one == part.operator()<named_file>(location, from, 4));
      CHECK((one.size() == 4) == (std::string(location) == "sub/w.bin" && from < 5));
    }
  fs::remove_all(outer);
}

TEST_CASE("numbers of more than one byte are turned on machines that have the highest first") {
  const auto turned = [](const std::string& bytes) {
    onnx::parse_state s{"t.pb", bytes.data()};
    s.machine = std::endian::native == std::endian::little ? std::endian::big : std::endian::little;
    const auto values = onnx::read_tensor(s, onnx::data_view(bytes.data(), bytes.size())).values;
    return std::string(reinterpret_cast<const char*>(values->bytes().data()), values->bytes().size());
  };
  const std::string numbers = "abcdefgh", fours = "dcbahgfe", eights = "hgfedcba";
  CHECK(turned(head({2}, 1) + pb::bytes(9, numbers)) == fours);
  CHECK(turned(head({2}, 1) + pb::bytes(4, numbers)) == fours);
  CHECK(turned(head({1}, 11) + pb::bytes(9, numbers)) == eights);
  CHECK(turned(head({1}, 11) + pb::bytes(10, numbers)) == eights);
  CHECK(turned(head({1}, 7) + pb::bytes(9, numbers)) == eights);
  CHECK(turned(head({4}, 10) + pb::bytes(9, numbers)) == "badcfehg");
  CHECK(turned(head({8}, 3) + pb::bytes(9, numbers)) == numbers);
}
