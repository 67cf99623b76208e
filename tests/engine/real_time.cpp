// SPDX-License-Identifier: BSL-1.0
// What a stream does while audio plays: it takes no memory, waits for nobody, asks the system for nothing. The
// program's allocation functions and locks are counted, and the system refuses every call in a process of its own.
#include <doctest/doctest.h>

#include <cstdlib>

#if defined(__linux__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CTNN_TEST_COUNTS 1
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef CTNN_TEST_COUNTS
#endif
#endif
#endif

#if defined(CTNN_TEST_COUNTS)

#include <dlfcn.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include <ctnn/stream.hpp>
#include <ctnn/typed.hpp>

#include "support/sample_calls.hpp"
#include "support/stream_networks.hpp"

namespace {

thread_local bool counting = false;
thread_local int calls = 0;
void count() { calls += counting ? 1 : 0; }

}  // namespace

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t n) { return count(), __libc_malloc(n); }
void* calloc(std::size_t n, std::size_t size) { return count(), __libc_calloc(n, size); }
void* realloc(void* p, std::size_t n) { return count(), __libc_realloc(p, n); }
void free(void* p) { count(), __libc_free(p); }
int pthread_mutex_lock(pthread_mutex_t* m) noexcept {
  static const auto real = reinterpret_cast<int (*)(pthread_mutex_t*)>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  return count(), real(m);
}
}

namespace {

namespace nn = ctnn;
using effect = nn::stream<ctnn::ir::test::two_rates, nn::at_most<16>>;

void play(effect& stream) {
  static float in[2 * 24], out[2 * 24];
  for (int n = 1; n <= 24; ++n) stream.process_interleaved(in, out, n);
  stream.prewarm();
  stream.reset();
}

}  // namespace

TEST_CASE("a stream takes no memory and no lock") {
  static const nn::parameters<effect::network> weights{nn::zeros};
  const auto stream = std::make_unique<effect>(weights);
  calls = 0;
  counting = true;
  std::free(std::malloc(1));
  pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&own);
  counting = false;
  pthread_mutex_unlock(&own);
  REQUIRE(calls >= 1);  // a compiler may leave out malloc and free, not the lock
  calls = 0;
  counting = true;
  play(*stream);
  counting = false;
  CHECK(calls == 0);
}

TEST_CASE("a stream asks the system for nothing") {
  static const nn::parameters<effect::network> weights{nn::zeros};
  const auto stream = std::make_unique<effect>(weights);
  // In this mode the system ends a process that calls anything but read, write and exit.
  const auto status_of = [](auto&& work) {
    const pid_t child = fork();
    if (child == 0) {
      if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) syscall(SYS_exit, 3);
      work();
      syscall(SYS_exit, 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  };
  const int of_call = status_of([] { getppid(); });
  if (WIFEXITED(of_call)) {
    MESSAGE("SKIPPED: this system does not end processes for what they call");
    return;
  }
  const int status = status_of([&] { play(*stream); });
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

#else

TEST_CASE("a stream takes no memory and no lock") { MESSAGE("SKIPPED: needs glibc without a sanitizer"); }

#endif
