// SPDX-License-Identifier: BSL-1.0
// Nothing allocates: neither making an engine nor running it. operator new is counted, and so is the C heap.
#include <doctest/doctest.h>

#include <cstdlib>
#include <new>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

namespace {

// The program's only allocation functions while `counting`; doctest and the other tests go through them as well.
std::size_t allocations = 0;
bool counting = false;

std::size_t heap_in_use() {
#if defined(__GLIBC__)
  const auto m = mallinfo2();
  return m.uordblks + m.hblkhd;
#else
  return 0;
#endif
}

struct net : nn::network<
    nn::input<"x", nn::shape<3, 9, 9>>,
    nn::conv2d<"a", nn::out<4>, nn::kernel<3>, nn::pad<1>>, nn::relu<"ra">,
    nn::conv2d<"b", nn::from<"ra">, nn::out<4>, nn::kernel<1>>,
    nn::concat<"cat", nn::from<"ra", "b">>,
    nn::max_pool2d<"p", nn::kernel<2>>,
    nn::flatten<"f">, nn::linear<"fc", nn::out<3>>, nn::softmax<"prob">> {};
using fused = nn::optimized<net>;

alignas(64) nn::parameters<fused> weights;
alignas(nn::engine<fused>) unsigned char place[sizeof(nn::engine<fused>)];
float image[3 * 9 * 9];

}  // namespace

void* operator new(std::size_t n) {
  if (counting) ++allocations;
  if (void* p = std::malloc(n ? n : 1)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void* operator new(std::size_t n, std::align_val_t a) {
  if (counting) ++allocations;
  const auto align = static_cast<std::size_t>(a);
  if (void* p = std::aligned_alloc(align, (n + align) / align * align)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

TEST_CASE("an engine is made and run without the heap, on every target") {
  for (std::size_t i = 0; i < std::size(weights.packed); ++i) weights.packed[i] = 0.01f * static_cast<float>(i % 17);
  for (const nn::target_id t : nn::supported_targets()) {
    const std::size_t before = heap_in_use();
    allocations = 0;
    counting = true;
    auto* e = new (place) nn::engine<fused>{weights, t};
    float sum = 0;
    for (int i = 0; i < 3; ++i) {
      const auto scores = (*e)(image);
      for (float s : scores) sum += s;
    }
    e->~engine();
    counting = false;
    const std::size_t after = heap_in_use();
    CHECK(allocations == 0);
    CHECK(after == before);
    CHECK(sum == doctest::Approx(3));
  }
}

TEST_CASE("weights are loaded without the heap") {
  static float numbers[nn::parameter_count<fused>];
  static nn::named_weight table[nn::weight_count<fused>];
  const std::size_t before = heap_in_use();
  allocations = 0;
  counting = true;
  const bool split = nn::split_blob<fused>(numbers, table);
  const bool loaded = split && !nn::load(weights, table).found;
  counting = false;
  const std::size_t after = heap_in_use();
  CHECK(loaded);
  CHECK(allocations == 0);
  CHECK(after == before);
}

TEST_CASE("the counter counts") {
  allocations = 0;
  counting = true;
  int* volatile one = new int(1);
  delete one;
  counting = false;
  CHECK(allocations > 0);
}
