// SPDX-License-Identifier: BSL-1.0
// TensorProto to an array: raw bytes, typed lists, or (only when asked for) a file in the model's folder.
#pragma once

#include <algorithm>

#include "../../base/numerals.hpp"
#include "../file_part.hpp"
#include "external_data.hpp"
#include "narrow.hpp"
#include "wire.hpp"

namespace ctnn::onnx {

/// Parses one TensorProto (ONNX's .pb test data).
inline tensor parse_tensor(std::span<const std::byte> bytes, const std::string& source, const budget& limits = {});

/// The fields of a TensorProto before they are put together.
struct tensor_fields {
  std::vector<std::int64_t> dims;
  int element = 0;
  std::string name;
  bool has_raw = false, external = false;
  data_view raw{};
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<std::int64_t> ints;  ///< of int32_data, int64_data or uint64_data
  int ints_field = 0;
  std::size_t strings = 0;
  std::string location;
  std::int64_t offset = 0, length = -1;
};

namespace detail {

inline std::int64_t whole_number(parse_state& s, const std::string& text, const char* what) {
  const auto n = parse_integer<std::int64_t>(text);
  if (!n || *n < 0) s.fail(std::string("external data: ") + what + " is '" + text + "', expected a number");
  return *n;
}

inline void read_external_entry(parse_state& s, const data_view& bytes, tensor_fields& t) {
  std::string key, value;
  for (message m(s, bytes); m.next();) {
    if (m.field() == 1) m.read_name(key, "key of external data");
    else if (m.field() == 2) m.read_name(value, "value of external data");
    else m.skip();
  }
  if (key == "location") t.location = value;
  else if (key == "offset") t.offset = whole_number(s, value, "offset");
  else if (key == "length") t.length = whole_number(s, value, "length");
}

inline tensor_fields read_tensor_fields(parse_state& s, const data_view& bytes) {
  tensor_fields t;
  const std::size_t most = static_cast<std::size_t>(s.limits.value_elements);
  data_view part;
  for (message m(s, bytes); m.next();) {
    switch (m.field()) {
      case 1: m.read_numbers(t.dims, max_rank, "tensor shape"); break;
      case 2: m.read(t.element); break;
      case 4: m.read_numbers(t.floats, most, "float_data"); break;
      case 5:
      case 7:
      case 11:
        if (t.ints_field != 0 && t.ints_field != m.field()) s.fail("tensor has two lists of integers");
        t.ints_field = m.field();
        m.read_numbers(t.ints, most, "integer data");
        break;
      case 6:
        m.skip();
        ++t.strings;
        break;
      case 8: m.read_name(t.name, "tensor name"); break;
      case 9: t.has_raw = m.read(t.raw) || t.has_raw; break;
      case 10: m.read_numbers(t.doubles, most, "double_data"); break;
      case 13:
        if (m.read(part)) read_external_entry(s, part, t);
        break;
      case 14: {
        int location = 0;
        m.read(location);
        if (location != 0 && location != 1)
          s.fail("data_location is " + std::to_string(location) + ", expected 0 or 1");
        t.external = location == 1;
        break;
      }
      default: m.skip();
    }
  }
  return t;
}

/// Some exporters write a file a tensor: only so many are kept open.
inline constexpr std::size_t most_files_beside = 16;

/// The file beside the model that has the numbers of a tensor, which need `size` bytes.
inline std::shared_ptr<const data_file> open_external(parse_state& s, const tensor_fields& t, std::int64_t size) {
  const std::string where = "external data of '" + t.name + "'";
  if (s.folder.empty()) s.fail(where + " is refused: it needs the option external_data (--external-data)");
  if (t.length >= 0 && t.length != size)
    s.fail(where + ": length " + std::to_string(t.length) + ", the shape needs " + std::to_string(size));
  std::shared_ptr<const data_file> file;
  std::string problem;
  if (const auto known = s.beside.find(t.location); known != s.beside.end()) file = known->second;
  else problem = open_in_folder(s.folder, t.location, file);
  if (problem.empty()) problem = check_part(*file, t.location, t.offset, size);
  if (!problem.empty()) s.fail(where + ": " + problem);
  if (s.beside.size() < most_files_beside) s.beside.emplace(t.location, file);
  return file;
}

inline extents checked_shape(parse_state& s, const std::vector<std::int64_t>& dims, const std::string& who) {
  extents shape;
  for (const std::int64_t d : dims) {
    if (d < 0 || d > 2147483647) s.fail(who + ": extent " + std::to_string(d) + " is out of range");
    shape.push_back(static_cast<int>(d));
  }
  if (!within(shape, s.limits.value_elements))
    s.fail(who + " has more elements than the limit of " + std::to_string(s.limits.value_elements) +
           " (budget::value_elements, --memory)");
  return shape;
}

template <class T, class From>
void store(array& to, const std::vector<From>& from) {
  auto out = to.elements<T>();
  for (std::size_t i = 0; i < from.size(); ++i) out[i] = static_cast<T>(from[i]);
}

/// Numbers of a typed list, which the format keeps in the list of another type for the small ones.
inline bool store_typed(const tensor_fields& t, array& to) {
  if ((to.type() != dtype::f32 && !t.floats.empty()) || (to.type() != dtype::f64 && !t.doubles.empty())) return false;
  switch (to.type()) {
    case dtype::f32: store<float>(to, t.floats); return t.ints.empty();
    case dtype::f64: store<double>(to, t.doubles); return t.ints.empty();
    case dtype::i64: store<std::int64_t>(to, t.ints); return t.ints_field == 7 || t.ints.empty();
    case dtype::u64: store<std::uint64_t>(to, t.ints); return t.ints_field == 11 || t.ints.empty();
    case dtype::u32: store<std::uint32_t>(to, t.ints); return t.ints_field == 11 || t.ints.empty();
    case dtype::i32: store<std::int32_t>(to, t.ints); break;
    case dtype::i16: store<std::int16_t>(to, t.ints); break;
    case dtype::i8: store<std::int8_t>(to, t.ints); break;
    case dtype::u16:
    case dtype::f16:
    case dtype::bf16: store<std::uint16_t>(to, t.ints); break;
    case dtype::u8: store<std::uint8_t>(to, t.ints); break;
    case dtype::boolean: {
      auto out = to.elements<std::uint8_t>();
      for (std::size_t i = 0; i < t.ints.size(); ++i) out[i] = t.ints[i] != 0;
      break;
    }
  }
  return t.ints_field == 5 || t.ints.empty();
}

/// Those of a tensor that a file has as a list, of which nothing but reading it again says where each number is.
class listed_numbers final : public number_source {
 public:
  listed_numbers(const parse_state& s, const data_view& bytes, const tensor& made, std::string complaint)
      : file_(s.file),
        from_(bytes.data() - s.begin),
        size_(bytes.size()),
        source_(s.source),
        limits_(s.limits),
        shape_(made.shape),
        type_(made.type),
        complaint_(std::move(complaint)) {
    limits_.memory_bytes = budget::none().memory_bytes;  // it was taken when the file was read
  }
  std::span<const std::byte> bytes(byte_buffer& memory) const override {
    std::vector<std::byte> message(size_);
    if (!file_->read(from_, message)) throw error(complaint_);
    const tensor again = parse_tensor(message, source_, limits_);
    if (!again.values || !(again.shape == shape_) || again.type != type_) throw error(complaint_);
    return memory = byte_buffer(again.values->bytes());
  }

 private:
  std::shared_ptr<const data_file> file_;
  std::int64_t from_;
  std::size_t size_;
  std::string source_;
  budget limits_;
  extents shape_;
  dtype type_;
  std::string complaint_;
};

}  // namespace detail

/// Reads a TensorProto, or notes where it lies. Throws ctnn::error (through `s`) if its parts contradict each other; an
/// element type that ctnn does not have is only noted.
inline tensor read_tensor(parse_state& s, const data_view& bytes) {
  const tensor_fields t = detail::read_tensor_fields(s, bytes);
  s.last = bytes.data();
  const std::string who = "tensor '" + t.name + "'";
  tensor out;
  out.name = t.name;
  out.shape = detail::checked_shape(s, t.dims, who);
  const std::int64_t count = out.shape.count();
  if (t.element < 1 || t.element > 26) s.fail(who + ": element type " + std::to_string(t.element) + " is unknown");
  const auto narrow = narrow_type_of(t.element);
  const auto type = narrow ? narrow->held : element_type(t.element);
  if (narrow) out.form = narrow->form();
  if (!type || t.strings > 0) {
    out.refused = std::string("tensor of ") + element_name(t.element);
    return out;
  }
  out.type = *type;
  // Elements of a list, and bytes.
  const std::size_t numbers = static_cast<std::size_t>(count), each = static_cast<std::size_t>(size_of(*type)),
                    in_byte = narrow ? 8 / static_cast<std::size_t>(narrow->bits) : 1,
                    elements = (numbers + in_byte - 1) / in_byte, size = narrow ? elements : elements * each;
  const std::size_t listed = t.floats.size() + t.doubles.size() + t.ints.size();
  if ((t.has_raw && t.raw.size() > 0) + (listed > 0) + t.external > 1)
    s.fail(who + " has its numbers twice: raw, as a list or external");
  if (t.has_raw && listed == 0 && !t.external && t.raw.size() != size)
    s.fail(who + " has " + std::to_string(t.raw.size()) + " bytes of raw data, the shape " + describe(out.shape) +
           " of " + element_name(t.element) + " needs " + std::to_string(size));
  if ((listed > 0 || (!t.external && !t.has_raw)) && listed != elements)
    s.fail(who + " has " + std::to_string(listed) + " numbers, the shape " + describe(out.shape) + " needs " +
           std::to_string(elements));
  s.take(narrow ? size + numbers * each : size);
  if (narrow) {
    std::vector<std::byte> packed(size);
    if (t.external && !detail::open_external(s, t, static_cast<std::int64_t>(size))->read(t.offset, packed))
      s.fail("external data of '" + t.name + "': '" + t.location + "' cannot be read");
    if (listed > 0 && t.ints_field != 5)
      s.fail(who + ": its numbers are in the list of another type than " + element_name(t.element));
    for (std::size_t i = 0; i < t.ints.size(); ++i) packed[i] = static_cast<std::byte>(t.ints[i]);
    if (t.has_raw) std::copy_n(reinterpret_cast<const std::byte*>(t.raw.data()), t.raw.size(), packed.begin());
    auto values = std::make_shared<array>(out.shape, *type);
    widen(*values, *narrow, packed.data());
    out.values = kept(std::move(values));
    return out;
  }
  const bool raw = t.external || (listed == 0 && t.has_raw);
  std::shared_ptr<const data_file> file = s.file;
  if (t.external) file = detail::open_external(s, t, static_cast<std::int64_t>(size));
  const bool stays = s.file && size > most_bytes_kept && (!t.external || s.beside.contains(t.location));
  std::shared_ptr<array> values;
  if (!stays || !raw) {  // a list is read to see that it is what it should be
    values = std::make_shared<array>(out.shape, *type);
    if (t.external && !file->read(t.offset, values->bytes()))
      s.fail("external data of '" + t.name + "': '" + t.location + "' cannot be read");
    if (!raw && !detail::store_typed(t, *values))
      s.fail(who + ": its numbers are in the list of another type than " + element_name(t.element));
    if (raw && !t.external)
      std::copy_n(reinterpret_cast<const std::byte*>(t.raw.data()), size, values->bytes().begin());
    if (raw) as_read(values->bytes(), *type, s.machine);
  }
  std::shared_ptr<const number_source> from;
  const std::string complaint = s.source + ": " + who + " cannot be read: the file has changed since it was opened";
  if (stays && raw)
    from = std::make_shared<const file_part>(std::move(file),
                                             t.external ? t.offset : t.raw.data() - s.begin,
                                             static_cast<std::int64_t>(size), *type, complaint);
  else if (stays)
    from = std::make_shared<const detail::listed_numbers>(s, bytes, out, complaint);
  out.values = from ? std::make_shared<const array>(out.shape, *type, std::move(from)) : kept(std::move(values));
  return out;
}

/// Reads a SparseTensorProto into a tensor with all its zeros.
inline tensor read_sparse_tensor(parse_state& s, const data_view& bytes) {
  tensor values, indices;
  const std::shared_ptr<const data_file> file = std::exchange(s.file, nullptr);  // both are needed now
  std::vector<std::int64_t> dims;
  data_view part;
  for (message m(s, bytes); m.next();) {
    if (m.field() == 1 && m.read(part)) values = read_tensor(s, part);
    else if (m.field() == 2 && m.read(part)) indices = read_tensor(s, part);
    else if (m.field() == 3) m.read_numbers(dims, max_rank, "tensor shape");
    else if (m.field() > 3) m.skip();
  }
  s.file = file;
  s.last = bytes.data();
  const std::string who = "sparse tensor '" + values.name + "'";
  if (!values.values || !indices.values || indices.values->type() != dtype::i64 || values.shape.rank != 1)
    s.fail(who + " needs values in one dimension and int64 indices");
  tensor out;
  out.name = values.name;
  out.type = values.type;
  out.sparse = true;
  out.form = values.form;
  out.shape = detail::checked_shape(s, dims, who);
  const std::int64_t count = out.shape.count();
  const auto each = static_cast<std::size_t>(size_of(values.values->type()));
  const auto n = values.values->size(), rank = dims.size();
  const bool linear = indices.shape == extents{static_cast<int>(n)};
  if (!linear && !(indices.shape == extents{static_cast<int>(n), static_cast<int>(rank)}))
    s.fail(who + " has " + std::to_string(n) + " values and indices of " + describe(indices.shape));
  s.take(static_cast<std::uint64_t>(count) * each);
  auto dense = std::make_shared<array>(out.shape, values.values->type());
  const auto at = indices.values->elements<std::int64_t>();
  for (std::size_t i = 0; i < n; ++i) {
    std::int64_t position = 0;
    for (std::size_t k = 0; k < (linear ? 1 : rank); ++k) {
      const std::int64_t index = at[linear ? i : i * rank + k], size = linear ? count : dims[k];
      if (index < 0 || index >= size)
        s.fail(who + ": index " + std::to_string(index) + " is out of range for " + std::to_string(size));
      position = linear ? index : position * size + index;
    }
    std::memcpy(dense->bytes().data() + static_cast<std::size_t>(position) * each,
                values.values->bytes().data() + i * each, each);
  }
  out.values = kept(std::move(dense));
  return out;
}

}  // namespace ctnn::onnx
