// SPDX-License-Identifier: BSL-1.0
// ONNX's ImageDecoder, against what Pillow decodes: two files of ONNX's backend tests (Apache-2.0).
#include <string_view>

#include <doctest/doctest.h>

#include <ctnn/model.hpp>

#include "support/onnx_bytes.hpp"

#if __has_include(<stb/stb_image.h>)
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_image.h>
#pragma GCC diagnostic pop
#define CTNN_TEST_STB 1
#endif

using namespace ctnn;
namespace pb = ir::test::onnx_bytes;

namespace {

constexpr std::string_view png =
    "89504e470d0a1a0a0000000d4948445200000020000000200802000000fc18eda3000000ff49444154789c637c14f89b0109704f3142e67e"
    "f9f701992b23658ccc6de15643e62e98731d997b3f663303030313038dc1a80504018bf1bd75c8fc191e7791b9818f4290b966f99f91b9b1"
    "a7df23737d9a5d90b993194623797058c0a8e46486cc4fbb9d81cc7d5b9d8ccc75b34089e4dd73be21731b581f2373b9fa8d198643100d7d"
    "0b58e44c5891f9a25f3891b96c4d95c85c43ff1464eedf3066646ed82f1614b3fb19188643100d7d0b58b63f1145e66f704029bdf9375623"
    "73031851ca67b3271b91b933d40e2173651818188643100d7d0b5814e7ec46e6cf7c8ad20e9be37601997becdc41646ef2f287c85c9eaf2f"
    "312d18fa4134f42d18fa000046fd3bd24a262ec50000000049454e44ae426082";
constexpr std::string_view jpeg =
    "ffd8ffe000104a46494600010100000100010000ffdb004300080606070605080707070909080a0c140d0c0b0b0c1912130f141d1a1f1e1d"
    "1a1c1c20242e2720222c231c1c2837292c30313434341f27393d38323c2e333432ffdb0043010909090c0b0c180d0d1832211c2132323232"
    "32323232323232323232323232323232323232323232323232323232323232323232323232323232323232323232ffc00011080020002003"
    "012200021101031101ffc4001f0000010501010101010100000000000000000102030405060708090a0bffc400b510000201030302040305"
    "0504040000017d01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a2526272829"
    "2a3435363738393a434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a9293949596979899"
    "9aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9"
    "faffc4001f0100030101010101010101010000000000000102030405060708090a0bffc400b5110002010204040304070504040001027700"
    "0102031104052131061241510761711322328108144291a1b1c109233352f0156272d10a162434e125f11718191a262728292a3536373839"
    "3a434445464748494a535455565758595a636465666768696a737475767778797a82838485868788898a92939495969798999aa2a3a4a5a6"
    "a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9faffda000c030100"
    "02110311003f005d0fc77a5db5ebbbc178418c8f9517d47fb55d245f10b496912416f7bb7703f713ff008aaf1db4b7992524c320f97ba9ae"
    "af448ac2496ce2bb68c16942bab49b4e0b7d78e2b8f3cc0d0c65758d9a6e2ed1d37bf77d2df33d9c3e228d5c3bad894dc9dd2e5efd0e87c6"
    "0e3e20fd8bfb2730fd877f99f6bf973bf6e31b777f70f5c76ae07c5a86d3c2b7767260c9088e362bd09575071edc57a6ea16b6fa6797fd84"
    "a3f799f3bca632f4c6dce738ea6b8ef1f59da8f056a172500bb3e5b312c73b8c8b9e33ee6bb30f82f614153724e0afca93d6fbebf33c754e"
    "a6262a35da5c9aae9a931d2360cf9f9ff807ff005eb364b4fb3ea8b2efdde5bab6318ce306b5ad7c7fe0e59499b5042b8e336b21e7fef8aa"
    "1a978d7c2334f334179190cbf2916b20e71feed706599a558d4f635e8cb91f9595db5d6c6b47388428f3d1a128ae917bdfbea74ba46af9f3"
    "bf71fddfe3fafb5677c46d3f1e00d4af7cdfbc227d9b7a6e9538ce7deb93ff0084c7478ffd56a0c99ebb639067f4aa9e25f185a6a7e19b9b"
    "08b549a66708044c24c1c329ee31daaf31c22a58b5f55f86eaf6d74d3aea185a5f5fa2f138b9a5249b49e8eeb45a69d8ffd9";
const std::vector<int> png_rgb{226, 81,  251, 237, 229, 45,  225, 227, 29,  253, 253, 80,  129, 8,   118, 33,  164, 77,
                               21,  47,  169, 173, 45,  10,  254, 15,  94,  52,  126, 81,  145, 211, 101, 109, 86,  145,
                               34,  66,  54,  136, 29,  158, 117, 152, 1,   187, 208, 244, 118, 108, 234, 246, 113, 205,
                               64,  118, 59,  157, 54,  167, 142, 26,  122, 236, 105, 88,  184, 191, 91,  76,  185, 95,
                               247, 90,  80,  167, 118, 85,  172, 39,  208, 60,  106, 191, 114, 163, 112, 228, 201, 50,
                               24,  246, 11,  177, 219, 6,   77,  188, 37,  2,   138, 230, 159, 74,  81,  240, 63,  27};
const std::vector<int> jpeg_rgb{
    221, 86,  250, 238, 224, 57,  231, 225, 29,  255, 248, 80,  126, 9,   116, 37,  163, 89,  22,  48,  169, 170,
    52,  0,   255, 14,  111, 46,  136, 85,  143, 209, 101, 120, 83,  161, 41,  66,  63,  142, 27,  148, 119, 155,
    0,   186, 190, 235, 123, 108, 249, 232, 126, 190, 63,  121, 37,  178, 43,  182, 120, 38,  104, 227, 111, 86,
    195, 186, 85,  76,  190, 118, 250, 92,  80,  155, 122, 79,  173, 36,  201, 54,  108, 204, 133, 153, 100, 231,
    189, 53,  27,  248, 23,  176, 225, 0,   62,  189, 50,  12,  131, 213, 164, 66,  91,  250, 56,  29};
const std::vector<int> jpeg_grey{145, 209, 204, 231, 56,  117, 54,  81,  97,  103, 177, 103,
                                 58,  75,  127, 194, 129, 165, 94,  99,  70,  143, 177, 148,
                                 138, 127, 96,  103, 141, 186, 156, 185, 135, 105, 98,  111};

array bytes_of(std::string_view hex) {
  array out({static_cast<int>(hex.size() / 2)}, dtype::u8);
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  for (std::size_t i = 0; i < out.size(); ++i)
    out.elements<std::uint8_t>()[i] = static_cast<std::uint8_t>(16 * digit(hex[2 * i]) + digit(hex[2 * i + 1]));
  return out;
}
/// The picture, and, of what runs below it, the sum of its numbers.
std::string network(const std::string& attributes) {
  return pb::model(pb::node("ImageDecoder", {"file"}, {"picture"}, attributes) +
                       pb::node("Cast", {"picture"}, {"numbers"}, pb::attribute("to", 1)) +
                       pb::node("ReduceSum", {"numbers"}, {"sum"}, pb::attribute("keepdims", 0)) +
                       pb::input(pb::value("file", pb::u8, {-1})) + pb::output(pb::value("picture", pb::u8, {})) +
                       pb::output(pb::value("sum", pb::f32, {})),
                   20);
}
array decoded(std::string_view file, const std::string& attributes, picture_decoder decoder) {
  const std::string bytes = network(attributes);
  const model m = model::load(pb::view(bytes), {.decode_picture = decoder});
  extractor e = m.extractor();
  e.input("file", bytes_of(file));
  const array out = e.extract("picture");
  double sum = 0;
  for (std::size_t i = 0; i < out.size(); ++i) sum += number_at(out, i);
  CHECK(number_at(e.extract("sum"), 0) == sum);
  return out;
}
/// Two by one: red and grey.
decoded_picture made_up(std::span<const std::byte> file) {
  if (file.size() == 1) return {.error = "too short"};
  if (file.size() == 2) return {.width = 3, .height = 1, .pixels = {1, 2}};
  return {.width = 2, .height = 1, .pixels = {255, 0, 0, 7, 7, 7}};
}

}  // namespace

TEST_CASE("pictures are decoded by what the program says") {
  const auto numbers = [](const std::string& format) {
    const array a = decoded("000000", pb::attribute("pixel_format", std::string_view(format)), made_up);
    CHECK(a.shape() == extents{1, 2, format == "Grayscale" ? 1 : 3});
    return std::vector<std::uint8_t>(a.elements<std::uint8_t>().begin(), a.elements<std::uint8_t>().end());
  };
  CHECK(numbers("RGB") == std::vector<std::uint8_t>{255, 0, 0, 7, 7, 7});
  CHECK(numbers("BGR") == std::vector<std::uint8_t>{0, 0, 255, 7, 7, 7});
  CHECK(numbers("Grayscale") == std::vector<std::uint8_t>{76, 7});
  CHECK_THROWS_WITH_AS(decoded("00", {}, made_up), doctest::Contains(": too short"), error);
  CHECK_THROWS_WITH_AS(decoded("0000", {}, made_up), doctest::Contains("gives 2 bytes for 3 x 1 pixels"), error);
  CHECK_THROWS_WITH_AS(decoded("000000", pb::attribute("pixel_format", std::string_view("CMYK")), made_up),
                       doctest::Contains("'pixel_format' is 'CMYK'"), error);
  CHECK_THROWS_WITH_AS(decoded("000000", {}, nullptr), doctest::Contains("load_options::decode_picture"), error);
}

#if defined(CTNN_TEST_STB)
namespace {

decoded_picture by_stb(std::span<const std::byte> file) {
  decoded_picture out;
  int had = 0;
  stbi_uc* const pixels = stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(file.data()),
                                                static_cast<int>(file.size()), &out.width, &out.height, &had, 3);
  if (!pixels) return {.error = stbi_failure_reason()};
  out.pixels.assign(pixels, pixels + 3 * out.width * out.height);
  stbi_image_free(pixels);
  return out;
}
/// In the middle of each field of 5 x 5 pixels. Decoders of JPEG round in ways of their own.
void check(std::string_view file, const std::string& format, const std::vector<int>& expected, int off) {
  const array got = decoded(file, pb::attribute("pixel_format", std::string_view(format)), by_stb);
  const int channels = format == "Grayscale" ? 1 : 3;
  REQUIRE(got.shape() == extents{32, 32, channels});
  std::size_t k = 0;
  for (int y = 2; y < 32; y += 5)
    for (int x = 2; x < 32; x += 5)
      for (int c = 0; c < channels; ++c, ++k) {
        const int from = format == "BGR" ? 2 - c : c;
        const int now = got.elements<std::uint8_t>()[static_cast<std::size_t>((32 * y + x) * channels + from)];
        CHECK(std::abs(now - expected[k]) <= off);
      }
  CHECK(k == expected.size());
}

}  // namespace

TEST_CASE("ImageDecoder gives what Pillow gives") {
  check(png, "RGB", png_rgb, 0);
  check(png, "BGR", png_rgb, 0);
  check(jpeg, "RGB", jpeg_rgb, 3);
  check(jpeg, "BGR", jpeg_rgb, 3);
  check(jpeg, "Grayscale", jpeg_grey, 3);
}
#endif
