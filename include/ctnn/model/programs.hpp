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

#include "program.hpp"

namespace ctnn::ir {

/// Any number of threads may use it at once. Who needs a program that is not there makes it; others wait for that only
/// if they feed the same shapes.
class program_family {
 public:
  /// Makes the network for these inputs, or throws ctnn::error. Their numbers matter where shapes follow from them.
  /// Several threads may call it at once.
  using reader = std::function<loaded_model(const arrays_by_name&)>;

  /// Without a `read` there is only the first program. Of the others the last used ones are kept, as many as `memory`
  /// bytes hold, and one in any case.
  program_family(loaded_model&& network, program_options options, reader read = {}, std::size_t memory = 0)
      : options_(std::move(options)),
        read_(std::move(read)),
        memory_(memory),
        first_(make(std::move(network))) {}
  /// No program yet: the first inputs decide. `why` is what to say to those who ask for the network before.
  program_family(std::string why, program_options options, reader read, std::size_t memory)
      : options_(std::move(options)), read_(std::move(read)), memory_(memory), why_not_(std::move(why)) {}

  /// Null if the inputs' shapes are not known yet.
  const std::shared_ptr<const program>& first() const { return first_; }
  const program& require_first() const {
    if (!first_) throw error(why_not_);
    return *first_;
  }
  bool can_reshape() const { return static_cast<bool>(read_); }

  /// The program for these inputs. Throws ctnn::error if the network does not admit them.
  std::shared_ptr<const program> at(const arrays_by_name& fed) {
    if (first_ && first_->admits(fed)) return first_;
    const std::vector<std::pair<std::string, extents>> shapes = shapes_of(fed);
    {
      std::unique_lock hold(mutex_);
      for (;;) {
        if (const auto known = known_for(fed)) return known;
        if (!read_) throw error(why_not_);
        if (std::find(making_.begin(), making_.end(), shapes) == making_.end()) break;
        made_.wait(hold);
      }
      making_.push_back(shapes);
    }
    std::shared_ptr<const program> made;
    const auto done = [&] {
      const std::lock_guard hold(mutex_);
      making_.erase(std::find(making_.begin(), making_.end(), shapes));
      if (made) keep(made);
      made_.notify_all();
    };
    try {
      made = make(read_(fed));
    } catch (...) {
      done();
      throw;
    }
    done();
    return made;
  }

 private:
  static std::vector<std::pair<std::string, extents>> shapes_of(const arrays_by_name& fed) {
    std::vector<std::pair<std::string, extents>> shapes;
    for (const auto& [name, values] : fed) shapes.emplace_back(name, values.shape());
    return shapes;
  }
  std::shared_ptr<const program> known_for(const arrays_by_name& fed) {
    const auto known = std::find_if(others_.begin(), others_.end(), [&](const auto& p) { return p->admits(fed); });
    if (known == others_.end()) return nullptr;
    std::rotate(others_.begin(), known, known + 1);  // the last used one is the first
    return others_.front();
  }
  /// Others go, which extractors keep while they use them.
  void keep(const std::shared_ptr<const program>& made) {
    others_.insert(others_.begin(), made);
    std::size_t sum = 0;
    for (std::size_t i = 0; i < others_.size(); ++i) {
      sum += others_[i]->bytes();
      if (i > 0 && sum > memory_) return others_.resize(i);
    }
  }
  std::shared_ptr<const program> make(loaded_model&& network) const {
    for (const std::string& name : options_.keep) {
      value_id found = none;
      for (std::size_t v = 0; v < network.network.values.size(); ++v)
        if (network.network.values[v].name == name) found = static_cast<int>(v);
      if (found == none) throw error("keep: the model has no value called '" + name + "'");
      add_output(network.network, network.keep(name), found);
    }
    return std::make_shared<const program>(std::move(network), options_, packed_);
  }

  program_options options_;
  reader read_;
  std::size_t memory_;
  std::string why_not_ = "the input shapes are fixed";
  std::shared_ptr<packed_weights> packed_ = std::make_shared<packed_weights>();
  std::shared_ptr<const program> first_;
  std::mutex mutex_;
  std::condition_variable made_;
  std::vector<std::shared_ptr<const program>> others_;
  std::vector<std::vector<std::pair<std::string, extents>>> making_;  ///< of what is fed to those under way
};

}  // namespace ctnn::ir
