// SPDX-License-Identifier: BSL-1.0
// Tensors by name from what torch.save writes (.pt, .pth, .ckpt, pytorch_model.bin): a zip of a pickle and of the
// storages that its tensors look into (torch/serialization.py, torch/_utils.py). No Python runs: pickle.hpp.
//
// Names of dictionaries within dictionaries, and places in lists, are joined by dots: "state_dict.fc.weight". What is
// no tensor is skipped, be it a number or an object of somebody's class.
#pragma once

#include <algorithm>
#include <optional>

#include "pickle.hpp"
#include "zip.hpp"

namespace ctnn::torch_file {

namespace detail {

struct type_name {
  std::string_view storage, type;  ///< torch.FloatStorage, or of an untyped one torch.float32
  dtype is;
};
inline constexpr type_name type_names[] = {
    {"torch.FloatStorage", "torch.float32", dtype::f32}, {"torch.DoubleStorage", "torch.float64", dtype::f64},
    {"torch.HalfStorage", "torch.float16", dtype::f16},  {"torch.BFloat16Storage", "torch.bfloat16", dtype::bf16},
    {"torch.LongStorage", "torch.int64", dtype::i64},    {"torch.IntStorage", "torch.int32", dtype::i32},
    {"torch.ShortStorage", "torch.int16", dtype::i16},   {"torch.CharStorage", "torch.int8", dtype::i8},
    {"torch.ByteStorage", "torch.uint8", dtype::u8},     {"torch.BoolStorage", "torch.bool", dtype::boolean},
    {"torch.UInt16Storage", "torch.uint16", dtype::u16}, {"torch.UInt32Storage", "torch.uint32", dtype::u32},
    {"torch.UInt64Storage", "torch.uint64", dtype::u64}};

inline constexpr std::string_view pickle_suffix = "/data.pkl";

}  // namespace detail

/// Whether a zip with these entries is torch.save's.
inline bool is_one(const std::vector<zip::entry>& entries) {
  return std::any_of(entries.begin(), entries.end(),
                     [](const zip::entry& e) { return e.name.ends_with(detail::pickle_suffix); });
}

/// A file that stays open: what its pickle says is in memory; numbers are read, and their checksum compared, when they
/// are asked for. Throws ctnn::error: which file, which entry, byte or tensor, what was expected.
class file final : public ir::tensor_file {
 public:
  file(ir::byte_source from, const budget& limits, std::vector<zip::entry> entries)
      : tensor_file(std::move(from), limits), entries_(std::move(entries)) {
    find_pickle();
    const std::string source = path() + ": '" + root_ + std::string(detail::pickle_suffix) + "'";
    const std::string bytes = text_of(root_ + std::string(detail::pickle_suffix), 1u << 25);
    const pickle::document all = pickle::reader(bytes, source, limits_).read();
    what_ = &all;
    walk(all.root, "", 0);
    what_ = nullptr;
    if (tensors_.empty() && !all.maker(all.root).empty())
      throw error(source + ": an object of " + std::string(all.maker(all.root)) +
                  ", whose tensors have no names: expected torch.save(model.state_dict(), ...)");
  }

 private:
  struct view {
    const zip::entry* of;
    std::uint64_t offset;  ///< elements
    std::vector<std::int64_t> strides;
  };

  [[noreturn]] void fail(const std::string& name, const std::string& what) const {
    throw error(path() + ": tensor '" + name.substr(0, 80) + "': " + what);
  }

  // The zip.

  const zip::entry* find(const std::string& name) const {
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const zip::entry& e) { return e.name == name; });
    return found == entries_.end() ? nullptr : &*found;
  }
  std::string text_of(const std::string& name, std::uint64_t most) const {
    const zip::entry* const e = find(name);
    if (e == nullptr) return "";
    if (e->size > most)
      zip::detail::fail(from_, name, std::to_string(e->size) + " bytes, the limit is " + std::to_string(most));
    std::string out(static_cast<std::size_t>(e->size), '\0');
    zip::stream data(from_, *e);
    data.read(std::as_writable_bytes(std::span(out)));
    data.finish();
    return out;
  }
  void find_pickle() {
    for (const zip::entry& e : entries_) {
      if (!e.name.ends_with(detail::pickle_suffix)) continue;
      if (!root_.empty()) zip::detail::fail(from_, e.name, "a second pickle, the first is in '" + root_ + "/'");
      root_ = e.name.substr(0, e.name.size() - detail::pickle_suffix.size());
    }
    if (find(root_ + "/constants.pkl") != nullptr)
      throw error(path() + ": a TorchScript module: expected torch.save(model.state_dict(), ...)");
    if (const std::string order = text_of(root_ + "/byteorder", 64); !order.empty() && order != "little")
      zip::detail::fail(from_, root_ + "/byteorder", "'" + order + "', expected little");
  }

  // What the pickle says.

  std::string key_of(const pickle::value& v) const {
    return v.is == pickle::kind::integer ? std::to_string(v.n) : std::string(what_->text(v));
  }
  void walk(const pickle::value& v, const std::string& name, std::size_t depth) {
    using enum pickle::kind;
    if (v.is != object && v.is != dictionary && v.is != list && v.is != tuple) return;
    if (++visited_ > 16 * limits_.blobs)
      throw error(path() + ": more values than the limit, " + std::to_string(16 * limits_.blobs));
    if (depth > limits_.nesting)
      throw error(path() + ": '" + name.substr(0, 80) + "': dictionaries in dictionaries, more than " +
                  std::to_string(limits_.nesting) + " deep, or one that holds itself");
    const auto go_on = [&](const std::string& key, const pickle::value& in) {
      const bool holds = in.is == object || in.is == dictionary || in.is == list || in.is == tuple;
      if (holds && name.size() + key.size() >= limits_.name_length)
        throw error(path() + ": a name of " + std::to_string(name.size() + 1 + key.size()) +
                    " characters, the limit is " + std::to_string(limits_.name_length));
      walk(in, name.empty() ? key : name + '.' + key, depth + 1);
    };
    const pickle::thing& t = what_->at(v);
    if (v.is == object) {
      if (take_tensor(t.made_by, t.args, name, 0)) return;
      const std::string_view maker = what_->maker(v);
      if (maker != "collections.OrderedDict" && maker != "collections.defaultdict") return;
    }
    if (v.is == list || v.is == tuple) {
      for (std::size_t i = 0; i < t.items.size(); ++i) go_on(std::to_string(i), t.items[i]);
      return;
    }
    for (std::size_t i = 0; i + 1 < t.items.size(); i += 2)
      if (const std::string key = key_of(t.items[i]); !key.empty()) go_on(key, t.items[i + 1]);
  }

  /// The tensor that a call would give, if it is one of torch's that give tensors.
  bool take_tensor(const pickle::value& maker, const pickle::value& args, const std::string& name, int depth) {
    const std::string_view made_by = what_->text(maker);
    const std::vector<pickle::value>& in = what_->at(args).items;
    const auto inner = [&](std::size_t function, std::size_t arguments) {
      if (in.size() <= arguments || in[arguments].is != pickle::kind::tuple || depth > 4)
        fail(name, "what " + std::string(made_by) + " is given");
      return take_tensor(in[function], in[arguments], name, depth + 1);
    };
    if (made_by == "torch._utils._rebuild_parameter" || made_by == "torch._utils._rebuild_parameter_with_state") {
      if (in.empty() || in[0].is != pickle::kind::object || depth > 4) fail(name, "a parameter of no tensor");
      const pickle::thing& of = what_->at(in[0]);
      return take_tensor(of.made_by, of.args, name, depth + 1);
    }
    if (made_by == "torch._tensor._rebuild_from_type_v2") return inner(0, 2);
    if (made_by == "torch._utils._rebuild_tensor_v3") return add(name, in, 6);
    if (made_by == "torch._utils._rebuild_tensor_v2" || made_by == "torch._utils._rebuild_tensor") return add(name, in);
    if (made_by.starts_with("torch._utils._rebuild_") && made_by.ends_with("tensor"))
      fail(name, "made by " + std::string(made_by) + ": expected a dense tensor of numbers");
    return false;
  }

  std::vector<std::int64_t> numbers(const pickle::value& v, const std::string& name, std::string_view what) const {
    std::vector<std::int64_t> out;
    if (v.is != pickle::kind::tuple) fail(name, std::string(what) + " that is no tuple");
    for (const pickle::value& n : what_->at(v).items) {
      if (n.is != pickle::kind::integer || n.n < 0) fail(name, std::string(what) + ", expected numbers of 0 or more");
      out.push_back(n.n);
    }
    return out;
  }

  /// (storage, offset, size, stride, ...); of what has no type in its storage, it is argument `type`.
  bool add(const std::string& name, const std::vector<pickle::value>& in, std::size_t type = 0) {
    using enum pickle::kind;
    if (in.size() < std::max<std::size_t>(type + 1, 4) || in[0].is != outside || in[1].is != integer || in[1].n < 0)
      fail(name, "expected its storage, an offset, extents and strides");
    const pickle::value& id = what_->at(in[0]).args;
    if (id.is != tuple || what_->at(id).items.size() != 5) fail(name, "a storage that is no tuple of five");
    const std::vector<pickle::value>& storage = what_->at(id).items;
    if (what_->text(storage[0]) != "storage" || storage[2].is != text || storage[4].is != integer)
      fail(name, "a storage, expected ('storage', its type, its key, its device, how many)");
    const std::string_view kind = what_->text(type == 0 ? storage[1] : in[type]);
    const auto known = std::find_if(std::begin(detail::type_names), std::end(detail::type_names),
                                    [&](const auto& t) { return (type == 0 ? t.storage : t.type) == kind; });
    if (known == std::end(detail::type_names))
      fail(name, "its element type is '" + std::string(kind.substr(0, 40)) + "', which ctnn does not have");
    const auto size = static_cast<std::uint64_t>(size_of(known->is));

    const std::string key = root_ + "/data/" + std::string(what_->text(storage[2]));
    const zip::entry* const e = find(key);
    if (e == nullptr) fail(name, "its storage '" + key.substr(0, 80) + "' is not in the file");
    const std::uint64_t elements = e->size / size;
    if (type == 0 && (storage[4].n < 0 || static_cast<std::uint64_t>(storage[4].n) != elements || e->size % size != 0))
      fail(name, "a storage of " + std::to_string(storage[4].n) + " elements, '" + key + "' has " +
                     std::to_string(e->size) + " bytes");
    const std::vector<std::int64_t> extent = numbers(in[2], name, "extents");
    add_view(name, {*e, elements}, known->is, static_cast<std::uint64_t>(in[1].n), extent,
             numbers(in[3], name, "strides"));
    return true;
  }
  struct storage_of {
    const zip::entry& e;
    std::uint64_t elements;
  };
  void add_view(const std::string& name, const storage_of& in, dtype type, std::uint64_t offset,
                const std::vector<std::int64_t>& extent, std::vector<std::int64_t> strides) {
    if (extent.size() != strides.size() || extent.size() > static_cast<std::size_t>(max_rank))
      fail(name, std::to_string(extent.size()) + " extents and " + std::to_string(strides.size()) +
                     " strides, expected as many of each and at most " + std::to_string(max_rank));
    extents shape;
    for (const std::int64_t n : extent) {
      if (n > std::numeric_limits<int>::max()) fail(name, "an extent of " + std::to_string(n));
      shape.push_back(static_cast<int>(n));
    }
    if (!within(shape, limits_.value_elements))
      fail(name, "shape " + ir::describe(shape) + " has more elements than the limit, " +
                     std::to_string(limits_.value_elements));
    const auto count = static_cast<std::uint64_t>(shape.count());
    std::uint64_t last = offset;
    for (std::size_t i = 0; i < extent.size() && count > 0; ++i) {
      const auto step = checked_multiply(extent[i] - 1, strides[i]);
      if (!step || static_cast<std::uint64_t>(*step) > in.elements) last = in.elements;
      else last += static_cast<std::uint64_t>(*step);
    }
    if (count > 0 && (offset >= in.elements || last >= in.elements))
      fail(name, "its elements reach behind the " + std::to_string(in.elements) + " of its storage");
    if (count > in.elements)
      fail(name, std::to_string(count) + " elements of a storage of " + std::to_string(in.elements) +
                     ", expected no element twice: .contiguous() before torch.save");
    if (tensors_.size() == limits_.blobs)
      throw error(path() + ": more tensors than the limit, " + std::to_string(limits_.blobs));
    const std::uint64_t place = views_.size();
    if (!tensors_.emplace(name, ir::tensor_entry{type, shape, place, place}).second)
      fail(name, "its name stands twice");
    views_.push_back({&in.e, offset, std::move(strides)});
  }

  void fill(const ir::tensor_entry& t, std::span<std::byte> to) const override {
    const view& v = views_[static_cast<std::size_t>(t.begin)];
    if (v.of->size > limits_.memory_bytes)
      throw error(path() + ": a storage of " + std::to_string(v.of->size) + " bytes, the limit is " +
                  std::to_string(limits_.memory_bytes));
    zip::stream data(from_, *v.of);
    ir::byte_buffer all(static_cast<std::size_t>(v.of->size));
    data.read(all);
    data.finish();
    const auto size = static_cast<std::size_t>(size_of(t.type));
    std::size_t at = static_cast<std::size_t>(v.offset);
    int place[max_rank] = {};
    for (std::size_t i = 0; i < to.size(); i += size) {
      std::memcpy(&to[i], all.data() + at * size, size);
      for (int k = t.shape.rank - 1; k >= 0; --k) {
        const auto stride = static_cast<std::size_t>(v.strides[static_cast<std::size_t>(k)]);
        at += stride;
        if (++place[k] < t.shape[k]) break;
        at -= stride * static_cast<std::size_t>(t.shape[k]);
        place[k] = 0;
      }
    }
  }

  std::vector<zip::entry> entries_;
  std::string root_;
  const pickle::document* what_ = nullptr;  ///< while it is read
  std::size_t visited_ = 0;
  std::vector<view> views_;
};

}  // namespace ctnn::torch_file
