// SPDX-License-Identifier: BSL-1.0
// Writes small .tflite files, so that tests need none.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ctnn/base/dtype.hpp>
#include <ctnn/formats/tflite/schema.hpp>

namespace ctnn::ir::test::tflite_bytes {

struct object;
using part = std::shared_ptr<object>;

/// A field: the bytes of a number, or what its offset leads to.
struct cell {
  std::string bytes;
  part to;
};
/// A table, a vector of numbers, a vector of offsets or a string.
struct object {
  std::map<int, cell> fields;
  std::string numbers;
  std::size_t count = 0, each = 0;  ///< numbers of a vector; each is 0 for a table
  std::vector<part> items;
  bool is_text = false;
};

template <class T>
std::string raw(T v) {
  std::string out(sizeof(T), 0);
  std::memcpy(out.data(), &v, sizeof(T));
  return out;
}
template <class T>
std::string raws(const std::vector<T>& v) {
  std::string out;
  for (const T& x : v) out += raw<T>(x);
  return out;
}

template <class T>
cell number(T v) {
  return {raw<T>(v), nullptr};
}
inline cell flag(bool v) { return number<std::uint8_t>(v); }
inline cell integer(std::int32_t v) { return number(v); }
inline cell byte(int v) { return number(static_cast<std::int8_t>(v)); }
inline cell real(float v) { return number(v); }
inline cell child(part p) { return {{}, std::move(p)}; }
inline cell text(std::string_view s) {
  auto o = std::make_shared<object>();
  o->numbers = s;
  o->count = s.size();
  o->each = 1;
  o->is_text = true;
  return child(o);
}
template <class T>
cell numbers(const std::vector<T>& v) {
  auto o = std::make_shared<object>();
  o->numbers = raws(v);
  o->count = v.size();
  o->each = sizeof(T);
  return child(o);
}
inline cell bytes(const std::string& v) { return numbers(std::vector<char>(v.begin(), v.end())); }
inline cell list(std::vector<part> items) {
  auto o = std::make_shared<object>();
  o->items = std::move(items);
  o->each = 4;
  return child(o);
}
inline part table(std::map<int, cell> fields) {
  auto o = std::make_shared<object>();
  o->fields = std::move(fields);
  return o;
}

namespace detail {

inline void align(std::string& out, std::size_t to) { out.resize((out.size() + to - 1) / to * to, 0); }
inline void put_offset(std::string& out, std::size_t at, std::size_t to) {
  out.replace(at, 4, raw(static_cast<std::uint32_t>(to - at)));
}
inline std::size_t put(std::string& out, const object& o) {
  if (o.each != 0) {
    // The count stands right in front of the numbers, which are aligned.
    const bool offsets = !o.items.empty() || (o.each == 4 && o.numbers.empty());
    align(out, 4);
    if (o.each == 8 && out.size() % 8 == 0) out.append(4, 0);
    const std::size_t at = out.size();
    out += raw(static_cast<std::uint32_t>(offsets ? o.items.size() : o.count));
    if (!offsets) {
      out += o.numbers;
      if (o.is_text) out.push_back(0);
      return at;
    }
    out.append(4 * o.items.size(), 0);
    for (std::size_t i = 0; i < o.items.size(); ++i) {
      const std::size_t item = put(out, *o.items[i]);
      put_offset(out, at + 4 + 4 * i, item);
    }
    return at;
  }
  const int last = o.fields.empty() ? -1 : o.fields.rbegin()->first;
  std::vector<std::uint16_t> places(static_cast<std::size_t>(last + 1), 0);
  std::size_t size = 4;
  for (const auto& [field, c] : o.fields) {
    const std::size_t width = c.to ? 4 : c.bytes.size();
    size = (size + width - 1) / width * width;
    places[static_cast<std::size_t>(field)] = static_cast<std::uint16_t>(size);
    size += width;
  }
  align(out, 8);
  const std::size_t list = out.size();
  out += raw(static_cast<std::uint16_t>(4 + 2 * places.size())) + raw(static_cast<std::uint16_t>(size)) + raws(places);
  align(out, 8);
  const std::size_t at = out.size();
  out.append(size, 0);
  out.replace(at, 4, raw(static_cast<std::int32_t>(at - list)));
  for (const auto& [field, c] : o.fields)
    if (!c.to) out.replace(at + places[static_cast<std::size_t>(field)], c.bytes.size(), c.bytes);
  for (const auto& [field, c] : o.fields)
    if (c.to) put_offset(out, at + places[static_cast<std::size_t>(field)], put(out, *c.to));
  return at;
}

}  // namespace detail

/// A whole file.
inline std::string finish(const part& root, std::string_view identifier = "TFL3") {
  std::string out(4, 0);
  out += identifier;
  const std::size_t at = detail::put(out, *root);
  detail::put_offset(out, 0, at);
  return out;
}

using shape = std::vector<std::int32_t>;

enum type { f32 = 0, f16 = 1, i32 = 2, u8 = 3, i64 = 4, boolean = 6, i16 = 7, i8 = 9, resource = 13, i4 = 17 };

/// Scales and zero points; along an axis if there are several.
struct scales {
  std::vector<float> scale{};
  std::vector<std::int64_t> zero{};
  int axis = 0;
};

/// One subgraph: tensors, then operators by name.
class subgraph {
 public:
  /// Another of the same model.
  subgraph beside() const {
    subgraph other;
    other.codes_ = codes_;
    other.buffers_ = buffers_;
    return other;
  }
  int tensor(std::string_view name, type t, const shape& s, const scales& q = {}, const std::string& data = {}) {
    std::map<int, cell> fields{{0, numbers(s)}, {1, byte(t)}, {3, text(name)}};
    if (!data.empty()) {
      buffers_->push_back(table({{0, bytes(data)}}));
      fields[2] = number(static_cast<std::uint32_t>(buffers_->size() - 1));
    }
    if (!q.scale.empty()) fields[4] = child(table({{2, numbers(q.scale)}, {3, numbers(q.zero)}, {6, integer(q.axis)}}));
    tensors_.push_back(table(fields));
    return static_cast<int>(tensors_.size()) - 1;
  }
  int floats(const shape& s, const std::vector<float>& v) { return tensor("w", f32, s, {}, raws(v)); }
  int whole(const shape& s, const std::vector<std::int32_t>& v) { return tensor("n", i32, s, {}, raws(v)); }
  part& last_tensor() { return tensors_.back(); }
  part& last_operator() { return operators_.back(); }

  void op(std::string_view name, const shape& in, const shape& out, const std::map<int, cell>& options = {},
          int type = 0) {
    int code = 0;
    while (tflite::operator_names[static_cast<std::size_t>(code)] != name) ++code;
    if (type == 0)
      for (const tflite::options_table& t : tflite::options_tables)
        if (t.is_of(code) && !options.empty()) type = t.type;
    op(table({{0, byte(code < 127 ? code : 127)}, {2, integer(name == "BROADCAST_TO" ? 2 : 1)}, {3, integer(code)}}),
       in, out, options, type);
  }
  void op(const part& code, const shape& in, const shape& out, const std::map<int, cell>& options, int type) {
    codes_->push_back(code);
    std::map<int, cell> fields{
        {0, number(static_cast<std::uint32_t>(codes_->size() - 1))}, {1, numbers(in)}, {2, numbers(out)}};
    if (type != 0) {
      fields[3] = number(static_cast<std::uint8_t>(type));
      fields[4] = child(table(options));
    }
    operators_.push_back(table(fields));
  }

  part graph(const shape& in, const shape& out) const {
    return table({{0, list(tensors_)}, {1, numbers(in)}, {2, numbers(out)}, {3, list(operators_)}, {4, text("main")}});
  }
  part model(const shape& in, const shape& out, std::vector<part> more = {}) const {
    more.insert(more.begin(), graph(in, out));
    return table({{0, number(std::uint32_t{3})}, {1, list(*codes_)}, {2, list(std::move(more))}, {4, list(*buffers_)}});
  }
  std::string file(const shape& in, const shape& out) const { return finish(model(in, out)); }

 private:
  using parts = std::vector<part>;
  parts tensors_, operators_;
  std::shared_ptr<parts> codes_ = std::make_shared<parts>(), buffers_ = std::make_shared<parts>(parts{table({})});
};

}  // namespace ctnn::ir::test::tflite_bytes
