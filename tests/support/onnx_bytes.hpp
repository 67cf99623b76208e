// SPDX-License-Identifier: BSL-1.0
// Writes the protocol buffers of small ONNX models, so that tests need no files.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ctnn::ir::test::onnx_bytes {

inline std::string varint(std::uint64_t v) {
  std::string out;
  for (; v >= 128; v >>= 7) out.push_back(static_cast<char>(v | 128));
  return out + static_cast<char>(v);
}
inline std::string number(int field, std::int64_t v) {
  return varint(static_cast<std::uint64_t>(field) << 3) + varint(static_cast<std::uint64_t>(v));
}
inline std::string bytes(int field, std::string_view v) {
  return varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(v.size()) + std::string(v);
}
inline std::string real(int field, float v) {
  std::string out = varint(static_cast<std::uint64_t>(field) << 3 | 5);
  char four[4];
  std::memcpy(four, &v, 4);
  return out.append(four, 4);
}

enum element { f32 = 1, u8 = 2, i8 = 3, i32 = 6, i64 = 7, text = 8, boolean = 9, f16 = 10, f64 = 11, bf16 = 16 };

using dims = std::vector<std::int64_t>;

template <class T>
std::string tensor(std::string_view name, element type, const dims& shape, const std::vector<T>& raw) {
  std::string out;
  for (std::int64_t d : shape) out += number(1, d);
  out += number(2, type) + bytes(8, name);
  std::string content(raw.size() * sizeof(T), 0);
  if (!raw.empty()) std::memcpy(content.data(), raw.data(), content.size());
  return out + bytes(9, content);
}
inline std::string floats(std::string_view name, const dims& shape, const std::vector<float>& v) {
  return tensor(name, f32, shape, v);
}
inline std::string longs(std::string_view name, const dims& shape, const std::vector<std::int64_t>& v) {
  return tensor(name, i64, shape, v);
}

/// An extent of -1 is an open axis called "n".
inline std::string value(std::string_view name, element type, const dims& shape) {
  std::string axes;
  for (std::int64_t d : shape) axes += bytes(1, d < 0 ? bytes(2, "n") : number(1, d));
  return bytes(1, name) + bytes(2, bytes(1, number(1, type) + bytes(2, axes)));
}

inline std::string attribute(std::string_view name, std::int64_t v) {
  return bytes(5, bytes(1, name) + number(3, v) + number(20, 2));
}
inline std::string attribute(std::string_view name, int v) { return attribute(name, std::int64_t{v}); }
inline std::string attribute(std::string_view name, float v) {
  return bytes(5, bytes(1, name) + real(2, v) + number(20, 1));
}
inline std::string attribute(std::string_view name, std::string_view v) {
  return bytes(5, bytes(1, name) + bytes(4, v) + number(20, 3));
}
inline std::string attribute(std::string_view name, const dims& v) {
  std::string out = bytes(1, name);
  for (std::int64_t i : v) out += number(8, i);
  return bytes(5, out + number(20, 7));
}
inline std::string graph_attribute(std::string_view name, std::string_view graph) {
  return bytes(5, bytes(1, name) + bytes(6, graph) + number(20, 5));
}

inline std::string node(std::string_view type, const std::vector<std::string>& in, const std::vector<std::string>& out,
                        std::string_view attributes = {}, std::string_view name = {}) {
  std::string n;
  for (const auto& i : in) n += bytes(1, i);
  for (const auto& o : out) n += bytes(2, o);
  return bytes(1, n + bytes(3, name) + bytes(4, type) + std::string(attributes));
}
inline std::string initializer(std::string_view t) { return bytes(5, t); }
inline std::string input(std::string_view v) { return bytes(11, v); }
inline std::string output(std::string_view v) { return bytes(12, v); }

inline std::string model(std::string_view graph, std::int64_t opset = 13) {
  return number(1, 8) + bytes(7, graph) + bytes(8, bytes(1, "") + number(2, opset));
}
inline std::span<const std::byte> view(const std::string& s) { return std::as_bytes(std::span(s.data(), s.size())); }

}  // namespace ctnn::ir::test::onnx_bytes
