// SPDX-License-Identifier: BSL-1.0
// A network whose .param leaves extents of its inputs open, written with them open. Networks are made for sizes; what
// is the same for three different ones is taken to hold for all, and what differs must be said without the size: what
// a Reshape keeps or has left over, the scale of an Interp, the end of a Crop. More sizes, larger and odd ones, put
// that to the test.
#pragma once

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "load.hpp"
#include "param_writer.hpp"
#include "parameter_reader.hpp"
#include "write.hpp"

namespace ctnn::ncnn {

namespace detail {

/// Something in a network follows from the extents in a way that a file does not say.
struct follows_from_extents {
  std::string what;
};

/// The extents of an open input, outermost first; -1 is open.
using open_extents = std::vector<int>;

/// What an input without a shape may be: as the first layers with weights want it, an image, rows, one vector.
inline std::vector<open_extents> guesses(const param_file& file, const std::string& input) {
  std::vector<open_extents> out;
  std::unordered_set<std::string> same_channels{input};
  for (const layer& l : file.layers) {
    if (l.inputs.empty() || !same_channels.contains(l.inputs[0])) continue;
    const parameter_reader p(file, l);
    const auto each = [&](int size, std::int64_t outputs) {
      return outputs > 0 && size % outputs == 0 ? static_cast<int>(size / outputs) : 0;
    };
    const int n = p.int_or(0, 0);
    const auto along = [&](int of, int otherwise) { return std::int64_t{p.int_or(of, otherwise)}; };
    int channels = 0;
    if (l.type == "Convolution" || l.type == "Deconvolution") {
      channels = each(p.int_or(6, 0), n * along(1, 0) * along(11, p.int_or(1, 0)));
      out.push_back({channels, -1, -1});
    } else if (l.type == "ConvolutionDepthWise" || l.type == "DeconvolutionDepthWise") {
      channels = p.int_or(7, 1) * each(p.int_or(6, 0), n * along(1, 0) * along(11, p.int_or(1, 0)));
      out.push_back({channels, -1, -1});
    } else if (l.type == "BatchNorm") {
      out.push_back({n, -1, -1});
      out.push_back({n, -1});
    } else if (l.type == "InnerProduct") {
      out.push_back({-1, each(p.int_or(2, 0), n)});
    } else if (l.type == "LSTM" || l.type == "GRU" || l.type == "RNN") {
      const int gates = l.type == "LSTM" ? 4 : l.type == "GRU" ? 3 : 1, ways = p.int_or(2, 0) == 2 ? 2 : 1;
      out.push_back({-1, each(p.int_or(1, 0), std::int64_t{p.int_or(l.type == "LSTM" ? 3 : 0, n)} * gates * ways)});
    } else if (l.type != "Permute" && l.type != "Reshape" && l.type != "Flatten") {
      same_channels.insert(l.outputs.begin(), l.outputs.end());
    }
  }
  out.insert(out.end(), {{3, -1, -1}, {1, -1, -1}, {-1, -1, -1}, {-1, -1}, {-1}});
  const auto impossible = [](const open_extents& e) { return std::ranges::any_of(e, [](int n) { return n == 0; }); };
  std::erase_if(out, impossible);
  std::vector<open_extents> first_of_each;
  for (const open_extents& e : out)
    if (std::ranges::find(first_of_each, e) == first_of_each.end()) first_of_each.push_back(e);
  return first_of_each;
}

/// What an open input may be: of the guesses those that agree with what the file says of its axes.
inline std::vector<open_extents> choices_for(const param_file& file, const declared_value& v) {
  std::vector<open_extents> all = guesses(file, v.name);
  if (!v.ranked) return all;
  open_extents said;
  for (const declared_axis& a : v.axes) said.push_back(a.extent);
  std::vector<open_extents> out;
  for (open_extents& guess : all) {
    bool agrees = guess.size() == said.size();
    for (std::size_t i = 0; agrees && i < said.size(); ++i) {
      agrees = said[i] < 0 || guess[i] < 0 || said[i] == guess[i];
      guess[i] = std::max(guess[i], said[i]);
    }
    if (agrees) out.push_back(guess);
  }
  if (out.empty()) out.push_back(said);
  return out;
}

/// One network, written for inputs of certain extents.
struct sample {
  input_shapes shapes;
  written_model files;
  param_file network;
  loaded_model read;
  std::map<std::string, std::string, std::less<>> copies;  ///< by blob: what a Split copies

  sample(input_shapes given, written_model written)
      : shapes(std::move(given)), files(std::move(written)), network(parse_param(files.param, "the .param")) {
    read = build_for(network, files.bin, shapes);
    for (const layer& l : network.layers)
      if (l.type == "Split")
        for (const std::string& copy : l.outputs) copies[copy] = l.inputs[0];
  }
  static loaded_model build_for(const param_file& network, const std::string& bin, const auto& shapes) {
    read_options options;
    options.limits = budget::none();
    options.input_shapes = shapes;
    bin_reader numbers(std::as_bytes(std::span(bin)), "the .bin", options.limits);
    return build(network, numbers, options);
  }
  /// A blob's shape; of rank 0 if no value is called so.
  extents shape_of(std::string blob) const {
    for (auto at = copies.find(blob); at != copies.end(); at = copies.find(blob)) blob = at->second;
    for (const value& v : read.network.values)
      if (v.name == blob) return v.shape;
    return {};
  }
};

/// What several samples of one network have in common, with open extents as `declared` has them.
class common_network {
 public:
  common_network(const param_file& declared, std::span<const sample> samples) : declared_(declared), all_(samples) {}

  param_file run() const {
    param_file out = all_[0].network;
    for (const sample& s : all_) {
      if (s.network.layers.size() != out.layers.size()) throw follows_from_extents{"the number of layers"};
      if (s.files.bin != all_[0].files.bin) throw follows_from_extents{"a weight"};
    }
    for (std::size_t i = 0; i < out.layers.size(); ++i) {
      layer& l = out.layers[i];
      for (const sample& s : all_) {
        const layer& other = s.network.layers[i];
        if (other.type != l.type || other.name != l.name || other.inputs != l.inputs || other.outputs != l.outputs)
          throw follows_from_extents{place_of(l)};
      }
      if (l.type == "Input") l.params = declared_input(l.outputs[0]);
      else if (!same_parameters(i)) say_without_extents(i, l);
    }
    return out;
  }

 private:
  static std::string place_of(const layer& l) { return "layer '" + l.name + "' (" + l.type + ")"; }

  const std::map<int, parameter>& declared_input(const std::string& blob) const {
    for (const layer& l : declared_.layers)
      if (l.type == "Input" && std::ranges::find(l.outputs, blob) != l.outputs.end()) return l.params;
    throw follows_from_extents{"input '" + blob + "'"};
  }
  static std::string spelled(const layer& l) { return write_param({"", {{l.type, "l", {}, {}, l.params, 0}}}); }
  bool same_parameters(std::size_t i) const {
    const std::string first = spelled(all_[0].network.layers[i]);
    return std::ranges::all_of(all_, [&](const sample& s) { return spelled(s.network.layers[i]) == first; });
  }
  void say_without_extents(std::size_t i, layer& l) const {
    if (l.type == "Reshape") reshape(i, l);
    else if (l.type == "Interp") interpolate(i, l);
    else if (l.type == "Crop") crop(i, l);
    else throw follows_from_extents{place_of(l)};
  }
  int of(const sample& s, std::size_t i, int id) const {
    return parameter_reader(s.network, s.network.layers[i]).int_or(id, 0);
  }

  /// 0 keeps the extent of the same axis, -1 is what is left over, once.
  void reshape(std::size_t i, layer& l) const {
    bool rest = false;
    for (const int id : {2, 11, 1, 0}) {
      const auto is = [&](auto&& says) { return std::ranges::all_of(all_, says); };
      if (is([&](const sample& s) { return of(s, i, id) == of(all_[0], i, id); })) continue;
      const bool kept = is([&](const sample& s) {
        const extents from = s.shape_of(l.inputs[0]);
        const int axis = id == 0 ? 0 : id == 1 ? 1 : id == 11 ? 2 : from.rank - 1;
        return from.rank > (id == 2 ? 2 : axis) && (id != 11 || from.rank == 4) && from.back(axis) == of(s, i, id);
      });
      if (!kept && std::exchange(rest, true)) throw follows_from_extents{place_of(l)};
      l.params[id] = number{kept ? 0.0 : -1.0, false};
    }
  }
  /// -233 takes an axis to its end, another number below 0 leaves so many.
  void crop(std::size_t i, layer& l) const {
    const auto list = [&](const sample& s, int id) {
      return parameter_reader(s.network, s.network.layers[i]).ints_or(id);
    };
    std::vector<int> ends = list(all_[0], 10);
    const std::vector<int> axes = list(all_[0], 11);
    for (const sample& s : all_) {
      const bool same_axes = list(s, 9) == list(all_[0], 9) && list(s, 11) == axes;
      if (!same_axes || list(s, 10).size() != ends.size() || axes.size() != ends.size())
        throw follows_from_extents{place_of(l)};
    }
    for (std::size_t k = 0; k < ends.size(); ++k) {
      if (std::ranges::all_of(all_, [&](const sample& s) { return list(s, 10)[k] == ends[k]; })) continue;
      const auto left = [&](const sample& s) {
        const extents from = s.shape_of(l.inputs[0]);
        return axes[k] >= 0 && axes[k] < from.rank ? from[axes[k]] - list(s, 10)[k] : -1;
      };
      const int behind = left(all_[0]);
      for (const sample& s : all_)
        if (behind < 0 || left(s) != behind) throw follows_from_extents{place_of(l)};
      ends[k] = behind == 0 ? -233 : -behind;
    }
    numbers out;
    for (const int end : ends) out.push_back({static_cast<double>(end), false});
    l.params[10] = std::move(out);
  }
  /// Sizes that are the same whole multiple of the input's, or whole part of it.
  void interpolate(std::size_t i, layer& l) const {
    for (const int k : {0, 1}) {
      const auto in = [&](const sample& s) { return s.shape_of(l.inputs[0]).back(1 - k); };
      const auto out = [&](const sample& s) { return of(s, i, 3 + k); };
      if (std::ranges::all_of(all_, [&](const sample& s) { return out(s) == out(all_[0]); })) continue;
      const int from = in(all_[0]), to = out(all_[0]);
      for (const sample& s : all_)
        if (from < 1 || (to % from != 0 && from % to != 0) || std::int64_t{out(s)} * from != std::int64_t{in(s)} * to)
          throw follows_from_extents{place_of(l)};
      l.params.erase(3 + k);
      l.params[1 + k] = number{static_cast<double>(to) / from, true};
    }
  }

  const param_file& declared_;
  std::span<const sample> all_;
};

/// Does the common network, read for the sample's inputs, become what was written for these alone?
inline bool reads_as(const param_file& common, const sample& s) {
  const loaded_model again = sample::build_for(common, s.files.bin, s.shapes);
  const graph &a = again.network, &b = s.read.network;
  if (a.nodes.size() != b.nodes.size() || a.values.size() != b.values.size()) return false;
  for (std::size_t i = 0; i < a.nodes.size(); ++i)
    if (a.nodes[i].type != b.nodes[i].type) return false;
  for (std::size_t i = 0; i < a.values.size(); ++i)
    if (!(a.values[i].shape == b.values[i].shape)) return false;
  return true;
}

/// Sizes that stand for open extents.
inline input_shapes sizes_for(const std::vector<std::pair<std::string, open_extents>>& inputs, int first, int step,
                              int place, int odd) {
  input_shapes out;
  int number = 0;  // all have different ones
  for (const auto& [name, axes] : inputs) {
    extents& shape = out[name];
    for (const int n : axes) shape.push_back(n > 0 ? n : first + step * (12 * number++ + place) + odd);
  }
  return out;
}

}  // namespace detail

CTNN_ONCE bool has_open_extents(const param_file& file, const input_shapes& given) {
  return std::ranges::any_of(declared_inputs(file),
                             [&](const declared_value& v) { return v.open() && !given.contains(v.name); });
}

CTNN_ONCE open_model write_open(const param_file& file, const maker& make, const input_shapes& given) {
  using namespace detail;
  std::vector<std::pair<std::string, std::vector<open_extents>>> choices;
  std::size_t ways = 1;
  for (const declared_value& v : declared_inputs(file)) {
    if (!v.open() || given.contains(v.name)) continue;
    choices.emplace_back(v.name, choices_for(file, v));
    ways = std::min<std::size_t>(ways * choices.back().second.size(), 100);
  }
  std::string why, unmade;  // what comes of the first sizes says most
  constexpr int first_size[] = {320, 64, 16}, steps[] = {64, 32, 16};
  for (std::size_t way = 0; way < ways; ++way)
    for (int scale = 0; scale < 3; ++scale) {
      std::vector<std::pair<std::string, open_extents>> inputs;
      std::size_t rest = way;
      for (const auto& [name, all] : choices) {
        inputs.emplace_back(name, all[rest % all.size()]);
        rest /= all.size();
      }
      const auto written = [&](int place, int odd) {
        input_shapes shapes = sizes_for(inputs, first_size[scale], steps[scale], place, odd);
        shapes.insert(given.begin(), given.end());
        written_model made = make(shapes);
        return sample(std::move(shapes), std::move(made));
      };
      try {
        std::vector<sample> samples;
        for (const int place : {0, 1, 5}) samples.push_back(written(place, 0));
        const param_file common = common_network(file, samples).run();
        // Not every network takes these; those that do must be the same.
        for (const auto& [place, odd] : {std::pair{11, 0}, {2, 1}, {3, 2}, {4, 7}}) {
          std::optional<sample> more;
          try {
            more.emplace(written(place, odd));
          } catch (const error&) {
            continue;
          }
          samples.push_back(std::move(*more));
        }
        if (write_param(common_network(file, samples).run()) != write_param(common))
          throw follows_from_extents{"a Reshape"};
        for (const sample& s : samples)
          if (!reads_as(common, s)) throw follows_from_extents{"a shape"};
        return {{write_param(common), samples[0].files.bin}, samples[0].shapes};
      } catch (const follows_from_extents& e) {
        if (why.empty()) why = e.what + " follows from the extents of an input";
      } catch (const error& e) {
        if (unmade.empty()) unmade = e.what();
      }
    }
  throw unknown_input_shape(file.source + ": its inputs cannot stay open: " + (why.empty() ? unmade : why));
}

}  // namespace ctnn::ncnn
