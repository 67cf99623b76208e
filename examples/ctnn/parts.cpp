// SPDX-License-Identifier: BSL-1.0
#include "parts.hpp"

#include <algorithm>
#include <map>

#include "progress.hpp"
#include "running.hpp"

namespace tool {

namespace ir = ctnn::ir;

std::optional<ctnn::loaded_model> build_whole(const opened_model& opened, const ctnn::arrays_by_name& fed,
                                              std::string* why) {
  try {
    return opened.maker.make(fed, !opened.maker.divide);
  } catch (const ir::needs_running& at) {
    try {
      opened.maker.divide(at, {});
    } catch (const ir::not_divisible&) {
      return opened.build(fed);
    }
    if (why) *why = at.what();
    return {};
  }
}

std::string parts_run::describe() const {
  return "runs in " + std::string(broken.empty() ? "" : "at least ") + std::to_string(parts.size()) + " parts, for " +
         (made_up ? "made-up numbers" : "the numbers of --input");
}

parts_run run_parts(const model_source& from, const opened_model& opened, const ctnn::arrays_by_name& fed) {
  parts_run out;
  out.fed = with_made_up(from, opened, fed);
  out.made_up = out.fed.size() > fed.size();
  const ctnn::model m = load_model(from, opened, out.fed, ctnn::best_target(), nullptr, true);
  struct watch {
    std::vector<ran_part>& parts;
    std::map<std::pair<const ir::program*, std::size_t>, std::size_t> times{};
    static void step(void* self, const ctnn::running_step& s) {
      auto& w = *static_cast<watch*>(self);
      if (!s.begins) return;
      if (s.part) return w.parts.push_back({nullptr, s.part->name, s.part->type});
      const auto same = [&](const ran_part& p) { return p.code == s.code; };
      auto at = std::find_if(w.parts.begin(), w.parts.end(), same);
      if (at == w.parts.end()) at = w.parts.insert(at, {s.code, "", ""});
      at->turns = std::max(at->turns, ++w.times[{s.code.get(), s.number}]);
    }
  } seen{out.parts};
  ctnn::extractor ex = m.extractor();
  ex.on_step(&watch::step, &seen);
  const progress busy("running");
  try {
    for (const auto& [name, numbers] : out.fed) ex.input(name, numbers);
    const std::vector<std::string> names = ex.outputs();
    std::vector<ctnn::array> made = ex.extract(names);
    for (std::size_t k = 0; k < names.size(); ++k) out.outputs.emplace_back(names[k], std::move(made[k]));
  } catch (const ctnn::error& e) {
    if (!out.made_up) throw;
    out.broken = e.what();
  }
  return out;
}

}  // namespace tool
