// SPDX-License-Identifier: BSL-1.0
// A network loaded from files while the program runs.
#pragma once

#include "../formats/ncnn/reader.hpp"
#include "extractor.hpp"

namespace ctnn {

struct load_options {
  bool optimize = true;
  std::span<const rule_record> rules = default_rules::records;
  target_id target = best_target();
  ncnn::read_options read{};  ///< input shapes instead of the file's, limits
};

/// Shares its constant state: copies are cheap, extractors keep it alive.
class model {
 public:
  /// An ncnn model; an empty `bin` takes zeros for all weights. Throws ctnn::error (base/error.hpp).
  static model load(const std::string& param, const std::string& bin, const load_options& options = {}) {
    return model(ncnn::load(param, bin, options.read), options);
  }
  explicit model(loaded_model&& network, const load_options& options = {})
      : program_(std::make_shared<const ctnn::program>(std::make_shared<const loaded_model>(std::move(network)),
                                                 program_options{options.optimize, options.rules, options.target})) {}

  ctnn::extractor extractor() const { return ctnn::extractor(program_); }

  /// The graph that runs; its names live as long as the model.
  graph_view graph() const { return program_->g(); }
  /// The graph as it was read.
  graph_view source() const { return program_->source().network.view(); }
  const ctnn::program& code() const { return *program_; }

 private:
  std::shared_ptr<const ctnn::program> program_;
};

}  // namespace ctnn
