// SPDX-License-Identifier: BSL-1.0
// Who runs the parts of a kernel's work: implemented by model/thread_pool.hpp, or by users over a pool of their own.
// Only networks that are given one see it.
#pragma once

namespace ctnn {

class executor {
 public:
  using part_function = void (*)(void* work, int part);

  virtual ~executor() = default;

  /// How many parts can run at the same time; 1 or more.
  virtual int width() const = 0;
  /// What a part should take at least to be worth handing to another thread, in nanoseconds.
  virtual double least_nanoseconds() const { return 5000; }
  /// Calls part(work, i) once for every i in [0, count), on any threads in any order, and returns when all have
  /// returned. Parts do not depend on each other and do not throw. Several threads may call run() at once.
  virtual void run(int count, part_function part, void* work) = 0;
};

/// In how many parts to run work that takes about so long on one thread. Long work has more parts than threads: one
/// that the system holds up does not hold up all; unless a part `repeats` some of what its neighbours do.
inline int parts_for(const executor& threads, double nanoseconds, bool repeats = false) {
  const int width = threads.width();
  const double least = threads.least_nanoseconds() > 1 ? threads.least_nanoseconds() : 1;
  if (width < 2 || nanoseconds < 2 * least) return 1;
  const int most = !repeats && nanoseconds > 20 * least * width ? 2 * width : width;
  return nanoseconds / least < most ? static_cast<int>(nanoseconds / least) : most;
}

}  // namespace ctnn
