// SPDX-License-Identifier: BSL-1.0
// Files of tensors by name: what is read, what is refused and with which words; weights of declared networks from them.
#include <doctest/doctest.h>

#if __has_include(<nlohmann/json.hpp>)

#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include <ctnn/ctnn.hpp>
#include <ctnn/weights.hpp>

#include "support/numbers.hpp"
#include "support/scratch_folder.hpp"

namespace nn = ctnn;
using nn::ir::test::floats;

namespace {

/// A file from its header and its numbers.
std::string framed(const std::string& header, const std::string& data) {
  std::string out;
  for (std::size_t i = 0; i < 8; ++i) out += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return out + header + data;
}
template <class T>
std::string bytes_of(const std::vector<T>& numbers) {
  std::string out;
  for (T x : numbers)
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      unsigned char byte[sizeof(T)];
      std::memcpy(byte, &x, sizeof(T));
      out += static_cast<char>(byte[std::endian::native == std::endian::little ? i : sizeof(T) - 1 - i]);
    }
  return out;
}

/// Tensors one after another.
struct writer {
  std::string header, data;
  template <class T>
  writer& add(const std::string& name, const std::string& type, const std::string& shape,
              const std::vector<T>& numbers) {
    const std::size_t begin = data.size();
    data += bytes_of(numbers);
    header += (header.empty() ? "" : ",") + ("\"" + name) + "\":{\"dtype\":\"" + type + "\",\"shape\":[" + shape +
              "],\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(data.size()) + "]}";
    return *this;
  }
  std::string text() const { return framed("{" + header + "}", data); }
};

std::string refusal(const nn::ir::test::scratch_folder& folder, const std::string& bytes) {
  const std::string path = folder.file("x.safetensors");
  nn::ir::write_file(path, bytes);
  try {
    const nn::weights::file file = nn::weights::open(path);
    for (const auto& [name, tensor] : file.tensors()) file.read(tensor);
  } catch (const nn::error& e) {
    const std::string what = e.what();
    REQUIRE(what.starts_with(path + ": "));
    return what.substr(path.size() + 2);
  }
  return "";
}

}  // namespace

TEST_CASE("tensors of every type, in any order, with words about the file") {
  const nn::ir::test::scratch_folder folder;
  const std::string path = folder.file("all.safetensors");
  writer w;
  w.header = "\"__metadata__\":{\"format\":\"pt\"}";
  w.add<float>("z", "F32", "2,3", {1, -2, 3, 4, 5, 6.5f}).add<double>("y", "F64", "1", {1e300});
  w.add<std::uint16_t>("h", "F16", "2", {0x3c00, 0xc000}).add<std::uint16_t>("b", "BF16", "1", {0x3f80});
  w.add<std::int64_t>("n", "I64", "", {-7})
      .add<std::uint8_t>("o", "BOOL", "3", {0, 1, 2})
      .add<float>("e", "F32", "0,4", {});
  nn::ir::write_file(path, w.text());
  const nn::weights::file file = nn::weights::open(path);
  const auto read = [&](const char* name) { return file.read(file.tensors().find(name)->second); };
  CHECK(file.tensors().size() == 7);
  CHECK(read("z").shape() == nn::extents{2, 3});
  CHECK(read("z").elements<float>()[5] == 6.5f);
  CHECK(read("y").elements<double>()[0] == 1e300);
  CHECK(nn::number_at(read("h"), 1) == -2);
  CHECK(nn::number_at(read("b"), 0) == 1);
  CHECK(read("n").shape().rank == 0);
  CHECK(read("n").elements<std::int64_t>()[0] == -7);
  CHECK(nn::number_at(read("o"), 2) == 1);
  CHECK(read("e").size() == 0);
}

TEST_CASE("what is wrong is said with the tensor or the byte") {
  const nn::ir::test::scratch_folder folder;
  const auto one = [](const std::string& about, std::size_t bytes = 4) {
    return framed("{\"a\":{" + about + "}}", std::string(bytes, '\0'));
  };
  const auto says = [&](const std::string& bytes, const std::string& part) {
    const std::string what = refusal(folder, bytes);
    CAPTURE(what);
    CHECK(what.find(part) != what.npos);
  };
  says("", "0 bytes, a .safetensors file has at least 8");
  says(std::string(8, '\xff'), "byte 0: a header of 18446744073709551615 bytes, the file has 0 more");
  says(framed("[]", ""), "byte 8: the header does not begin with '{'");
  says(framed("{\"a\"", ""), "the header is no JSON");
  says(framed("{} x", ""), "the header is no JSON");
  says(framed("{}", "1234"), "4 bytes behind the last tensor");
  says(one(R"("dtype":"F32","shape":[1])"),
       "tensor 'a': a key is missing, expected 'dtype', 'shape' and 'data_offsets'");
  says(one(R"("dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4])"), "its element type is 'F8_E4M3'");
  says(one(R"("dtype":"F32","shape":[1],"data_offsets":[0,8])"), "shape 1 of f32 needs 4");
  says(one(R"("dtype":"F32","shape":[1],"data_offsets":[4,0])"), "its bytes begin at 4, expected 0");
  says(one(R"("dtype":"F32","shape":[2],"data_offsets":[0,8])"), "its bytes end at 8, the file has 4");
  says(one(R"("dtype":"F32","shape":[1],"data_offsets":[0,4,5])"), "data_offsets are two numbers");
  says(one(R"("dtype":"F32","shape":[-1],"data_offsets":[0,4])"), "-1, expected a number of 0 or more");
  says(one(R"("dtype":"F32","shape":[1.5],"data_offsets":[0,4])"), "1.5, expected a whole number");
  says(one(R"("dtype":"F32","shape":[[1]],"data_offsets":[0,4])"), "a list where none belongs");
  says(one(R"("dtype":"F32","shape":[3000000000],"data_offsets":[0,4])"), "an extent of 3000000000");
  says(one(R"("dtype":"F32","shape":[100000,100000],"data_offsets":[0,4])"), "more elements than the limit");
  says(one(R"("dtype":"F32","shape":[1,1,1,1,1,1,1,1,1,1,1],"data_offsets":[0,4])"), "more than 10 dimensions");
  says(one(R"("dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4])"), "key 'dtype'");
  says(one(R"("dtype":"F32","shape":[1],"data_offsets":[0,4],"more":{})"), "key 'more'");
  says(one(R"("dtype":null,"shape":[1],"data_offsets":[0,4])"), "null");
  says(
      framed(
          R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                             R"("a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
          std::string(8, '\0')),
      "tensor 'a': its name stands twice");
  says(
      framed(
          R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                             R"("b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
          std::string(4, '\0')),
      "tensor 'b': its bytes begin at 0, expected 4");
  says(framed(std::string(50'000'000, '{'), ""), "byte 9: the header is no JSON");
  says(framed("{\"" + std::string(300, 'a') + "\":{}}", ""), "a name of 300 characters, the limit is 255");
}

TEST_CASE("any cut and any changed byte of a file is read or refused") {
  const nn::ir::test::scratch_folder folder;
  writer w;
  w.header = "\"__metadata__\":{\"a\":\"b\"}";
  w.add<float>("x.weight", "F32", "1,2", {1, 2}).add<std::int64_t>("n", "I64", "1", {3});
  const std::string whole = w.text();
  CHECK(refusal(folder, whole) == "");
  int refused = 0;
  for (std::size_t n = 0; n < whole.size(); ++n) CHECK(refusal(folder, whole.substr(0, n)) != "");
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const char c : {'\0', '"', '{', '}', '[', ']', '9', '\xff', ','}) {
      std::string changed = whole;
      changed[i] = c;
      refused += refusal(folder, changed) != "";
    }
  CHECK(refused > 500);
}

namespace {

struct net : nn::network<nn::input<"x", nn::shape<2, 4, 4>>,
                         nn::block<"layer1.0", nn::conv2d<"conv1", nn::out<3>, nn::kernel<3>>, nn::batch_norm<"bn1">,
                                   nn::relu<"relu">>,
                         nn::flatten<"flat">, nn::linear<"fc", nn::out<2>>> {};
using fused = nn::optimized<net>;

struct weights_of_net {
  floats conv = nn::ir::test::random_floats("conv", 3 * 2 * 9, -1, 1),
         conv_bias = nn::ir::test::random_floats("cb", 3, -1, 1), gamma = nn::ir::test::random_floats("g", 3, 0.5f, 1),
         beta = nn::ir::test::random_floats("b", 3, -1, 1), mean = nn::ir::test::random_floats("m", 3, -1, 1),
         variance = nn::ir::test::random_floats("v", 3, 0.5f, 1), fc = nn::ir::test::random_floats("fc", 2 * 12, -1, 1),
         fc_bias = nn::ir::test::random_floats("fb", 2, -1, 1);

  writer file() const {
    const auto list = [](const floats& f) { return std::vector<float>(f.begin(), f.end()); };
    writer w;
    return w.add("layer1.0.conv1.weight", "F32", "3,2,3,3", list(conv))
        .add("layer1.0.conv1.bias", "F32", "3", list(conv_bias))
        .add("layer1.0.bn1.weight", "F32", "3", list(gamma))
        .add("layer1.0.bn1.bias", "F32", "3", list(beta))
        .add("layer1.0.bn1.running_mean", "F32", "3", list(mean))
        .add("layer1.0.bn1.running_var", "F32", "3", list(variance))
        .add<std::int64_t>("layer1.0.bn1.num_batches_tracked", "I64", "", {100})
        .add("fc.bias", "F32", "2", list(fc_bias));
  }
};

}  // namespace

TEST_CASE("a network's weights by the keys of its state_dict") {
  const nn::ir::test::scratch_folder folder;
  const weights_of_net numbers;
  const nn::named_weight by_hand[] = {nn::state("layer1.0.conv1.weight", numbers.conv),
                                      nn::state("layer1.0.conv1.bias", numbers.conv_bias),
                                      nn::state("layer1.0.bn1.weight", numbers.gamma),
                                      nn::state("layer1.0.bn1.bias", numbers.beta),
                                      nn::state("layer1.0.bn1.running_mean", numbers.mean),
                                      nn::state("layer1.0.bn1.running_var", numbers.variance),
                                      nn::state("fc.weight", numbers.fc),
                                      nn::state("fc.bias", numbers.fc_bias)};
  nn::parameters<fused> want{nn::zeros}, got{nn::zeros};
  REQUIRE(!nn::load_folded<net>(want, by_hand).found);

  writer w = numbers.file();
  w.add("fc.weight", "F32", "2,12", std::vector<float>(numbers.fc.begin(), numbers.fc.end()));
  const std::string path = folder.file("model.safetensors");
  nn::ir::write_file(path, w.text());
  nn::weights::load_folded<net>(got, nn::weights::open(path));
  CHECK(std::memcmp(want.packed, got.packed, sizeof want.packed) == 0);

  nn::parameters<net> as_declared{nn::zeros};
  nn::weights::load(as_declared, nn::weights::open(path));

  // Doubles become floats.
  writer wide = numbers.file();
  wide.add("fc.weight", "F64", "2,12", std::vector<double>(numbers.fc.begin(), numbers.fc.end()));
  nn::ir::write_file(path, wide.text());
  nn::parameters<fused> from_wide{nn::zeros};
  nn::weights::load_folded<net>(from_wide, nn::weights::open(path));
  CHECK(std::memcmp(want.packed, from_wide.packed, sizeof want.packed) == 0);
}

TEST_CASE("all differences at once") {
  const nn::ir::test::scratch_folder folder;
  const std::string path = folder.file("other.safetensors");
  writer w = weights_of_net().file();
  w.add("fc.weigth", "F32", "12,2", std::vector<float>(24))
      .add("head.weight", "I32", "1", std::vector<std::int32_t>(1));
  nn::ir::write_file(path, w.text());
  nn::parameters<fused> untouched{nn::zeros};
  const std::string needs = path +
                            ": the tensors are not the network's weights:\n"
                            "  fc.weigth: unexpected, the nearest is fc.weight\n"
                            "  head.weight: unexpected, the nearest is fc.weight\n"
                            "  fc.weight: missing, the network needs f32 2 x 12";
  CHECK_THROWS_WITH_AS(nn::weights::load_folded<net>(untouched, nn::weights::open(path)), needs.c_str(), nn::error);

  writer shapes = weights_of_net().file();
  shapes.add("fc.weight", "F32", "12,2", std::vector<float>(24));
  nn::ir::write_file(path, shapes.text());
  CHECK_THROWS_WITH_AS(nn::weights::load_folded<net>(untouched, nn::weights::open(path)),
                       (path + ": the tensors are not the network's weights:\n"
                               "  fc.weight: f32 12 x 2, the network needs f32 2 x 12")
                           .c_str(),
                       nn::error);
}

#else
TEST_CASE("files of tensors by name") { MESSAGE("SKIPPED: nlohmann's JSON is missing (Debian: nlohmann-json3-dev)"); }
#endif
