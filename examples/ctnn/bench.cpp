// SPDX-License-Identifier: BSL-1.0
// ctnn bench: latency by layer and in total, beside what the core's multiply-add units reach.
#include <algorithm>

#include "profile.hpp"
#include "progress.hpp"
#include "table.hpp"

namespace tool {

namespace {

struct summary {
  double median = 0, least = 0;
};
summary summarise(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return {seconds[seconds.size() / 2], seconds[0]};
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
  std::printf("%s on %s%s: %zu runs, fp32 FMA peak %s GFLOP/s, %s bytes of values at most\n%s", file.c_str(),
              p.target.c_str(), threads.c_str(), p.total.size(), fixed(p.peak_flops * 1e-9, 1).c_str(),
              grouped(static_cast<std::int64_t>(p.peak_bytes)).c_str(), t.text().c_str());
}

std::string quoted(const std::string& s) {
  std::string out = "\"";
  for (char c : s) {
    char code[8];
    if (static_cast<unsigned char>(c) < 0x20) {
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      out += code;
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

std::string numbers(const profile& p, std::int64_t macs, const std::vector<double>& seconds) {
  const summary s = summarise(seconds);
  char text[200];
  std::snprintf(text, sizeof text,
                "\"macs\": %lld, \"median_s\": %.9g, \"min_s\": %.9g, \"gflops\": %.6g, \"of_peak\": %.4g",
                static_cast<long long>(macs), s.median, s.least, flops(macs, s.least) * 1e-9,
                flops(macs, s.least) / p.peak_flops);
  return text;
}

/// Nothing of an empty one.
std::string quoted_list(const std::string& key, const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? quoted(key) + ": [" : ", ") + quoted(w);
  return out.empty() ? out : out + "], ";
}

std::string json(const std::string& file, const profile& p) {
  std::string out =
      "  {\"model\": " + quoted(file) + ", \"target\": " + quoted(p.target) +
      ", \"threads\": " + std::to_string(p.threads) + ", \"by_sample\": " + (p.by_sample ? "true" : "false") +
      ", \"runs\": " + std::to_string(p.total.size()) + ", \"peak_gflops\": " + fixed(p.peak_flops * 1e-9, 3) +
      ", \"peak_bytes\": " + std::to_string(p.peak_bytes) + ", " + numbers(p, p.macs, p.total) + ",\n   \"layers\": [";
  for (const layer_times& l : p.layers)
    out += std::string(&l == p.layers.data() ? "" : ",") + "\n    {\"name\": " + quoted(l.name) +
           ", \"operator\": " + quoted(l.type) + ", \"output\": " + quoted(l.shape) + ", " +
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
    if (options.json) all += (all.empty() ? "" : ",\n") + json(file, p);
    else print_text(file, p);
  }
  if (options.json) std::printf("[\n%s\n]\n", all.c_str());
}

}  // namespace tool
