// SPDX-License-Identifier: BSL-1.0
// Times of a model's layers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commands.hpp"

namespace tool {

struct layer_times {
  std::string name, type, shape;
  std::int64_t macs = 0;
  std::vector<double> seconds;      ///< one for each run
  int winograd = 0;                 ///< by F(winograd, 3)
  std::size_t times = 1;            ///< it runs so often in a run, in a loop: `macs` and `seconds` are of all together
  std::vector<std::string> with{};  ///< layers before it that run together with it, some rows at a time
};

struct profile {
  std::string target;
  std::vector<layer_times> layers;  ///< in the order they run; conversions between layouts count as layers
  std::vector<double> total;        ///< seconds of whole runs, without the clock between layers
  int warmup = 1;                   ///< runs before those
  int threads = 1;
  bool by_sample = false;           ///< a batch whose samples run side by side; `layers` are those of all together
  double peak_flops = 0;            ///< fp32 multiply-adds on registers of all threads, best of the same run
  std::size_t peak_bytes = 0;
  std::int64_t macs = 0;
};

/// Runs a model on what is fed, or on made-up numbers, as often or for as long as the options say.
profile measure(const model_source&, const bench_options&);

}  // namespace tool
