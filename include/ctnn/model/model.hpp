// SPDX-License-Identifier: BSL-1.0
// A network loaded from files while the program runs.
#pragma once

#include "../formats/ncnn/reader.hpp"
#include "extractor.hpp"

namespace ctnn {

struct load_options {
  /// Rewrite the network first: fewer and larger steps, the same answers. Values inside it may be gone afterwards.
  bool optimize = true;
  /// The rules to rewrite by; the records must live as long as the model.
  std::span<const rule_record> rules = default_rules::records;
  /// Values that must survive rewriting: they become outputs, too.
  std::vector<std::string> keep{};
  /// The instruction set to run on, one of supported_targets().
  target_id target = best_target();
  /// Kernels of the user's operators: custom_operators<...>.
  std::span<const custom_operator> operators{};
  /// Input shapes, for files that name none or to be ready for others at once; limits on what a file may ask for.
  ncnn::read_options read{};
  /// How many programs for input shapes other than those the model was loaded with are kept. Each holds a packed copy
  /// of all weights.
  std::size_t reshaped_programs = 4;
};

/// Shares its constant state: copies are cheap, extractors keep it alive. Any number of threads may use one model.
///
/// Inputs may have other shapes than the file says, where its layers admit that, and a file need not say any: the first
/// extractor that is fed a new shape reads the files again, rewrites, plans and packs, which takes as long as load();
/// later ones find it done.
class model {
 public:
  /// An ncnn model; an empty `bin` takes zeros for all weights. Throws ctnn::error (base/error.hpp), whose text calls the
  /// files by their names without directories. Where input shapes are neither in the file nor given, only the .param file
  /// is checked now, and the rest when an extractor has been fed.
  static model load(const std::string& param, const std::string& bin, const load_options& options = {}) {
    program_family::reader read = [param, bin, read = options.read](const shapes_by_name& shapes) {
      ncnn::read_options changed = read;
      for (const auto& [name, shape] : shapes) changed.input_shapes.insert_or_assign(name, shape);
      return ncnn::load(param, bin, changed);
    };
    try {
      return model(read({}), options, read);
    } catch (const ncnn::unknown_input_shape&) {
      return model(std::make_shared<program_family>(options_for(options), keeping_reader(read, options),
                                                    options.reshaped_programs));
    }
  }
  /// A network that is in memory already. Its input shapes are fixed, unless `read` can make it for others.
  explicit model(loaded_model&& network, const load_options& options = {}, program_family::reader read = {})
      : programs_(std::make_shared<program_family>(keeping(std::move(network), options.keep), options_for(options),
                                                   read ? keeping_reader(read, options) : program_family::reader(),
                                                   options.reshaped_programs)) {}

  ctnn::extractor extractor() const { return ctnn::extractor(programs_); }

  /// The graph that runs when inputs have the shapes they were loaded with; its names live as long as the model.
  graph_view graph() const { return code().g(); }
  /// The graph as it was read.
  graph_view source() const { return code().source().network.view(); }
  /// Throws ctnn::error if the model was loaded without input shapes.
  const program& code() const {
    if (!programs_->first())
      throw error("the network depends on input shapes that the file does not say: give load_options::read.input_shapes");
    return *programs_->first();
  }

 private:
  explicit model(std::shared_ptr<program_family> programs) : programs_(std::move(programs)) {}

  static program_options options_for(const load_options& o) { return {o.optimize, o.rules, o.target, o.operators}; }
  static program_family::reader keeping_reader(program_family::reader read, const load_options& options) {
    return [read = std::move(read), keep = options.keep](const shapes_by_name& shapes) { return keeping(read(shapes), keep); };
  }
  static loaded_model keeping(loaded_model&& m, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      value_id found = none;
      for (std::size_t v = 0; v < m.network.values.size(); ++v)
        if (m.network.values[v].name == name) found = static_cast<int>(v);
      if (found == none) throw error("keep: the model has no value called '" + name + "'");
      add_output(m.network, m.keep(name), found);
    }
    return std::move(m);
  }

  std::shared_ptr<program_family> programs_;
};

}  // namespace ctnn
