// SPDX-License-Identifier: BSL-1.0
// Tensors by name from an .npz file, a zip of .npy files as numpy.savez and numpy.savez_compressed write them.
#pragma once

#include <algorithm>

#include "npy.hpp"
#include "zip.hpp"

namespace ctnn::npz {

/// A file that stays open: its headers are in memory, numbers are read, and their checksum compared, when they are
/// asked for. Throws ctnn::error: which file, which entry or byte, what was expected.
class file final : public ir::tensor_file {
 public:
  explicit file(const std::string& path, const budget& limits = {}) : file(ir::source_of(path, limits), limits) {}
  file(ir::byte_source from, const budget& limits) : file(from, limits, zip::read_directory(from, limits)) {}
  file(ir::byte_source from, const budget& limits, std::vector<zip::entry> entries)
      : tensor_file(std::move(from), limits) {
    for (zip::entry& e : entries) {
      constexpr std::string_view suffix = ".npy";
      if (!e.name.ends_with(suffix)) zip::detail::fail(from_, e.name, "expected an array, NAME.npy");
      add(e.name.substr(0, e.name.size() - suffix.size()), std::move(e));
    }
  }

 private:
  struct place {
    zip::entry of;
    std::size_t header = 0;  ///< bytes before its numbers
    bool fortran = false;
  };

  void add(const std::string& name, zip::entry&& e) {
    constexpr std::size_t fixed = 12, longest = 65'536;
    const std::string source = path() + ": '" + e.name + "'";
    zip::stream data(from_, e);
    std::string text(static_cast<std::size_t>(std::min<std::uint64_t>(e.size, fixed)), '\0');
    data.read(std::as_writable_bytes(std::span(text)));
    const npy::header_place at = npy::find_header(text, e.size, source);
    if (at.length > longest)
      throw error(source + ": byte 8: a header of " + std::to_string(at.length) + " bytes, the limit is " +
                  std::to_string(longest));
    const std::size_t had = text.size(), all = at.start + at.length;
    text.resize(std::max(had, all));
    data.read(std::as_writable_bytes(std::span(text)).subspan(had));
    const auto [shape, type, fortran] =
        npy::parse_header(std::string_view(text).substr(at.start, at.length), at, e.size, source, limits_);
    tensors_.emplace(name, ir::tensor_entry{type, shape, e.begin, e.begin + e.packed});
    const std::uint64_t begin = e.begin;
    places_.emplace(begin, place{std::move(e), all, fortran});
  }

  void fill(const ir::tensor_entry& t, std::span<std::byte> to) const override {
    const place& p = places_.at(t.begin);
    zip::stream data(from_, p.of);
    std::vector<std::byte> header(p.header);
    data.read(header);
    data.read(to);
    data.finish();
    if (p.fortran) npy::to_c_order(to, t.shape, t.type);
  }

  std::map<std::uint64_t, place> places_;
};

}  // namespace ctnn::npz
