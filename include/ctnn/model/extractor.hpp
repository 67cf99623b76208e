// SPDX-License-Identifier: BSL-1.0
// Runs a loaded model lazily, as ncnn's Extractor does: only what an asked-for value needs, each value once.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../base/executor.hpp"
#include "buffers.hpp"
#include "programs.hpp"

namespace ctnn {

/// A kernel that an extractor runs, of the model's network or of a part of it (loaded/network_parts.hpp); or a node
/// whose numbers are computed while a network is made for them, which has no program.
struct running_step {
  std::shared_ptr<const ir::program> code{};
  ir::node_id node = ir::none;             ///< none: a conversion between layouts
  std::size_t number = 0;                  ///< among the steps of the program's plan
  std::span<const int> together{};         ///< nodes that run as one (kernels/cascade.hpp), `node` is the last of them
  const ir::network_part* part = nullptr;  ///< of the node without a program
  bool begins = true;                      ///< else it has ended
};

/// One inference at a time; any number of extractors may share a model. Feed inputs, then extract values; feeding again
/// starts over with the memory at hand.
///
/// A batch of large samples whose outputs are all extracted at once (of one output: when it is extracted) runs sample
/// by sample, as many side by side as the executor has threads, if that takes less and no layer mixes them
/// (model/samples.hpp); in light mode, and with no on_step().
///
/// Some networks carry values from run to run: variables of TensorFlow Lite's, say. Each extractor has its own, which
/// begin with zeros (or what the file says), and a run is from the first input() to the next one behind an extract():
/// then what the run has left is what the next begins with. (Without inputs every extract() is a run.) Its first
/// extract() computes all that is carried, too, so that every input has to be fed before. extract(NAME) of such a value
/// (model::carried()) is what the next run will find, input(NAME, ...) sets what the run to come finds, and reset()
/// begins anew.
class extractor {
 public:
  explicit extractor(std::shared_ptr<ir::program_family> programs, std::shared_ptr<ctnn::executor> threads = {});

  /// Light mode (the default) releases a value after its last reader and lets operators write over their inputs;
  /// without it every value that was computed can be extracted without computing anything again, those of parts that
  /// ran before the last one (model.hpp) among them. Forgets all values.
  void set_light_mode(bool light);

  /// Who runs large operators in parts; none (the default is load_options::executor) runs everything on the calling
  /// thread. Results are the same bits either way.
  void set_executor(std::shared_ptr<ctnn::executor> threads) {
    const plan_kind before = kind_of_plan();
    executor_ = std::move(threads);
    together_.clear();
    if (program_ && kind_of_plan() != before) set_up();
  }

  /// Feeds the input, or any other value, called `name`: the graph is cut there. An input of a new shape makes the
  /// model make its network again (model.hpp); with several inputs this waits until extract(), when all have been fed.
  /// Nothing is copied if `values` is moved in, or is an array::from_blob of numbers that stay where they are until the
  /// last extract(). Throws ctnn::error if there is no such value or its shape cannot be.
  void input(std::string_view name, array values);
  /// Feeds input `index` in the order of the file.
  void input(std::size_t index, array values);

  /// A new sequence: what is carried from run to run is what it is before the first run.
  void reset();
  /// Names of what is carried from run to run.
  std::vector<std::string> carried();

  /// The value called `name`, computing what it needs. Throws ctnn::error if there is no such value (and says where it
  /// went, if rewriting took it), or if an input it needs has not been fed.
  ///
  /// What is returned stays as it is, whatever runs later. A large output is in the memory that it was computed in:
  /// there is no copy, until somebody asks for it to be written (members that are not const). Memory whose array is
  /// gone by the next run serves that run.
  array extract(std::string_view name);
  /// Output `index` in the order of the model's outputs.
  array extract(std::size_t index);

  /// Several values; what computes them runs in one order, as it was planned, so that nothing is computed twice.
  std::vector<array> extract(std::span<const std::string> names);

  /// The outputs of the network for what has been fed, in its order.
  std::vector<std::string> outputs();
  /// Names of the values as the network was read that can be extracted now, in the order in which they are computed.
  std::vector<std::string> values();

  /// input() and extract() without exceptions.
  result<void> try_input(std::string_view name, array values);
  result<void> try_input(std::size_t index, array values);
  result<array> try_extract(std::string_view name);
  result<array> try_extract(std::size_t index);

  /// Most bytes that this extractor had for values at one time since the last input, buffers waiting to be used again
  /// among them, of all parts of a network; without weights and inputs.
  std::size_t peak_bytes() const {
    return std::max(most_of_parts_, bytes_between() + bytes_of_earlier() + memory_.peak_bytes() + bytes_of_samples());
  }
  /// Called before and after each kernel; for profiling.
  void on_step(void (*callback)(void*, const running_step&), void* context) {
    callback_ = callback;
    context_ = context;
  }
  /// Steps run since the last input.
  std::size_t steps_run() const { return steps_run_; }

 private:
  using plan_kind = ir::program::plan_kind;

  /// Numbers that an output has at least which is handed out without a copy.
  static constexpr std::int64_t worth_sharing = 4096;

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  /// None if there is no such value.
  ir::value_id known(std::string_view name) const;
  ir::value_id find(std::string_view name) const;

  // Shapes.

  bool is_input(ir::value_id v) const;

  static void require(std::string_view name, const extents& shape, dtype type, const array& values, bool any_shape);

  /// A network input.
  void give(std::string_view name, array values);
  /// A value inside the network.
  void cut(ir::value_id v, std::string_view name, array values);
  void connect();

  /// Changes to the program for what has been fed.
  void fit_shapes();

  /// The program for what has been fed: of a network in parts the last one, when those before it have run.
  std::shared_ptr<const ir::program> prepare();
  /// What comes before the last part; adds what it makes to `all`.
  void run_parts(const std::shared_ptr<const ir::family_parts>& parts, arrays_by_name& all);
  /// What the values of parts that ran before take.
  std::size_t bytes_between() const;
  std::size_t bytes_of_earlier() const;

  void use(std::shared_ptr<const ir::program> code);

  /// Cascades have rows for a few threads only; more run layer by layer.
  plan_kind kind_of_plan() const;
  /// Tables of the plan, and no memory yet.
  void set_up();

  /// Nothing is computed yet; memory goes back to be used again.
  void forget();

  /// Is v between the layers of a cascade?
  bool is_nowhere(ir::value_id v) const;
  /// From now on every value is computed as a whole.
  void make_whole();

  // Which steps.

  /// Marks in wanted_ the steps that placements need; false if something they need was computed and is lost.
  bool need(std::span<const int> places);
  bool available(int p) const;
  bool is_fed(int p) const;
  /// Fed, not an input of the network, and written over by an operator whose result is still there.
  bool is_lost(int p) const;
  bool is_constant(int p) const;

  // A batch sample by sample (by_sample.hpp).

  extractor(std::shared_ptr<ir::program_family> programs, std::shared_ptr<ctnn::executor> threads,
            std::shared_ptr<const ir::program> code)
      : programs_(std::move(programs)), executor_(std::move(threads)) {
    use(std::move(code));
  }

  /// An input or an output of all samples.
  struct numbers_of_batch;
  /// Whether these values are all outputs, and all inputs are there, of a run that has not begun.
  bool begins_and_ends(std::span<const ir::value_id> values) const;
  /// Computes all outputs.
  void run_samples(const ir::program& one);
  /// Returns how many steps it took.
  static std::size_t run_sample(extractor& of_one, std::span<const numbers_of_batch> in,
                                std::span<const numbers_of_batch> out, std::size_t sample);
  std::size_t bytes_of_samples() const;

  // What is carried from run to run.

  /// What is there before the first run of a program, unless a run has left something. Throws ctnn::error if what is
  /// there has another shape.
  void begin_states(const ir::program& code);
  static array beginning_of(const ir::program& code, ir::value_id v);
  /// The run is over, if one has begun.
  void end_run();
  /// What the run leaves, and these values.
  std::vector<array> run_with(std::span<const ir::value_id> values);

  /// Whether the next values begin a run.
  bool begins_run() const;

  array read(ir::value_id v);
  array read_alone(ir::value_id v);
  std::vector<array> read_all(std::span<const ir::value_id> values);
  /// Runs what it takes; then the values' places are held until finished_with() is told of each of held_.
  void compute(std::span<const ir::value_id> values);
  /// In the memory that it was computed in, if that can be.
  array array_of(ir::value_id v);
  /// Placement p is a value as arrays have it, in memory of its own, where nothing writes any more in this run.
  bool can_share(int p) const;
  /// Nothing was written over placement p, or what it describes, since it was computed.
  bool is_there(int p) const;
  /// The next value says how many of its rows there are.
  bool has_counted_rows(ir::value_id v) const;
  /// Where a value is: an output may be there in the layout of outputs alone, when others have read it.
  int place_of(ir::value_id v) const;

  // Memory.

  ir::tensor tensor_at(int p);
  /// Kernels take the address of any elements as that of floats.
  static const float* numbers_of(const array& a);
  /// An input's tensor. A fed value that is not a network input is put where its producer would have put it.
  ir::tensor input_tensor(int p);
  ir::scratch_memory scratch_of(const ir::plan_step& step);
  bool divides_scratch(ir::node_id n) const;
  void finished_with(int p);
  /// No placement in the memory of p has its value any more.
  void lose(int p);

  // Running.

  void run(int s);
  /// Inputs of the first convolution, and what the last one adds, are those of the step.
  void run_cascade(const ir::plan_step& step);

  std::shared_ptr<ir::program_family> programs_;
  std::shared_ptr<const ir::program> program_;
  std::shared_ptr<ctnn::executor> executor_;
  bool light_ = true;
  bool whole_ = false;  ///< a value between the layers of a cascade was asked for or fed
  ir::plan_view plan_;
  std::vector<int> readers_;            ///< by root: steps that read it, outputs that are in it
  std::vector<int> producers_;          ///< by placement: the step that writes it
  arrays_by_name given_;                ///< network inputs
  arrays_by_name states_;               ///< carried inputs of this run
  arrays_by_name left_;                 ///< and of the next, once this one has made them
  bool is_new_ = true;                  ///< nothing has been left or set yet
  arrays_by_name between_;              ///< what parts of the network have made that ran before the program
  std::vector<extractor> earlier_;      ///< of these parts, if all values are to stay
  std::vector<extractor> side_by_side_;  ///< of one sample each, without threads
  std::vector<extractor> together_;      ///< at most one, of a sample on all threads
  std::size_t most_of_parts_ = 0;       ///< bytes that they had at one time
  bool in_parts_ = false;               ///< the program is the last part
  bool of_part_ = false;                ///< its model is a part of another
  std::map<ir::value_id, array> cuts_;  ///< values inside the network that were fed
  std::map<ir::value_id, const array*> fed_;
  std::vector<char> done_;    ///< by step
  std::vector<char> wanted_;  ///< by step
  std::vector<int> held_;     ///< placements that compute() found, to be read
  std::vector<int> open_;     ///< placements that need() has still to look at
  std::vector<char> holds_;   ///< by placement: its memory has its value now
  std::vector<int> beside_;   ///< by placement: the next one in the same memory, in a ring
  std::vector<int> waiting_;
  ir::buffers memory_{0};  ///< by root
  std::size_t steps_run_ = 0;
  std::vector<ir::const_tensor> in_;
  std::vector<ir::tensor> out_;
  std::vector<const float*> weights_;
  void (*callback_)(void*, const running_step&) = nullptr;
  void* context_ = nullptr;
};

}  // namespace ctnn

#if CTNN_DEFINES(CTNN_PART_EXTRACTION)
#include "extraction.hpp"
#endif
