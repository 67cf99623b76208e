// SPDX-License-Identifier: BSL-1.0
// A loaded model that takes its sequence in parts of any size.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../graph/channel_axis.hpp"
#include "../loaded/array.hpp"
#include "../network/stream_calls.hpp"

namespace ctnn {

class model;

struct stream_options {
  /// Samples that are computed at once, at most: more in one call are several blocks. Memory grows with it.
  int at_most = 512;
  /// The axis of the sequence in the first input; by default the one along which the model can be taken in parts.
  int axis = ir::automatic_axis;
  /// Inputs and outputs of models that keep their states outside: what the output was, the input is in the next run.
  /// Such a model is taken as it is, in blocks of the samples that its inputs have.
  std::vector<std::pair<std::string, std::string>> carry{};
  /// Shapes of inputs, of models whose files leave them open: [1, 80, 100] is a sequence of 100, say; streams have no
  /// end, whatever is said here.
  std::map<std::string, extents> input_shapes{};
  /// Samples of silence that prewarm() stands for; below 0: what the file says (model::prewarm()), or the receptive
  /// field, where it has an end.
  std::int64_t prewarm = -1;
  /// Numbers that are nearly zero count as zeros while process() runs.
  bool flush_denormals = true;
};

namespace ir {
struct loaded_blocks;
class program_family;
}  // namespace ir

/// What model::stream() makes: all memory is taken, the network is planned and its weights are packed. Values are
/// floats. It begins as a sequence before which nothing was; prewarm() is for those that begin after silence. Any
/// number of streams may be made of one model and run by different threads, each by one at a time.
class model_stream : public ir::stream_calls<model_stream> {
 public:
  model_stream(model_stream&&) noexcept;
  model_stream& operator=(model_stream&&) noexcept;
  /// Its own from here on, with the same weights; takes memory.
  model_stream(const model_stream&);
  model_stream& operator=(const model_stream&) = delete;
  ~model_stream();

  /// The numbers of an input that is no sequence, which must live as long as they are used: zeros if none are given.
  /// Throws ctnn::error if the model has no such input, or of another size.
  void set(std::string_view input, std::span<const float> numbers);

  /// How many samples before a sample of the output tell on it, and that one; 0: all.
  std::int64_t receptive_field() const { return description().receptive_field; }
  /// Samples that are computed at once, at most.
  int at_most() const { return description().signals.longest(); }
  /// Of memory that is this stream's alone.
  std::size_t bytes() const;

 private:
  friend class model;
  friend class ir::stream_calls<model_stream>;

  model_stream(std::shared_ptr<const ir::program_family> programs, const stream_options& options);
  const ir::stream_description& description() const;
  ir::stream_memory memory();
  ir::table_kernels kernels();
  bool flushes_denormals() const;

  /// What is the same for all copies.
  std::shared_ptr<const ir::loaded_blocks> blocks_;
  struct own;
  std::unique_ptr<own> own_;
};

}  // namespace ctnn
