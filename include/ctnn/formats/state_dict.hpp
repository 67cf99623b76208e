// SPDX-License-Identifier: BSL-1.0
// The tensors of a file under the names that a network has for them: without a prefix, renamed, and with what
// torch.nn.utils' weight_norm and spectral_norm made of a weight as that weight.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tensor_file.hpp"

namespace ctnn::weights {

/// How the tensors of a file become a network's weights: load_folded<net>(into, file, {.prefix = "module."}).
struct load_options {
  /// Tensors whose names begin so are taken, without it; all others are not looked at. "module." of DataParallel,
  /// "state_dict.model." of Lightning's checkpoints.
  std::string prefix{};
  /// {from, to}: a name, or what it begins with up to a dot, without the prefix. The longest `from` that fits counts;
  /// one that stands there twice gives its tensor to two layers.
  std::vector<std::pair<std::string, std::string>> rename{};
  /// The same as a function, called after `rename`; an empty name leaves the tensor out.
  std::function<std::string(const std::string&)> rename_by{};
  /// Whether tensors that are missing in the file, or unexpected, are errors. If not, they are in the report, and what
  /// is missing is zeros.
  bool strict = true;
};

/// A tensor of a file, or what several of them stand for.
struct named_tensor {
  dtype type = dtype::f32;
  extents shape{};
  std::function<array()> read{};  ///< throws ctnn::error if the file is broken there
};
using state_dict = std::map<std::string, named_tensor, std::less<>>;

/// Modules count batches in training; inference reads no such thing.
inline bool is_ignored(std::string_view key) {
  return key == "num_batches_tracked" || key.ends_with(".num_batches_tracked");
}

namespace detail {

template <class From, class To>
void convert(const From* from, To* to, const array& numbers) {
  constexpr bool is_half = std::is_same_v<To, float16>, is_bfloat = std::is_same_v<To, bfloat16>;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
      to[i] = static_cast<To>(from[i]);
      if (static_cast<From>(to[i]) != from[i] || (to[i] < To{}) != (from[i] < From{}))
        throw error("the number " + std::to_string(from[i]) + " has no place in integers of " +
                    std::to_string(sizeof(To)) + " bytes");
    } else if constexpr (is_half || is_bfloat) {
      const auto x = static_cast<float>(number_at(numbers, i));
      to[i] = static_cast<To>(is_half ? float_to_half(x) : float_to_bfloat(x));
    } else {
      to[i] = static_cast<To>(number_at(numbers, i));
    }
  }
}

}  // namespace detail

/// Numbers as another type has them: floats are rounded, integers become floats. Throws ctnn::error if an integer has
/// no place; floats do not become integers.
inline array converted(array from, dtype to) {
  if (from.type() == to) return from;
  array out(from.shape(), to);
  span_of(from).visit([&](const auto* first, std::size_t) {
    switch (to) {
#define CTNN_CASE(name, T) \
  case dtype::name: return detail::convert(first, out.elements<T>().data(), from);
      CTNN_ELEMENTS(CTNN_CASE)
#undef CTNN_CASE
    }
  });
  return out;
}

/// What torch's load_state_dict gives back: which weights of a network the file has not, and which of its tensors the
/// network has not.
struct report {
  struct tensor {
    std::string name;
    dtype type;
    extents shape;
  };
  std::vector<tensor> missing{}, unexpected{};

  /// A line each; empty if there is nothing to say.
  std::string text() const {
    std::string out;
    for (const tensor& t : unexpected) out += t.name + ": unexpected, " + described(t.type, t.shape) + '\n';
    for (const tensor& t : missing) out += t.name + ": missing, " + described(t.type, t.shape) + '\n';
    return out;
  }
  static std::string described(dtype type, const extents& shape) {
    return std::string(name_of(type)) + ' ' + ir::describe(shape);
  }
};

/// torch.nn.utils.weight_norm: v * g / |v|, where |v| is of each place of the axis along which g has more than one
/// number, or of all; in double precision. The result is f64 if v is, else f32.
inline array weight_norm(const array& g, const array& v) {
  int axis = 0;
  while (axis < g.shape().rank && g.shape()[axis] == 1) ++axis;
  const std::size_t groups = g.size();
  const auto inner = groups == 1 ? std::int64_t{1} : v.shape().count(axis + 1, v.shape().rank);
  const auto group_of = [&](std::size_t i) { return i / static_cast<std::size_t>(inner) % groups; };
  std::vector<double> squares(groups, 0.0);
  for (std::size_t i = 0; i < v.size(); ++i) squares[group_of(i)] += number_at(v, i) * number_at(v, i);
  array out(v.shape(), v.type() == dtype::f64 ? dtype::f64 : dtype::f32);
  for (std::size_t i = 0; i < v.size(); ++i) {
    const std::size_t k = group_of(i);
    const double x = number_at(v, i) * (number_at(g, k) / std::sqrt(squares[k]));
    if (out.type() == dtype::f64) out.elements<double>()[i] = x;
    else out.elements<float>()[i] = static_cast<float>(x);
  }
  return out;
}

namespace detail {

/// Whether a tensor of this shape may be the g of v.
inline bool is_norm_of(const extents& g, const extents& v) {
  if (g.count() == 1) return true;
  int more = 0;
  for (int i = 0; i < g.rank && g.rank == v.rank; ++i) more += g[i] == 1 ? 0 : g[i] == v[i] ? 1 : 2;
  return g.rank == v.rank && more == 1;
}
/// Whether a weight is a matrix with u.size() rows and v.size() columns, if `axis` counts the rows.
inline bool is_matrix(const extents& w, int axis, std::int64_t rows, std::int64_t columns) {
  return w[axis] == rows && rows > 0 && w.count() == rows * columns;
}

}  // namespace detail

/// torch.nn.utils.spectral_norm as it is at inference: w / (u . W v), where W has the places of one axis as rows, in
/// double precision. The axis is the first of which u and v have the lengths, of ConvTranspose's the second; where both
/// have, u tells, which training keeps along W v. The result is f64 if w is, else f32.
inline array spectral_norm(const array& w, const array& u, const array& v) {
  double sigma = 0, best = -1;
  for (int axis = 0; axis < w.shape().rank; ++axis) {
    if (!detail::is_matrix(w.shape(), axis, static_cast<std::int64_t>(u.size()), static_cast<std::int64_t>(v.size())))
      continue;
    const auto inner = static_cast<std::size_t>(w.shape().count(axis + 1, w.shape().rank));
    std::vector<double> product(u.size(), 0.0);
    for (std::size_t i = 0; i < w.size(); ++i)
      product[i / inner % u.size()] += number_at(w, i) * number_at(v, i / inner / u.size() * inner + i % inner);
    double along = 0, squares = 0;
    for (std::size_t r = 0; r < u.size(); ++r) {
      along += number_at(u, r) * product[r];
      squares += product[r] * product[r];
    }
    const double cosine = squares > 0 ? std::fabs(along) / std::sqrt(squares) : 0;
    if (best >= 0 && (cosine < 0.9 || cosine * std::fabs(along) <= best)) continue;
    best = cosine * std::fabs(along);
    sigma = along;
  }
  array out(w.shape(), w.type() == dtype::f64 ? dtype::f64 : dtype::f32);
  for (std::size_t i = 0; i < w.size(); ++i)
    if (out.type() == dtype::f64) out.elements<double>()[i] = number_at(w, i) / sigma;
    else out.elements<float>()[i] = static_cast<float>(number_at(w, i) / sigma);
  return out;
}

namespace detail {

/// Makes the state_dict of a file, step by step.
class state_reader {
 public:
  state_reader(const std::shared_ptr<const ir::tensor_file>& from, const load_options& options)
      : from_(from), options_(options) {}

  state_dict run() {
    for (const auto& [key, tensor] : from_->tensors())
      if (key.starts_with(options_.prefix) && !is_ignored(key))
        state_.emplace(key.substr(options_.prefix.size()),
                       named_tensor{tensor.type, tensor.shape, [from = from_, t = &tensor] { return from->read(*t); }});
    if (state_.empty() && !from_->tensors().empty() && !options_.prefix.empty())
      throw error(from_->path() + ": no tensor's name begins with '" + options_.prefix + "', the first is '" +
                  from_->tensors().begin()->first + "'");
    fold();
    rename();
    return std::move(state_);
  }

 private:
  /// The tensor of this name, if there is one.
  const named_tensor* part(const std::string& name) {
    const auto found = state_.find(name);
    return found == state_.end() ? nullptr : &found->second;
  }
  void fold() {
    std::vector<std::string> names;
    for (const auto& one : state_) names.push_back(one.first);
    for (const std::string& name : names) {
      const auto stem = [&](std::string_view end) {
        return name.ends_with(end) ? name.substr(0, name.size() - end.size()) : std::string();
      };
      if (const std::string s = stem("_g"); !s.empty()) fold_weight(s, name, s + "_v");
      if (const std::string s = stem("_orig"); !s.empty()) fold_spectral(s, name, s + "_u", s + "_v");
      if (const std::string s = stem(".original0"); !s.empty())
        fold_weight(without_parametrizations(s), name, s + ".original1");
      if (const std::string s = stem(".original"); !s.empty())
        fold_spectral(without_parametrizations(s), name, s + ".0._u", s + ".0._v");
    }
  }
  /// "conv.weight" of "conv.parametrizations.weight".
  static std::string without_parametrizations(std::string name) {
    constexpr std::string_view word = "parametrizations.";
    const std::size_t at = name.rfind(word);
    if (at != name.npos && (at == 0 || name[at - 1] == '.')) name.erase(at, word.size());
    return name;
  }
  void fold_weight(const std::string& to, const std::string& g_name, const std::string& v_name) {
    const named_tensor *const g = part(g_name), *const v = part(v_name);
    if (g == nullptr || v == nullptr || part(to) != nullptr) return;
    if (!is_norm_of(g->shape, v->shape))
      throw error(from_->path() + ": '" + g_name + "': " + ir::describe(g->shape) + ", which is no weight_norm of " +
                  ir::describe(v->shape));
    put(to,
        {v->type == dtype::f64 ? dtype::f64 : dtype::f32, v->shape,
         [g = g->read, v = v->read] { return weight_norm(g(), v()); }},
        {g_name, v_name});
  }
  void fold_spectral(const std::string& to, const std::string& w_name, const std::string& u_name,
                     const std::string& v_name) {
    const named_tensor *const w = part(w_name), *const u = part(u_name), *const v = part(v_name);
    if (w == nullptr || u == nullptr || v == nullptr || part(to) != nullptr) return;
    bool fits = false;
    for (int axis = 0; axis < w->shape.rank; ++axis)
      fits = fits || is_matrix(w->shape, axis, u->shape.count(), v->shape.count());
    if (!fits)
      throw error(from_->path() + ": '" + u_name + "': " + ir::describe(u->shape) + ", and " + ir::describe(v->shape) +
                  ", which are no spectral_norm of " + ir::describe(w->shape));
    put(to,
        {w->type == dtype::f64 ? dtype::f64 : dtype::f32, w->shape,
         [w = w->read, u = u->read, v = v->read] { return spectral_norm(w(), u(), v()); }},
        {w_name, u_name, v_name});
  }
  void put(const std::string& to, named_tensor made, std::initializer_list<std::string> of) {
    for (const std::string& name : of) state_.erase(name);
    state_.emplace(to, std::move(made));
  }

  /// Whether `from` is the name, or what it begins with up to a dot.
  static bool begins(const std::string& name, const std::string& from) {
    return name.starts_with(from) &&
           (name.size() == from.size() || from.empty() || from.back() == '.' || name[from.size()] == '.');
  }
  std::vector<std::string> names_of(const std::string& name) const {
    std::vector<std::string> out;
    std::size_t longest = 0;
    for (const auto& [from, to] : options_.rename) {
      if (!begins(name, from) || from.size() < longest) continue;
      if (from.size() > longest) out.clear();
      longest = from.size();
      out.push_back(to + name.substr(from.size()));
    }
    if (out.empty()) out.push_back(name);
    return out;
  }
  void rename() {
    state_dict renamed;
    std::map<std::string, std::string, std::less<>> before;
    for (const auto& [name, tensor] : state_)
      for (std::string to : names_of(name)) {
        if (options_.rename_by) to = options_.rename_by(to);
        if (to.empty()) continue;
        const auto [first, is_new] = before.emplace(to, name);
        if (!is_new)
          throw error(from_->path() + ": '" + first->second + "' and '" + name + "' are both called '" + to + "'");
        renamed.emplace(to, tensor);
      }
    state_ = std::move(renamed);
  }

  std::shared_ptr<const ir::tensor_file> from_;
  const load_options& options_;
  state_dict state_;
};

}  // namespace detail
}  // namespace ctnn::weights
