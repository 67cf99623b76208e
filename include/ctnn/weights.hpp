// SPDX-License-Identifier: BSL-1.0
// Weights of a declared network from a file of tensors by name, as torch, safetensors and NumPy write them:
//
//   nn::parameters<fused> packed{nn::weights::folded<net>(nn::weights::open("model.pt"))};  // or .safetensors, .npz
//
// The hosted half: heap, files and exceptions. .safetensors needs nlohmann's JSON (Debian: nlohmann-json3-dev), .pt and
// .npz zlib (Debian: zlib1g-dev): CMake and Meson find it and define CTNN_ZLIB; others do that and link with -lz.
#pragma once

#include "base/compiler.hpp"
#include <algorithm>
#include <string>
#include <vector>

#include "base/nearest.hpp"
#include "formats/cpp/linked.hpp"
#include "formats/state_dict.hpp"
#include "network/fingerprint.hpp"
#include "network/parameters.hpp"
#if __has_include(<nlohmann/json.hpp>)
#include "formats/safetensors.hpp"
#define CTNN_READS_SAFETENSORS 1
#endif
#if defined(CTNN_ZLIB)
#include "formats/npz.hpp"
#include "formats/torch_file.hpp"
#endif

namespace ctnn::weights {

/// A file whose tensors are called like the keys of a state_dict; copies share it.
class file {
 public:
  explicit file(std::shared_ptr<const ir::tensor_file> of) : of_(std::move(of)) {}
  const std::string& path() const { return of_->path(); }
  const ir::tensor_entries& tensors() const { return of_->tensors(); }
  /// The numbers of one of tensors().
  array read(const ir::tensor_entry& t) const { return of_->read(t); }
  /// The tensors as a network names them: what weight_norm and spectral_norm keep apart is one weight again. Throws
  /// ctnn::error if two have one name, or if none begins with the prefix.
  state_dict state(const load_options& options = {}) const { return detail::state_reader(of_, options).run(); }

 private:
  std::shared_ptr<const ir::tensor_file> of_;
};

/// What has been opened, by its first bytes and, of a zip, its entries: PyTorch's or NumPy's. All else is taken for
/// .safetensors.
inline file open(ir::byte_source from, [[maybe_unused]] const budget& limits = {}) {
  std::string first(9, '\0');
  if (from.size >= first.size() && !from.read(0, std::as_writable_bytes(std::span(first))))
    throw error(from.name + ": cannot be read");
  if ((first.starts_with("PK\3\4") || first.starts_with("PK\5\6")) && first.back() != '{') {
#if defined(CTNN_ZLIB)
    std::vector<zip::entry> entries = zip::read_directory(from, limits);
    if (torch_file::is_one(entries))
      return file(std::make_shared<const torch_file::file>(std::move(from), limits, std::move(entries)));
    return file(std::make_shared<const npz::file>(std::move(from), limits, std::move(entries)));
#else
    throw error(from.name +
                ": this program was built without zlib, which .pt and .npz need (Debian: zlib1g-dev; CTNN_ZLIB)");
#endif
  }
  if (first.starts_with("\x80\x02\x8a\nl\xfc\x9c\x46"))
    throw error(from.name +
                ": no zip, but what torch.save wrote before PyTorch 1.6: load it there and write it by torch.save(..., "
                "_use_new_zipfile_serialization=True), or as .safetensors");
#if defined(CTNN_READS_SAFETENSORS)
  return file(std::make_shared<const safetensors::file>(std::move(from), limits));
#else
  throw error(from.name +
              ": this program was built without nlohmann's JSON, which .safetensors needs (Debian: "
              "nlohmann-json3-dev)");
#endif
}
/// Opens what torch.save wrote (.pt, .pth, .ckpt, pytorch_model.bin), a .safetensors or an .npz file, and reads its
/// headers. Throws ctnn::error: which file, where, what was expected.
inline file open(const std::string& path, const budget& limits = {}) {
  return open(ir::source_of(path, limits), limits);
}

namespace detail {

/// The key of a leaf of a declared graph: "layer1.0.conv1.weight"; of a constant its name.
inline std::string key_of(const ir::expression& e) {
  return std::string(e.layer) + (e.name == "value" ? "" : "." + std::string(e.name));
}
/// Tensors of a file as the weights of a graph: the numbers and, beside them, under which names.
class taken {
 public:
  taken(const ir::graph_view& g, const file& from, const load_options& options) : g_(g) {
    const state_dict state = from.state(options);
    std::vector<const state_dict::value_type*> found(g.expressions.size(), nullptr);
    for (const auto& one : state) take(one, found);
    for (std::size_t i = 0; i < found.size(); ++i)
      if (const ir::expression& e = g.expressions[i]; !e.type && found[i] == nullptr)
        said.missing.push_back({key_of(e), e.element.type, e.shape});
    if (options.strict) add_differences();
    if (!wrong_.empty()) throw error(from.path() + ": the tensors are not the network's weights:" + listed());
    for (std::size_t i = 0; i < found.size(); ++i)
      if (const ir::expression& e = g.expressions[i]; !e.type) {
        numbers_.push_back(found[i] ? read(from, *found[i], e) : array(e.shape, e.element.type));
        given_.push_back({e.layer, e.name, span_of(numbers_.back())});
      }
  }
  std::span<const named_weight> given() const { return given_; }
  report said;

 private:
  static constexpr std::size_t most = 100;  ///< differences that are said

  /// The leaf that a key names: its own, or by another of the layers that share it. Behind the last if there is none.
  std::size_t leaf_called(std::string_view key) const {
    const std::size_t none = g_.expressions.size();
    const named_weight as = state(key, {});
    for (std::size_t i = 0; i < none; ++i)
      if (!g_.expressions[i].type && ir::detail::is_weight_of(as, g_.expressions[i])) return i;
    for (const ir::node& n : g_.nodes) {
      if (n.name != as.layer) continue;
      const ir::weight_slots slots = ir::slots_of(g_, n);
      for (std::size_t k = 0; k < slots.size(); ++k)
        if (slots[k].name == as.name) return static_cast<std::size_t>(g_.weights(n)[k]);
    }
    return none;
  }
  void take(const state_dict::value_type& one, std::vector<const state_dict::value_type*>& found) {
    const auto& [key, tensor] = one;
    const std::size_t leaf = leaf_called(key);
    if (leaf == g_.expressions.size()) {
      said.unexpected.push_back({key, tensor.type, tensor.shape});
      return;
    }
    const ir::expression& e = g_.expressions[leaf];
    if (found[leaf] == nullptr) {
      found[leaf] = &one;
      compare(key, tensor, e);
    } else if (!same_bytes(found[leaf]->second.read(), tensor.read())) {
      wrong_.push_back(key + ": other numbers than those of " + found[leaf]->first + ", which is the same weight");
    }
  }
  void compare(const std::string& key, const named_tensor& t, const ir::expression& e) {
    const bool converts = ir::is_floating(e.element) ? ir::is_floating(t.type) || is_whole(t.type)
                                                     : is_whole(t.type) && is_whole(e.element.type);
    if (ir::detail::is_shape_of(g_, e, t.shape) && (t.type == e.element || converts)) return;
    wrong_.push_back(key + ": " + report::described(t.type, t.shape) + ", the network needs " +
                     report::described(e.element, e.shape));
  }
  static bool is_whole(dtype t) { return ir::is_integer(t) && t != dtype::boolean; }
  static array read(const file& from, const state_dict::value_type& one, const ir::expression& e) try {
    return converted(one.second.read(), e.element);
  } catch (const error& what) {
    const std::string_view text = what.what();
    if (text.starts_with(from.path())) throw;
    throw error(from.path() + ": " + one.first + ": " + std::string(text));
  }

  /// What is missing and unexpected, as mistakes.
  void add_differences() {
    std::vector<std::string> differ;
    for (const report::tensor& t : said.unexpected)
      differ.push_back(t.name + ": unexpected" + (differ.size() < most ? nearest_to(t.name) : ""));
    wrong_.insert(wrong_.begin(), differ.begin(), differ.end());
    for (const report::tensor& t : said.missing)
      wrong_.push_back(t.name + ": missing, the network needs " + report::described(t.type, t.shape));
    // What stands before missing names.
    std::map<std::string, std::size_t> prefixes;
    for (const report::tensor& t : said.unexpected)
      for (const report::tensor& m : said.missing)
        if (t.name.ends_with('.' + m.name)) ++prefixes[t.name.substr(0, t.name.size() - m.name.size())];
    const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
    if (const auto most_often = std::max_element(prefixes.begin(), prefixes.end(), fewer); !prefixes.empty())
      wrong_.insert(wrong_.begin(), std::to_string(most_often->second) + " names begin with '" + most_often->first +
                                        "', which load_options::prefix takes away");
  }
  std::string listed() const {
    std::string out;
    for (std::size_t i = 0; i < wrong_.size() && i < most; ++i) out += "\n  " + wrong_[i];
    if (wrong_.size() > most) out += "\n  and " + std::to_string(wrong_.size() - most) + " more";
    return out;
  }
  std::string nearest_to(const std::string& key) const {
    std::vector<std::string> keys;
    for (const ir::expression& e : g_.expressions)
      if (!e.type) keys.push_back(key_of(e));
    ir::nearest_name nearest(key);
    for (const std::string& k : keys) nearest.consider(k);
    return nearest.name().empty() ? "" : ", the nearest is " + std::string(nearest.name());
  }

  ir::graph_view g_;
  std::vector<std::string> wrong_;
  std::vector<array> numbers_;
  std::vector<named_weight> given_;
};

}  // namespace detail

/// A file's tensors as the weights of a declared graph, for to_model<Net>(file) (model/to_model.hpp).
inline detail::taken named_weights(const ir::graph_view& declared, const file& from, const load_options& options = {}) {
  return {declared, from, options};
}

/// Packs the weights of Net as it is. Throws ctnn::error with every difference at once: tensors that the network does
/// not have, weights that the file does not have, shapes and types; then `into` is unchanged. Any floats and integers
/// become the floats that the network has, integers its integers; `num_batches_tracked` is no weight. Layers that share
/// a weight find it under the name of any of them.
template <class Net>
report load(parameters<Net>& into, const file& from, const load_options& options = {}) {
  const detail::taken weights(ir::declared_graph<Net>, from, options);
  if (ctnn::load(into, weights.given()).found) throw error(from.path() + ": two layers have one name");
  return weights.said;
}

/// The same, folded into the weights of optimized<Net>, or of a struct that inherits it.
template <class Net, class Rules = default_rules, class Fused>
report load_folded(parameters<Fused>& into, const file& from, const load_options& options = {}) {
  const detail::taken weights(ir::declared_graph<Net>, from, options);
  if (ctnn::load_folded<Net, Rules>(into, weights.given()).found)
    throw error(from.path() + ": two layers have one name");
  return weights.said;
}

namespace detail {

/// A file that parameters are made of.
template <class Net, class Rules>
struct source {
  file from;
  load_options options;

  template <class Fused>
  void load_into(parameters<Fused>& p) const {
    load_folded<Net, Rules>(p, from, options);
  }
};

}  // namespace detail

/// What parameters<optimized<Net>> are made of, as load_folded() would fill them:
///   nn::parameters<fused> packed{nn::weights::folded<net>(nn::weights::open("model.pt"))};
template <class Net, class Rules = default_rules>
detail::source<Net, Rules> folded(file from, load_options options = {}) {
  return {std::move(from), std::move(options)};
}

/// Writes the weights of optimized<Net> to be linked, for a program that would not read a file nor hold them twice:
/// NAME.hpp, NAME.blob with the packed numbers and NAME.blob.cpp, which links it. What an engine takes is then
/// NAME<Net>(); it compiles for the network alone that this was called for. Throws ctnn::error as load_folded does, or
/// if a file cannot be written.
template <class Net, class Rules = default_rules>
void link_folded(const file& from, const std::string& header, const load_options& options = {}) {
  const auto packed = std::make_unique<parameters<optimized<Net, Rules>>>(zeros);
  load_folded<Net, Rules>(*packed, from, options);
  const std::filesystem::path path = header;
  cpp::linked_numbers linked{path.stem().string()};
  linked.take(cpp::as_identifier(linked.name), {packed->packed, packed->packed + sizeof *packed / sizeof(float)});
  ir::write_file(header, linked.packed_header(std::filesystem::path(from.path()).filename().string(),
                                              ir::fingerprint<Net, Rules>));
  linked.write_beside(header);
}

}  // namespace ctnn::weights
