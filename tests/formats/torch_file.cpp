// SPDX-License-Identifier: BSL-1.0
// What torch.save writes: what is read, what is refused and with which words. Pickles are Python's (torch_pickles.py).
#include <doctest/doctest.h>

#if defined(CTNN_ZLIB)

#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include <ctnn/weights.hpp>

#include "formats/torch_pickles.hpp"
#include "support/zip_bytes.hpp"

namespace nn = ctnn;
using nn::ir::test::little, nn::ir::test::zipped, nn::ir::test::zip_end;
using entry = nn::ir::test::zip_entry;

namespace {

/// The file of a pickle and its storages "0", "1" ..., as torch.save writes it: sizes behind the data, both ends.
std::string saved(std::string_view pickle, const std::vector<std::string>& storages,
                  std::string_view order = "little") {
  constexpr std::uint32_t flags = 0x808;
  std::vector<entry> all{{"net/data.pkl", std::string(pickle), false, flags},
                         {"net/byteorder", std::string(order), false, flags}};
  for (std::size_t i = 0; i < storages.size(); ++i)
    all.push_back({"net/data/" + std::to_string(i), storages[i], false, flags});
  all.push_back({"net/version", "3\n", false, flags});
  all.push_back({"net/.data/serialization_id", "1234", false, flags});
  return zipped(all, {.end = zip_end::both});
}
std::string floats(std::initializer_list<float> numbers) {
  std::string out;
  for (const float x : numbers) out += little(std::bit_cast<std::uint32_t>(x), 4);
  return out;
}
const std::string six = floats({1, 2, 3, 4, 5, 6});

nn::weights::file opened(const std::string& bytes, const nn::budget& limits = {}) {
  const auto read = [bytes](std::uint64_t from, std::span<std::byte> to) {
    REQUIRE(from + to.size() <= bytes.size());
    if (!to.empty()) std::memcpy(to.data(), bytes.data() + from, to.size());
    return true;
  };
  return nn::weights::open({"x.pt", bytes.size(), read}, limits);
}
/// Reads everything; what it refuses.
std::string refusal(const std::string& bytes, const nn::budget& limits = {}) {
  try {
    const nn::weights::file file = opened(bytes, limits);
    for (const auto& [name, tensor] : file.tensors()) file.read(tensor);
  } catch (const nn::error& e) {
    const std::string what = e.what();
    REQUIRE(what.starts_with("x.pt: "));
    return what.substr(6);
  }
  return "";
}
std::vector<double> numbers_of(const nn::weights::file& file, const std::string& name) {
  const auto found = file.tensors().find(name);
  REQUIRE(found != file.tensors().end());
  const nn::array a = file.read(found->second);
  std::vector<double> out;
  for (std::size_t i = 0; i < a.size(); ++i) out.push_back(nn::number_at(a, i));
  return out;
}
using list = std::vector<double>;

}  // namespace

TEST_CASE("tensors of every type, in pickles of protocol 2 and 4") {
  const std::vector<std::string> storages{six,
                                          little(std::bit_cast<std::uint64_t>(1e300), 8),
                                          little(0xc0003c00, 4),
                                          little(0xbf803f80, 4),
                                          little(static_cast<std::uint64_t>(-7), 8),
                                          little(static_cast<std::uint64_t>(-70000), 4),
                                          little(0x0001ffff, 4),
                                          little(0x017f, 2),
                                          little(0x01ff, 2),
                                          little(0x010100, 3),
                                          ""};
  for (const std::string_view pickle : {torch_pickles::every_type, torch_pickles::every_type_4}) {
    const nn::weights::file file = opened(saved(pickle, storages));
    CHECK(file.tensors().size() == 11);
    CHECK(file.tensors().find("f32")->second.shape == nn::extents{2, 3});
    CHECK(file.tensors().find("i64")->second.shape.rank == 0);
    CHECK(numbers_of(file, "f32") == list{1, 2, 3, 4, 5, 6});
    CHECK(numbers_of(file, "f64") == list{1e300});
    CHECK(numbers_of(file, "f16") == list{1, -2});
    CHECK(numbers_of(file, "bf16") == list{1, -1});
    CHECK(numbers_of(file, "i64") == list{-7});
    CHECK(numbers_of(file, "i32") == list{-70000});
    CHECK(numbers_of(file, "i16") == list{-1, 1});
    CHECK(numbers_of(file, "i8") == list{127, 1});
    CHECK(numbers_of(file, "u8") == list{255, 1});
    CHECK(numbers_of(file, "bool") == list{0, 1, 1});
    CHECK(numbers_of(file, "none").empty());
  }
}

TEST_CASE("views of one storage: tied, turned, a part") {
  const nn::weights::file file = opened(saved(torch_pickles::views, {six}));
  CHECK(file.tensors().size() == 6);
  CHECK(numbers_of(file, "whole") == list{1, 2, 3, 4, 5, 6});
  CHECK(numbers_of(file, "tied") == numbers_of(file, "whole"));
  CHECK(numbers_of(file, "again") == numbers_of(file, "whole"));
  CHECK(numbers_of(file, "turned") == list{1, 4, 2, 5, 3, 6});
  CHECK(numbers_of(file, "last") == list{5, 6});
  CHECK(numbers_of(file, "column") == list{2, 5});
}

TEST_CASE("dictionaries in dictionaries, as Lightning's checkpoints are; what is no tensor is skipped") {
  const nn::weights::file file = opened(saved(torch_pickles::lightning, {six, floats({7, 8}), floats({9})}));
  std::string names;
  for (const auto& one : file.tensors()) names += one.first + ' ';
  CHECK(names ==
        "optimizer_states.0.state.0.exp_avg optimizer_states.0.state.0.step "
        "state_dict.model.fc.bias state_dict.model.fc.weight ");
  CHECK(numbers_of(file, "state_dict.model.fc.bias") == list{7, 8});
  const nn::weights::state_dict state = file.state({.prefix = "state_dict.model."});
  CHECK(state.size() == 2);
  CHECK(nn::number_at(state.find("fc.weight")->second.read(), 5) == 6);
}

TEST_CASE("parameters, storages without a type, a tensor alone") {
  const nn::weights::file file = opened(saved(torch_pickles::parameter, {six, little(0x0001ffff, 4)}));
  CHECK(numbers_of(file, "p") == list{1, 2, 3, 4, 5, 6});
  CHECK(numbers_of(file, "u16") == list{65535, 1});
  CHECK(numbers_of(opened(saved(torch_pickles::alone, {six})), "") == list{1, 2, 3, 4, 5, 6});
}

TEST_CASE("what is wrong is said with the tensor, the entry or the byte of the pickle") {
  const auto says = [&](const std::string& bytes, const std::string& part, const nn::budget& limits = {}) {
    const std::string what = refusal(bytes, limits);
    CAPTURE(what);
    CHECK(what.find(part) != what.npos);
  };
  const auto pickled = [](const std::string& pickle) { return saved("\x80\x02" + pickle + ".", {six}); };
  says("\x80\x02\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19.", "_use_new_zipfile_serialization=True");
  says(saved(torch_pickles::complex_numbers, {little(0, 8)}),
       "tensor 'z': its element type is 'torch.ComplexFloatStorage', which ctnn does not have");
  says(saved(torch_pickles::a_module, {}), "an object of argparse.Namespace, whose tensors have no names");
  says(saved(torch_pickles::runs, {}), "an object of __builtin__.print, whose tensors have no names");
  says(zipped({{"a/data.pkl", "x"}, {"a/constants.pkl", "x"}}), "a TorchScript module");
  says(zipped({{"a/data.pkl", "x"}, {"b/data.pkl", "x"}}), "'b/data.pkl': a second pickle");
  says(saved(torch_pickles::alone, {six}, "big"), "'net/byteorder': 'big', expected little");
  says(saved(torch_pickles::alone, {}), "its storage 'net/data/0' is not in the file");
  says(saved(torch_pickles::alone, {six + "1234"}), "a storage of 6 elements, 'net/data/0' has 28 bytes");
  says(saved(torch_pickles::alone, {six.substr(1)}), "a storage of 6 elements, 'net/data/0' has 23 bytes");

  says(saved("", {}), "'net/data.pkl': byte 0: the pickle ends in what begins here");
  says(pickled("N") + "x", "expected PK\\5\\6");
  says(saved("\x80\x01N.", {}), "byte 0: protocol 1, expected 2");
  says(saved("\x80\x02N.N", {}), "byte 3: bytes behind the end");
  says(pickled("NN"), "2 values at the end, expected one");
  says(pickled("(N"), "1 values at the end");
  says(pickled("a"), "byte 2: takes a value where there is none");
  says(pickled("(a"), "byte 3: takes a value where there is none");
  says(pickled("t"), "byte 2: takes what is behind a mark, of which there is none");
  says(pickled("h\5"), "byte 2: value 5, which has not been stored");
  says(pickled("q\5"), "takes a value where there is none");
  says(pickled("X\xff\xff\xff\xff"
               "a"),
       "byte 2: the pickle ends in what begins here");
  says(pickled("\x8d" + std::string(8, '\xff')), "byte 2: the pickle ends in what begins here");
  says(pickled("cos"), "a line that does not end");
  says(pickled("N)R"), "a call of what is no class or function");
  says(pickled("cos\nsystem\nNR"), "a call of what is no class or function");
  says(pickled("KaKbs"), "takes a value where there is none");
  says(pickled("]K\1K\1s"), "pairs for what is no dictionary");
  says(pickled("}(K\1u"), "pairs for what is no dictionary");
  says(pickled("}(K\1e"), "items for what is no list");
  says(pickled("KaKb\x93"), "a class whose name is no text");
  says(pickled("c" + std::string(300, 'a') + "\nb\n"), "a class whose name is longer than 255 characters");
  says(pickled("I1\n"), "byte 2: opcode INT, which torch.save does not write");
  says(pickled("(cos\nsystem\no"), "byte 14: opcode OBJ, which torch.save does not write");
  says(pickled("(ios\nsystem\n"), "opcode INST, which torch.save does not write");
  says(pickled("\x82\1"), "opcode EXT1, which torch.save does not write");
  says(pickled("\xff"), "byte 2: byte 255 is no opcode of a pickle");
}

namespace {

constexpr std::string_view begin = "ctorch._utils\n_rebuild_tensor_v2\n(", end = "tR.";
/// A tensor of storage "0", which has six floats, with what is between its storage and what torch says of gradients.
std::string view(const std::string& where, const std::string& elements = "K\6") {
  const std::string text = std::string("X\7\0\0\0storage", 12);
  return "\x80\x02" + std::string(begin) + "(" + text + "ctorch\nFloatStorage\n" + std::string("X\1\0\0\0000", 6) +
         std::string("X\3\0\0\0cpu", 8) + elements + "tQ" + where + std::string(end);
}

}  // namespace

TEST_CASE("tensors that reach out of their storage, or claim what there is not") {
  const auto says = [&](const std::string& pickle, const std::string& part, const nn::budget& limits = {}) {
    const std::string what = refusal(saved(pickle, {six}), limits);
    CAPTURE(what);
    CHECK(what.find(part) != what.npos);
  };
  const std::string zero("K\0", 2);
  CHECK(refusal(saved(view(zero + "K\6\x85K\1\x85"), {six})) == "");
  says(view("K\1K\6\x85K\1\x85"), "its elements reach behind the 6 of its storage");
  says(view("K\6K\1\x85K\1\x85"), "its elements reach behind");
  says(view(zero + "K\2\x85K\6\x85"), "its elements reach behind");
  says(view(zero + "K\2\x85J\xff\xff\xff\x7f\x85"), "its elements reach behind");
  says(view(zero + "K\2\x85\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f\x85"), "its elements reach behind");
  says(view("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7fK\1\x85K\1\x85"), "its elements reach behind");
  says(view(zero + "K\7\x85" + zero + "\x85"), "7 elements of a storage of 6, expected no element twice");
  says(view(zero + "J\xff\xff\xff\x7f\x85" + zero + "\x85"), "has more elements than the limit");
  says(view(zero + std::string("\x8a\5\0\0\0\0\1", 7) + "\x85" + zero + "\x85"), "an extent of 4294967296");
  says(view(zero + "J\xff\xff\xff\xff\x85K\1\x85"), "extents, expected numbers of 0 or more");
  says(view(zero + "K\6\x85J\xff\xff\xff\xff\x85"), "strides, expected numbers of 0 or more");
  says(view(zero + "K\6\x85K\1K\1\x86"), "1 extents and 2 strides");
  says(view(zero + "K\6K\1"), "extents that is no tuple");
  says(view("J\xff\xff\xff\xffK\6\x85K\1\x85"), "expected its storage, an offset, extents and strides");
  says(view(zero), "expected its storage, an offset, extents and strides");
  says(view(zero + "K\6\x85K\1\x85", "K\5"), "a storage of 5 elements");
  says(view(zero + "K\6\x85K\1\x85", ""), "a storage that is no tuple of five");
  says("\x80\x02" + std::string(begin) + "NNNN" + std::string(end), "expected its storage");
  std::string many = view(zero + "K\6\x85K\1\x85");
  says(many, "the limit is 3", {.file_bytes = 1 << 20, .memory_bytes = 3});
}

TEST_CASE("what holds itself, or itself many times over, ends") {
  const auto says = [&](const std::string& pickle, const std::string& part, const nn::budget& limits = {}) {
    const std::string what = refusal(saved("\x80\x02" + pickle + ".", {six}), limits);
    CAPTURE(what);
    CHECK(what.find(part) != what.npos);
  };
  const std::string put("q\0", 2), get("h\0", 2), a("X\1\0\0\0a", 6), b("X\1\0\0\0b", 6);
  says("}" + put + a + get + "s", "dictionaries in dictionaries, more than 16 deep, or one that holds itself");
  says("]" + put + get + "a", "one that holds itself");
  // Fifteen levels of ten each: more than there are atoms in the file.
  std::string wide = "}" + put;
  for (int level = 0; level < 15; ++level) {
    wide += "}";
    for (const char key : {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'})
      wide += std::string("X\1\0\0\0", 5) + key + get + "s";
    wide += put;
  }
  says("(" + wide + "t", "more values than the limit, 3200000");
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += ')';
  says("(" + deep + "t", "more values than the limit, 16000", {.blobs = 1000});
  says("(" + std::string(100000, 'N') + "t", "more values than the limit, 16000", {.blobs = 1000});
  says(std::string(100000, '('), "more values than the limit, 16000", {.blobs = 1000});
}

TEST_CASE("any cut and any changed byte of a file is read or refused") {
  const std::string whole = saved(torch_pickles::lightning, {six, floats({7, 8}), floats({9})});
  CHECK(refusal(whole) == "");
  for (std::size_t n = 0; n < whole.size(); n += 7) CHECK(refusal(whole.substr(0, n)) != "");
  // The pickle alone, behind no checksum.
  const std::string pickle(torch_pickles::lightning);
  int refused = 0;
  for (std::size_t n = 0; n < pickle.size(); n += 3)
    CHECK(refusal(saved(pickle.substr(0, n), {six, floats({7, 8}), floats({9})})) != "");
  for (std::size_t i = 0; i < pickle.size(); ++i)
    for (const char c : {'\1', '\x80', '\xff', '\x20'}) {
      std::string changed = pickle;
      changed[i] = static_cast<char>(changed[i] ^ c);
      refused += refusal(saved(changed, {six, floats({7, 8}), floats({9})})) != "";
    }
  CHECK(refused > 1000);
}

#else
TEST_CASE(".pt files") { MESSAGE("SKIPPED: zlib is missing (Debian: zlib1g-dev)"); }
#endif
