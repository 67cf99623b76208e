// SPDX-License-Identifier: BSL-1.0
// The programs of one model, one for each set of input shapes (and of numbers that decide shapes) it has been fed.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "../loaded/network_parts.hpp"
#include "kept_weights.hpp"
#include "program.hpp"

namespace ctnn::ir {

class program_family;

/// The families of a network's parts, one after the other, and what the node between them is.
struct family_parts {
  network_parts of;
  std::unique_ptr<program_family> before, node, other,
      after;  ///< `other`: what a choice, or a loop with a test, has besides
};

/// Any number of threads may use it at once. Who needs a program that is not there makes it; others wait for that only
/// if they feed the same shapes.
class program_family {
 public:
  /// Without a maker there is only the first program. Of the others the last used ones are kept, as many as `memory`
  /// bytes hold, and one in any case.
  program_family(loaded_model&& network, program_options options, network_maker maker = {}, std::size_t memory = 0);
  /// No program yet: the first inputs decide. `why` is what to say to those who ask for the network before.
  program_family(std::string why, program_options options, network_maker maker, std::size_t memory);

  /// Null if the inputs' shapes are not known yet.
  const std::shared_ptr<const program>& first() const { return first_; }
  const program& require_first() const {
    if (!first_) throw error(why_not_);
    return *first_;
  }
  /// Of all its programs and those of its parts.
  const rewrite_count& rewrites() const { return *options_.rewrites; }
  bool can_reshape() const { return static_cast<bool>(maker_.make); }
  /// The network as it was read, with its weights, for inputs of these shapes; of those that are not there the first
  /// program's. Its names may be the first program's. Throws ctnn::error if its weights are gone: of a network that was
  /// not loaded from files, without load_options::keep_weights.
  loaded_model network(arrays_by_name fed = {}) const;
  /// A program of another network of the same weights; its convolutions add product by product.
  std::shared_ptr<const program> make_exact(loaded_model&& network) const;

  /// Inputs of the whole network in the order of the file, without optional ones, if the file says them before there is
  /// a program. Set before anybody uses the family.
  std::vector<std::string> inputs;

  /// Of a network that runs in parts, or null.
  std::shared_ptr<const family_parts> parts() const;
  /// From now on the network runs in parts, divided at this node.
  std::shared_ptr<const family_parts> divide(const needs_running& at);
  /// It cannot run in parts: a node's numbers are computed when a network is made for them.
  void stay_whole();

  /// The program for these inputs. Throws ctnn::error if the network does not admit them; needs_running if it has to be
  /// divided.
  std::shared_ptr<const program> at(const arrays_by_name& fed);

 private:
  bool is_whole() const;
  /// Only the last part has the values that are to be kept.
  std::unique_ptr<program_family> family_of(const network_part& part, std::vector<std::string> keep = {}) const;
  std::shared_ptr<const family_parts> parts_of(network_parts&& of) const;
  static std::vector<std::pair<std::string, extents>> shapes_of(const arrays_by_name& fed);
  std::shared_ptr<const program> known_for(const arrays_by_name& fed);
  /// Others go, which extractors keep while they use them.
  void keep(const std::shared_ptr<const program>& made);
  std::shared_ptr<const program> make(loaded_model&& network) const;

  program_options options_;
  network_maker maker_;
  std::size_t memory_;
  std::string why_not_ = "the input shapes are fixed";
  std::shared_ptr<packed_weights> packed_;
  std::shared_ptr<const program> first_;
  mutable std::mutex mutex_;
  bool whole_ = false;
  bool keeps_ = true;  ///< not what is good for one set of numbers: next time these are others
  std::shared_ptr<const family_parts> parts_;
  std::condition_variable made_;
  std::vector<std::shared_ptr<const program>> others_;
  std::vector<std::vector<std::pair<std::string, extents>>> making_;  ///< of what is fed to those under way
};

#if CTNN_DEFINES(CTNN_PART_MODEL)

CTNN_ONCE program_family::program_family(loaded_model&& network, program_options options, network_maker maker,
                                         std::size_t memory)
    : options_(std::move(options)),
      maker_(std::move(maker)),
      memory_(memory),
      packed_(std::make_shared<packed_weights>()),
      first_(make(std::move(network))) {}

CTNN_ONCE program_family::program_family(std::string why, program_options options, network_maker maker,
                                         std::size_t memory)
    : options_(std::move(options)),
      maker_(std::move(maker)),
      memory_(memory),
      why_not_(std::move(why)),
      packed_(std::make_shared<packed_weights>()) {}

CTNN_ONCE loaded_model program_family::network(arrays_by_name fed) const {
  if (!maker_.make) {
    const loaded_model& source = source_with_weights(require_first());
    loaded_model again;
    again.network = thaw(source.network.view());
    again.weights = source.weights;
    again.without_numbers = source.without_numbers;
    return again;
  }
  if (first_)
    for (const model_input& i : first_->inputs())
      if (!i.left_out) fed.try_emplace(std::string(i.name), i.needed ? *i.needed : array(i.shape, i.type));
  return maker_.make(fed, true);
}

CTNN_ONCE std::shared_ptr<const program> program_family::make_exact(loaded_model&& network) const {
  program_options options = options_;
  options.exact_convolutions = true;
  return std::make_shared<const program>(std::move(network), options, packed_);
}

CTNN_ONCE std::shared_ptr<const family_parts> program_family::parts() const {
  const std::lock_guard hold(mutex_);
  return parts_;
}

CTNN_ONCE std::shared_ptr<const family_parts> program_family::divide(const needs_running& at) {
  const std::lock_guard hold(mutex_);
  if (!parts_) parts_ = parts_of(maker_.divide(at, options_.keep));
  return parts_;
}

CTNN_ONCE void program_family::stay_whole() {
  const std::lock_guard hold(mutex_);
  whole_ = true;
  parts_ = nullptr;
}

CTNN_ONCE std::shared_ptr<const program> program_family::at(const arrays_by_name& fed) {
  if (first_ && first_->admits(fed)) return first_;
  const std::vector<std::pair<std::string, extents>> shapes = shapes_of(fed);
  {
    std::unique_lock hold(mutex_);
    for (;;) {
      if (const auto known = known_for(fed)) return known;
      if (!maker_.make) throw error(why_not_);
      if (std::find(making_.begin(), making_.end(), shapes) == making_.end()) break;
      made_.wait(hold);
    }
    making_.push_back(shapes);
  }
  std::shared_ptr<const program> made;
  const bool whole = is_whole();
  const auto done = [&] {
    const std::lock_guard hold(mutex_);
    making_.erase(std::find(making_.begin(), making_.end(), shapes));
    if (made && keeps_) keep(made);
    made_.notify_all();
  };
  try {
    made = make(maker_.make(fed, whole));
  } catch (...) {
    done();
    throw;
  }
  done();
  return made;
}

CTNN_ONCE bool program_family::is_whole() const {
  const std::lock_guard hold(mutex_);
  return whole_ || !maker_.divide;
}

CTNN_ONCE std::unique_ptr<program_family> program_family::family_of(const network_part& part,
                                                                    std::vector<std::string> keep) const {
  program_options options = options_;
  options.keep = std::move(keep);
  auto family = std::make_unique<program_family>("a part of a network has no shapes before it runs", std::move(options),
                                                 part.maker, memory_);
  family->keeps_ = part.type.empty();
  return family;
}

CTNN_ONCE std::shared_ptr<const family_parts> program_family::parts_of(network_parts&& of) const {
  auto parts = std::make_shared<family_parts>();
  parts->of = std::move(of);
  if (const auto& before = parts->of.before) parts->before = family_of(*before);
  if (const auto* alone = std::get_if<network_part>(&parts->of.node)) parts->node = family_of(*alone);
  if (const auto* loop = std::get_if<loop_part>(&parts->of.node)) {
    parts->node = family_of(loop->body);
    if (loop->test) parts->other = family_of(*loop->test);
  }
  if (const auto* choice = std::get_if<choice_part>(&parts->of.node)) {
    parts->node = family_of(choice->yes.graph);
    parts->other = family_of(choice->no.graph);
  }
  parts->after = family_of(parts->of.after, options_.keep);
  return parts;
}

CTNN_ONCE std::vector<std::pair<std::string, extents>> program_family::shapes_of(const arrays_by_name& fed) {
  std::vector<std::pair<std::string, extents>> shapes;
  for (const auto& [name, values] : fed) shapes.emplace_back(name, values.shape());
  return shapes;
}

CTNN_ONCE std::shared_ptr<const program> program_family::known_for(const arrays_by_name& fed) {
  const auto known = std::find_if(others_.begin(), others_.end(), [&](const auto& p) { return p->admits(fed); });
  if (known == others_.end()) return nullptr;
  std::rotate(others_.begin(), known, known + 1);  // the last used one is the first
  return others_.front();
}

CTNN_ONCE void program_family::keep(const std::shared_ptr<const program>& made) {
  others_.insert(others_.begin(), made);
  std::size_t sum = 0;
  for (std::size_t i = 0; i < others_.size(); ++i) {
    sum += others_[i]->bytes();
    if (i > 0 && sum > memory_) return others_.resize(i);
  }
}

CTNN_ONCE std::shared_ptr<const program> program_family::make(loaded_model&& network) const {
  for (const std::string& name : options_.keep) {
    value_id found = none;
    for (std::size_t v = 0; v < network.network.values.size(); ++v)
      if (network.network.values[v].name == name) found = static_cast<int>(v);
    if (found == none) throw error("keep: the model has no value called '" + name + "'");
    const auto is_it = [&](const network_output& o) { return o.name == name; };
    if (std::any_of(network.network.outputs.begin(), network.network.outputs.end(), is_it)) continue;
    add_output(network.network, network.keep(name), found);
  }
  return std::make_shared<const program>(std::move(network), options_, packed_);
}

#endif

}  // namespace ctnn::ir
