// SPDX-License-Identifier: BSL-1.0
// Broken .nam files and files of RTNeural's end in a ctnn::error that says where, never in a crash, a hang or much
// memory.
#include <ctnn/formats/json/load.hpp>
#include <doctest/doctest.h>

#if __has_include(<nlohmann/json.hpp>)

#include <string>

#include "support/nam_samples.hpp"
#include "support/rtneural_samples.hpp"

using namespace ctnn;
using namespace ctnn::ir;

namespace {

constexpr budget tiny{.file_bytes = 1 << 20,
                      .memory_bytes = 1 << 20,
                      .value_elements = 1 << 16,
                      .layers = 1000,
                      .blobs = 1000,
                      .name_length = 1000,
                      .array_length = 1000,
                      .work = 1 << 20};

/// Empty if the file is read and built, else why not.
std::string outcome(const std::string& file) {
  try {
    ctnn::json::build(ctnn::json::parse(file, "m.nam", tiny), {}, tiny);
  } catch (const error& e) {
    REQUIRE(std::string(e.what()).starts_with("m.nam: "));
    return e.what();
  }
  return "";
}
void refused(const std::string& file, const char* why) {
  const std::string said = outcome(file);
  CHECK_MESSAGE(said.find(why) != said.npos, said);
}
std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != text.npos);
  return text.replace(at, from.size(), to);
}

std::vector<std::string> all_samples() {
  std::vector<std::string> all;
  for (const auto& s : test::nam::samples()) all.push_back(s.file());
  for (const auto& s : test::rtneural::samples()) all.push_back(s.file());
  return all;
}

}  // namespace

TEST_CASE("a file in JSON that is cut off anywhere is refused") {
  for (const std::string& file : {test::nam::samples()[0].file(), test::rtneural::samples()[0].file()}) {
    REQUIRE(outcome(file) == "");
    for (std::size_t n = 0; n < file.size(); ++n) {
      CAPTURE(n);
      CHECK(outcome(file.substr(0, n)) != "");
    }
  }
}

TEST_CASE("any value of a file in JSON may be another") {
  int refusals = 0, tried = 0;
  for (const std::string& file : all_samples()) {
    REQUIRE(outcome(file) == "");
    for (std::size_t at = file.find(": "); at != file.npos; at = file.find(": ", at + 1))
      for (const char* other :
           {"null", "-1", "0", "1e300", "2147483648", "16777216", "0.5", "\"x\"", "[]", "{}", "[[[1]]]", "true"}) {
        const std::size_t end = file.find_first_of(",]}", at + 2);
        refusals += outcome(file.substr(0, at + 2) + other + file.substr(end)) != "";
        ++tried;
      }
  }
  CHECK(refusals > tried / 2);
  MESSAGE(refusals << " of " << tried << " changed files refused");
}

TEST_CASE("what is no JSON, or nests without end, is refused with its place") {
  refused("", "no JSON: byte 1");
  refused("[1, 2]", "is an array, expected an object");
  refused("{\"architecture\": \"LSTM\", \"config\": {\"a\": [1, [2, NaN]]}}", "config.a[1][1]: no JSON: byte 50");
  refused("{\"architecture\": Infinity}", "no JSON: byte ");
  refused("{\"a\": 1e999}", "no JSON: byte ");
  refused("{\"a\": 1} {", "no JSON: byte 10");
  for (const char* open : {"[", "{\"a\":"}) {
    std::string deep;
    for (int i = 0; i < 100'000; ++i) deep += open;
    refused(deep, "nested deeper than 64");
  }
  std::string endless = "{\"a\": [";
  for (int i = 0; i < 100'000; ++i) endless += "1,";
  refused(endless + "1]}", "needs more memory than the limit");
  CHECK(outcome("{\"a\": \"" + std::string(100'000, 'x')).size() < 400);
}

TEST_CASE("wrong .nam files are refused with the layer, what it has and what it needs") {
  const std::string wavenet = test::nam::samples()[0].file(), lstm = test::nam::samples()[4].file();
  const auto other = [&](const std::string& from, const std::string& to, const char* why) {
    refused(changed(wavenet, from, to), why);
  };
  other("\"WaveNet\"", "\"WaveGlow\"", "not supported: 'WaveGlow' in architecture");
  other("\"0.6.0\"", "\"0.8.0\"", "not supported: version 0.8.0 (0.5.0 to 0.7.0 are known) in version");
  other("\"0.6.0\"", "\"six\"", "version: 'six', expected three numbers");
  other("\"config\"", "\"konfig\"", "'config' is missing");
  other("\"channels\": 3", "\"channels\": 4", "weights: has 190 numbers, config.layers[0] needs ");
  other("\"channels\": 3", "\"channels\": 0", "config.layers[0].channels: 0, expected 1 to 1048576");
  other("\"channels\": 3", "\"channels\": 1000", "weights: has 190 numbers, config.layers[0] needs 1000 more");
  other("\"channels\": 3", "\"channels\": 1e40", "config.layers[0].channels: a number of 41 digits, expected 1 to");
  other("\"channels\": 3", "\"channels\": \"3\"", "config.layers[0].channels: is a string, expected a number");
  other("[1, 2, 4]", "[1, 2, 99999999]", "config.layers[0].dilations[2]: 99999999, expected 1 to 16777216");
  other("[1, 2, 4]", "[1, 2, 16777216]", "config.layers[0]: a window of 33554433 samples, the most is 16777217");
  other("[1, 2, 4]", "[]", "config.layers[0].dilations: is empty");
  other("\"Tanh\"", "\"Fasttanh\"", "not supported: activation 'Fasttanh' in config.layers[0].activation");
  other("\"Tanh\"", "[\"Tanh\"]", "activation: has 1 elements, expected one for each of the 3 dilations");
  other("\"gated\"", "\"fated\"", "not supported: key 'fated' in config.layers[0]");
  other("\"input_size\": 3", "\"input_size\": 5", "config.layers[1].input_size: 5 channels, the input has 3");
  other("\"head_size\": 2", "\"head_size\": 3",
        "config.layers[1]: takes 2 channels for the head, the array before gives 3");
  other("\"weights\": [", "\"weights\": [1, ", "weights: has 191 numbers, the layers take 190");
  other("\"weights\": [", "\"weights\": [1e300, ", "weights[0]: is no float");
  other("\"weights\": [", "\"weights\": [null, ", "weights[0]: is null, expected a number");
  refused(changed(lstm, "\"hidden_size\": 3", "\"hidden_size\": 16777216"), "weights: has 160 numbers, config needs");
  refused(changed(lstm, "\"num_layers\": 2", "\"num_layers\": 1000000"), "weights: has 160 numbers, config needs");
}

TEST_CASE("wrong files of RTNeural's are refused with the layer, what it has and what it needs") {
  const std::string conv = test::rtneural::samples()[1].file(), rows = test::rtneural::samples()[3].file();
  const auto other = [&](const std::string& from, const std::string& to, const char* why) {
    refused(changed(conv, from, to), why);
  };
  other("\"type\": \"dense\"", "\"type\": \"attention\"", "not supported: layer 'attention' in layers[0].type");
  other("[null, null, 1]", "[null, null, null]", "in_shape[2]: is null, expected a number");
  other("[null, null, 1]", "[null, null, 2]", "layers[0].weights[0]: has 1 elements, expected 2");
  other("\"dilation\": [2]", "\"dilation\": [20000000]", "layers[1].dilation[0]: 20000000, expected 1 to 16777216");
  other("\"groups\": 2", "\"groups\": 4", "layers[4]: 4 groups do not divide 6 channels");
  other("\"relu\"", "\"gelu\"", "not supported: activation 'gelu' in layers[1].activation");
  other("\"epsilon\": 0.01", "\"epsilon\": -1", "layers[3]: eps is out of range");
  refused(changed(rows, "\"activation\": \"tanh\"", "\"activation\": \"relu\""),
          "not supported: activation 'relu' of a recurrent layer in layers[0].activation");
  refused("{\"lstm.weight_ih_l0\": [[1]], \"lin.weight\": [[1]]}", "tensors by name without the layers");
  refused("{\"layers\": []}", "expected Neural Amp Modeler's keys");
}

TEST_CASE("an input of another shape than the file's is refused") {
  const ctnn::json::document file = ctnn::json::parse(test::nam::samples()[2].file(), "m.nam");
  for (const extents& shape : {extents{1, 1, 64}, extents{2, 64}, extents{1, 2, 3, 4}})
    CHECK_THROWS_WITH_AS(ctnn::json::build(file, {{"x", shape}}),
                         doctest::Contains("the file has 1 x 2 x 64, of which axis 2 may be longer or shorter"), error);
  CHECK_THROWS_WITH_AS(ctnn::json::build(file, {{"x", {1, 2, 1 << 20}}}, tiny),
                       doctest::Contains("above the limit of 65536"),
                       error);
}

#else
TEST_CASE("broken files in JSON") { MESSAGE("SKIPPED: nlohmann's JSON is missing (Debian: nlohmann-json3-dev)"); }
#endif
