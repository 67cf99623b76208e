// SPDX-License-Identifier: BSL-1.0
// What class extractor declares for batches that run sample by sample: an extractor a thread, each for one sample.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>

#include "extractor.hpp"

namespace ctnn {

struct extractor::numbers_of_batch {
  ir::value_id value;
  std::span<const std::byte> all;
  std::size_t of_sample;  ///< bytes; all of them where every sample has the same

  std::span<const std::byte> of(std::size_t sample) const {
    return of_sample == all.size() ? all : all.subspan(sample * of_sample, of_sample);
  }
};

CTNN_ONCE bool extractor::begins_and_ends(std::span<const ir::value_id> values) const {
  if (steps_run_ > 0 || !cuts_.empty()) return false;
  const auto outputs = program_->outputs();
  for (const ir::value_id v : values)
    if (std::ranges::find(outputs, v, &ir::network_output::value) == outputs.end()) return false;
  for (const ir::network_output& o : outputs)
    if (std::ranges::find(values, o.value) == values.end()) return false;
  for (const int p : plan_.outputs)
    if (plan_.at(plan_.root(p)).external) return false;  // an input, or a constant
  for (const ir::node& n : program_->g().nodes)
    if (n.type == &ir::type_of<op::input> && !is_fed(n.outputs.first)) return false;  // need() says which
  return true;
}

CTNN_ONCE void extractor::run_samples(const ir::program& one) {
  const ir::graph_view g = program_->g();
  const auto of_sample = [&](ir::value_id v) {
    return static_cast<std::size_t>(one.g().shape(v).count() * size_of(one.g().at_value(v).type));
  };
  std::vector<numbers_of_batch> in, out;
  for (const ir::node& n : g.nodes)
    if (const ir::value_id v = n.outputs.first; n.type == &ir::type_of<op::input>)
      in.push_back({v, fed_.at(v)->bytes(), of_sample(v)});
  for (std::size_t k = 0; k < g.outputs.size(); ++k) {
    const ir::tensor to = tensor_at(plan_.outputs[k]);
    const std::span<float> all(to.data, static_cast<std::size_t>(ctnn::words(to.shape.count(), to.type)));
    out.push_back({g.outputs[k].value, std::as_bytes(all), of_sample(g.outputs[k].value)});
  }

  const int samples = g.shape(out[0].value)[0], width = executor_ ? executor_->width() : 1;
  // When every thread has had as many, a few samples may be left: these run one by one on all threads.
  const int left = samples % width, last = 2 * left <= width ? left : 0, lanes = std::min(width, samples - last);
  while (static_cast<int>(side_by_side_.size()) < lanes)
    side_by_side_.push_back(extractor(programs_, nullptr, {program_, &one}));
  std::atomic<int> next{0};
  std::atomic<std::size_t> steps{0};
  std::vector<std::exception_ptr> failed(at(lanes));
  auto run_some = [&](int lane) {
    try {
      for (int i = next++; i < samples - last; i = next++) steps += run_sample(side_by_side_[at(lane)], in, out, at(i));
    } catch (...) {
      failed[at(lane)] = std::current_exception();
    }
  };
  if (lanes == 1) run_some(0);
  if (lanes > 1)
    executor_->run(
        lanes, [](void* work, int lane) { (*static_cast<decltype(run_some)*>(work))(lane); }, &run_some);
  for (const std::exception_ptr& e : failed)
    if (e) std::rethrow_exception(e);
  if (last > 0 && together_.empty()) together_.push_back(extractor(programs_, executor_, {program_, &one}));
  for (int i = samples - last; i < samples; ++i) steps += run_sample(together_[0], in, out, at(i));
  // As if what lies in the outputs' memory had been computed there.
  for (const int p : plan_.outputs) {
    holds_[at(p)] = true;
    int q = p;
    do {
      if (producers_[at(q)] != ir::none) done_[at(producers_[at(q)])] = true;
    } while ((q = beside_[at(q)]) != p);
  }
  steps_run_ = steps;
}

CTNN_ONCE std::size_t extractor::run_sample(extractor& of_one, std::span<const numbers_of_batch> in,
                                            std::span<const numbers_of_batch> out, std::size_t sample) {
  const ir::graph_view g = of_one.program_->g();
  for (const numbers_of_batch& i : in) {
    const ir::value& v = g.at_value(i.value);
    of_one.give(v.name, array(v.shape, v.type, std::make_shared<numbers_elsewhere>(i.of(sample))));
  }
  std::vector<ir::value_id> values;
  for (const numbers_of_batch& o : out) values.push_back(o.value);
  const std::vector<array> made = of_one.read_all(values);
  for (std::size_t k = 0; k < out.size(); ++k)
    std::memcpy(const_cast<std::byte*>(out[k].of(sample).data()), made[k].bytes().data(), out[k].of_sample);
  return of_one.steps_run();
}

CTNN_ONCE std::size_t extractor::bytes_of_samples() const {
  std::size_t bytes = 0;
  for (const std::vector<extractor>* some : {&side_by_side_, &together_})
    for (const extractor& e : *some) bytes += e.peak_bytes();
  return bytes;
}

}  // namespace ctnn
