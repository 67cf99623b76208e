// SPDX-License-Identifier: BSL-1.0
// ctnn header: a model as a C++ type with its weights, or weights alone.
#include <ctnn/formats/cpp/c_interface.hpp>
#include <ctnn/formats/cpp/weight_table.hpp>
#include <ctnn/formats/cpp_header.hpp>
#include <ctnn/loaded/folded_weights.hpp>
#include <ctnn/weights.hpp>

#include <filesystem>

#include "progress.hpp"
#include "rewriting.hpp"
#include "source.hpp"
#include "table.hpp"

namespace tool {

namespace {

/// The header as it has been written, and what it links beside it.
void write_files(const header_options& options, const std::string& what, const std::string& text,
                 const ctnn::cpp::linked_numbers& linked) {
  ir::write_file(options.out, text);
  std::printf("%s in %s: %s bytes\n", what.c_str(), options.out.c_str(),
              grouped(static_cast<std::int64_t>(text.size())).c_str());
  if (linked.numbers.empty()) return;
  linked.write_beside(options.out);
  std::printf("%s.blob.cpp links %s.blob beside it: %s bytes\n", linked.name.c_str(), linked.name.c_str(),
              grouped(static_cast<std::int64_t>(linked.bytes().size())).c_str());
}

/// As if every input said in_arena.
void put_inputs_in_arena(ir::graph& g) {
  for (ir::node& n : g.nodes) {
    if (n.type != &ir::type_of<ctnn::op::input>) continue;
    auto input = ir::decode<ctnn::op::input>(g.view().fields_of(n.fields));
    if (input.carried) continue;  // it is there already
    input.in_arena = true;
    const ir::field_values f = ir::encode(input);
    n.fields = g.store_fields({f.data(), f.size()});
  }
}

/// Tensors of no model, by their names.
std::string weights_alone(const header_options& options, const std::string& name, ctnn::cpp::linked_numbers* linked) {
  const std::string& from = options.model.weights;
  const progress busy("reading " + from);
  const ctnn::weights::file file = ctnn::weights::open(from);
  ctnn::cpp::weight_table table(name);
  ctnn::weights::load_options as{.prefix = options.prefix};
  for (const std::string& text : options.rename) {
    const std::size_t at = text.find('=');
    if (at == text.npos || at == 0) throw usage_error("--rename " + text + ": expected FROM=TO");
    as.rename.emplace_back(text.substr(0, at), text.substr(at + 1));
  }
  for (const auto& [key, tensor] : file.state(as)) {
    const bool floats = ir::is_floating(tensor.type);  // whatever they are in the file, as ctnn::weights::load does
    const ctnn::array numbers = ctnn::weights::converted(tensor.read(), floats ? ctnn::dtype::f32 : tensor.type);
    const ctnn::named_weight w = ctnn::state(key, span_of(numbers), tensor.shape);
    table.add(w.layer, w.name, w.numbers, w.shape);
  }
  return ctnn::cpp::write_weights(table, name, std::filesystem::path(from).filename().string(), linked);
}

}  // namespace

void header(const header_options& options) {
  const std::filesystem::path out = options.out;
  const std::string name = options.name.empty() ? ctnn::cpp::as_identifier(stem_of(options.out)) : options.name;
  if (!ctnn::cpp::is_identifier(name)) throw usage_error("--name " + name + ": expected a C++ identifier");
  if (options.blob && out.extension() == ".blob")
    throw usage_error("--out " + options.out + ": expected NAME.hpp, beside it comes NAME.blob");
  ctnn::cpp::linked_numbers linked{out.stem().string()};
  ctnn::cpp::linked_numbers* const apart = options.blob ? &linked : nullptr;
  if (options.model.file.empty()) {
    const std::string text = weights_alone(options, name, apart);
    return write_files(options, name, text, linked);
  }
  std::string image;
  const bool packs = options.blob || options.c || !options.image.empty();
  const ctnn::cpp::header_options as{.name = name,
                                     .origin = std::filesystem::path(options.model.file).filename().string(),
                                     .packed = options.packed != 0 || !packs ? options.packed
                                               : options.c                   ? 4
                                                                             : 16,
                                     .image = options.image.empty() ? nullptr : &image,
                                     .list = options.list};
  if (options.c && stem_of(options.out) != name)
    throw usage_error("--c: files are called like the type: --out " + name + ".hpp, or --name " + stem_of(options.out));
  ctnn::loaded_model m = load(options.model, "a C++ type");
  model_source source = options.model;
  if (!source.arena_first) source.arena_first = as.packed != 4;  // firmware has no Winograd
  ir::optimization o = rewrite(m, source);
  if (options.in_arena) put_inputs_in_arena(o.g);
  std::string text;
  {
    const progress busy("writing " + options.out);
    ir::folded_weights numbers(m, o.g.view());
    try {
      text = ctnn::cpp::write_header(
          o.g.view(), [&](ir::expression_id e) { return numbers.elements(e); }, as, apart);
      if (options.c) {
        const ctnn::cpp::c_interface c(o.g.view(), name, as.origin);
        const std::string stem = std::filesystem::path(options.out).replace_extension().string();
        ir::write_file(stem + ".h", c.header());
        ir::write_file(stem + "_c.cpp", c.source());
      }
      if (!options.image.empty()) ir::write_file(options.image, image);
    } catch (const ctnn::error& e) {
      throw ctnn::error(as.origin + ": " + e.what());
    }
  }
  write_files(options, "struct " + name + ", " + std::to_string(o.g.nodes.size()) + " layers,", text, linked);
}

}  // namespace tool
