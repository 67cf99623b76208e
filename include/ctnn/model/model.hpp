// SPDX-License-Identifier: BSL-1.0
// A network loaded from files while the program runs.
#pragma once

#include "../formats/ncnn/reader.hpp"
#include "extractor.hpp"

namespace ctnn {

struct load_options {
  bool optimize = true;
  std::span<const rule_record> rules = default_rules::records;
  std::vector<std::string> keep{};  ///< values that must survive rewriting: they become outputs, too
  target_id target = best_target();
  std::span<const custom_operator> operators{};  ///< kernels of the user's operators: custom_operators<...>
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
      : program_(std::make_shared<const ctnn::program>(keeping(std::move(network), options.keep),
                                                 program_options{options.optimize, options.rules, options.target, options.operators})) {}

  ctnn::extractor extractor() const { return ctnn::extractor(program_); }

  /// The graph that runs; its names live as long as the model.
  graph_view graph() const { return program_->g(); }
  /// The graph as it was read.
  graph_view source() const { return program_->source().network.view(); }
  const ctnn::program& code() const { return *program_; }

 private:
  static std::shared_ptr<const loaded_model> keeping(loaded_model&& m, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      value_id found = none;
      for (std::size_t v = 0; v < m.network.values.size(); ++v)
        if (m.network.values[v].name == name) found = static_cast<int>(v);
      if (found == none) throw error("keep: the model has no value called '" + name + "'");
      add_output(m.network, m.keep(name), found);
    }
    return std::make_shared<const loaded_model>(std::move(m));
  }

  std::shared_ptr<const ctnn::program> program_;
};

}  // namespace ctnn
