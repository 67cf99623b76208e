// SPDX-License-Identifier: BSL-1.0
// The programs of one model, one for each set of input shapes it has been fed.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "program.hpp"

namespace ctnn {

/// Any number of threads may use it at once. A program that is not there yet is made while the others who need one
/// wait; extractors that have theirs do not notice.
class program_family {
 public:
  /// Makes the network for inputs of these shapes, or throws ctnn::error.
  using reader = std::function<loaded_model(const shapes_by_name&)>;

  /// Without a `read` there is only the first program. Beside the first one, the `limit` last used ones are kept.
  program_family(loaded_model&& network, const program_options& options, reader read = {}, std::size_t limit = 0)
      : options_(options), read_(std::move(read)), limit_(limit), first_(make(std::move(network))) {}
  /// There is no first program: all wait for their shapes.
  program_family(const program_options& options, reader read, std::size_t limit)
      : options_(options), read_(std::move(read)), limit_(limit) {}

  /// May be null.
  const std::shared_ptr<const program>& first() const { return first_; }
  bool can_reshape() const { return static_cast<bool>(read_); }

  /// The program for inputs of these shapes, which name all inputs. Throws ctnn::error if the network does not admit them.
  std::shared_ptr<const program> at(const shapes_by_name& shapes) {
    const auto fits = [&](const std::shared_ptr<const program>& p) {
      return std::all_of(p->input_shapes().begin(), p->input_shapes().end(), [&](const auto& input) {
        const auto given = shapes.find(input.first);
        return given != shapes.end() && given->second == input.second;
      });
    };
    if (first_ && fits(first_)) return first_;
    const std::lock_guard hold(mutex_);
    const auto known = std::find_if(others_.begin(), others_.end(), fits);
    if (known != others_.end()) {
      std::rotate(others_.begin(), known, known + 1);  // the last used one is the first
    } else {
      others_.insert(others_.begin(), make(read_(shapes)));
    }
    const std::shared_ptr<const program> found = others_.front();
    if (others_.size() > limit_) others_.resize(limit_);  // extractors keep what they use
    return found;
  }

 private:
  std::shared_ptr<const program> make(loaded_model&& network) const {
    return std::make_shared<const program>(std::make_shared<const loaded_model>(std::move(network)), options_);
  }

  program_options options_;
  reader read_;
  std::size_t limit_;
  std::shared_ptr<const program> first_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<const program>> others_;
};

}  // namespace ctnn
