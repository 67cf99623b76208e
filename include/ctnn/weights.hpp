// SPDX-License-Identifier: BSL-1.0
// Weights of a declared network from a file of tensors by name, as torch, safetensors and NumPy write them:
//
//   nn::parameters<fused> packed;
//   nn::weights::load_folded<net>(packed, nn::weights::open("model.safetensors"));  // or "model.npz"
//
// The hosted half: heap, files and exceptions. .safetensors needs nlohmann's JSON (Debian: nlohmann-json3-dev), .npz
// zlib (Debian: zlib1g-dev): CMake and Meson find it and define CTNN_ZLIB; others do that and link with -lz.
#pragma once

#include "base/compiler.hpp"
#include <string>
#include <vector>

#include "base/nearest.hpp"
#include "formats/cpp/linked.hpp"
#include "formats/tensor_file.hpp"
#include "network/fingerprint.hpp"
#include "network/parameters.hpp"
#if __has_include(<nlohmann/json.hpp>)
#include "formats/safetensors.hpp"
#define CTNN_READS_SAFETENSORS 1
#endif
#if defined(CTNN_ZLIB)
#include "formats/npz.hpp"
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

 private:
  std::shared_ptr<const ir::tensor_file> of_;
};

/// What has been opened, by its first bytes: a zip is an .npz file, all else is taken for .safetensors.
inline file open(ir::byte_source from, [[maybe_unused]] const budget& limits = {}) {
  std::string first(9, '\0');
  if (from.size >= first.size() && !from.read(0, std::as_writable_bytes(std::span(first))))
    throw error(from.name + ": cannot be read");
  if ((first.starts_with("PK\3\4") || first.starts_with("PK\5\6")) && first.back() != '{') {
#if defined(CTNN_ZLIB)
    return file(std::make_shared<const npz::file>(std::move(from), limits));
#else
    throw error(from.name + ": this program was built without zlib, which .npz needs (Debian: zlib1g-dev; CTNN_ZLIB)");
#endif
  }
#if defined(CTNN_READS_SAFETENSORS)
  return file(std::make_shared<const safetensors::file>(std::move(from), limits));
#else
  throw error(from.name +
              ": this program was built without nlohmann's JSON, which .safetensors needs (Debian: "
              "nlohmann-json3-dev)");
#endif
}
/// Opens a .safetensors or .npz file and reads its headers. Throws ctnn::error: which file, where, what was expected.
inline file open(const std::string& path, const budget& limits = {}) {
  return open(ir::source_of(path, limits), limits);
}

/// Modules count batches in training; inference reads no such thing.
inline bool is_ignored(std::string_view key) {
  return key == "num_batches_tracked" || key.ends_with(".num_batches_tracked");
}
/// Floating-point numbers of any type as f32 or f64.
inline array converted(array from, dtype to) {
  if (from.type() == to) return from;
  array out(from.shape(), to);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double x = ctnn::number_at(from, i);
    if (to == dtype::f64) out.elements<double>()[i] = x;
    else out.elements<float>()[i] = static_cast<float>(x);
  }
  return out;
}

namespace detail {

/// The key of a leaf of a declared graph: "layer1.0.conv1.weight"; of a constant its name.
inline std::string key_of(const ir::expression& e) {
  return std::string(e.layer) + (e.name == "value" ? "" : "." + std::string(e.name));
}
/// Tensors of a file as the weights of a graph: the numbers and, beside them, under which names.
class taken {
 public:
  taken(const ir::graph_view& g, const file& from) {
    std::vector<std::string> wrong;
    std::vector<const ir::tensor_entry*> found(g.expressions.size(), nullptr);
    for (const auto& [key, tensor] : from.tensors()) {
      const std::size_t leaf = leaf_called(g, key);
      if (leaf == g.expressions.size()) {
        if (!is_ignored(key)) wrong.push_back(key + ": unexpected" + (wrong.size() < most ? nearest_to(key, g) : ""));
      } else if (found[leaf] != nullptr) {
        wrong.push_back(key + ": there already under another name");
      } else {
        found[leaf] = &tensor;
        compare(key, tensor, g.expressions[leaf], wrong);
      }
    }
    for (std::size_t i = 0; i < found.size(); ++i)
      if (const ir::expression& e = g.expressions[i]; !e.type && found[i] == nullptr)
        wrong.push_back(key_of(e) + ": missing, the network needs " + type_and_shape(e.element, e.shape));
    if (!wrong.empty()) throw error(from.path() + ": the tensors are not the network's weights:" + listed(wrong));
    for (std::size_t i = 0; i < found.size(); ++i)
      if (const ir::expression& e = g.expressions[i]; !e.type) {
        numbers_.push_back(converted(from.read(*found[i]), e.element));
        given_.push_back({e.layer, e.name, span_of(numbers_.back())});
      }
  }
  std::span<const named_weight> given() const { return given_; }

 private:
  static constexpr std::size_t most = 100;  ///< differences that are said

  static std::size_t leaf_called(const ir::graph_view& g, std::string_view key) {
    std::size_t i = 0;
    while (i < g.expressions.size() &&
           (g.expressions[i].type || !ir::detail::is_weight_of(state(key, {}), g.expressions[i])))
      ++i;
    return i;
  }
  static std::string type_and_shape(dtype type, const extents& shape) {
    return std::string(name_of(type)) + " " + ir::describe(shape);
  }
  static void compare(const std::string& key, const ir::tensor_entry& t, const ir::expression& e,
                      std::vector<std::string>& wrong) {
    const bool converts = ir::is_floating(t.type) && (e.element == dtype::f32 || e.element == dtype::f64);
    if (ir::detail::same_but_ones(t.shape, e.shape) && (t.type == e.element || converts)) return;
    wrong.push_back(key + ": " + type_and_shape(t.type, t.shape) + ", the network needs " +
                    type_and_shape(e.element, e.shape));
  }
  static std::string listed(const std::vector<std::string>& wrong) {
    std::string out;
    for (std::size_t i = 0; i < wrong.size() && i < most; ++i) out += "\n  " + wrong[i];
    if (wrong.size() > most) out += "\n  and " + std::to_string(wrong.size() - most) + " more";
    return out;
  }
  static std::string nearest_to(const std::string& key, const ir::graph_view& g) {
    std::vector<std::string> keys;
    for (const ir::expression& e : g.expressions)
      if (!e.type) keys.push_back(key_of(e));
    ir::nearest_name nearest(key);
    for (const std::string& k : keys) nearest.consider(k);
    return nearest.name().empty() ? "" : ", the nearest is " + std::string(nearest.name());
  }
  std::vector<array> numbers_;
  std::vector<named_weight> given_;
};

}  // namespace detail

/// A file's tensors as the weights of a declared graph, for to_model<Net>(file) (model/to_model.hpp).
inline detail::taken named_weights(const ir::graph_view& declared, const file& from) { return {declared, from}; }

/// Packs the weights of Net as it is. f64, f16 and bf16 become what the network has if that is f32 (or f64). Throws
/// ctnn::error with every difference at once: tensors the network does not have, weights the file does not have,
/// shapes and types; then `into` is unchanged. `num_batches_tracked` is no weight.
template <class Net>
void load(parameters<Net>& into, const file& from) {
  const detail::taken weights(ir::declared_graph<Net>, from);
  if (ctnn::load(into, weights.given()).found) throw error(from.path() + ": two layers have one name");
}

/// The same, folded into the weights of optimized<Net>, or of a struct that inherits it.
template <class Net, class Rules = default_rules, class Fused>
void load_folded(parameters<Fused>& into, const file& from) {
  const detail::taken weights(ir::declared_graph<Net>, from);
  if (ctnn::load_folded<Net, Rules>(into, weights.given()).found)
    throw error(from.path() + ": two layers have one name");
}

/// Writes the weights of optimized<Net> to be linked, for a program that would not read a file nor hold them twice:
/// NAME.hpp, NAME.blob with the packed numbers and NAME.blob.cpp, which links it. What an engine takes is then
/// NAME<Net>(); it compiles for the network alone that this was called for. Throws ctnn::error as load_folded does, or
/// if a file cannot be written.
template <class Net, class Rules = default_rules>
void link_folded(const file& from, const std::string& header) {
  const auto packed = std::make_unique<parameters<optimized<Net, Rules>>>();
  load_folded<Net, Rules>(*packed, from);
  const std::filesystem::path path = header;
  cpp::linked_numbers linked{path.stem().string()};
  linked.take(cpp::as_identifier(linked.name), {packed->packed, packed->packed + sizeof *packed / sizeof(float)});
  ir::write_file(header, linked.packed_header(std::filesystem::path(from.path()).filename().string(),
                                              ir::fingerprint<Net, Rules>));
  linked.write_beside(header);
}

}  // namespace ctnn::weights
