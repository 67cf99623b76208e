// SPDX-License-Identifier: BSL-1.0
// An SVG of a plan: which bytes of the arena hold which value during which steps.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "../base/describe.hpp"
#include "../plan/plan.hpp"

namespace ctnn::ir::detail {

class arena_picture {
 public:
  arena_picture(const graph_view& g, const plan_view& plan) : g_(g), plan_(plan) { find_lives(); }

  std::string text() {
    const int steps = std::max(1, static_cast<int>(plan_.steps.size()));
    width_ = std::clamp(1000 / steps, 6, 48);
    const int below = above + height;
    std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
                      std::to_string(left + std::max(steps * width_, words) + 20) + "\" height=\"" +
                      std::to_string(below + 40) +
                      "\" font-family=\"Helvetica, sans-serif\" font-size=\"10\">\n"
                      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    write(out, left, 14,
          "arena: " + std::to_string(bytes(plan_.arena_size)) + " bytes over " + std::to_string(steps) + " steps");
    for (int k = 0; k <= 4; ++k) {
      const std::int64_t at = plan_.arena_size * k / 4;
      const int y = place(at);
      out += "<path d=\"M" + std::to_string(left) + ' ' + std::to_string(y) + "h" + std::to_string(steps * width_) +
             "\" stroke=\"#e0e0e0\"/>\n";
      write(out, 4, y + 3, std::to_string(bytes(at)));
    }
    for (std::size_t p = 0; p < lives_.size(); ++p)
      if (lives_[p].last >= lives_[p].first) box(out, static_cast<int>(p));
    write(out, left, below + 16, "steps, from left to right; bytes, from bottom to top");
    return out + "</svg>\n";
  }

 private:
  static constexpr int left = 76, above = 24, height = 480, words = 330;  // which are as wide as this
  struct life {
    int first = 1, last = 0;  ///< steps; not in the arena if last is before first
    std::string values;
  };

  static std::int64_t bytes(std::int64_t numbers) { return numbers * static_cast<std::int64_t>(sizeof(float)); }
  int place(std::int64_t numbers) const {
    return above + height -
           static_cast<int>(plan_.arena_size > 0
                                ? static_cast<double>(numbers) / static_cast<double>(plan_.arena_size) * height
                                : 0);
  }

  /// Of all that lies in a root's memory.
  void find_lives() {
    lives_.resize(plan_.placements.size());
    const int end = static_cast<int>(plan_.steps.size()) - 1;
    const auto lives_at = [&](int p, int step, bool names) {
      const int r = plan_.root(p);
      const placement& now = plan_.at(r);
      if (now.external || now.offset == none || now.size == 0) return;
      life& l = lives_[static_cast<std::size_t>(r)];
      if (l.last < l.first) l.first = l.last = step;
      l.first = std::min(l.first, step);
      l.last = std::max(l.last, step);
      if (!names || plan_.at(p).value == none) return;
      const std::string name(g_.at_value(plan_.at(p).value).name);
      if (l.values.size() < 200 && l.values.find(name) == l.values.npos)
        l.values += (l.values.empty() ? "" : ", ") + name;
    };
    for (int s = 0; s <= end; ++s) {
      const plan_step& step = plan_.steps[static_cast<std::size_t>(s)];
      for (int p : plan_.ids_of(step.inputs)) lives_at(p, s, false);
      for (int p : plan_.ids_of(step.outputs)) lives_at(p, s, true);
      if (step.scratch == none) continue;
      lives_at(step.scratch, s, false);
      lives_[static_cast<std::size_t>(plan_.root(step.scratch))].values =
          "scratch of " + std::string(step.node == none ? "a conversion" : g_.at(step.node).name);
    }
    for (int p : plan_.outputs) lives_at(p, end, false);
    for (std::size_t p = 0; p < plan_.placements.size(); ++p)
      if (plan_.placements[p].kept)
        for (int s : {0, end}) lives_at(static_cast<int>(p), s, true);
  }

  static std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text)
      out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
    return out;
  }
  static void write(std::string& out, int x, int y, const std::string& text) {
    out += "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\">" + escaped(text) + "</text>\n";
  }
  void box(std::string& out, int p) const {
    static constexpr const char* colours[] = {"#bcd7f5", "#c6e7c3", "#f9dfb0", "#f6c4bd", "#e3cdf2", "#cfe8e8"};
    const placement& now = plan_.at(p);
    const life& l = lives_[static_cast<std::size_t>(p)];
    const int x = left + l.first * width_, w = (l.last - l.first + 1) * width_;
    const int top = place(now.offset + now.size), h = std::max(1, place(now.offset) - top);
    const bool scratch = l.values.starts_with("scratch of ");
    out += "<g><title>" + escaped(l.values) + ": " + std::to_string(bytes(now.size)) + " bytes at " +
           std::to_string(bytes(now.offset)) + ", steps " + std::to_string(l.first) + " to " + std::to_string(l.last) +
           "</title><rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(top) + "\" width=\"" +
           std::to_string(w) + "\" height=\"" + std::to_string(h) + "\" fill=\"" +
           (scratch ? "#e0e0e0" : colours[static_cast<std::size_t>(p) % std::size(colours)]) +
           "\" stroke=\"#707070\" stroke-width=\"0.5\"/>";
    if (const int fits = (w - 4) / 6; h >= 11 && fits >= 2) {
      const std::string& name = l.values;
      write(out, x + 2, top + 10,
            static_cast<int>(name.size()) <= fits ? name : name.substr(0, static_cast<std::size_t>(fits)));
    }
    out += "</g>\n";
  }

  graph_view g_;
  plan_view plan_;
  std::vector<life> lives_;
  int width_ = 0;
};

}  // namespace ctnn::ir::detail

namespace ctnn {

/// The plan must have an arena, plan_options::arena.
inline std::string write_arena_picture(const ir::graph_view& g, const ir::plan_view& plan) {
  return ir::detail::arena_picture(g, plan).text();
}

}  // namespace ctnn
