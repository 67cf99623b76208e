// SPDX-License-Identifier: BSL-1.0
#include <ctnn/formats/npy.hpp>

#include <doctest/doctest.h>

using namespace ctnn;
using namespace ctnn::ir;
namespace {

std::string file(const std::string& header, const std::string& data, char version = 1) {
  std::string out = "\x93NUMPY";
  out += version;
  out += '\0';
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  if (version > 1) out += std::string(2, '\0');
  return out + header + data;
}
std::string complaint(const std::string& bytes, const budget& limits = {}) {
  try {
    npy::parse(bytes, "x.npy", limits);
  } catch (const error& e) {
    return e.what();
  }
  return "none";
}
const std::string three("\0\0\200?\0\0\0@\0\0@@", 12);  // 1, 2, 3
std::string header(const std::string& shape) {
  return "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }\n";
}

TEST_CASE("what is written reads back") {
  for (const extents& shape : {extents{}, extents{7}, extents{2, 3}, extents{3, 5, 2}}) {
    array a(shape);
    for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] = static_cast<float>(i) - 0.5f;
    const std::string bytes = npy::write(a);
    const std::size_t numbers = a.size() * sizeof(float);
    CHECK((bytes.size() - numbers) % 64 == 0);
    CHECK(bytes[bytes.size() - numbers - 1] == '\n');
    const array b = npy::parse(bytes, "x.npy");
    CHECK(b.shape() == shape);
    CHECK(std::equal(a.values().begin(), a.values().end(), b.values().begin(), b.values().end()));
  }
  CHECK(npy::write(array(extents{2, 3})).find("'shape': (2, 3), }") != std::string::npos);
  CHECK(npy::write(array(extents{7})).find("'shape': (7,), }") != std::string::npos);
}

TEST_CASE("every element type that NumPy has") {
  for (const auto& [type, name] : npy::detail::type_names) {
    const std::string_view called = name;  // a lambda cannot have what a declaration took apart
    CAPTURE(called);
    for (const extents& shape : {extents{}, extents{2, 3}, extents{2, 0}}) {
      array a(shape, type);
      for (std::size_t i = 0; i < a.bytes().size(); ++i)
        a.bytes()[i] = static_cast<std::byte>(type == dtype::boolean ? i % 2 : i);
      const std::string bytes = npy::write(a);
      CHECK(bytes.find("'" + std::string(name) + "'") != std::string::npos);
      const array b = npy::parse(bytes, "x.npy");
      CHECK(b.type() == type);
      CHECK(b.shape() == shape);
      CHECK(std::ranges::equal(a.bytes(), b.bytes()));
    }
  }
  CHECK_THROWS_WITH_AS(npy::write(array({2}, dtype::bf16)), ".npy files cannot hold bf16", error);
}

TEST_CASE("all versions, any order of keys, either quote") {
  for (char version : {'\1', '\2', '\3'}) {
    const array a = npy::parse(file(header("(3,)"), three, version), "x.npy");
    CHECK(a.shape() == extents{3});
    CHECK(a[2] == 3);
  }
  CHECK(npy::parse(file("{\"shape\":(1,3),\"fortran_order\":False,\"descr\":\"<f4\"}", three), "x.npy").shape() ==
        extents{1, 3});
}

TEST_CASE("Fortran order: the first axis is the innermost in the file") {
  for (const extents& shape : {extents{3}, extents{2, 3}, extents{3, 2, 4, 5}, extents{2, 0, 3}, extents{}}) {
    array wanted(shape, dtype::i16), turned(shape, dtype::i16);
    for (std::size_t i = 0; i < wanted.size(); ++i) wanted.elements<std::int16_t>()[i] = static_cast<std::int16_t>(i);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      std::size_t rest = i, to = 0, step = wanted.size();  // the place of element i where the last axis is outermost
      for (int k = shape.rank - 1; k >= 0; --k) {
        step /= static_cast<std::size_t>(shape[k]);
        to += rest % static_cast<std::size_t>(shape[k]) * step;
        rest /= static_cast<std::size_t>(shape[k]);
      }
      turned.elements<std::int16_t>()[to] = wanted.elements<std::int16_t>()[i];
    }
    std::string bytes = npy::write(turned);
    const std::size_t at = bytes.find("False");
    bytes.replace(at, 5, "True ");
    const array got = npy::parse(bytes, "x.npy");
    CHECK(got.shape() == shape);
    CHECK(same_bytes(got, wanted));
  }
}

TEST_CASE("what is wrong is said with its place") {
  CHECK(complaint("") == "x.npy: byte 0: not an .npy file, expected \\x93NUMPY");
  CHECK(complaint("\x93NUMPY\1") == "x.npy: byte 7: the file ends in its header");
  CHECK(complaint(file(header("(3,)"), three, 4)).find("byte 6: version 4.0, expected 1.0") != std::string::npos);
  CHECK(complaint(file("{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }", three))
            .find("'<c8', expected one of <f4 <f8") != std::string::npos);
  CHECK(complaint(file("{'descr': '>f4', 'fortran_order': False, 'shape': (3,), }", three))
            .find("'>f4', expected one of <f4") != std::string::npos);
  CHECK(
      complaint(file("{'descr': '<f4', 'fortran_order': 1, 'shape': (3,), }", three)).find("expected True or False") !=
      std::string::npos);
  CHECK(complaint(file("{'descr': '<f4', 'shape': (3,), }", three)).find("a key is missing") != std::string::npos);
  CHECK(complaint(file("{'descr': '<f4', 'descr': '<f4', }", three)).find("each once") != std::string::npos);
  CHECK(complaint(file(header("(3,)") + "x", three)).find("characters after") != std::string::npos);
  CHECK(complaint(file(header("(0,)"), three)).find("needs 0") != std::string::npos);
  CHECK(complaint(file(header("(-3,)"), three)).find("extent of 0 or more") != std::string::npos);
  CHECK(complaint(file(header("(1,1,1,1,1,1,1,1,1,1,1,)"), three)).find("more than 10 dimensions") !=
        std::string::npos);
  CHECK(complaint(file(header("(4,)"), three)).find("12 bytes of numbers, shape 4 needs 16") != std::string::npos);
  CHECK(complaint(file(header("(2,)"), three)).find("12 bytes of numbers, shape 2 needs 8") != std::string::npos);
  CHECK(complaint(file(header("(2147483647, 2147483647, 2147483647)"), three)).find("more elements than the limit") !=
        std::string::npos);
  budget small;
  small.value_elements = 2;
  CHECK(complaint(file(header("(3,)"), three), small).find("limit, 2") != std::string::npos);
}

TEST_CASE("every truncation of a file is refused") {
  const std::string whole = file(header("(3,)"), three);
  for (std::size_t n = 0; n < whole.size(); ++n) CHECK_MESSAGE(complaint(whole.substr(0, n)) != "none", n);
}

}  // namespace
