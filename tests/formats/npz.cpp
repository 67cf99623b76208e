// SPDX-License-Identifier: BSL-1.0
// NumPy's .npz files: what is read, what is refused and with which words; weights of declared networks from them.
#include <doctest/doctest.h>

#if defined(CTNN_ZLIB)

#include <cstring>
#include <string>
#include <vector>

#include <ctnn/ctnn.hpp>
#include <ctnn/weights.hpp>

#include "support/numbers.hpp"
#include "support/scratch_folder.hpp"
#include "support/zip_bytes.hpp"

namespace nn = ctnn;
using nn::ir::test::little, nn::ir::test::zipped, nn::ir::test::zip_end;
using entry = nn::ir::test::zip_entry;

namespace {

std::string npy(const nn::extents& shape, nn::ir::test::floats numbers) {
  return nn::npy::write(nn::array(shape, numbers));
}

/// Reads everything; what it refuses.
std::string refusal(const std::string& bytes, const nn::budget& limits = {}) {
  const auto read = [&](std::uint64_t from, std::span<std::byte> to) {
    REQUIRE(from + to.size() <= bytes.size());
    if (!to.empty()) std::memcpy(to.data(), bytes.data() + from, to.size());
    return true;
  };
  try {
    const nn::weights::file file = nn::weights::open({"x.npz", bytes.size(), read}, limits);
    for (const auto& [name, tensor] : file.tensors()) file.read(tensor);
  } catch (const nn::error& e) {
    const std::string what = e.what();
    REQUIRE(what.starts_with("x.npz: "));
    return what.substr(7);
  }
  return "";
}

const std::string one = npy({2}, {1, 2}), zeros = npy({100, 30}, nn::ir::test::floats(3000));

}  // namespace

TEST_CASE("stored and deflated arrays, as NumPy and as streams write them") {
  const nn::ir::test::scratch_folder folder;
  const std::string path = folder.file("all.npz");
  nn::array halves({2}, nn::dtype::f16);
  halves.elements<std::uint16_t>()[1] = 0x3c00;
  std::string turned = npy({2, 3}, {1, 4, 2, 5, 3, 6});
  turned.replace(turned.find("False"), 5, "True ");
  nn::ir::write_file(path, zipped({{"turned.npy", turned, true},
                                   {"a.weight.npy", npy({2, 3}, {1, -2, 3, 4, 5, 6.5f})},
                                   {"z.npy", zeros, true},
                                   {"h.npy", nn::npy::write(halves), true, 8},
                                   {"scalar.npy", npy({}, {7}), false, 8},
                                   {"e.npy", npy({0, 4}, {}), false, 0x0800, 0, 0, -1, 0, -1, false}}));
  const nn::weights::file file = nn::weights::open(path);
  const auto read = [&](const char* name) { return file.read(file.tensors().find(name)->second); };
  CHECK(file.tensors().size() == 6);
  for (std::size_t i = 0; i < 6; ++i) CHECK(read("turned")[i] == static_cast<float>(i + 1));
  CHECK(read("a.weight").shape() == nn::extents{2, 3});
  CHECK(read("a.weight")[5] == 6.5f);
  CHECK(read("z").size() == 3000);
  CHECK(read("z")[2999] == 0);
  CHECK(read("h").type() == nn::dtype::f16);
  CHECK(nn::number_at(read("h"), 1) == 1);
  CHECK(read("scalar")[0] == 7);
  CHECK(read("e").size() == 0);
  CHECK(refusal(zipped({})) == "");
}

TEST_CASE("what is wrong is said with the entry or the byte") {
  const auto says = [&](const std::string& bytes, const std::string& part, const nn::budget& limits = {}) {
    const std::string what = refusal(bytes, limits);
    CAPTURE(what);
    CHECK(what.find(part) != what.npos);
  };
  const entry a{"a.npy", one}, b{"b.npy", one};
  const std::string good = zipped({a, b});
  const auto end = [&](std::size_t from_end, const std::string& bytes) {
    return std::string(good).replace(good.size() - from_end, bytes.size(), bytes);
  };
  CHECK(refusal(good) == "");
  says(good.substr(0, 21), "21 bytes, a zip file has at least 22");
  says(good.substr(0, good.size() - 1), "expected PK\\5\\6");
  says(good + "!", "expected PK\\5\\6");
  says(zipped({a}, {.comment = "!"}), "expected PK\\5\\6");
  says(end(2, little(1, 2)), "a comment behind the directory");
  says(end(18, little(1, 2)), "a part of several");
  says(end(14, little(1, 2)), "a part of several");
  says(end(14, little(0xffff, 2) + little(0xffff, 2)), "numbers that zip64 says, of which there are none");
  says(end(6, little(0xffffffff, 4)), "numbers that zip64 says");
  says(end(6, little(0xfffffff0, 4)), "a directory of 102 bytes at byte 4294967280");
  says(end(14, little(3, 2) + little(3, 2)), "expected PK\\1\\2");
  says(end(14, little(1, 2) + little(1, 2)), "bytes behind the directory's last entry");
  says(zipped({a, a}), "'a.npy': its name stands twice");
  says(zipped({a, {"c.npy", one, false, 0, 0, 0, -1, 0, 0}}), "'c.npy': its header and the directory differ");
  says(zipped({a, {"b.npy", one, false, 0, 0, 0, -1, 0, 1 << 20}}), "'b.npy': its header is not before the directory");
  says(zipped({a, b}, {.between = "...."}), "bytes of no entry");
  says(zipped({{"a.npy", one, false, 1}}), "'a.npy': is encrypted");
  says(zipped({{"a.npy", one, false, 0x2000}}), "'a.npy': has flags 8192");
  says(zipped({{"a.npy", one, false, 0, 12}}), "'a.npy': compressed by method 12, expected stored or deflated");
  says(zipped({{"a.npy", one, false, 0, 0, 8}}), "'a.npy': its header and the directory differ");
  says(zipped({{"a.npy", one, false, 0, 0, 0, 1 << 30}}), "cannot hold the 1073741824 that it claims");
  says(zipped({{"a.npy", one, true, 0, 8, 8, 1 << 30}}), "cannot hold the 1073741824 that it claims");
  says(zipped({{"a.npy", one, false, 0, 0, 0, 0xffffffff}}), "zip64");
  says(zipped({{"a.npy", zeros, false, 0, 8, 8}}), "'a.npy': its data end early");
  says(zipped({{"a.npy", std::string(200, '\xff'), false, 0, 8, 8}}), "its deflated data are cut off or broken");
  says(zipped({{"a.npy", zeros + "0000", true, 0, 8, 8, static_cast<std::int64_t>(zeros.size())}}),
       "'a.npy': its data do not end where it claims");
  says(zipped({{"a.npy", zeros, true, 0, 8, 8, static_cast<std::int64_t>(zeros.size() + 4)}}),
       "12004 bytes of numbers, shape 100 x 30 needs 12000");
  says(zipped({{"a.npy", one, true, 0, 8, 8, -1, 77}}), "'a.npy': its checksum is not that of its data");
  says(zipped({{"a.npy", one + "0000"}}), "'a.npy': byte 128: 12 bytes of numbers, shape 2 needs 8");
  says(zipped({{"a.npy", one.substr(0, 11)}}), "'a.npy': byte 8: a header of 118 bytes, the file has 1 more");
  says(zipped({{"a.npy", "\x93NUMPY\2" + std::string(1, '\0') + little(70'000, 4) + std::string(70'000, ' '), true}}),
       "a header of 70000 bytes, the limit is 65536");
  says(zipped({{"a.txt", one}}), "'a.txt': expected an array, NAME.npy");
  says(zipped({{"a.npy", zeros, true}}), "12000 bytes of numbers, the limit is 1000", {.memory_bytes = 1000});
  says(zipped({{std::string(300, 'a'), one}}), "a name of 300 characters, the limit is 255");
  says(zipped({a, b}), "2 entries, the limit is 1", {.blobs = 1});
}

TEST_CASE("zip64: an end of long numbers, and entries whose sizes stand apart") {
  const auto says = [&](const std::string& bytes, const std::string& part) {
    const std::string what = refusal(bytes);
    CAPTURE(what);
    CHECK(what.find(part) != what.npos);
  };
  const entry a{"a.npy", one}, b{"b.npy", zeros, true}, large{.name = "c.npy", .holds = one, .long_sizes = true};
  CHECK(refusal(zipped({a, b}, {.end = zip_end::both})) == "");
  CHECK(refusal(zipped({a, b, large}, {.end = zip_end::long_only})) == "");
  CHECK(refusal(zipped({large, a})) == "");
  const std::string good = zipped({a, b}, {.end = zip_end::both}), only = zipped({a}, {.end = zip_end::long_only});
  const auto changed = [](std::string bytes, std::size_t from_end, const std::string& to) {
    return bytes.replace(bytes.size() - from_end, to.size(), to);
  };
  constexpr std::size_t locator = 22 + 20, record = locator + 56;
  says(changed(good, locator, "XX"), "expected one that ends at byte");
  says(changed(good, locator - 8, little(1, 8)), "expected PK\\6\\6, the end of a zip64 directory");
  says(changed(good, locator - 16, little(2, 4)), "expected PK\\6\\6, the end of a zip64 directory");
  says(changed(good, record, "PK\6\7"), "expected PK\\6\\6");
  says(changed(good, record - 24, little(3, 8)), "the directory's two ends differ");
  says(changed(good, record - 24, little(3, 8) + little(3, 8)), "the directory's two ends differ");
  says(changed(only, record - 40, little(1, 8) + little(std::uint64_t{1} << 60, 8)), "a directory of 1 bytes");
  says(changed(only, record - 48, little(std::uint64_t{1} << 63, 8)), "a directory of");
}

TEST_CASE("entries that lie over each other") {
  // The second is what the first holds.
  const std::string inner = zipped({{"b.npy", one, false, 0, 0, 0, -1, 0, -1, false}});
  const std::string local = inner.substr(0, inner.find("PK\1\2"));
  std::string both =
      zipped({{"a.npy", local, false, 0, 0, 0, -1, 0, -1, false}, {"b.npy", one, false, 0, 0, 0, -1, 0, 35, false}});
  const std::size_t directory = both.find("PK\1\2"), second = both.find("PK\3\4", 35 + local.size());
  both.erase(second, directory - second);
  both.replace(both.size() - 6, 4, little(second, 4));
  CHECK(refusal(both) == "'b.npy': begins at byte 35, in another entry");
}

TEST_CASE("any cut and any changed byte of a file is read or refused") {
  const std::string whole = zipped({{"x.npy", one}, {"y.npy", npy({3, 7}, nn::ir::test::floats(21)), true}});
  CHECK(refusal(whole) == "");
  for (std::size_t n = 0; n < whole.size(); ++n) CHECK(refusal(whole.substr(0, n)) != "");
  int refused = 0;
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const char c : {'\0', '\1', '\x80', '\xff'}) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ c);
      refused += refusal(changed) != "";
    }
  CHECK(refused > 1000);
}

namespace {

struct net : nn::network<nn::input<"x", nn::shape<4>>, nn::linear<"fc", nn::out<2>>> {};

}  // namespace

TEST_CASE("a network's weights by the keys of its state_dict") {
  const nn::ir::test::scratch_folder folder;
  const std::string path = folder.file("model.npz");
  const auto weight = nn::ir::test::random_floats("w", 8, -1, 1), bias = nn::ir::test::random_floats("b", 2, -1, 1);
  const nn::named_weight by_hand[] = {nn::state("fc.weight", weight), nn::state("fc.bias", bias)};
  nn::parameters<net> want{nn::zeros}, got{nn::zeros};
  REQUIRE(!nn::load(want, by_hand).found);
  nn::ir::write_file(path, zipped({{"fc.weight.npy", npy({2, 4}, weight), true}, {"fc.bias.npy", npy({2}, bias)}}));
  nn::weights::load(got, nn::weights::open(path));
  CHECK(std::memcmp(want.packed, got.packed, sizeof want.packed) == 0);

  nn::ir::write_file(path, zipped({{"fc.weight.npy", npy({4, 2}, weight), true}, {"arr_0.npy", npy({2}, bias)}}));
  CHECK_THROWS_WITH_AS(nn::weights::load(got, nn::weights::open(path)),
                       (path + ": the tensors are not the network's weights:\n"
                               "  arr_0: unexpected\n"
                               "  fc.weight: f32 4 x 2, the network needs f32 2 x 4\n"
                               "  fc.bias: missing, the network needs f32 2")
                           .c_str(),
                       nn::error);
}

#else
TEST_CASE(".npz files") { MESSAGE("SKIPPED: zlib is missing (Debian: zlib1g-dev)"); }
#endif
