// SPDX-License-Identifier: BSL-1.0
// include/ctnn/README.md, the reference: made of what operators, words and rules say of themselves in the code.
#include <doctest/doctest.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <ctnn/loaded/rewriting.hpp>
#include <ctnn/model.hpp>
#include <ctnn/network/texts.hpp>
#include <ctnn/rewrite/expansions.hpp>

#include "networks/function_words.hpp"
#include "networks/module_words.hpp"
#include "support/every_operator.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace fs = std::filesystem;

namespace {

const fs::path source = fs::path(__FILE__).parent_path().parent_path().parent_path();
const fs::path headers = source / "include/ctnn";

using lines = std::vector<std::string>;

constexpr std::string_view code_of_the_page = R"(#include <boost/hana.hpp>
#include <ctnn/typed.hpp>
#include <ctnn/ctnn.hpp>
#include <ctnn/model.hpp>
#include <ctnn/network/constant_run.hpp>
#include <algorithm>
#include <cstdio>

namespace nn = ctnn;
namespace hana = boost::hana;
using net = nn::network<nn::input<"x", nn::shape<3>>, nn::linear<"fc", nn::out<4>>>;
using fused = nn::optimized<net>;
constexpr float image[3] = {}, fc_weight[12] = {}, fc_bias[4] = {0, 0, 0, 1};
constexpr nn::named_weight weights[] = {{"fc", "weight", fc_weight}, {"fc", "bias", fc_bias}};
using first_net = net;
using second_net = fused;
nn::parameters<first_net> first_weights{nn::zeros};
)";

lines lines_of(const fs::path& file) {
  lines out;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}
std::vector<fs::path> files_in(const char* room) {
  std::vector<fs::path> out;
  for (const auto& f : fs::directory_iterator(headers / room)) out.push_back(f.path());
  std::sort(out.begin(), out.end());
  return out;
}
std::string joined(const lines& parts, std::string_view between = ", ") {
  std::string out;
  for (const std::string& p : parts) append(out, out.empty() ? "" : between, p);
  return out;
}
/// In lines of at most 120.
std::string wrapped(const std::string& words) {
  std::string out;
  std::istringstream in(words);
  std::size_t column = 0;
  for (std::string word; in >> word; column += word.size()) {
    if (column > 0) out += column + word.size() >= 120 ? "\n" : " ";
    if (!out.empty() && out.back() == '\n') column = 0;
    else if (column > 0) ++column;
    out += word;
  }
  return out;
}
/// A comment as paragraphs; what is indented is code.
std::string as_text(const lines& comment) {
  std::string out;
  bool code = false;
  for (const std::string& line : comment) {
    if (const bool indented = line.starts_with("  "); indented != code) {
      out += indented ? "\n```cpp\n" : "```\n";
      code = indented;
    }
    out += (code ? line.substr(2) : line) + "\n";
  }
  return out + (code ? "```\n" : "");
}

/// A declaration with the comment above it.
struct documented {
  lines comment{}, body{};
  std::string parameters{}, declaration{};
};
/// Calls f with each documented declaration of a file that is for users, `indent` deep.
void each_declaration(const fs::path& file, std::size_t indent, auto&& f) {
  const lines all = lines_of(file);
  const std::string margin(indent, ' ');
  documented d;
  lines spaces;
  bool in_template = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].starts_with("namespace ")) spaces.push_back(all[i]);
    if (all[i].starts_with("}  // namespace")) spaces.pop_back();
    if (indent > 0 && (all[i] == " private:" || all[i] == " protected:")) break;
    const bool is_public =
        spaces.size() == 1 && (spaces[0] == "namespace ctnn {" || spaces[0] == "namespace ctnn::op {");
    if (!is_public && (spaces.size() != 1 || indent == 0 || spaces[0] != "namespace ctnn::detail {")) continue;
    if (!all[i].starts_with(margin) || all[i].size() == indent) {
      d = {};
      continue;
    }
    const std::string line = all[i].substr(indent);
    if (line.starts_with("///")) {
      d.comment.push_back(line.substr(std::min<std::size_t>(line.size(), 4)));
    } else if (line.starts_with("template <") || in_template) {
      d.parameters += (in_template ? " " : "") + line;
      in_template = line.back() == ',';
    } else if (!line.starts_with("  ") && !line.starts_with("requires")) {
      d.declaration = line;
      for (std::size_t k = i + 1; k < all.size() && !all[k].starts_with(margin + "}"); ++k) d.body.push_back(all[k]);
      if (!d.comment.empty()) f(d);
      d = {};
    }
  }
}

/// template <fixed_string Name, number Slope, class... Options> -> <Name, Slope, Options...>
std::string short_parameters(const std::string& parameters) {
  if (parameters.empty()) return {};
  static const std::regex kind(
      "(fixed_string|number|class|function|op::reduction|int|std::size_t|const auto&)(\\.\\.\\.)? "
      "(\\w+)");
  return std::regex_replace(parameters.substr(9), kind, "$3$2");
}

/// What the operators' headers say: comments of structs and of their fields.
struct operator_comments {
  std::map<std::string, documented> structs;

  operator_comments() {
    static const std::regex is_struct("struct (\\w+)(?: : (.*))? \\{");
    for (const fs::path& file : files_in("graph/operators"))
      each_declaration(file, 0, [&](const documented& d) {
        if (std::smatch m; std::regex_search(d.declaration, m, is_struct)) structs[m[1]] = d;
      });
  }
  /// The struct's own, then its bases'.
  void each(const std::string& name, auto&& f) const {
    const auto at = structs.find(name);
    if (at == structs.end()) return;
    f(at->second);
    const std::string& d = at->second.declaration;
    const std::size_t colon = d.find(" : ");
    if (colon == d.npos) return;
    static const std::regex word("(\\w+)(<\\w+>)?(,| \\{)");
    for (std::sregex_iterator i(d.begin() + static_cast<std::ptrdiff_t>(colon), d.end(), word), end; i != end; ++i)
      each((*i)[1], f);
  }
  std::string text(const std::string& name) const {
    std::string out;
    each(name,
         [&](const documented& d) { append(out, out.empty() || d.comment.empty() ? "" : "\n", as_text(d.comment)); });
    return out;
  }
  /// What stands behind a field: `///< ...`.
  std::string field(const std::string& name, const std::string& key) const {
    std::string out;
    const std::regex remark("[ >]" + key + "( = [^;]*|\\{[^;]*\\})?; +///< (.*)");
    static const std::regex of_fields("^ *(\\w+) (\\w+)\\{\\};");
    each(name, [&](const documented& d) {
      for (const std::string& line : d.body) {
        std::smatch m;
        if (out.empty() && std::regex_search(line, m, remark)) out = m[2];
        // A member of such a struct has fields of the operator, called so or behind the member's name.
        if (!out.empty() || !std::regex_search(line, m, of_fields) || !structs.contains(m[1])) continue;
        const std::string member = m[2].str() + "_", of = m[1];
        out = field(of, key.starts_with(member) ? key.substr(member.size()) : key);
      }
    });
    return out;
  }
};

/// "max", "average": the enumerators as the compiler names them.
template <auto Value>
constexpr std::string_view enumerator() {
  const std::string_view all = __PRETTY_FUNCTION__;
  const std::string_view value = all.substr(all.find("Value = ") + 8);
  const std::string_view name = value.substr(0, value.find_first_of(";]"));
  return name.starts_with("(") ? std::string_view() : name.substr(name.rfind(':') + 1);
}
template <class Enum, int... I>
lines enumerators(std::integer_sequence<int, I...>) {
  lines out;
  for (std::string_view name : {enumerator<static_cast<Enum>(I)>()...})
    if (!name.empty()) out.emplace_back(name);
  return out;
}

struct option_entry {
  std::string key, plain, choice;
};
std::string number_text(double v) {
  std::string out;
  append_number(out, v);
  return out;
}
template <class Field>
std::string default_text(const Field& f) {
  if constexpr (std::is_same_v<Field, bool>) return f ? "true" : "false";
  else if constexpr (std::is_same_v<Field, dtype>) return std::string(name_of(f));
  else if constexpr (std::is_enum_v<Field>)
    return std::string(enumerators<Field>(std::make_integer_sequence<int, 12>{})[static_cast<std::size_t>(f)]);
  else if constexpr (std::is_same_v<Field, activation_function>) return "none";
  else {
    lines numbers;
    for (double v : ir::detail::spell(f)) numbers.push_back(number_text(v));
    return numbers.empty() ? "none" : joined(numbers);
  }
}
template <class Field>
void add_option(std::vector<option_entry>& to, const char* key, const Field& f) {
  to.push_back({key, default_text(f), {}});
  if constexpr (std::is_enum_v<Field> && !std::is_same_v<Field, dtype>)
    to.back().choice = joined(enumerators<Field>(std::make_integer_sequence<int, 12>{}));
}
template <class Op>
std::vector<option_entry> options_of() {
  std::vector<option_entry> out;
  const Op plain;
  Op::fields(plain, [&](const char* key, const auto& f) { add_option(out, key, f); });
  return out;
}
struct operator_entry {
  const operator_type* type;
  std::vector<option_entry> (*options)();
};
template <class... Ops>
std::vector<operator_entry> entries(operator_list<Ops...>) {
  return {{&type_of<Ops>, &options_of<Ops>}...};
}

/// An example of each, and so the element types that it takes.
struct examples : test::every_operator {
  explicit examples(dtype type) : every_operator(type) {
    const value_id steps = value("steps", {5, 2, 6}), s = value("s", {}, dtype::f32), x = value("x", {4, 6});
    op::rnn rnn;
    op::gru gru;
    op::lstm lstm;
    rnn.hidden = gru.hidden = lstm.hidden = 3;
    node(rnn, "rnn", {steps});
    node(gru, "gru", {steps});
    node(lstm, "lstm", {steps});
    const quantization q{0.5, 0};
    const element made(dtype::i8, q, rounding::twice);
    const value_id integers = value("integers", {4, 6}), bytes = value("bytes", {5, 2, 6});
    if (is_integer(type))
      for (const value_id v : {integers, bytes}) say_element(g, v, q);
    op::lstm lstm_of_bytes;
    lstm_of_bytes.hidden = 3;
    lstm_of_bytes.weight.type = dtype::i8;
    node(lstm_of_bytes, "lstm_of_bytes", {bytes}, {&made, 1});
    node(op::quantize{}, "quantize", {x, s});
    node(op::dequantize{}, "dequantize", {x, s});
    node(op::dynamic_quantize{}, "dynamic_quantize", {x});
  }
};

using tables = ir::detail::words<examples>;

class page {
 public:
  std::string write() {
    for (int t = 0; t <= static_cast<int>(dtype::boolean); ++t) graphs_.push_back(examples(static_cast<dtype>(t)).g);
    read_words();
    append(
        out_, "# Reference\n\n",
        wrapped("Made of the code by tests/model/reference.cpp, which says when this page is out of date: "
                "CTNN_WRITE_README=1 test_model --source-file=*reference.cpp writes it. A layer is a word, a name, and "
                "options in any order; behind the lines of use stand shapes, `inputs -> outputs`, and the layer's "
                "weights. What has no word is declared as `layer<op::...>`; \"plain loops\" and element types other "
                "than f32 need `<ctnn/typed.hpp>`."),
        "\n\n");
    // tests/pages compiles the page: this is what its lines are about.
    append(out_, "<!--cpp\n", code_of_the_page, "-->\n");
    questions();
    options();
    modules();
    functions();
    pytorchs_words();
    for (const operator_entry& e : entries(all_operators{})) layer_entry(e);
    out_.pop_back();
    return out_;
  }

 private:
  /// Words that are not in the table: op, signature, remark.
  void read_words() {
    static const std::regex row("CTNN_LAYER\\((\\w+), op::(\\w+), (.*)\\) +///< (.*)"),
        other("using (\\w+) ?=\\s*layer<op::(\\w+), Name, (.*)>;"),
        instance("CTNN_LAYER\\((\\w+), op::(\\w+), (.*)\\)$");
    std::string comment;
    const lines all = lines_of(headers / "network/layers.hpp");
    for (const std::string& line : all) {
      std::smatch m;
      if (line.starts_with("// ") || line.starts_with("/// "))
        append(comment, comment.empty() ? "" : " ", line.substr(line.find(' ') + 1));
      else if (std::regex_search(line, m, row)) others_[m[2]].push_back({m[1], m[4]});
      else if (std::regex_search(line, m, instance)) others_[m[2]].push_back({m[1], comment});
      else comment.clear();
    }
    each_declaration(headers / "network/layers.hpp", 0, [&](const documented& d) {
      std::string text = d.declaration;
      for (const std::string& line : d.body) {
        if (text.back() == ';') break;
        text += line.substr(std::min(line.size(), line.find_first_not_of(' ')) - (text.back() == '=' ? 1 : 0));
      }
      if (std::smatch m; text.starts_with("using") && std::regex_search(text, m, other))
        others_[m[2]].push_back({std::string(m[1]) + short_parameters(d.parameters), joined(d.comment, " ")});
    });
  }

  void questions() {
    append(out_, "## Questions\n\n",
           wrapped(
               "Constants of a network for `static_assert`, and functions over it; those of `network` and `engine` are "
               "members."),
           "\n\n");
    static const std::regex declared(".*?(operator\\(\\)|\\w+)(\\(| =| :|\\{|;| \\{|$).*");
    const auto entry = [&](const std::string& of, const documented& d, const std::string& name) {
      append(out_, "`", of, name, short_parameters(d.parameters), "`:\n", as_text(d.comment), "\n");
    };
    std::vector<fs::path> files = files_in("network");
    files.push_back(headers / "model/to_model.hpp");
    for (const fs::path& file : files) {
      if (file.stem().string().ends_with("-inl")) continue;
      each_declaration(file, 0, [&](const documented& d) {
        if (std::smatch m;
            d.parameters.starts_with("template <class Net") && std::regex_match(d.declaration, m, declared))
          entry("", d, m[1]);
      });
      const std::string of = file.stem().string();
      if (of != "network" && of != "engine") continue;
      each_declaration(file, 2, [&](const documented& d) {
        if (std::smatch m;
            std::regex_match(d.declaration, m, declared) && d.declaration.find("delete") == std::string::npos)
          entry(of + "::", d, m[1]);
      });
    }
  }

  void options() {
    append(out_, "## Options\n\n| word | sets | |\n|---|---|---|\n");
    static const std::regex row("x\\((\\w+), (\"\\w+\"[^()]*)\\) *(/\\*.*?\\*/)?");
    for (const std::string& line : lines_of(headers / "network/options.hpp"))
      for (std::sregex_iterator i(line.begin(), line.end(), row), end; i != end; ++i) {
        const std::string remark = (*i)[3];
        append(out_, "| `", (*i)[1].str(), "` | `", std::regex_replace((*i)[2].str(), std::regex("\""), ""), "` | ",
               remark.empty() ? "" : remark.substr(3, remark.size() - 6), " |\n");
      }
    out_ += "\n";
  }

  void modules() {
    append(out_, "## Modules of several layers\n\n");
    static const std::regex name("using (\\w+) =");
    for (const char* file : {"network/blocks.hpp", "network/modules.hpp"})
      each_declaration(headers / file, 0, [&](const documented& d) {
        static const std::regex either("(?:using|struct) (\\w+)(?: =| \\{)");
        if (std::smatch m;
            d.parameters.find("fixed_string Name") != std::string::npos && std::regex_search(d.declaration, m, either))
          append(out_, "`", m[1].str(), short_parameters(d.parameters), "`:\n", as_text(d.comment), "\n");
      });
  }

  /// What nn::graph has for networks that are functions: a row a word, and PyTorch's functions and modules.
  void functions() {
    append(
        out_, "## Functions that declare\n\n",
        wrapped("Members of `nn::graph`: what `forward` calls. `name` is needed where weights are; options are set by "
                "name in this order, `{.out_channels = 16, .kernel_size = 3}`, and stand for the options of the list's "
                "words above."),
        "\n\n| call | options |\n|---|---|\n");
    static const std::regex rows("#define CTNN_(\\w+)_OPTIONS\\(x\\)(.*)"), member("x\\((\\w+), \"\\w*\"\\)"),
        made("CTNN_OPTIONS\\((\\w+), CTNN_(\\w+)_OPTIONS\\)"), inner("CTNN_(\\w+)_OPTIONS\\(x\\)"),
        call("(conv|norm|named|one|two|three|several)\\((\\w+), (\\w+)\\)");
    std::map<std::string, std::string> members, structs;
    std::string joined_line;
    for (const std::string& line : lines_of(headers / "network/call_options.hpp")) {
      joined_line += line;
      if (joined_line.ends_with("\\")) {
        joined_line.pop_back();
        continue;
      }
      std::smatch m;
      if (std::regex_match(joined_line, m, rows)) {
        std::string all;
        const std::string body = m[2];
        for (std::sregex_iterator i(body.begin(), body.end(), member), end; i != end; ++i)
          append(all, all.empty() ? "`" : " `", (*i)[1].str(), "`");
        for (std::sregex_iterator i(body.begin(), body.end(), inner), end; i != end; ++i)
          append(all, all.empty() ? "" : " ", members[(*i)[1]]);
        members[m[1]] = all;
      } else if (std::regex_search(joined_line, m, made)) {
        structs[m[1]] = members[m[2]];
      }
      joined_line.clear();
    }
    lines rows_of_calls = lines_of(headers / "network/word_calls.hpp");
    for (const std::string& line : lines_of(headers / "network/norm_calls.hpp")) rows_of_calls.push_back(line);
    for (const std::string& line : rows_of_calls) {
      if (line.starts_with("#define CTNN_")) continue;
      for (std::sregex_iterator i(line.begin(), line.end(), call), end; i != end; ++i) {
        const std::string reads = (*i)[1];
        append(out_, "| `", (*i)[2].str(), "(",
               reads == "named" || reads == "conv" || reads == "norm" ? "name, x"
               : reads == "one"                                       ? "x"
               : reads == "two"                                       ? "a, b"
               : reads == "three"                                     ? "a, b, c"
                                                                      : "{a, b, ...}",
               ")` | ", structs[(*i)[3]], " |\n");
      }
    }
    out_ += "\n";
    static const std::regex name("constexpr (?:auto|[\\w:<>, ]+) (\\w+)\\((.*)");
    for (const std::string file : {"word", "number", "shape", "reduction", "tensor", "activation", "norm", "window",
                                   "recurrent", "attention", "module", "declared"})
      each_declaration(
          headers / ("network/" + file + (file == "declared" ? ".hpp" : "_calls.hpp")), 2, [&](const documented& d) {
            std::string text = d.declaration;
            for (const std::string& line : d.body) {
              if (text.find('{') != std::string::npos) break;
              append(text, " ", line.substr(std::min(line.size(), line.find_first_not_of(' '))));
            }
            std::smatch m;
            if (!std::regex_search(text, m, name)) return;
            std::string arguments = m[2];
            arguments = arguments.substr(0, arguments.find(" {"));
            arguments = std::regex_replace(arguments, std::regex(",? ?source_line at = source_line::here\\(\\)"), "");
            append(out_, "`", m[1].str(), "(", arguments, "`:\n", as_text(d.comment), "\n");
          });
  }

  /// Of tests/networks, where each example is compared with PyTorch.
  void pytorchs_words() {
    append(
        out_, "## PyTorch's words\n\n",
        wrapped("How a network says what PyTorch's modules and functions are called: an example as `forward` calls it, "
                "and the word of a list of layers if there is one. Each example is compiled, and gives PyTorch's "
                "numbers, in tests/networks/pytorch_words.cpp."),
        "\n\n| PyTorch | as a function | in a list |\n|---|---|---|\n");
    const auto row = [&](std::string_view word, std::string_view call, std::string_view list) {
      append(out_, "| ", word, " | `", call, list.empty() ? "` | |\n" : "` | `", list, list.empty() ? "" : "` |\n");
    };
    const auto other = [&](std::string_view word, std::string_view instead) {
      append(out_, "| ", word, " | ", instead, " | |\n");
    };
#define CTNN_SAID(word, python, list, ...) row(word, #__VA_ARGS__, list);
#define CTNN_OTHER(word, instead) other(word, instead);
    CTNN_PYTORCH_MODULES(CTNN_SAID, CTNN_OTHER)
    CTNN_PYTORCH_FUNCTIONALS(CTNN_SAID, CTNN_OTHER)
    CTNN_PYTORCH_NUMBERS(CTNN_SAID, CTNN_OTHER)
    CTNN_PYTORCH_TENSORS(CTNN_SAID, CTNN_OTHER)
#undef CTNN_OTHER
#undef CTNN_SAID
    out_ += "\n";
  }

  void layer_entry(const operator_entry& e) {
    const operator_type& type = *e.type;
    const std::string spelling(type.spelling()), of = spelling.substr(10, spelling.find('<') - 10);
    append(out_, "## ", type.name, "\n\n", comments_.text(of));
    graph_view g;
    const node* example = nullptr;
    lines elements;
    for (std::size_t t = 0; t < graphs_.size(); ++t) {
      const node* n = find(graphs_[t], &type);
      if (!n) continue;
      elements.emplace_back(name_of(static_cast<dtype>(t)));
      if (!example) g = graphs_[t].view(), example = n;
    }
    CAPTURE(of);
    REQUIRE(example);
    uses(type, g, *example);
    option_table(e, of, g, *example);

    const std::string inputs = std::to_string(type.min_inputs) +
                               (type.max_inputs == type.min_inputs ? "" : " to " + std::to_string(type.max_inputs));
    lines kernels{type.is.vectors == vectors_of::none ? "plain loops"
                  : elements.size() == 1              ? "vectors of f32"
                  : type.is.vectors == vectors_of::conversions
                      ? "vectors between f32 and halves and from f32 to most integers, plain loops of others"
                      : "vectors of f32, plain loops of others"};
    if (type.is.divisible) kernels.push_back("in parts on several threads");
    if (type.is.in_place) kernels.push_back("in place");
    if (type.packs(0, dtype::f32)) kernels.push_back("weights packed");
    if (type.reference()) kernels.push_back("known to the compiler (`constant_run`)");
    const std::string rules = rules_about(type);
    out_ += wrapped("Inputs: " + inputs + ". Elements: " + joined(elements) + ". Kernels: " + joined(kernels) + "." +
                    (rules.empty() ? "" : " Rules: " + rules + ".")) +
            "\n\n";
  }

  static const node* find(const ir::graph& g, const operator_type* type) {
    for (const node& n : g.nodes)
      if (n.type == type) return &n;
    return nullptr;
  }
  static problem describe_with(const graph_view& g, const node& n, std::span<const double> fields, description& d) {
    const pool<extents> in = input_shapes(g, n);
    const pool<element> of = input_elements(g, n), made = output_elements(g, n);
    d.wanted = {made.data(), made.size()};
    return n.type->describe(fields, {in.data(), in.size()}, {of.data(), of.size()}, d);
  }

  /// A line for each word.
  void uses(const operator_type& type, const graph_view& g, const node& n) {
    out_ += "\n```cpp\n";
    const spelled_options said = type.spell(g.fields_of(n.fields));
    const std::size_t before = out_.size();
    for (const layer_word& w : tables::of_layers) {
      if (w.type != &type) continue;
      std::vector<option_record> options(w.says.begin(), w.says.end());
      for (const spelled_option& o : said) {
        bool other = false;
        for (const option_record& r : w.says) other = other || r.key == o.key;
        if (!other) options.push_back({o.key, {o.values.data(), o.values.size()}});
      }
      // Words for bytes take scales and zero points from elements; the example has them as weights.
      bool of_bytes = false;
      for (const option_record& r : w.says) of_bytes = of_bytes || r.key == "arithmetic";
      use(type, g, n, options, of_bytes);
    }
    if (out_.size() == before) {
      std::vector<option_record> options;
      for (const spelled_option& o : said) options.push_back({o.key, {o.values.data(), o.values.size()}});
      use(type, g, n, options);
    }
    for (const auto& [word, remark] : others_[std::string(type.spelling().substr(10))])
      append(out_, word, word.size() + remark.size() > 115 ? "\n    // " : remark.empty() ? "" : "  // ", remark, "\n");
    out_ += "```\n\n";
  }
  void use(const operator_type& type, const graph_view& g, const node& n, std::span<const option_record> options,
           bool of_bytes = false) {
    const element byte(dtype::i8, {0.5, 0});
    const pool<element> made_there = output_elements(g, n);
    const types wanted = of_bytes ? types(&byte, 1) : types(made_there.data(), made_there.size());
    field_values fields;
    REQUIRE(!type.configure(options, fields));
    const std::span<const double> numbers(fields.data(), fields.size());
    test::builder b;
    std::vector<value_id> in;
    for (value_id v : g.inputs(n)) in.push_back(copy(b, g, v));
    if (of_bytes) say_element(b.g, in[0], byte.real);
    problem p = add_node(b.g, type, "y", in, numbers, {}, wanted);
    for (const node& other : g.nodes)  // of as many axes as the word needs
      if (p && in.size() == 1 && other.type == &type_of<op::input>) {
        b = {};
        in = {copy(b, g, other.outputs.first)};
        if (of_bytes) say_element(b.g, in[0], byte.real);
        p = add_node(b.g, type, "y", in, numbers, {}, wanted);
      }
    CAPTURE(describe(p));
    REQUIRE(!p);
    const auto id = static_cast<node_id>(b.g.nodes.size()) - 1;
    b.add(op::identity{}, "reader", {b.g.at(id).outputs.first});
    const graph_view made = b.g.view();
    const node& y = made.at(id);
    text line, shapes;
    ir::detail::append_declaration<ir::detail::in_short>(line, made, id);
    lines read;
    for (value_id v : made.inputs(y)) read.push_back(describe(made.shape(v)));
    ir::detail::append_shapes(shapes, made, y);
    std::string remark;
    append(remark, joined(read), read.empty() ? "-> " : " -> ", shapes.view());
    std::string_view before = "; ";
    for (expression_id e : made.weights(y)) {
      const expression& x = made.at_expression(e);
      append(remark, before, x.name, " ", describe(x.shape));
      before = ", ";
    }
    append(out_, line.view(), line.view().size() + remark.size() > 115 ? "\n    // " : "  // ", remark, "\n");
  }
  static value_id copy(test::builder& b, const graph_view& g, value_id v) {
    const ir::value& from = g.at_value(v);
    op::input p{as_list(from.shape), from.type};
    p.as = from.type.real;
    return b.add(p, g.at(from.producer).name, {});
  }

  void option_table(const operator_entry& e, const std::string& of, const graph_view& g, const node& n) {
    const std::vector<option_entry> all = e.options();
    if (all.empty()) return;
    const spelled_options said = e.type->spell(g.fields_of(n.fields));
    out_ += "| option | default | word | |\n|---|---|---|---|\n";
    for (const option_entry& o : all) {
      std::vector<option_record> without;
      for (const spelled_option& s : said)
        if (s.key != o.key) without.push_back({s.key, {s.values.data(), s.values.size()}});
      field_values fields;
      description d;
      REQUIRE(!e.type->configure(without, fields));
      const problem p = describe_with(g, n, {fields.data(), fields.size()}, d);
      const bool needed = p.kind == mistake::missing_option && p.what == o.key;
      lines words;
      for (const option_word& w : tables::before_numbers)
        if (w.says.key == o.key) words.push_back("`" + std::string(w.word) + "<>`");
      for (const option_word& w : tables::of_options)
        if (w.says.key == o.key && o.key != "type") words.push_back("`" + std::string(w.word) + "`");
      if (o.key == "type") words.push_back("`i64` ...");
      if (o.key == "to") words.push_back("`to<>`");
      if (o.key == "activation") words.push_back("`fused<>`");
      const std::string remark = comments_.field(of, o.key);
      append(out_, "| `", o.key, "` | ", needed ? "needed" : o.plain, " | ", joined(words), " | ", o.choice,
             remark.empty() || o.choice.empty() ? "" : "; ", remark, " |\n");
    }
    out_ += "\n";
  }

  static std::string rules_about(const operator_type& type) {
    lines out;
    std::set<std::string_view> said;
    const auto add = [&](std::string_view name, bool about) {
      if (about && said.insert(name).second) out.push_back("`" + std::string(name) + "`");
    };
    for (const expansion_info& x : default_expansions::infos) add(x.name, names(x.arrow, type.name));
    for (const rule_record& r : default_rule_records())
      add(r.info.name, (r.roots.count > 0 && r.roots.has(&type)) || (r.firsts.count > 0 && r.firsts.has(&type)) ||
                           names(r.info.arrow, type.name));
    return joined(out);
  }
  /// Is the name a word of the arrow?
  static bool names(std::string_view arrow, std::string_view name) {
    const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (std::size_t at = arrow.find(name); at != arrow.npos; at = arrow.find(name, at + 1))
      if ((at == 0 || !in_word(arrow[at - 1])) &&
          (at + name.size() == arrow.size() || !in_word(arrow[at + name.size()])))
        return true;
    return false;
  }

  struct other_word {
    std::string word, remark;
  };
  std::string out_;
  operator_comments comments_;
  std::vector<ir::graph> graphs_;
  std::map<std::string, std::vector<other_word>> others_;
};

}  // namespace

TEST_CASE("the reference is what the code says") {
  const fs::path readme = headers / "README.md";
  const std::string now = page().write();
  if (std::getenv("CTNN_WRITE_README")) std::ofstream(readme) << now;
  const lines got = lines_of(readme);
  std::istringstream wanted(now);
  std::size_t i = 0;
  for (std::string line; std::getline(wanted, line); ++i) REQUIRE((i < got.size() ? got[i] : "(its end)") == line);
  CHECK(i == got.size());
}
