// SPDX-License-Identifier: BSL-1.0
// Memory that vectors of any width find aligned, and which nobody has set.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace ctnn::ir {

/// Asks for large pages, where the system gives them to who asks: a page fault for 2 MiB instead of 512, and few
/// entries of the processor's table of pages. Nothing that anyone can see but the time depends on it.
inline void ask_for_large_pages(void* memory, std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
  constexpr std::size_t large = std::size_t{4} << 20;
  if (bytes < large) return;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::size_t room = bytes;
  void* from = memory;
  if (std::align(page, bytes - page, from, room)) ::madvise(from, room / page * page, MADV_HUGEPAGE);
#else
  static_cast<void>(memory), static_cast<void>(bytes);
#endif
}

struct release_aligned {
  static constexpr std::align_val_t alignment{64};  // a cache line
  template <class T>
  void operator()(T* p) const {
    ::operator delete[](p, alignment);
  }
};
template <class T>
using aligned_memory = std::unique_ptr<T[], release_aligned>;

/// Numbers or bytes that nobody has set.
template <class T>
aligned_memory<T> allocate_aligned(std::size_t count) {
  void* const memory = ::operator new[](count * sizeof(T), release_aligned::alignment);
  ask_for_large_pages(memory, count * sizeof(T));
  return aligned_memory<T>(static_cast<T*>(memory));
}

/// Bytes of one's own, aligned to a cache line, which nobody has set.
class byte_buffer {
 public:
  byte_buffer() = default;
  explicit byte_buffer(std::size_t size) : memory_(allocate_aligned<std::byte>(size)), size_(size) {}
  byte_buffer(std::span<const std::byte> from) : byte_buffer(from.size()) {
    if (size_ > 0) std::memcpy(memory_.get(), from.data(), size_);
  }
  byte_buffer(const byte_buffer& other) : byte_buffer(std::span<const std::byte>(other)) {}
  byte_buffer(byte_buffer&& other) noexcept { swap(other); }
  byte_buffer& operator=(byte_buffer other) noexcept { return swap(other), *this; }

  std::size_t size() const { return size_; }
  std::byte* data() { return memory_.get(); }
  const std::byte* data() const { return memory_.get(); }
  std::byte* begin() { return data(); }
  std::byte* end() { return data() + size_; }
  const std::byte* begin() const { return data(); }
  const std::byte* end() const { return data() + size_; }

 private:
  void swap(byte_buffer& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
  }
  aligned_memory<std::byte> memory_;
  std::size_t size_ = 0;
};

}  // namespace ctnn::ir
