// SPDX-License-Identifier: BSL-1.0
// Neural Amp Modeler's .nam files, versions 0.5.0 to 0.7.0, as NeuralAmpModelerCore 0.5.5 reads them
// (github.com/sdatkinson/NeuralAmpModelerCore, MIT). Input x and output y are (1, channels, samples).
#pragma once

#include <charconv>

#include "convolutional.hpp"
#include "recurrent.hpp"
#include "wavenet.hpp"

namespace ctnn::nam {

/// "0.5.4" between those that are known.
inline void check_version(const element& version) {
  const std::string_view says = version.text();
  int parts[3]{}, n = 0;
  const char *at = says.data(), *const end = at + says.size();
  for (; n < 3; ++n) {
    const auto [after, problem] = std::from_chars(at, end, parts[n]);
    if (problem != std::errc() || parts[n] < 0 || (n < 2 && (after == end || *after != '.'))) break;
    at = n < 2 ? after + 1 : after;
  }
  if (n != 3 || at != end) version.fail("'" + std::string(says.substr(0, 24)) + "', expected three numbers");
  const bool known = parts[0] == 0 && (parts[1] == 5 || parts[1] == 6 || (parts[1] == 7 && parts[2] == 0));
  if (!known) version.refuse("version " + std::string(says.substr(0, 24)) + " (0.5.0 to 0.7.0 are known)");
}

/// What a container stands for: its largest model, which NAM plays unless told otherwise.
inline element chosen(const element& file) {
  check_version(file["version"]);
  if (file["architecture"].text() != "SlimmableContainer") return file.kept();
  return chosen(file["config"]["submodels"].last()["model"]);
}

/// A file, or a file in a file, of x.
inline made network(json::network_builder& b, const element& whole, value_id x, const std::string& prefix) {
  const element file = chosen(whole), architecture = file["architecture"], config = file["config"];
  weight_reader weights(file["weights"]);
  const auto rate = file.given("sample_rate");
  part p{b, config, weights, rate ? rate->number() : -1, prefix};
  if (!(p.sample_rate < 1e9)) rate->fail("expected samples a second");
  if (const auto in = config.find("in_channels")) expect_channels(p, *in, count_of(*in), x);
  const std::string_view says = architecture.text();
  made out{};
  if (says == "WaveNet") {
    made condition{x, 1};
    if (const auto inner = config.given("condition_dsp")) condition = network(b, *inner, x, prefix + "condition.");
    out = wavenet(p, x, condition);
  } else if (says == "LSTM") {
    out = lstm(p, x);
  } else if (says == "ConvNet") {
    out = convnet(p, x);
  } else if (says == "Linear") {
    out = linear(p, x);
  } else {
    architecture.refuse("'" + std::string(says.substr(0, 80)) + "'");
  }
  weights.finish();
  return out;
}

inline json::input_declaration declared_input(const element& file) {
  const int channels = count_or(chosen(file)["config"], "in_channels", 1);
  return {{1, channels, json::usual_samples}, 2};
}

inline value_id add_network(json::network_builder& b, const element& file, value_id x) {
  const made out = network(b, file, x, "");
  if (out.prewarm > std::numeric_limits<int>::max()) file["config"].fail("looks back further than can be counted");
  b.model.prewarm = static_cast<int>(out.prewarm);
  return out.y;
}

}  // namespace ctnn::nam
