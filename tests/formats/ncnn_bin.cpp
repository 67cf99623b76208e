// SPDX-License-Identifier: BSL-1.0
// Half precision, and weight files: every encoding, every length.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <ctnn/formats/ncnn/bin_reader.hpp>
#include <ctnn/formats/ncnn/bin_writer.hpp>

using namespace ctnn;
using namespace ctnn::ir;

namespace {

std::span<const std::byte> bytes_of(const std::string& s) { return std::as_bytes(std::span(s)); }

std::string tag(std::uint32_t t) {
  std::string s;
  for (unsigned i = 0; i < 4; ++i) s += static_cast<char>(t >> 8 * i & 0xffu);
  return s;
}

}  // namespace

TEST_CASE("half precision: every value survives, rounding is to nearest even") {
  for (unsigned h = 0; h < 0x10000u; ++h) {
    const float f = half_to_float(static_cast<std::uint16_t>(h));
    if (std::isnan(f)) {
      CHECK(std::isnan(half_to_float(float_to_half(f))));
      continue;
    }
    if (float_to_half(f) != h) FAIL("half " << h);
  }
  static_assert(half_to_float(0x3c00) == 1.0f && half_to_float(0x0001) == 0x1p-24f && half_to_float(0xc000) == -2.0f);
  static_assert(float_to_half(65504.0f) == 0x7bff && float_to_half(65519.9f) == 0x7bff &&
                float_to_half(65520.0f) == 0x7c00);
  static_assert(float_to_half(1.0f + 0x1p-11f) == 0x3c00 && float_to_half(1.0f + 0x3p-11f) == 0x3c02);
  static_assert(float_to_half(0x1p-25f) == 0 && float_to_half(0x1.002p-25f) == 1 && float_to_half(0x3p-25f) == 2);
  static_assert(float_to_half(-0x1p-14f) == 0x8400);
}

TEST_CASE("what is written is read") {
  const std::vector<float> w{1, -0.5f, 0.25f}, b{3.14159f};
  for (const auto storage : {ncnn::weight_storage::fp32, ncnn::weight_storage::fp16}) {
    ncnn::bin_writer out(storage);
    out.tagged(w);
    out.raw(b);
    CHECK(out.bytes().size() == (storage == ncnn::weight_storage::fp32 ? 20u : 16u));
    ncnn::bin_reader in(bytes_of(out.bytes()), "t.bin");
    CHECK(in.tagged(3, "conv") == w);
    CHECK_THROWS_WITH_AS(in.finish(), doctest::Contains("4 bytes follow"), error);
    CHECK(in.raw(1, "conv") == b);
    CHECK_NOTHROW(in.finish());
  }
}

TEST_CASE("code books, scaled floats and int8") {
  ncnn::bin_writer book;
  std::vector<float> values(256);
  for (std::size_t i = 0; i < 256; ++i) values[i] = static_cast<float>(i) * 2;
  book.raw(values);
  const std::string coded = tag(0x01020304) + book.bytes() + std::string("\x01\xff\x00\x07\x05\x00\x00\x00", 8);
  ncnn::bin_reader in(bytes_of(coded), "t.bin");
  CHECK(in.tagged(5, "fc") == std::vector<float>{2, 510, 0, 14, 10});
  CHECK_NOTHROW(in.finish());

  const std::string scaled = tag(0x0002C056) + std::string("\0\0\x80\x3f", 4);
  CHECK(ncnn::bin_reader(bytes_of(scaled), "t.bin").tagged(1, "fc") == std::vector<float>{1});

  const std::string int8 = tag(0x000D4B38) + std::string(4, '\1');
  ncnn::bin_reader refused(bytes_of(int8), "t.bin");
  CHECK_THROWS_WITH_AS(refused.tagged(4, "fc"),
                       "t.bin: byte 0: layer 'fc': int8 weights in a layer that says nothing of scales", error);
  ncnn::bin_reader taken(bytes_of(int8), "t.bin");
  CHECK(taken.tagged_or_int8(3, "fc").bytes == std::vector<std::int8_t>{1, 1, 1});
  CHECK_NOTHROW(taken.finish());
  CHECK_THROWS_AS(ncnn::bin_reader(bytes_of(int8), "t.bin").tagged_or_int8(5, "fc"), error);
}

TEST_CASE("lengths are compared with the file before anything is allocated") {
  const std::string short_file = tag(0) + std::string(8, '\0');
  const auto reader = [&] { return ncnn::bin_reader(bytes_of(short_file), "t.bin"); };
  CHECK_THROWS_AS(reader().tagged(3, "c"), error);
  CHECK_THROWS_AS(reader().raw(4, "c"), error);
  CHECK_THROWS_AS(reader().raw(-1, "c"), error);
  CHECK_THROWS_AS(reader().tagged(std::int64_t{1} << 40, "c"), error);
  CHECK_THROWS_AS(reader().raw(std::numeric_limits<std::int64_t>::max(), "c"), error);
  CHECK_THROWS_AS(ncnn::bin_reader({}, "t.bin").tagged(0, "c"), error);
  CHECK(reader().tagged(2, "c") == std::vector<float>{0, 0});

  budget small;
  small.memory_bytes = 8;
  ncnn::bin_reader none = ncnn::bin_reader::zeros(small);
  CHECK(none.tagged(2, "c") == std::vector<float>{0, 0});
  CHECK_THROWS_AS(none.raw(1, "c"), error);
  CHECK_NOTHROW(none.finish());
}
