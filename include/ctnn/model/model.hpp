// SPDX-License-Identifier: BSL-1.0
// A network loaded from files while the program runs.
#pragma once

#include "../formats/json/load.hpp"
#include "../formats/ncnn/load.hpp"
#include "../formats/tflite/load.hpp"
#if __has_include(<protozero/pbf_reader.hpp>)
#include "../formats/onnx/load.hpp"
#define CTNN_READS_ONNX 1
#endif
#include "../loaded/declared_value.hpp"
#include "extractor.hpp"
#include "stream.hpp"
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
  /// How TensorFlow Lite's convolutions, products and sums of bytes are rounded: `real`, as XNNPACK's kernels do, which
  /// its interpreter takes on computers; `once`, as ctnn's kernels for firmware do; `twice`, as its reference kernels
  /// and TensorFlow Lite Micro do. They differ by a step in few bytes.
  ir::rounding rounding = ir::rounding::real;
  /// Which of a .tflite file's signatures, its ways in, is meant: "serving_default", "encode" ...; else its first
  /// graph.
  std::string signature{};
  /// Decodes pictures for ONNX's ImageDecoder, such as by stb_image; without one the operator is refused.
  picture_decoder decode_picture = nullptr;
  /// Bytes for programs for input shapes other than those the model was loaded with: as many are kept, the last used
  /// ones. Packed weights that programs have in common are in memory once and do not count.
  std::size_t reshaped_bytes = std::size_t{64} << 20;
  /// Who runs large operators in parts, such as std::make_shared<thread_pool>(4); without one the thread that calls
  /// extract() does all. Extractors may be given another.
  std::shared_ptr<ctnn::executor> executor{};
  /// Convolutions add product by product. Else those of 3 x 3 with many channels go by Winograd's filtering
  /// (kernels/winograd.hpp): two to three times as fast, a digit less exact.
  bool exact_convolutions = false;
  /// What Winograd's weights may take beyond the layers' own, as a part of the network's (of less than 16 MB, of 16
  /// MB). As it stands a model takes at most a tenth more than its file's weights: layers that gain the least time a
  /// byte make Winograd's weights anew in each run, or add product by product. Without a limit (infinity) a ResNet-50
  /// takes a fifth more memory and 2 % less time, a ResNet-18 a quarter more and 4 % less.
  double winograd_growth = 0.08;
  /// Memory between the layers comes before speed, as in types: Winograd's filtering takes no more of it while it runs
  /// than the network needs layer by layer as it was read. Else it takes what is fastest.
  bool arena_first = false;
  /// Channels of floats whose weights all lie between -prune_below and prune_below are taken for channels of zeros, and
  /// go as those do (the rule zero_channels): answers change by what these weights would have added. 0: exact zeros
  /// alone.
  float prune_below = 0;
  /// Keep the weights as they were read beside those made for the kernels: only ncnn::save() and onnx::save() need
  /// them.
  bool keep_weights = false;
};

/// Shares its constant state: copies are cheap, extractors keep it alive. Any number of threads may use one model.
///
/// Inputs may have other shapes than the file says, where its layers admit that, and a file need not say any: the first
/// extractor that is fed a new shape builds the network again, rewrites and plans it; later ones find it done. What the
/// files say is parsed once, by load(), and kept for that without the numbers of large weights: memory has these only
/// as kernels want them, once for all shapes. Each is read when the first network that needs it is made; the files stay
/// open for that. Files that have been deleted or replaced by others of the same name since load() are still read; a
/// shape that needs a weight which nobody has read is refused if its file has been written into. One file a model is
/// open, and up to 16 of an ONNX model's external data.
class model {
 public:
  /// An ncnn model; an empty `bin` takes zeros for all weights. Throws ctnn::error (base/error.hpp), whose text calls
  /// the files by their names without directories. Where input shapes are neither in the file nor given, only the
  /// .param file is checked now, and the rest when an extractor has been fed.
  static model load(const std::string& param, const std::string& bin, const load_options& options = {});
  /// `x.onnx`, `x.tflite`, `x.nam` (Neural Amp Modeler), `x.json` (RTNeural), or `x.param` with its weights in `x.bin`
  /// beside it. An ONNX model whose input shapes (or
  /// shapes inside it) are open is read and checked now and made ready when the inputs are fed, once for each set of
  /// shapes. Axes that a TensorFlow Lite model leaves open are as the file has them until others are fed.
  static model load(const std::string& path, const load_options& options = {});
  /// The bytes of an .onnx, .tflite, .nam or .json file, which need not live any longer. Tensors cannot be in other
  /// files.
  static model load(std::span<const std::byte> bytes, const load_options& options = {});
  /// The text of a .param file and the bytes of its .bin file, which are copied: weights for other input shapes are
  /// read there. Without bytes all weights are zeros.
  static model load(std::string_view param, std::span<const std::byte> bin, const load_options& options = {});
  /// The same without exceptions.
  static result<model> try_load(const std::string& param, const std::string& bin, const load_options& options = {});
  static result<model> try_load(std::span<const std::byte> bytes, const load_options& options = {});
  static result<model> try_load(std::string_view param, std::span<const std::byte> bin,
                                const load_options& options = {});
  static result<model> try_load(const std::string& path, const load_options& options = {});
  /// A network that is in memory already. Its input shapes are fixed, unless `maker` can make it for others.
  explicit model(loaded_model&& network, const load_options& options = {}, ir::network_maker maker = {});

  /// Of what `maker` makes of these inputs, or, where they do not decide its shapes, of what extractors are fed.
  model(ir::network_maker maker, const load_options& options, const arrays_by_name& fed = {});

  /// What may be fed, in the order of the file: open axes take what they are given.
  std::span<const declared_value> inputs() const { return inputs_; }
  /// What comes out. Shapes are what the file says where they follow from what is fed, and may be missing.
  std::span<const declared_value> outputs() const { return outputs_; }

  /// Samples of silence that the file's own player runs before the first sample: Neural Amp Modeler's "prewarm", which
  /// it rounds up to whole blocks. A sequence as its player gives it begins with as many zeros, whose outputs are
  /// dropped. Throws ctnn::error if the network is not known before anything is fed.
  int prewarm() const { return code().source().prewarm; }

  /// Names of what extractors carry from run to run (extractor.hpp), if the network is known before anything is fed.
  std::vector<std::string> carried() const;

  ctnn::extractor extractor() const { return ctnn::extractor(programs_, executor_); }

  /// The model as a stream, which takes its sequence in parts of any size (stream.hpp). Throws ctnn::error if a layer
  /// needs later samples, or all of them, or has other inputs and outputs than floats.
  model_stream stream(const stream_options& options = {}) const;

  /// Whether the network is known before anything is fed: code(), graph() and source() are of it.
  bool is_known() const { return programs_->first() && !programs_->parts(); }
  /// What rewriting has done to all networks that have been made for what extractors were fed.
  const ir::rewrite_count& rewrites() const { return programs_->rewrites(); }
  /// The graph that runs when inputs have the shapes they were loaded with; its names live as long as the model.
  ir::graph_view graph() const { return code().g(); }
  /// The graph as it was read.
  ir::graph_view source() const { return code().source().network.view(); }
  /// Throws ctnn::error if the model was loaded without input shapes.
  const ir::program& code() const { return programs_->require_first(); }

 private:
  model(std::string why, const load_options& options, ir::network_maker maker);

  static std::shared_ptr<ir::program_family> family_of(ir::network_maker&& maker, const load_options& options,
                                                       const arrays_by_name& fed);
  static model load_ncnn(ncnn::network_files&& opened, const load_options& options);
  static model load_onnx(const std::string& path, const load_options& options);
  static model load_tflite(const std::string& path, const load_options& options);
  static model load_json(std::shared_ptr<const json::document> file, const load_options& options);
  static model load_bytes(std::span<const std::byte> bytes, const load_options& options);
  template <class Read>
  static model load_messages(const load_options& options, Read&& messages_of);
  static ir::program_options program_options_of(const load_options& o);

  model declare(std::vector<declared_value>&& inputs, std::vector<declared_value>&& outputs) &&;
  void outputs_of_first();

  std::shared_ptr<ir::program_family> programs_;
  std::shared_ptr<ctnn::executor> executor_;
  std::vector<declared_value> inputs_, outputs_;
};

}  // namespace ctnn

#if CTNN_DEFINES(CTNN_PART_MODEL)
#include "loading.hpp"
#include "stream_maker.hpp"
#endif
