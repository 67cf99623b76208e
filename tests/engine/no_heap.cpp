// SPDX-License-Identifier: BSL-1.0
// Nothing allocates: neither making an engine nor running it. operator new is counted, and so is the C heap.
#include <doctest/doctest.h>

#include <cstdlib>
#include <new>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <ctnn/typed.hpp>

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

/// Kernels that take memory of their own.
struct typed_net : nn::network<
    nn::input<"x", nn::shape<2, 4, 6, 6>, nn::f64>, nn::input<"i", nn::shape<5>, nn::i64>,
    nn::conv2d<"conv", nn::from<"x">, nn::out<4>, nn::kernel<3>>, nn::batch_norm2d<"bn">,
    nn::conv_transpose2d<"up", nn::out<2>, nn::kernel<2>, nn::stride<2>>,
    nn::reduce<"mean", nn::op::reduction::mean, nn::from<"conv">, nn::axes<-1>>,
    nn::constant_pad<"padded", nn::before<0, 0, 1, 0>, nn::after<0, 0, 0, 0>>,
    nn::matmul<"product", nn::from<"bn", "bn">>,
    nn::layer<nn::op::det, "det">,
    nn::layer<nn::op::topk, "top", nn::from<"x">, nn::option<"k", 3>>,
    nn::layer<nn::op::gather, "rows", nn::from<"top.0", "i">, nn::axis<3>>,
    nn::layer<nn::op::tile, "tiled", nn::from<"i">, nn::option<"repeats", 2>>,
    nn::layer<nn::op::unique, "kinds", nn::option<"count", 4>, nn::option<"sorted", 0>>,
    nn::layer<nn::op::nonzero, "places", nn::from<"i">, nn::option<"count", 4>>,
    nn::layer<nn::op::mean_variance_normalize, "normal", nn::from<"x">, nn::axes<2, 3>>,
    nn::reshape<"lines", nn::shape<8, 36, 1>>, nn::layer<nn::op::dft, "spectrum", nn::option<"length", 30>>,
    nn::layer<nn::op::attention, "attended", nn::from<"x", "x", "x">>,
    nn::input<"scales", nn::shape<4>>, nn::input<"zeros", nn::shape<4>, nn::i8>,
    nn::layer<nn::op::quantize, "bytes", nn::from<"x", "scales", "zeros">, nn::to<nn::dtype::i8>>,
    nn::layer<nn::op::dequantize, "real", nn::from<"bytes", "scales", "zeros">>,
    nn::output<"up", "padded", "det", "rows", "kinds.0", "places", "spectrum", "attended", "real">> {};

alignas(64) nn::parameters<typed_net> typed_weights{nn::zeros};
alignas(nn::engine<typed_net>) unsigned char typed_place[sizeof(nn::engine<typed_net>)];
double values[2 * 4 * 6 * 6];

alignas(64) nn::parameters<fused> weights{nn::zeros};
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

TEST_CASE("kernels take what they need from the arena") {
  for (std::size_t i = 0; i < std::size(values); ++i) values[i] = static_cast<double>(i * 7 % 13);
  const std::int64_t indices[] = {0, 2, 2, -1, 1};
  const float scales[] = {1, 2, 3, 4};
  const std::int8_t zeros[] = {0, -1, 1, 2};
  const std::size_t before = heap_in_use();
  allocations = 0;
  counting = true;
  auto* e = new (typed_place) nn::engine<typed_net>{typed_weights};
  e->run(values, indices, scales, zeros);
  const std::int64_t kinds[] = {e->output<4>()[0], e->output<4>()[1], e->output<4>()[2]}, last = e->output<5>()[3];
  const float real[] = {e->output<8>()[1], e->output<8>()[36], e->output<8>()[3 * 36]};
  e->~engine();
  counting = false;
  const std::size_t after = heap_in_use();
  CHECK(allocations == 0);
  CHECK(after == before);
  CHECK((kinds[0] == 0 && kinds[1] == 2 && kinds[2] == -1));  // in the order of their first occurrence
  CHECK(last == 4);
  CHECK((real[0] == 7 && real[1] == 4 && real[2] == 0));  // of 7, 5 and 2: ties to even
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
