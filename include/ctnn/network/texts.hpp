// SPDX-License-Identifier: BSL-1.0
// Networks and what rewriting makes of them as texts, made by the compiler: constants in static storage.
#pragma once

#include "../rewrite/sentences.hpp"
#include "questions.hpp"
#include "words.hpp"

namespace ctnn::ir::detail {

/// As one writes after `using namespace ctnn`.
struct in_short {
  static constexpr std::string_view scope{};
  static constexpr void number(text& out, double v) {
    if (!is_float(v)) out += "exact{";
    append_number(out, v);
    if (!is_float(v)) out += "}";
  }
  static constexpr void quoted(text& out, std::string_view name) {
    out += "\"";
    out += name;
    out += "\"";
  }
};

constexpr void append_reference(text& out, const graph_view& g, value_id v) {
  const node& n = g.at(g.at_value(v).producer);
  out += n.name;
  if (n.outputs.count == 1) return;
  out += ".";
  append_integer(out, v - n.outputs.first);
}

// Templates, so that the words are looked up only for those who ask: the style depends on the network.

template <class>
struct style_for {
  using type = in_short;
};

/// conv2d<"conv1", out<16>, kernel<3>>
template <class Style>
constexpr void append_declaration(text& out, const graph_view& g, node_id n) {
  pool<text> from;
  if (!reads_previous(g, n))
    for (value_id v : g.inputs(g.at(n))) {
      text name;
      append_reference(name, g, v);
      from.push_back(name);
    }
  append_layer<Style>(out, g, g.at(n), spell(g, g.at(n)), g.at(n).name, from);
}
/// 16 x 32 x 32, and of a layer with several outputs each.
constexpr void append_shapes(text& out, const graph_view& g, const node& n) {
  for (int k = 0; k < n.outputs.count; ++k) {
    if (k > 0) out += ", ";
    append_shape(out, g.at_value(n.outputs.first + k).shape);
  }
}
template <class Style>
constexpr void append_tied_of(text& out, const graph_view& g, const weight_place* first, std::size_t count) {
  pool<text> names;
  for (std::size_t i = 0; i < count; ++i) {
    const node& n = g.at(first[i].of);
    text name;
    append(name, n.name, ".", slots_of(g, n)[static_cast<std::size_t>(first[i].number)].name);
    names.push_back(name);
  }
  append_tied<Style>(out, names);
}
template <class Style>
constexpr void append_outputs_of(text& out, const graph_view& g) {
  pool<text> publicly, values;
  for (const network_output& o : g.outputs) {
    text name;
    append_reference(name, g, o.value);
    values.push_back(name);
    text called;
    called += o.name.empty() ? name.view() : o.name;
    publicly.push_back(called);
  }
  append_outputs<Style>(out, publicly, values);
}

/// Lines with a remark each, or none; the remarks behind long lines stand under each other.
template <class Text>
struct remarked_lines {
  pool<Text> lines{}, remarks{};

  constexpr void add(const Text& line, const Text& remark) {
    lines.push_back(line);
    remarks.push_back(remark);
  }
  constexpr void write(Text& out) const {
    std::size_t width = 0;
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (const std::size_t n = lines[i].view().size(); !remarks[i].empty() && n > width) width = n;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i > 0) out += "\n";
      out += lines[i];
      if (remarks[i].empty()) continue;
      for (std::size_t n = lines[i].view().size(); n < width + 2; ++n) out += " ";
      out += "// ";
      out += remarks[i];
    }
  }
};

template <class Net>
struct network_writer {
  using style = typename style_for<Net>::type;
  static constexpr void write(text& out) {
    const graph_view& g = declared_graph<Net>;
    const bool says_outputs = !has_plain_output(g);
    const tied_places tied = tied_places_of(g);
    remarked_lines<text> all;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
      text line, shapes;
      append_declaration<style>(line, g, static_cast<node_id>(i));
      if (says_outputs || tied.counts.size() > 0 || i + 1 < g.nodes.size()) line += ",";
      append_shapes(shapes, g, g.nodes[i]);
      all.add(line, shapes);
    }
    const weight_place* first = tied.all.data();
    for (std::size_t i = 0; i < tied.counts.size(); first += tied.counts[i++]) {
      text line;
      append_tied_of<style>(line, g, first, tied.counts[i]);
      if (says_outputs || i + 1 < tied.counts.size()) line += ",";
      all.add(line, {});
    }
    if (says_outputs) {
      text outputs;
      append_outputs_of<style>(outputs, g);
      all.add(outputs, {});
    }
    all.write(out);
  }
};

template <class Net, class Fused, class Rules>
struct diff_writer {
  using style = typename style_for<Net>::type;
  static constexpr const graph_view &was = declared_graph<Net>, &now = declared_graph<Fused>;
  /// Only then is it known where layers went.
  static constexpr bool rewritten = std::is_same_v<typename Fused::network_type, optimized<Net, Rules>>;

  static constexpr node_id find(const graph_view& g, std::string_view name) {
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
      if (g.nodes[i].name == name) return static_cast<node_id>(i);
    return none;
  }
  static constexpr void add(remarked_lines<text>& all, std::string_view sign, const text& line, const node& n) {
    text signed_line, shapes;
    signed_line += sign;
    signed_line += line;
    append_shapes(shapes, now, n);
    all.add(signed_line, shapes);
  }
  /// Layers of now that was has not, from the one numbered `first` to the next that it has.
  static constexpr void add_new(remarked_lines<text>& all, std::size_t first) {
    for (std::size_t i = first; i < now.nodes.size() && find(was, now.nodes[i].name) == none; ++i) {
      text line;
      append_declaration<style>(line, now, static_cast<node_id>(i));
      add(all, "+ ", line, now.nodes[i]);
    }
  }
  static constexpr void write(text& out) {
    remarked_lines<text> all;
    add_new(all, 0);
    for (std::size_t i = 0; i < was.nodes.size(); ++i) {
      const node_id n = find(now, was.nodes[i].name);
      text line, before;
      if (n == none) {
        append(line, "- ", was.nodes[i].name);
        if constexpr (rewritten) {
          const provenance p = provenance_of(was.nodes[i].name, now, rewriting_history<Net, Rules>::steps);
          append(line, p.into.empty() ? "  gone" : "  into ", p.into);
        }
        all.add(line, {});
        continue;
      }
      append_declaration<style>(line, now, n);
      append_declaration<style>(before, was, static_cast<node_id>(i));
      add(all, line.view() == before.view() ? "  " : "! ", line, now.at(n));
      add_new(all, static_cast<std::size_t>(n) + 1);
    }
    all.write(out);
  }
};

template <class Net, fixed_string Layer, class Rules>
struct explanation_writer {
  static constexpr bool known = knows_layer<Net, Layer>();
  static constexpr void write(text& out) {
    if (!known) return;
    pool<text> lines;
    explain(declared_graph<Net>, optimized_graph<Net, Rules>, rewriting_history<Net, Rules>::steps, Rules::records,
            Layer, lines);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i > 0) out += "\n";
      out += lines[i];
    }
  }
};

}  // namespace ctnn::ir::detail

namespace ctnn {

/// A network as it would be declared, a layer a line, with the shapes of its outputs:
///   conv2d<"conv1", out<16>, kernel<3>, pad<1>>,  // 16 x 32 x 32
template <class Net>
inline constexpr std::string_view to_string =
    ir::constant_text<ir::detail::network_writer<Net>>::view;

/// The layers of a network, and what became of each in another, like a diff: "  " as it was, "! " changed, "+ " new,
/// and what is gone, "- bn1  into conv1". Where to is known if Fused is optimized<Net, Rules>.
template <class Net, class Fused, class Rules = default_rules>
inline constexpr std::string_view diff = ir::constant_text<ir::detail::diff_writer<Net, Fused, Rules>>::view;

/// What became of a layer: "relu1: part of conv1 (fuse_activation)"; or if it is still there, why: the rules that came
/// near, a line each, those about two layers first.
template <class Net, fixed_string Layer, class Rules = default_rules>
inline constexpr std::string_view explain =
    (void(sizeof(ir::detail::layer_error<Net, Layer>)),
     ir::constant_text<ir::detail::explanation_writer<Net, Layer, Rules>>::view);

}  // namespace ctnn
