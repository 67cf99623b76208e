// SPDX-License-Identifier: BSL-1.0
// A network as a type, from the header that `ctnn header --blob` writes. CMake writes a unit for each network, so that
// they are compiled side by side.
#pragma once

#include <ctnn/ctnn.hpp>
#include <ctnn/model/thread_pool.hpp>

#include <memory>
#include <optional>
#include <vector>

#include "peer.hpp"

namespace ctnn::ir::test {

template <class Net>
class peer_type final : public peer {
 public:
  static std::unique_ptr<peer> open(const network_files& files) { return std::make_unique<peer_type>(files); }
  explicit peer_type(const network_files& files)
      : input_(files.input.begin(), files.input.end()), engine_(std::make_unique<engine<Net>>(Net::packed)) {
    if (files.threads > 1) threads_.emplace(files.threads);
  }
  void run() override {
    const float* const x[] = {input_.data()};
    threads_ ? engine_->run(x, *threads_) : engine_->run(x);
  }
  std::span<const float> output() const override { return engine_->template output<0>(); }

 private:
  std::vector<float> input_;
  std::optional<thread_pool> threads_;
  std::unique_ptr<engine<Net>> engine_;
};

}  // namespace ctnn::ir::test
