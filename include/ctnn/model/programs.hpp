// SPDX-License-Identifier: BSL-1.0
// The programs of one model, one for each set of input shapes (and of numbers that decide shapes) it has been fed.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "program.hpp"

namespace ctnn::ir {

/// Any number of threads may use it at once. A program that is not there yet is made while the others who need one
/// wait; extractors that have theirs do not notice.
class program_family {
 public:
  /// Makes the network for these inputs, or throws ctnn::error. Their numbers matter where shapes follow from them.
  using reader = std::function<loaded_model(const arrays_by_name&)>;

  /// Without a `read` there is only the first program. Beside the first one, the `limit` last used ones are kept.
  program_family(loaded_model&& network, program_options options, reader read = {}, std::size_t limit = 0)
      : options_(std::move(options)),
        read_(std::move(read)),
        limit_(limit),
        first_(make(std::move(network), nullptr)) {}
  /// No program yet: the first inputs decide. `why` is what to say to those who ask for the network before.
  program_family(std::string why, program_options options, reader read, std::size_t limit)
      : options_(std::move(options)),
        read_(std::move(read)),
        limit_(std::max<std::size_t>(limit, 1)),
        why_not_(std::move(why)) {}

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
    const std::lock_guard hold(mutex_);
    const auto known = std::find_if(others_.begin(), others_.end(), [&](const auto& p) { return p->admits(fed); });
    if (known != others_.end()) {
      std::rotate(others_.begin(), known, known + 1);  // the last used one is the first
    } else {
      if (!read_) throw error(why_not_);
      const program* known = first_ ? first_.get() : others_.empty() ? nullptr : others_.back().get();
      others_.insert(others_.begin(), make(read_(fed), known));
    }
    const std::shared_ptr<const program> found = others_.front();
    if (others_.size() > limit_) others_.resize(limit_);  // extractors keep what they use
    return found;
  }

 private:
  /// `known` is a program that is there already, or null.
  std::shared_ptr<const program> make(loaded_model&& network, const program* known) const {
    for (const std::string& name : options_.keep) {
      value_id found = none;
      for (std::size_t v = 0; v < network.network.values.size(); ++v)
        if (network.network.values[v].name == name) found = static_cast<int>(v);
      if (found == none) throw error("keep: the model has no value called '" + name + "'");
      add_output(network.network, network.keep(name), found);
    }
    return std::make_shared<const program>(std::move(network), options_, known);
  }

  program_options options_;
  reader read_;
  std::size_t limit_;
  std::string why_not_ = "the input shapes are fixed";
  std::shared_ptr<const program> first_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<const program>> others_;
};

}  // namespace ctnn::ir
