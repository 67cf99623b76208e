// SPDX-License-Identifier: BSL-1.0
// ONNX graphs made from bytes whose shapes follow from what they compute: counts, choices, loops and scans inside each
// other. Their floats are small whole numbers all the way, so that right answers are the same to the last bit.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "support/numbers.hpp"
#include "support/onnx_bytes.hpp"

namespace ctnn::ir::fuzz {

namespace pb = test::onnx_bytes;

class graph_in_parts {
 public:
  explicit graph_in_parts(test::dice& throws) : r_(throws) {
    // More numbers than a network is made for, or few.
    rows_ = r_.one_in(4) ? 3 : 19;
    columns_ = r_.one_in(8) ? 1 : 17;
    std::string inputs;
    const auto feed = [&](const char* name, pb::element type, const pb::dims& shape) {
      add(name, type, static_cast<int>(shape.size()));
      inputs += pb::input(pb::value(name, type, shape));
    };
    feed("x", pb::f32, {r_.one_in(2) ? -1 : rows_, columns_});
    feed("z", pb::f32, {rows_, columns_});
    visible_.back().same = visible_.front().same;
    feed("n", pb::i64, {});
    feed("go", pb::boolean, {});
    feed("limit", pb::f32, {});
    std::string nodes = some_nodes(3 + r_.below(14));
    const std::string outputs = some_outputs(1 + r_.below(3));
    bytes_ = pb::number(1, 8) + pb::bytes(7, nodes + constants_ + inputs + outputs) +
             pb::bytes(8, pb::bytes(1, "") + pb::number(2, 18)) +
             pb::bytes(8, pb::bytes(1, "local") + pb::number(2, 1)) + counting_function();
  }
  const std::string& bytes() const { return bytes_; }
  int rows() const { return rows_; }
  int columns() const { return columns_; }

 private:
  struct value {
    std::string name;
    pb::element type;
    int rank;
    int same;  ///< values of one number have one shape
  };
  enum : int { sequence = 100 };  ///< a rank

  const value& add(const std::string& name, pb::element type, int rank, int same = -1) {
    visible_.push_back({name, type, rank, rank == 0 ? 0 : same < 0 ? ++shapes_ : same});
    return visible_.back();
  }
  std::string name() {
    if (depth_ > 0 && r_.one_in(40)) return visible_[at(r_.below(static_cast<int>(visible_.size())))].name;
    return "v" + std::to_string(++names_);
  }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  /// A recent value of the kind, mostly; null if there is none.
  template <class F>
  const value* pick(F&& fits) {
    std::vector<const value*> all;
    for (const value& v : visible_)
      if (fits(v)) all.push_back(&v);
    if (all.empty()) return nullptr;
    const int n = static_cast<int>(all.size());
    return all[at(r_.one_in(3) ? r_.below(n) : n - 1 - r_.below(std::min(n, 3)))];
  }
  value pick_of(pb::element type, int rank = -1) {
    const value* v = r_.one_in(60) ? pick([](const value&) { return true; }) : pick([&](const value& w) {
      return w.type == type && w.rank != sequence && (rank < 0 || w.rank == rank);
    });
    return v ? *v : visible_[0];
  }
  value like(const value& other) {
    const value* v = r_.one_in(40) ? nullptr : pick([&](const value& w) {
      return w.type == other.type && w.rank == other.rank && w.same == other.same;
    });
    return v ? *v : pick_of(other.type, other.rank);
  }
  /// Constants: a whole number, a list of one, a real number.
  std::string whole(std::int64_t v) {
    return constant([&](auto& name) { return pb::longs(name, {}, {v}); });
  }
  std::string list(std::int64_t v) {
    return constant([&](auto& name) { return pb::longs(name, {1}, {v}); });
  }
  std::string real(int v) {
    return constant([&](auto& name) { return pb::floats(name, {}, {static_cast<float>(v)}); });
  }
  template <class F>
  std::string constant(F&& tensor) {
    const std::string called = "c" + std::to_string(++names_);
    constants_ += pb::initializer(tensor(called));
    return called;
  }
  std::string node(const char* type, std::vector<std::string> in, std::vector<std::string> out,
                   const std::string& attributes = {}) {
    if (r_.one_in(150) && !in.empty()) in[at(r_.below(static_cast<int>(in.size())))] = "";
    if (r_.one_in(150) && !out.empty()) out.back() = "";
    return pb::node(type, in, out, attributes, r_.one_in(4) ? "" : out.empty() ? "" : out[0]);
  }
  /// One node that makes one value.
  std::string made(const char* type, const std::vector<std::string>& in, pb::element element, int rank, int same = -1,
                   const std::string& attributes = {}) {
    const std::string out = name();
    std::string n = node(type, in, {out}, attributes);
    add(out, element, rank, same);
    return n;
  }
  const std::string& last() const { return visible_.back().name; }

  /// Keeps numbers small.
  std::string clipped(const value& from) {
    return made("Clip", {last(), real(-64), real(64)}, pb::f32, from.rank, from.same);
  }
  /// A number of 0 to 6 that follows from what is computed.
  std::string count() {
    const value v = pick_of(r_.one_in(2) ? pb::i64 : pb::f32);
    if (v.type == pb::i64 && v.rank == 0) return made("Mod", {v.name, whole(7)}, pb::i64, 0);
    std::string n = made("ReduceMax", {v.name}, v.type, 0, -1, pb::attribute("keepdims", 0));
    if (v.type != pb::i64) n += made("Cast", {last()}, pb::i64, 0, -1, pb::attribute("to", pb::i64));
    n += made("Abs", {last()}, pb::i64, 0);
    return n + made("Mod", {last(), whole(7)}, pb::i64, 0);
  }
  std::string length() {  // as a vector of one
    std::string n = count();
    return n + made("Reshape", {last(), list(1)}, pb::i64, 1);
  }
  std::string truth() {
    if (r_.one_in(2)) {
      const value v = pick_of(pb::boolean, 0);
      return made("Identity", {v.name}, pb::boolean, 0);
    }
    const value v = pick_list(pb::f32);
    std::string n = made("ReduceSum", {v.name}, pb::f32, 0, -1, pb::attribute("keepdims", 0));
    return n + made(r_.one_in(2) ? "Greater" : "Less", {last(), r_.one_in(2) ? "limit" : real(r_.below(80) - 20)},
                    pb::boolean, 0);
  }

  /// With at least one axis.
  value pick_list(pb::element type) {
    const value* v = r_.one_in(60)
                         ? nullptr
                         : pick([&](const value& w) { return w.type == type && w.rank != sequence && w.rank > 0; });
    return v ? *v : pick_of(type);
  }

  std::string some_node() {
    const value v = pick_list(pb::f32);
    const value flat = pick_list(r_.one_in(4) ? pb::i64 : pb::f32);
    switch (r_.below(depth_ < 2 ? 26 : 20)) {
      case 0:
        return made(any_of({"Neg", "Abs", "Relu", "Sign", "Floor", "Identity"}), {v.name}, pb::f32, v.rank, v.same);
      case 1: {
        std::string n = made(any_of({"Add", "Sub", "Mul", "Max", "Min"}),
                             {v.name, r_.one_in(3) ? "limit" : like(v).name}, pb::f32, v.rank, v.same);
        return n + clipped(v);
      }
      case 2:
        return made(any_of({"Greater", "Less", "Equal"}), {v.name, r_.one_in(2) ? "limit" : like(v).name}, pb::boolean,
                    v.rank, v.same);
      case 3: return made("NonZero", {v.name}, pb::i64, 2);
      case 4: {
        std::string n = made("NonZero", {v.name}, pb::i64, 2);
        n += made("Transpose", {last()}, pb::i64, 2);
        return n + made("GatherND", {v.name, last()}, pb::f32, 1);
      }
      case 5: {
        std::string n = made("Reshape", {v.name, list(-1)}, pb::f32, 1);
        const std::string all = last();
        n += made("Greater", {last(), "limit"}, pb::boolean, 1);
        return n + made("Compress", {all, last()}, pb::f32, 1);
      }
      case 6: {
        const std::string out = name(), places = name();
        std::string n = node("Unique", {flat.name}, {out, places});
        add(out, flat.type, 1);
        add(places, pb::i64, 1, visible_.back().same);
        return n;
      }
      case 7:
        return made(any_of({"ReduceSum", "ReduceMax", "ReduceMin"}), {v.name}, pb::f32, 0, -1,
                    pb::attribute("keepdims", 0));
      case 8: return made("Shape", {flat.name}, pb::i64, 1);
      case 9: return made("Size", {flat.name}, pb::i64, 0);
      case 10: {
        std::string n = count();
        return n + made("Range", {whole(0), last(), whole(1)}, pb::i64, 1);
      }
      case 11: {
        std::string n = length();
        return n + made("ConstantOfShape", {last()}, pb::f32, 1);
      }
      case 12: {
        std::string n = length();
        return n + made("Slice", {flat.name, list(0), last(), list(0)}, flat.type, flat.rank);
      }
      case 13: {
        std::string n = length();
        const std::string out = name(), places = name();
        n += node("TopK", {v.name, last()}, {out, places}, pb::attribute("axis", r_.one_in(2) ? -1 : 0));
        add(out, pb::f32, v.rank);
        add(places, pb::i64, v.rank, visible_.back().same);
        return n;
      }
      case 14: return made("Concat", {flat.name, flat.name}, flat.type, flat.rank, -1, pb::attribute("axis", 0));
      case 15: {
        std::string n = count();
        n += made("Range", {whole(-1), last(), whole(1)}, pb::i64, 1);
        n += made("Mod", {last(), whole(3)}, pb::i64, 1);
        return n + made("Gather", {flat.name, last()}, flat.type, flat.rank);
      }
      case 16: {
        std::string n = made("Transpose", {v.name}, pb::f32, v.rank);
        const std::string turned = last();
        const bool left = r_.one_in(2) && v.rank > 1;
        n += made("MatMul", {left ? turned : v.name, left ? v.name : turned}, pb::f32, v.rank);
        return n + clipped(visible_.back());
      }
      case 17:
        if (const value* s = pick([](const value& w) { return w.rank == sequence; }))
          return made("ConcatFromSequence", {s->name}, s->type, 2, -1, pb::attribute("axis", 0));
        return made("SplitToSequence", {v.name}, pb::f32, sequence, -1, pb::attribute("axis", 0));
      case 18: {
        const std::string out = name();
        const std::string call =
            pb::bytes(1, pb::bytes(1, v.name) + pb::bytes(2, out) + pb::bytes(4, "Counts") + pb::bytes(7, "local"));
        add(out, pb::i64, 2);
        return call;
      }
      case 19: {
        std::string n = made("Less", {v.name, like(v).name}, pb::boolean, v.rank, v.same);
        return n + made("Where", {last(), v.name, like(v).name}, pb::f32, v.rank, v.same);
      }
      case 20:
      case 21: return choice();
      case 22:
      case 23:
      case 24: return loop();
      default: return scan();
    }
  }
  const char* any_of(std::initializer_list<const char*> words) {
    return words.begin()[r_.below(static_cast<int>(words.size()))];
  }

  std::string some_nodes(int most) {
    std::string all;
    for (int k = 0; k < most && names_ < 200; ++k) all += some_node();
    return all;
  }
  std::string some_outputs(int how_many) {
    std::string all;
    for (int k = 0; k < how_many; ++k) {
      const value* v = pick([](const value& w) { return w.rank != sequence; });
      all += pb::output(r_.one_in(2) ? pb::bytes(1, v->name) : open_value(*v));
    }
    return all;
  }
  static std::string open_value(const value& v) {
    return pb::bytes(1, v.name) + pb::bytes(2, pb::bytes(1, pb::number(1, v.type)));
  }

  /// What is made inside a graph is not seen outside.
  template <class F>
  std::string inside(F&& graph) {
    const std::vector<value> before = visible_;
    ++depth_;
    std::string g = graph();
    --depth_;
    visible_ = before;
    return g;
  }
  std::string choice() {
    std::string n = truth();
    const std::string condition = last();
    const value kind = pick_of(r_.one_in(3) ? pb::i64 : pb::f32);
    const auto branch = [&] {
      return inside([&] {
        std::string g = some_nodes(r_.below(4));
        return g + pb::output(open_value(pick_of(kind.type, kind.rank)));
      });
    };
    const std::string yes = branch(), no = branch();
    return n + made("If", {condition}, kind.type, kind.rank, -1,
                    pb::graph_attribute("then_branch", yes) + pb::graph_attribute("else_branch", no));
  }
  std::string loop() {
    std::string n;
    std::vector<std::string> in{"", ""}, out;
    if (!r_.one_in(3)) {
      if (r_.one_in(3)) in[0] = whole(r_.below(9));
      else n += count(), in[0] = last();
    }
    if (r_.one_in(3)) n += truth(), in[1] = last();
    std::vector<value> carried;
    for (int k = r_.below(3); k > 0; --k) carried.push_back(pick_of(r_.one_in(4) ? pb::i64 : pb::f32));
    for (const value& v : carried) in.push_back(v.name);
    std::vector<value> gathered;
    const std::string body = inside([&] {
      const std::string turn = "i" + std::to_string(++names_), go = "g" + std::to_string(names_);
      std::string inputs;
      const auto feed = [&](const std::string& called, const value& v) {
        add(called, v.type, v.rank, v.same);
        inputs += pb::input(open_value(visible_.back()));
      };
      feed(turn, {"", pb::i64, 0, 0});
      feed(go, {"", pb::boolean, 0, 0});
      for (const value& v : carried) feed("s" + std::to_string(++names_), v);
      std::string nodes = some_nodes(1 + r_.below(4));
      if (in[0].empty() || r_.one_in(3)) nodes += made("Less", {turn, whole(r_.below(8))}, pb::boolean, 0);
      else nodes += r_.one_in(2) ? truth() : made("Identity", {go}, pb::boolean, 0);
      std::string outputs = pb::output(open_value(visible_.back()));
      for (const value& v : carried) outputs += pb::output(open_value(like(v)));
      for (int k = r_.below(3); k > 0; --k) {
        gathered.push_back(pick_of(r_.one_in(4) ? pb::i64 : pb::f32));
        outputs += pb::output(open_value(gathered.back()));
      }
      return nodes + inputs + outputs;
    });
    for (std::size_t k = 0; k < carried.size() + gathered.size(); ++k) out.push_back(name());
    n += node("Loop", in, out, pb::graph_attribute("body", body));
    for (std::size_t k = 0; k < carried.size(); ++k) add(out[k], carried[k].type, carried[k].rank);
    for (std::size_t k = 0; k < gathered.size(); ++k)
      add(out[carried.size() + k], gathered[k].type, gathered[k].rank + 1);
    return n;
  }
  std::string scan() {
    const value over = pick_list(r_.one_in(4) ? pb::i64 : pb::f32), state = pick_of(pb::f32);
    const bool has_state = r_.one_in(2);
    std::string n;
    std::vector<std::string> in, out;
    if (has_state) in.push_back(state.name), out.push_back(name());
    in.push_back(over.name);
    out.push_back(name());
    value gathered;
    const std::string body = inside([&] {
      std::string inputs, outputs;
      const auto feed = [&](const value& v, int rank, int same) {
        add("s" + std::to_string(++names_), v.type, rank, same);
        inputs += pb::input(open_value(visible_.back()));
      };
      if (has_state) feed(state, state.rank, state.same);
      feed(over, std::max(over.rank - 1, 0), -1);
      std::string nodes = some_nodes(1 + r_.below(3));
      if (has_state) outputs += pb::output(open_value(like(state)));
      gathered = pick_of(pb::f32);
      outputs += pb::output(open_value(gathered));
      return nodes + inputs + outputs;
    });
    std::string attributes = pb::graph_attribute("body", body) + pb::attribute("num_scan_inputs", 1);
    if (r_.one_in(3)) attributes += pb::attribute("scan_input_axes", pb::dims{r_.one_in(2) ? -1 : 0});
    if (r_.one_in(3)) attributes += pb::attribute("scan_output_axes", pb::dims{r_.below(3) - 1});
    if (r_.one_in(3)) attributes += pb::attribute("scan_input_directions", pb::dims{r_.below(2)});
    if (r_.one_in(3)) attributes += pb::attribute("scan_output_directions", pb::dims{r_.below(2)});
    n += node("Scan", in, out, attributes);
    if (has_state) add(out[0], state.type, state.rank, state.same);
    add(out.back(), gathered.type, gathered.rank + 1);
    return n;
  }

  /// local.Counts: where its input is not 0, by a node that asks for numbers inside a function.
  static std::string counting_function() {
    const std::string nonzero = pb::bytes(7, pb::bytes(1, "a") + pb::bytes(2, "b") + pb::bytes(4, "NonZero"));
    return pb::bytes(25, pb::bytes(1, "Counts") + pb::bytes(10, "local") + pb::bytes(4, "a") + pb::bytes(5, "b") +
                             nonzero + pb::bytes(9, pb::bytes(1, "") + pb::number(2, 18)));
  }

  test::dice& r_;
  std::vector<value> visible_;
  std::string constants_, bytes_;
  int names_ = 0, shapes_ = 0, depth_ = 0, rows_ = 0, columns_ = 0;
};

}  // namespace ctnn::ir::fuzz
