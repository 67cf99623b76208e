// SPDX-License-Identifier: BSL-1.0
// Graphviz text: a graph, or a graph before and after rewriting side by side. A row holds the layers that became one,
// boxed together, and that one beside them; rows are folded into columns, so that a network of 200 layers fits on a
// screen.
#pragma once

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "../rewrite/provenance.hpp"
#include "../base/describe.hpp"
#include "layer_words.hpp"

namespace ctnn {

/// A part of a network that runs in parts: a graph before and after rewriting, or a node by itself.
struct drawn_part {
  std::string title;
  const ir::graph_view* before = nullptr;  ///< null: not drawn
  const ir::graph_view* after = nullptr;   ///< null: a node by itself, a title is all there is
  std::span<const ir::rewrite_step> history{};
  std::span<const double> seconds{};  ///< by node of `after`
};

}  // namespace ctnn

namespace ctnn::ir::detail {

class graphviz_writer {
 public:
  /// What the layers of the graph that is drawn last take: they are coloured and labelled by it.
  explicit graphviz_writer(std::span<const double> seconds = {}) : seconds_(seconds) { count(seconds); }

  /// One below the other.
  std::string parts(std::span<const drawn_part> all) {
    for (const drawn_part& p : all) count(p.seconds);
    for (const drawn_part& p : all) {
      seconds_ = p.seconds;
      prefix_ = "part" + std::to_string(&p - all.data() + 1) + "_";
      title(p.title, box_width / 2, top_, 14);
      top_ += title_height;
      if (p.after && p.before) both(*p.before, *p.after, p.history);
      else if (p.after) single(*p.after);
      top_ += row_gap;
    }
    return begin() + out_ + "}\n";
  }

  std::string single(const graph_view& g) {
    std::vector<row> rows;
    timed_ = &g;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) rows.push_back({{static_cast<node_id>(i)}, none, {}, 0});
    draw({&g, nullptr}, rows, "");
    return begin() + out_ + "}\n";
  }

  std::string both(const graph_view& before, const graph_view& after, std::span<const rewrite_step> history) {
    timed_ = &after;
    std::map<std::string_view, node_id> stays;
    for (std::size_t i = 0; i < after.nodes.size(); ++i) stays[after.nodes[i].name] = static_cast<node_id>(i);
    // Layers whose work one layer does afterwards form a row; it stands where the last of them stood.
    std::map<std::string_view, row> groups;
    for (std::size_t i = 0; i < before.nodes.size(); ++i) {
      const std::string_view name = before.nodes[i].name;
      const provenance now = provenance_of(name, after, history);
      row& r = groups[now.into.empty() ? name : now.into];
      r.members.push_back(static_cast<node_id>(i));
      r.rules.push_back(now.rule);
    }
    std::vector<row> rows;
    for (auto& [name, r] : groups) {
      if (const auto at = stays.find(name); at != stays.end()) r.after = at->second;
      r.order = 2 * r.members.back();
      rows.push_back(std::move(r));
    }
    // What expansions have made stands behind the layer before it.
    std::vector<int> order(after.nodes.size(), none);
    for (const row& r : rows)
      if (r.after != none) order[static_cast<std::size_t>(r.after)] = r.order;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (order[i] != none) continue;
      order[i] = i == 0 ? 0 : order[i - 1] | 1;
      rows.push_back({{}, static_cast<node_id>(i), {}, order[i]});
    }
    std::stable_sort(rows.begin(), rows.end(), [](const row& a, const row& b) { return a.order < b.order; });
    draw({&before, &after}, rows, "as read: " + std::to_string(before.nodes.size()) + " layers");
    return begin() + out_ + "}\n";
  }

 private:
  void count(std::span<const double> seconds) {
    for (const double s : seconds) {
      whole_ += s;
      longest_ = std::max(longest_, s);
    }
  }
  static std::string begin() {
    return "digraph ctnn {\n"
           "  graph [layout=neato, inputscale=72, splines=line, outputorder=edgesfirst, fontname=\"Helvetica\", "
           "pad=0.2]\n"
           "  node [fontname=\"Helvetica\", fontsize=9, shape=none, margin=0, width=0, height=0]\n"
           "  edge [color=\"#5070a0\", arrowsize=0.5]\n";
  }

  struct row {
    std::vector<node_id> members;  ///< in the graph before; none if it is new
    node_id after = none;
    std::vector<std::string_view> rules;  ///< that removed a member; empty if it is still there
    int order = 0;
  };
  struct graphs {
    const graph_view* before;
    const graph_view* after;
  };

  // In points.
  static constexpr int line_height = 13, row_gap = 13, box_width = 316, pair_gap = 40, column_gap = 56,
                       title_height = 24, lane_width = 5;
  static constexpr std::size_t longest_name = 24;

  /// A side of the picture: where its boxes are.
  struct panel {
    const graph_view* g;
    std::string id;
    std::vector<int> row_of;                   ///< by node
    std::vector<int> x{}, y{}, column{};       ///< by row; the middle of its box
    std::vector<std::string> read_elsewhere{};  ///< by row: what it reads from other columns
  };

  /// Lays rows out in columns of about equal height, as wide together as a screen is.
  void draw(const graphs& g, const std::vector<row>& rows, const std::string& title) {
    const int width = (g.after ? 2 * box_width + pair_gap : box_width) + column_gap;
    int total = 0, tallest = 0;
    const auto rough = [&](const row& r) { return static_cast<int>(lines_of(g, r)) * line_height + 4 + row_gap; };
    for (const row& r : rows) {
      total += rough(r);
      tallest = std::max(tallest, rough(r));
    }
    int columns = 1;
    while ((2 * columns + 1) * (2 * columns + 1) * width * 10 < 4 * 19 * total && columns < 16) ++columns;

    panel sides[2] = {{g.before, prefix_ + "before", std::vector<int>(g.before->nodes.size(), 0)},
                      {g.after, prefix_ + "after", std::vector<int>(g.after ? g.after->nodes.size() : 0, 0)}};
    std::vector<int> column(rows.size(), 0);
    int used = 0, last = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (used > 0 && used + rough(rows[i]) > total / columns + tallest / 2 && last + 1 < columns) {
        ++last;
        used = 0;
      }
      used += rough(rows[i]);
      column[i] = last;
      for (node_id n : rows[i].members) sides[0].row_of[static_cast<std::size_t>(n)] = static_cast<int>(i);
      if (rows[i].after != none) sides[1].row_of[static_cast<std::size_t>(rows[i].after)] = static_cast<int>(i);
    }
    for (panel& p : sides) {
      p.column = column;
      if (p.g) find_far_inputs(p, rows.size());
    }

    int y = 0, bottom = top_;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const row& r = rows[i];
      const int x = box_width / 2 + column[i] * width;
      if (i == 0 || column[i] != column[i - 1]) {
        y = top_ + title_height;
        titles(g, title, x);
      }
      const bool far = !sides[0].read_elsewhere[i].empty() || (g.after && !sides[1].read_elsewhere[i].empty());
      const int height = rough(r) + (far ? line_height : 0), middle = -(y + (height - row_gap) / 2);
      for (panel& p : sides) {
        p.x.push_back(&p == sides ? x : x + box_width + pair_gap);
        p.y.push_back(middle);
      }
      if (!r.members.empty()) box(sides[0], i, r.members, r.rules);
      if (r.after != none) box(sides[1], i, {r.after}, {});
      y += height;
      bottom = std::max(bottom, y);
    }
    for (const panel& p : sides)
      if (p.g) edges(p);
    top_ = bottom;
  }
  /// What a row reads from another column is named in its box: no edge goes there.
  static void find_far_inputs(panel& p, std::size_t rows) {
    p.read_elsewhere.assign(rows, {});
    for (std::size_t i = 0; i < p.g->nodes.size(); ++i)
      for (value_id v : p.g->inputs(p.g->nodes[i])) {
        const node_id from = p.g->at_value(v).producer;
        const auto here = static_cast<std::size_t>(p.row_of[i]),
                   there = static_cast<std::size_t>(p.row_of[static_cast<std::size_t>(from)]);
        if (p.column[here] == p.column[there]) continue;
        std::string& names = p.read_elsewhere[here];
        names += (names.empty() ? "" : ", ") + escaped(p.g->at(from).name, longest_name);
      }
  }
  void titles(const graphs& g, const std::string& before, int x) {
    if (!g.after) return;
    title(before, x, top_, 12);
    title("rewritten: " + std::to_string(g.after->nodes.size()) + " layers", x + box_width + pair_gap, top_, 12);
  }
  void title(const std::string& text, int x, int y, int size) {
    out_ += "  title" + std::to_string(titles_++) + " [label=\"" + escaped(text) +
            "\", fontsize=" + std::to_string(size) + ", pos=\"" + std::to_string(x) + "," +
            std::to_string(-y - title_height / 2 + 6) + "!\"]\n";
  }
  static std::size_t lines_of(const graphs& g, const row& r) {
    std::size_t outputs = 0;
    if (r.members.empty()) return 1 + outputs_of(*g.after, r.after).size();
    for (node_id n : r.members) outputs += outputs_of(*g.before, n).size();
    return r.members.size() + outputs;
  }
  static std::vector<std::string_view> outputs_of(const graph_view& g, node_id n) {
    std::vector<std::string_view> names;
    for (const network_output& o : g.outputs)
      if (g.at_value(o.value).producer == n) names.push_back(o.name);
    return names;
  }

  /// For labels in HTML; a long name loses its middle.
  static std::string escaped(std::string_view text, std::size_t longest = 200) {
    const std::size_t tail = longest / 2;
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text.size() > longest && i == longest - tail) {
        out += "\xe2\x80\xa6";
        i = text.size() - tail;
      }
      const char c = text[i];
      if (c == '&') out += "&amp;";
      else if (c == '<') out += "&lt;";
      else if (c == '>') out += "&gt;";
      else if (c == '"') out += "&quot;";
      else out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out;
  }
  static std::string short_form(const extents& shape) {
    std::string out;
    for (int i = 0; i < shape.rank; ++i) out += (i ? "\xc3\x97" : "") + std::to_string(shape[i]);
    return shape.rank ? out : "1";
  }

  static std::string words(const graph_view& g, node_id n) {
    std::string out;
    append_words(out, g, n);
    return out;
  }
  bool times(const graph_view& g) const { return !seconds_.empty() && &g == timed_; }
  double seconds(node_id n) const { return seconds_[static_cast<std::size_t>(n)]; }
  /// "1.25 ms, 12 %", or in microseconds
  std::string time(node_id n) const {
    if (seconds(n) == 0) return "";
    char text[48];
    const bool little = seconds(n) < 1e-3;
    std::snprintf(text, sizeof text, "%.3g %s, %.0f %%", seconds(n) * (little ? 1e6 : 1e3), little ? "\xc2\xb5s" : "ms",
                  100 * seconds(n) / whole_);
    return text;
  }
  std::string color(const graph_view& g, node_id n) const {
    if (times(g)) {  // from white to red for what takes longest
      const int rest = 255 - static_cast<int>(longest_ > 0 ? 200 * seconds(n) / longest_ : 0);
      char text[8];
      std::snprintf(text, sizeof text, "#ff%02x%02x", static_cast<unsigned>(rest), static_cast<unsigned>(rest));
      return text;
    }
    static constexpr const char* colors[] = {"#e0e0e0", "#bcd7f5", "#f9dfb0", "#f6c4bd",
                                             "#c6e7c3", "#e3cdf2", "#f5f5e8"};
    return colors[static_cast<std::size_t>(family_of(g, n))];
  }

  /// A line for each layer: name, what it does, shape if it differs from the line above.
  void box(const panel& p, std::size_t row_number, const std::vector<node_id>& members,
           const std::vector<std::string_view>& rules) {
    const graph_view& g = *p.g;
    const bool several = members.size() > 1;
    const std::string note = "<TR><TD COLSPAN=\"3\" HEIGHT=\"" + std::to_string(line_height) + "\" ALIGN=\"";
    std::string shape, lines;
    if (!p.read_elsewhere[row_number].empty())
      lines = note + "LEFT\"><I>reads " + p.read_elsewhere[row_number] + "</I></TD></TR>";
    for (std::size_t i = 0; i < members.size(); ++i) {
      const node_id n = members[i];
      const bool gone = i < rules.size() && !rules[i].empty();
      const std::string cell = "<TD HEIGHT=\"" + std::to_string(line_height) + "\" BGCOLOR=\"" + color(g, n) + "\"";
      std::string now;
      for (int k = 0; k < g.at(n).outputs.count; ++k)
        now += (k ? ", " : "") + short_form(g.shape(g.at(n).outputs.first + k));
      if (times(g)) now = time(n);
      const std::string name = escaped(g.at(n).name, longest_name);
      lines += "<TR>" + cell + " WIDTH=\"118\" ALIGN=\"LEFT\">" +
               (gone || name.empty() ? name + ' ' : "<B>" + name + "</B>") + "</TD>" + cell +
               " WIDTH=\"128\" ALIGN=\"LEFT\">" + escaped(words(g, n), 32) + "</TD>" + cell +
               " WIDTH=\"66\" ALIGN=\"RIGHT\">" +
               (now == shape      ? ""
                : now.size() > 28 ? "..."
                                  : now) +
               "</TD></TR>";
      shape = now;
      for (std::string_view o : outputs_of(g, n))
        lines += note + "RIGHT\"><I>output " + escaped(o, 40) + "</I></TD></TR>";
    }
    out_ += "  " + p.id + std::to_string(row_number) + " [pos=\"" + at(p.x[row_number], p.y[row_number]) +
            "!\", label=<<TABLE BORDER=\"" + (several ? "2" : "1") + "\" COLOR=\"" + (several ? "#c09000" : "#a0a0a0") +
            "\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"1\">" + lines + "</TABLE>>]\n";
  }
  static std::string at(int x, int y) { return std::to_string(x) + ',' + std::to_string(y); }

  /// Between rows of a column: straight to the next one, otherwise by a lane beside the boxes.
  void edges(const panel& p) {
    std::set<std::pair<int, int>> pairs;
    for (std::size_t i = 0; i < p.g->nodes.size(); ++i)
      for (value_id v : p.g->inputs(p.g->nodes[i])) {
        const int from = p.row_of[static_cast<std::size_t>(p.g->at_value(v).producer)], to = p.row_of[i];
        if (from != to && p.column[static_cast<std::size_t>(from)] == p.column[static_cast<std::size_t>(to)])
          pairs.insert({from, to});
      }
    std::vector<std::pair<int, int>> skips;
    for (const auto& [from, to] : pairs) {
      if (to == from + 1) out_ += "  " + p.id + std::to_string(from) + ":s -> " + p.id + std::to_string(to) + ":n\n";
      else skips.push_back({from, to});
    }
    // Short ones run nearest to the boxes; two may share a lane if one ends before the other begins.
    const auto length = [](const std::pair<int, int>& e) {
      return e.second > e.first ? e.second - e.first : e.first - e.second;
    };
    std::stable_sort(skips.begin(), skips.end(), [&](const auto& a, const auto& b) { return length(a) < length(b); });
    std::vector<std::vector<std::pair<int, int>>> lanes;
    for (const auto& e : skips) {
      const auto crosses = [&](const std::pair<int, int>& o) {
        return std::max(std::min(e.first, e.second), std::min(o.first, o.second)) <=
                   std::min(std::max(e.first, e.second), std::max(o.first, o.second)) &&
               e.first != o.first;
      };
      std::size_t lane = 0;
      while (lane < lanes.size() && std::any_of(lanes[lane].begin(), lanes[lane].end(), crosses)) ++lane;
      if (lane == lanes.size()) lanes.emplace_back();
      lanes[lane].push_back(e);
      const int most = (column_gap - 12) / lane_width, x = p.x[static_cast<std::size_t>(e.first)] + box_width / 2 + 6 +
                                                           static_cast<int>(lane) % most * lane_width;
      const std::string bend = p.id + "_" + std::to_string(e.first) + "_" + std::to_string(e.second);
      const auto corner = [&](const char* which, int row_number) {
        out_ += "  " + bend + which + " [shape=point, width=0.01, label=\"\", color=\"#5070a0\", pos=\"" +
                at(x, p.y[static_cast<std::size_t>(row_number)]) + "!\"]\n";
      };
      corner("a", e.first);
      corner("b", e.second);
      out_ += "  " + p.id + std::to_string(e.first) + ":e -> " + bend + "a [arrowhead=none]\n  " + bend + "a -> " +
              bend + "b [arrowhead=none]\n  " + bend + "b -> " + p.id + std::to_string(e.second) + ":e\n";
    }
  }

  std::string out_, prefix_;
  int titles_ = 0, top_ = 0;
  std::span<const double> seconds_;
  const graph_view* timed_ = nullptr;
  double whole_ = 0, longest_ = 0;
};

}  // namespace ctnn::ir::detail

namespace ctnn {

/// `seconds`, by node, are what its layers take.
inline std::string write_graphviz(const ir::graph_view& g, std::span<const double> seconds = {}) {
  return ir::detail::graphviz_writer(seconds).single(g);
}

/// A network that runs in parts, one below the other.
inline std::string write_graphviz(std::span<const drawn_part> parts) {
  return ir::detail::graphviz_writer().parts(parts);
}

/// `history` is what rewriting noted on the way from `before` to `after`; `seconds` are of the nodes of `after`.
inline std::string write_graphviz(const ir::graph_view& before, const ir::graph_view& after,
                                  std::span<const ir::rewrite_step> history, std::span<const double> seconds = {}) {
  return ir::detail::graphviz_writer(seconds).both(before, after, history);
}

}  // namespace ctnn
