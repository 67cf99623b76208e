// SPDX-License-Identifier: BSL-1.0
// A model in fp16 beside the same model in fp32, in turns: the 10th percentile of each and their ratio, which is to
// stay below 1.3. Usage: half_precision MODEL.param [rounds]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctnn/model.hpp>
#include <ctnn/rewrite/rules.hpp>
#include <vector>

#include "support/halved.hpp"

namespace {

double p10(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 10];
}

}  // namespace

int main(int count, char** words) try {
  if (count < 2) return std::puts("usage: half_precision MODEL.param [rounds]"), 2;
  const std::string param = words[1], bin = param.substr(0, param.size() - 5) + "bin";
  const int rounds = count > 2 ? std::atoi(words[2]) : 100;
  struct candidate {
    const char* name;
    ctnn::model code;
    std::vector<double> times{};
    std::vector<float> answer{};
  };
  const auto in_halves = [&] {
    ctnn::loaded_model m = ctnn::ncnn::load(param, bin);
    if (!ctnn::ir::test::halve(m, ctnn::dtype::f16)) std::puts("an operator does not take halves"), std::exit(1);
    return m;
  };
  candidate all[] = {{"fp32", ctnn::model(ctnn::ncnn::load(param, bin))},
                     {"fp16", ctnn::model(in_halves())},
                     {"fp16, exact rules", ctnn::model(in_halves(), {.rules = ctnn::exact_rules::records})}};
  std::vector<ctnn::extractor> runs;
  for (const candidate& c : all) runs.push_back(c.code.extractor());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < std::size(all); ++i) {
      const ctnn::ir::graph_view g = all[i].code.source();
      std::size_t next = 0;
      for (const ctnn::ir::node& n : g.nodes) {
        if (n.type != &ctnn::ir::type_of<ctnn::op::input>) continue;
        ctnn::array x(g.shape(n.outputs.first));
        for (std::size_t k = 0; k < x.size(); ++k)
          x.values()[k] = static_cast<float>(k * 2654435761u % 1024u) / 512.0f - 1.0f;
        runs[i].input(next++, i == 0 ? x : ctnn::ir::test::narrowed(x, ctnn::dtype::f16));
      }
      const auto begin = std::chrono::steady_clock::now();
      const ctnn::array out = runs[i].extract(std::size_t{0});
      all[i].times.push_back(
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
      const ctnn::array numbers = ctnn::ir::test::as_floats(out);
      all[i].answer.assign(numbers.values().begin(), numbers.values().end());
    }
  for (const candidate& c : all) {
    float furthest = 0;
    for (std::size_t k = 0; k < c.answer.size(); ++k)
      furthest = std::max(furthest, std::abs(c.answer[k] - all[0].answer[k]));
    std::printf("%-18s %8.3f ms  ratio %.2f  furthest %.1e\n", c.name, p10(c.times), p10(c.times) / p10(all[0].times),
                static_cast<double>(furthest));
  }
} catch (const ctnn::error& e) {
  std::puts(e.what());
  return 1;
}
