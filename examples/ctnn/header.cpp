// SPDX-License-Identifier: BSL-1.0
// ctnn header: a model as a C++ type with its weights.
#include <ctnn/formats/cpp_header.hpp>
#include <ctnn/loaded/folded_weights.hpp>

#include <filesystem>

#include "progress.hpp"
#include "rewriting.hpp"
#include "source.hpp"
#include "table.hpp"

namespace tool {

void header(const header_options& options) {
  ctnn::cpp::header_options as;
  as.name = options.name.empty() ? ctnn::cpp::as_identifier(stem_of(options.out)) : options.name;
  if (!ctnn::cpp::is_identifier(as.name)) throw usage_error("--name " + as.name + ": expected a C++ identifier");
  as.origin = std::filesystem::path(options.model.file).filename().string();
  as.packed = options.packed;
  ctnn::loaded_model m = load(options.model);
  const ir::optimization o = rewrite(m, options.model);
  const progress busy("writing " + options.out);
  ir::folded_weights numbers(m, o.g.view());
  std::string text;
  try {
    text = ctnn::cpp::write_header(o.g.view(), [&](ir::expression_id e) { return numbers.elements(e); }, as);
  } catch (const ctnn::error& e) {
    throw ctnn::error(as.origin + ": " + e.what());
  }
  ir::write_file(options.out, text);
  std::printf("struct %s in %s: %zu layers, %s bytes\n", as.name.c_str(), options.out.c_str(), o.g.nodes.size(),
              grouped(static_cast<std::int64_t>(text.size())).c_str());
}

}  // namespace tool
