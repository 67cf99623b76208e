// SPDX-License-Identifier: BSL-1.0
// Protocol buffer fields one after the other, on protozero, with positions for messages and the budget asked first.
#pragma once

#if !__has_include(<protozero/pbf_reader.hpp>)
#error "reading ONNX needs protozero (Debian: libprotozero-dev)"
#endif
#include <protozero/pbf_reader.hpp>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../../base/byte_order.hpp"
#include "../../base/error.hpp"
#include "../../loaded/budget.hpp"
#include "../open_file.hpp"

namespace ctnn::onnx {

using protozero::data_view;
using protozero::pbf_wire_type;

/// What all messages of a file share while it is parsed.
struct parse_state {
  std::string source;
  const char* begin = nullptr;
  budget limits{};
  std::string folder{};         ///< where external data may lie; empty: refused
  const char* last = nullptr;   ///< the field being read
  std::size_t nodes = 0, values = 0, depth = 0;
  std::endian machine = std::endian::native;  ///< another one only in tests
  std::shared_ptr<const data_file> file{};    ///< whose bytes these are, if large tensors may stay there
  std::map<std::string, std::shared_ptr<const data_file>> beside{};  ///< open files of external data, by location

  std::size_t byte() const { return last ? static_cast<std::size_t>(last - begin) : 0; }
  [[noreturn]] void fail(const std::string& what) const {
    throw error(source + ": byte " + std::to_string(byte()) + ": " + what);
  }
  void take(std::uint64_t bytes) {
    if (!limits.take(bytes)) fail(over_memory(bytes, limits));
  }
  std::string name(const data_view& v, const char* what) {
    if (v.size() > limits.name_length)
      fail(std::string(what) + " has " + std::to_string(v.size()) + " characters, the limit is " +
           std::to_string(limits.name_length));
    take(v.size() + sizeof(std::string));
    const std::string_view text(v.data(), v.size());
    if (text.find('\0') != text.npos) fail(std::string(what) + " has a zero byte in it");
    return std::string(text);
  }
};

/// The fields of one message. A field of another wire type than asked for is skipped like an unknown one, as protocol
/// buffers do.
class message {
 public:
  message(parse_state& state, const data_view& bytes) : state_(&state), reader_(bytes) {}

  bool next() {
    state_->last = reader_.data().data();
    return reader_.next();
  }
  int field() const { return static_cast<int>(reader_.tag()); }
  bool is(pbf_wire_type type) const { return reader_.wire_type() == type; }
  void skip() { reader_.skip(); }

  /// Each reads the field into `to` if its wire type fits, and skips it otherwise.
  void read(std::int64_t& to) {
    if (is(pbf_wire_type::varint)) to = reader_.get_int64();
    else skip();
  }
  void read(int& to) {
    if (is(pbf_wire_type::varint)) to = reader_.get_int32();
    else skip();
  }
  void read(float& to) {
    if (is(pbf_wire_type::fixed32)) to = reader_.get_float();
    else skip();
  }
  bool read(data_view& to) {
    if (!is(pbf_wire_type::length_delimited)) return skip(), false;
    to = reader_.get_view();
    return true;
  }
  void read_name(std::string& to, const char* what) {
    data_view v;
    if (read(v)) to = state_->name(v, what);
  }
  void read_names(std::vector<std::string>& to, const char* what) {
    data_view v;
    if (!read(v)) return;
    if (++state_->values > state_->limits.blobs)
      state_->fail("more than " + std::to_string(state_->limits.blobs) + " names");
    to.push_back(state_->name(v, what));
  }

  /// Repeated numbers, packed or one at a time; at most `limit` of them.
  template <class T>
  void read_numbers(std::vector<T>& to, std::size_t limit, const char* what) {
    const std::size_t before = to.size();
    if (is(pbf_wire_type::length_delimited)) {
      const data_view v = reader_.get_view();
      // Counted before anything is allocated: a varint ends with the byte whose top bit is clear.
      std::size_t n = v.size() / sizeof(T);
      if constexpr (std::is_integral_v<T>) {
        n = 0;
        for (char c : std::string_view(v.data(), v.size())) n += (static_cast<unsigned char>(c) & 0x80u) == 0;
      } else if (v.size() % sizeof(T) != 0) {
        state_->fail(std::string(what) + ": " + std::to_string(v.size()) + " bytes are not a whole number of elements");
      }
      room(before, n, sizeof(T), limit, what);
      to.reserve(before + n);
      append(to, v);
    } else if (is(std::is_integral_v<T> ? pbf_wire_type::varint
                  : sizeof(T) == 4      ? pbf_wire_type::fixed32
                                        : pbf_wire_type::fixed64)) {
      room(before, 1, sizeof(T), limit, what);
      if constexpr (std::is_integral_v<T>) to.push_back(static_cast<T>(reader_.get_int64()));
      else if constexpr (sizeof(T) == 4) to.push_back(reader_.get_float());
      else to.push_back(reader_.get_double());
    } else {
      skip();
    }
  }

 private:
  void room(std::size_t before, std::size_t more, std::size_t each, std::size_t limit, const char* what) {
    if (more > limit || before > limit - more)
      state_->fail(std::string(what) + " has more than " + std::to_string(limit) + " elements");
    state_->take(static_cast<std::uint64_t>(more) * each);
  }
  template <class T>
  void append(std::vector<T>& to, const data_view& v) {
    if constexpr (std::is_integral_v<T>) {
      const char* at = v.data();
      const char* end = at + v.size();
      while (at != end) to.push_back(static_cast<T>(protozero::decode_varint(&at, end)));
    } else {
      to.resize(to.size() + v.size() / sizeof(T));
      const auto added = std::as_writable_bytes(std::span(to)).last(v.size());
      if (!added.empty()) std::memcpy(added.data(), v.data(), v.size());
      swap_from_file(added, sizeof(T), state_->machine);
    }
  }

  parse_state* state_;
  protozero::pbf_reader reader_;
};

}  // namespace ctnn::onnx
