// SPDX-License-Identifier: BSL-1.0
// ctnn bench: latency by layer and in total, beside what the core's multiply-add units reach.
#include <algorithm>

#include "files.hpp"
#include "json.hpp"
#include "profile.hpp"
#include "progress.hpp"
#include "table.hpp"

namespace tool {

namespace {

struct summary {
  double least = 0, p10 = 0, median = 0, mean = 0, p90 = 0, p99 = 0;
};
/// As numpy.percentile: between two of the sorted numbers, by how far it is from either.
double percentile(const std::vector<double>& sorted, double percent) {
  const double at = percent / 100 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}
summary summarise(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  double sum = 0;
  for (const double s : seconds) sum += s;
  return {seconds[0],
          percentile(seconds, 10),
          percentile(seconds, 50),
          sum / static_cast<double>(seconds.size()),
          percentile(seconds, 90),
          percentile(seconds, 99)};
}

double flops(std::int64_t macs, double seconds) { return 2 * static_cast<double>(macs) / seconds; }

/// A bar of a part of 20 characters, an eighth of one at a time; for terminals.
std::string bar(double part) {
  if (!on_terminal(stdout)) return "";
  const char* const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(std::clamp(part, 0.0, 1.0) * 160 + 0.5);
  std::string out;
  for (int i = 0; i < eighths / 8; ++i) out += "█";
  return coloured(out + parts[eighths % 8], part >= 0.25 ? colour::red : part >= 0.1 ? colour::yellow : colour::green);
}

void add_row(table& t, const profile& p, std::vector<std::string> cells, std::int64_t macs, const summary& s,
             double whole) {
  cells.push_back(fixed(s.median * 1e3, 3));
  cells.push_back(fixed(s.least * 1e3, 3));
  cells.push_back(macs ? fixed(flops(macs, s.least) * 1e-9, 1) : "");
  cells.push_back(macs ? fixed(100 * flops(macs, s.least) / p.peak_flops, 1) : "");
  cells.push_back(whole > 0 ? fixed(100 * s.median / whole, 1) : "");
  cells.push_back(whole > 0 ? bar(s.median / whole) : "");
  t.row(std::move(cells));
}

void print_text(const std::string& file, const profile& p) {
  table t("lllrrrrrl", {"layer", "operator", "output", "median ms", "min ms", "GFLOP/s", "% of peak", "% of time", ""});
  double whole = 0;
  for (const layer_times& l : p.layers) whole += summarise(l.seconds).median;
  for (const layer_times& l : p.layers) {
    std::string by = l.winograd ? " F(" + std::to_string(l.winograd) + ", 3)" : "";
    for (const std::string& name : l.with) by += (&name == l.with.data() ? ", in rows with " : ", ") + name;
    if (l.times > 1) by += ", " + std::to_string(l.times) + " times";
    add_row(t, p, {l.name, l.type + by, l.shape}, l.macs, summarise(l.seconds), whole);
  }
  add_row(t, p, {"TOTAL", "", ""}, p.macs, summarise(p.total), 0);
  std::string threads = p.threads > 1 ? ", " + std::to_string(p.threads) + " threads" : "";
  if (p.by_sample) threads += ", sample by sample (layers as of all together)";
  const summary s = summarise(p.total);
  std::string latency = "latency, ms: min " + fixed(s.least * 1e3, 3);
  const auto add = [&](const char* name, double seconds) { latency += std::string(name) + fixed(seconds * 1e3, 3); };
  add(", p10 ", s.p10);
  add(", median ", s.median);
  add(", mean ", s.mean);
  add(", p90 ", s.p90);
  add(", p99 ", s.p99);
  std::printf(
      "%s on %s%s: %zu runs, fp32 FMA peak %s GFLOP/s, %s bytes of values at most\n%s%s; %d warm-up runs before\n",
      shown(file).c_str(), p.target.c_str(), threads.c_str(), p.total.size(), fixed(p.peak_flops * 1e-9, 1).c_str(),
      grouped(static_cast<std::int64_t>(p.peak_bytes)).c_str(), t.text().c_str(), latency.c_str(), p.warmup);
}

std::string numbers(const profile& p, std::int64_t macs, const std::vector<double>& seconds) {
  const summary s = summarise(seconds);
  char text[300];
  std::snprintf(text, sizeof text,
                "\"macs\": %lld, \"median_s\": %.9g, \"min_s\": %.9g, \"p10_s\": %.9g, \"mean_s\": %.9g, "
                "\"p90_s\": %.9g, \"p99_s\": %.9g, \"gflops\": %.6g, \"of_peak\": %.4g",
                static_cast<long long>(macs), s.median, s.least, s.p10, s.mean, s.p90, s.p99,
                flops(macs, s.least) * 1e-9, flops(macs, s.least) / p.peak_flops);
  return text;
}

/// Nothing of an empty one.
std::string quoted_list(const std::string& key, const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? json_text(key) + ": [" : ", ") + json_text(w);
  return out.empty() ? out : out + "], ";
}

std::string list_of(const std::vector<double>& seconds) {
  std::string out;
  for (const double s : seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%s%.9g", out.empty() ? "" : ", ", s);
    out += text;
  }
  return '[' + out + ']';
}

std::string document_of(const std::string& file, const profile& p, bool times) {
  std::string out =
      "  {\"model\": " + json_text(shown(file)) + ", \"target\": " + json_text(p.target) +
      ", \"threads\": " + std::to_string(p.threads) + ", \"by_sample\": " + (p.by_sample ? "true" : "false") +
      ", \"runs\": " + std::to_string(p.total.size()) + ", \"peak_gflops\": " + fixed(p.peak_flops * 1e-9, 3) +
      ", \"peak_bytes\": " + std::to_string(p.peak_bytes) + ", " + numbers(p, p.macs, p.total) +
      ", \"warmup\": " + std::to_string(p.warmup) + (times ? ", \"total_s\": " + list_of(p.total) : "") +
      ",\n   \"layers\": [";
  for (const layer_times& l : p.layers)
    out += std::string(&l == p.layers.data() ? "" : ",") + "\n    {\"name\": " + json_text(l.name) +
           ", \"operator\": " + json_text(l.type) + ", \"output\": " + json_text(l.shape) + ", " +
           (l.times > 1 ? "\"times\": " + std::to_string(l.times) + ", " : "") +
           (l.winograd ? "\"winograd\": " + std::to_string(l.winograd) + ", " : "") + quoted_list("with", l.with) +
           numbers(p, l.macs, l.seconds) + '}';
  return out + "]}";
}

}  // namespace

void bench(const bench_options& options) {
  std::string all;
  for (const std::string& file : options.files) {
    model_source from = options.model;
    from.file = file;
    const profile p = measure(from, options);
    if (options.json) all += (all.empty() ? "" : ",\n") + document_of(file, p, options.times);
    else print_text(file, p);
  }
  if (options.json) std::printf("[\n%s\n]\n", all.c_str());
}

}  // namespace tool
