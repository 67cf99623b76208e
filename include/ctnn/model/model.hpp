// SPDX-License-Identifier: BSL-1.0
// A network loaded from files while the program runs.
#pragma once

#include "../formats/ncnn/load.hpp"
#include "../formats/tflite/load.hpp"
#if __has_include(<protozero/pbf_reader.hpp>)
#include "../formats/onnx/load.hpp"
#define CTNN_READS_ONNX 1
#endif
#include "extractor.hpp"
#include "thread_pool.hpp"

namespace ctnn {

struct load_options {
  /// Rewrite the network first: fewer and larger steps, the same answers. Values inside it may be gone afterwards.
  bool optimize = true;
  /// The rules to rewrite by; the records must live as long as the model.
  std::span<const ir::rule_record> rules = ir::default_rule_records();
  /// How many times rewriting may change something: verify() finds the first one that was wrong by this.
  std::size_t rewrites = ir::every_rewrite;
  /// Values that must survive rewriting: they become outputs, too.
  std::vector<std::string> keep{};
  /// The instruction set to run on, one of supported_targets().
  target_id target = best_target();
  /// Kernels of the user's operators: custom_operators<...>.
  std::span<const ir::custom_operator> operators{};
  /// Readers of the user's operators in ONNX files, and in TensorFlow Lite's (domain "tflite"); ncnn's are in
  /// `read.custom`.
  std::span<const onnx::node_type> onnx_operators{};
  /// Input shapes, for files that name none or to be ready for others at once; limits on what a file may ask for.
  ncnn::read_options read{};
  /// Whether an ONNX file may keep its weights in other files of its folder.
  bool external_data = false;
  /// How many programs for input shapes other than those the model was loaded with are kept. Packed weights that they
  /// have in common are in memory once.
  std::size_t reshaped_programs = 4;
  /// Who runs large operators in parts, such as std::make_shared<thread_pool>(4); without one the thread that calls
  /// extract() does all. Extractors may be given another.
  std::shared_ptr<ctnn::executor> executor{};
  /// Convolutions add product by product. Else those of 3 x 3 with many channels go by Winograd's filtering
  /// (kernels/winograd.hpp): two to three times as fast, a digit less exact.
  bool exact_convolutions = false;
  /// Keep the weights as they were read beside those made for the kernels: only ncnn::save() and onnx::save() need
  /// them.
  bool keep_weights = false;
};

/// Shares its constant state: copies are cheap, extractors keep it alive. Any number of threads may use one model.
///
/// Inputs may have other shapes than the file says, where its layers admit that, and a file need not say any: the first
/// extractor that is fed a new shape builds the network again, rewrites, plans and packs; later ones find it done. What
/// the files say is parsed once, by load(), and kept for that without the numbers of weights: memory has these only as
/// kernels want them. The files stay open, and a network for a new shape takes them from there. Files that have been
/// deleted or replaced by others of the same name since load() are still read; those that have been written into are
/// refused, with the new shape. One file a model is open, and up to 16 of an ONNX model's external data.
class model {
 public:
  /// An ncnn model; an empty `bin` takes zeros for all weights. Throws ctnn::error (base/error.hpp), whose text calls
  /// the files by their names without directories. Where input shapes are neither in the file nor given, only the
  /// .param file is checked now, and the rest when an extractor has been fed.
  static model load(const std::string& param, const std::string& bin, const load_options& options = {}) {
    return or_error([&] { return load_ncnn(param, bin, options); });
  }
  /// `x.onnx`, `x.tflite`, or `x.param` with its weights in `x.bin` beside it. An ONNX model whose input shapes (or
  /// shapes inside it) are open is read and checked now and made ready when the inputs are fed, once for each set of
  /// shapes. Axes that a TensorFlow Lite model leaves open are as the file has them until others are fed.
  static model load(const std::string& path, const load_options& options = {}) {
    if (path.ends_with(".onnx")) return or_error([&] { return load_onnx(path, options); });
    if (path.ends_with(".tflite")) return or_error([&] { return load_tflite(path, options); });
    if (!path.ends_with(".param")) throw error(path + ": expected a .param, an .onnx or a .tflite file");
    return load(path, path.substr(0, path.size() - 5) + "bin", options);
  }
  /// The same without exceptions.
  static result<model> try_load(const std::string& param, const std::string& bin, const load_options& options = {}) {
    return attempt([&] { return load(param, bin, options); });
  }
  static result<model> try_load(const std::string& path, const load_options& options = {}) {
    return attempt([&] { return load(path, options); });
  }
  /// A network that is in memory already. Its input shapes are fixed, unless `read` can make it for others.
  explicit model(loaded_model&& network, const load_options& options = {}, ir::program_family::reader read = {})
      : programs_(std::make_shared<ir::program_family>(std::move(network), program_options_of(options), std::move(read),
                                                   options.reshaped_programs)),
        executor_(options.executor) {}

  ctnn::extractor extractor() const { return ctnn::extractor(programs_, executor_); }

  /// The graph that runs when inputs have the shapes they were loaded with; its names live as long as the model.
  ir::graph_view graph() const { return code().g(); }
  /// The graph as it was read.
  ir::graph_view source() const { return code().source().network.view(); }
  /// Throws ctnn::error if the model was loaded without input shapes.
  const ir::program& code() const { return programs_->require_first(); }

 private:
  model(std::string why, const load_options& options, ir::program_family::reader read)
      : programs_(std::make_shared<ir::program_family>(std::move(why), program_options_of(options), std::move(read),
                                                   options.reshaped_programs)),
        executor_(options.executor) {}

  static model load_ncnn(const std::string& param, const std::string& bin, const load_options& options) {
    const auto files = std::make_shared<const ncnn::network_files>(ncnn::open_network(param, bin, options.read.limits));
    ir::program_family::reader read = [files, read = options.read](const arrays_by_name& fed) {
      ncnn::read_options changed = read;
      for (const auto& [name, values] : fed) changed.input_shapes.insert_or_assign(name, values.shape());
      return ncnn::build(*files, changed);
    };
    try {
      return model(read({}), options, read);
    } catch (const ncnn::unknown_input_shape& e) {
      return model(e.what() + std::string(": give load_options::read.input_shapes, or feed the inputs"), options,
                   std::move(read));
    }
  }
  static model load_onnx(const std::string& path, const load_options& options) {
#if defined(CTNN_READS_ONNX)
    return load_messages(options, [&](const onnx::read_options& read) { return onnx::read(path, read); });
#else
    (void)options;
    throw error(path +
                ": reading ONNX needs protozero (Debian: libprotozero-dev), which this program was built without");
#endif
  }
  static model load_tflite(const std::string& path, const load_options& options) {
    return load_messages(options, [&](const onnx::read_options& read) { return tflite::read(path, read); });
  }
  template <class Read>
  static model load_messages(const load_options& options, Read&& messages_of) {
    onnx::read_options read;
    read.input_shapes = options.read.input_shapes;
    read.limits = options.read.limits;
    if (read.limits.name_length == budget{}.name_length)
      read.limits.name_length = onnx::read_options{}.limits.name_length;
    read.external_data = options.external_data;
    read.custom = options.onnx_operators;
    const auto file = std::make_shared<const onnx::model_message>(messages_of(read));
    ir::program_family::reader make = [file, read](const arrays_by_name& fed) { return onnx::build(*file, read, fed); };
    try {
      return model(make({}), options, make);
    } catch (const onnx::undetermined& e) {
      return model(e.what(), options, std::move(make));
    }
  }
  static ir::program_options program_options_of(const load_options& o) {
    return {o.optimize,
            o.rules,
            o.target,
            o.operators,
            o.keep,
            o.keep_weights,
            o.read.limits.memory_bytes,
            o.rewrites,
            o.exact_convolutions};
  }

  std::shared_ptr<ir::program_family> programs_;
  std::shared_ptr<ctnn::executor> executor_;
};

}  // namespace ctnn
