// SPDX-License-Identifier: BSL-1.0
// ctnn beside ONNX Runtime and ncnn, whichever CMake found installed: nine networks, one process, bursts in turn, so
// that a slow phase of the machine meets all alike. ctnn runs them as loaded from files and, in the program
// bench_peers_types, as types too (from the headers that `ctnn header` writes).
// Usage: peers [--threads N] [--seconds S] [NETWORK...]   S: of measuring for each network and library (default 2)
//        peers --start ...      times the start instead: from files that were read before to the first output
//        peers --write FOLDER   the networks as FOLDER/NAME.onnx
// Prints p10 of the times of a run in microseconds, the best peer's time over ctnn's, and how far outputs are apart.
#include <ctnn/model.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <limits>
#include <thread>

#include "networks.hpp"
#include "peer.hpp"
#if defined(CTNN_WITH_ONNXRUNTIME)
#include "peer_onnxruntime.hpp"
#endif
#if defined(CTNN_WITH_NCNN)
#include "peer_ncnn.hpp"
#endif
#include "support/scratch_folder.hpp"

namespace ctnn::ir::test {

#if defined(CTNN_WITH_TYPES)
/// The network of that name as a type, in a unit that CMake wrote.
std::unique_ptr<peer> open_type(const network_files& files);
#endif

namespace {

class loaded_by_ctnn final : public peer {
 public:
  explicit loaded_by_ctnn(const network_files& files)
      : input_(files.input.begin(), files.input.end()), output_name_(files.network.output) {
    for (int d : files.network.in) shape_.push_back(d);
    load_options options;
    if (files.threads > 1) options.executor = std::make_shared<thread_pool>(files.threads);
    extractor_.emplace(model::load(files.onnx, options).extractor());
  }
  void run() override {
    extractor_->input("x", array::from_blob(shape_, input_));
    output_ = extractor_->extract(output_name_);
  }
  std::span<const float> output() const override { return output_.values(); }

 private:
  std::vector<float> input_;
  extents shape_;
  std::string output_name_;
  std::optional<extractor> extractor_;
  array output_;
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Seconds of a run, the mean of `runs` in a row.
double timed(peer& p, int runs) {
  const double begin = now();
  for (int i = 0; i < runs; ++i) p.run();
  return (now() - begin) / runs;
}

/// A tenth of all samples is faster.
double p10(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 10];
}

struct contender {
  std::string name;
  std::unique_ptr<peer> runs;
  int runs_a_sample = 1, samples_a_burst = 1;
  std::vector<double> samples{};
};

/// Each is opened and run once, in turn.
void measure_start(std::vector<contender>& all, const std::vector<library>& libraries, const network_files& files,
                   double seconds) {
  const double end = now() + seconds * static_cast<double>(all.size());
  for (int round = 0; round < 5 || now() < end; ++round)
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].runs.reset();
      const double begin = now();
      all[i].runs = libraries[i].open(files);
      all[i].runs->run();
      all[i].samples.push_back(now() - begin);
    }
}

/// Until the threads of who ran last sleep: some look out for work for 50 ms, on a core that the next one needs.
void rest() {
  using namespace std::chrono_literals;
  for (int i = 0; i < 200; ++i) {
    const std::clock_t begin = std::clock();
    std::this_thread::sleep_for(5ms);
    if (static_cast<double>(std::clock() - begin) < 1e-3 * CLOCKS_PER_SEC) return;
  }
}

/// Bursts of about 30 ms in turn.
void measure(std::vector<contender>& all, double seconds) {
  for (contender& c : all) {
    timed(*c.runs, 2);
    c.runs_a_sample = std::max(1, static_cast<int>(100e-6 / timed(*c.runs, 3)));
    c.samples_a_burst = std::max(3, static_cast<int>(0.03 / (timed(*c.runs, c.runs_a_sample) * c.runs_a_sample)));
  }
  const double end = now() + seconds * static_cast<double>(all.size());
  for (int round = 0; round < 5 || now() < end; ++round)
    for (contender& c : all) {
      rest();
      c.runs->run();
      for (int i = 0; i < c.samples_a_burst; ++i) c.samples.push_back(timed(*c.runs, c.runs_a_sample));
    }
}

/// The largest difference, over the largest number of `expected`.
double deviation(std::span<const float> got, std::span<const float> expected) {
  if (got.size() != expected.size()) return std::numeric_limits<double>::infinity();
  float furthest = 0, largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!(std::fabs(got[i]) < 1e30f)) return std::numeric_limits<double>::infinity();
    furthest = std::max(furthest, std::fabs(got[i] - expected[i]));
    largest = std::max(largest, std::fabs(expected[i]));
  }
  return static_cast<double>(furthest) / static_cast<double>(largest);
}

std::string cpu() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "an unnamed CPU";
}

struct options {
  int threads = 1;
  double seconds = 2;
  bool start = false;  ///< times the start, not runs
  std::vector<std::string> networks{};
  std::string folder{};  ///< to write the networks to, and no more
};

options read(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if ((word == "--threads" || word == "--seconds") && i + 1 < argc) {
      const double n = std::atof(argv[++i]);
      if (!(n > 0) || n > 1e4) throw std::runtime_error(word + " " + argv[i] + ": expected a number above 0");
      (word == "--threads" ? void(o.threads = std::max(1, static_cast<int>(n))) : void(o.seconds = n));
    } else if (word == "--write" && i + 1 < argc) {
      o.folder = argv[++i];
    } else if (word == "--start") {
      o.start = true;
    } else {
      o.networks.push_back(word);
    }
  }
  const auto known = benchmark_networks();
  for (const std::string& name : o.networks)
    if (std::none_of(known.begin(), known.end(), [&](const auto& n) { return name == n.first; }))
      throw std::runtime_error(name +
                               ": no such network; there are lenet5, dscnn_kws, resnet8, mobilenetv1_025, "
                               "autoencoder, mobilenetv2, squeezenet11, resnet18, resnet50");
  return o;
}

void write(const std::string& file, const std::string& content) {
  std::ofstream out(file, std::ios::binary);
  if (!out.write(content.data(), static_cast<std::streamsize>(content.size())).flush())
    throw std::runtime_error("cannot write " + file);
}

/// Networks as loaded and as types: how often each is as fast as the best peer, as sums of logarithms.
struct ratios {
  std::vector<double> logarithms;
  int networks = 0;
  bool alike = true;  ///< no output is further than 1e-4 of the largest from that of the loaded network
};

void compare(const written_network& network, const std::vector<library>& libraries, const options& o, ratios& sums) {
  const scratch_folder folder;
  std::vector<float> input(1);
  for (int d : network.in) input.resize(input.size() * static_cast<std::size_t>(d));
  std::minstd_rand random(7);
  std::uniform_real_distribution<float> any(-1, 1);
  for (float& v : input) v = any(random);
  const network_files files{network,
                            folder.file(network.name + ".onnx"),
                            folder.file(network.name + ".param"),
                            folder.file(network.name + ".bin"),
                            input,
                            o.threads};
  write(files.onnx, network.onnx);
  write(files.param, network.param);
  write(files.bin, network.bin);

  std::vector<contender> all;
  for (const library& l : libraries) all.push_back({l.name, l.open(files)});
  if (o.start)
    measure_start(all, libraries, files, o.seconds);
  else
    measure(all, o.seconds);
  double best = std::numeric_limits<double>::infinity(), furthest = 0;
  std::printf("%-16s", network.name.c_str());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double time = p10(all[i].samples);
    std::printf(" %20.1f", time * 1e6);
    if (!libraries[i].is_ctnn) best = std::min(best, time);
    furthest = std::max(furthest, deviation(all[i].runs->output(), all[0].runs->output()));
  }
  sums.logarithms.resize(all.size());
  for (std::size_t i = 0; i < all.size() && best < 1e9; ++i) {
    if (!libraries[i].is_ctnn) continue;
    const double ratio = best / p10(all[i].samples);
    std::printf(" %9.2f", ratio);
    sums.logarithms[i] += std::log(ratio);
  }
  if (all.size() > 1) std::printf(" %9.1e", furthest);
  std::puts("");
  ++sums.networks;
  sums.alike = sums.alike && furthest <= 1e-4;
}

std::vector<library> all_libraries() {
  std::vector<library> all{
      {"ctnn " + std::string(target_name(best_target())),
       [](const network_files& f) -> std::unique_ptr<peer> { return std::make_unique<loaded_by_ctnn>(f); }, true}};
#if defined(CTNN_WITH_TYPES)
  all.push_back({"ctnn, as a type", open_type, true});
#endif
#if defined(CTNN_WITH_ONNXRUNTIME)
  all.push_back(peer_onnxruntime::here());
#endif
#if defined(CTNN_WITH_NCNN)
  all.push_back(peer_ncnn::here());
#endif
  return all;
}

int run(const options& o) {
  if (!o.folder.empty()) {
    for (const auto& [name, make] : benchmark_networks()) write(o.folder + "/" + name + ".onnx", make().onnx);
    return 0;
  }
  const std::vector<library> libraries = all_libraries();
  const bool beside_peers =
      std::any_of(libraries.begin(), libraries.end(), [](const library& l) { return !l.is_ctnn; });
  if (!beside_peers) std::puts("no peers: CMake found neither ONNX Runtime nor ncnn");
  std::printf("%s, %d thread%s, p10 in us%s\n%-16s", cpu().c_str(), o.threads, o.threads > 1 ? "s" : "",
              o.start ? " of starting" : "", "network");
  for (const library& l : libraries) std::printf(" %20s", l.name.c_str());
  for (const library& l : libraries)
    if (l.is_ctnn && beside_peers) std::printf(" %9s", "ratio");
  if (libraries.size() > 1) std::printf(" %9s", "apart");
  std::puts("");
  ratios sums;
  for (const auto& [name, make] : benchmark_networks())
    if (o.networks.empty() || std::find(o.networks.begin(), o.networks.end(), name) != o.networks.end())
      compare(make(), libraries, o, sums);
  for (std::size_t i = 0; i < libraries.size() && beside_peers; ++i)
    if (libraries[i].is_ctnn)
      std::printf("%s: geometric mean of the ratios %.2f\n", libraries[i].name.c_str(),
                  std::exp(sums.logarithms[i] / sums.networks));
  if (!sums.alike) std::puts("WRONG: outputs are further apart than 1e-4 of the largest");
  return sums.alike ? 0 : 1;
}

}  // namespace
}  // namespace ctnn::ir::test

int main(int argc, char** argv) {
  try {
    return ctnn::ir::test::run(ctnn::ir::test::read(argc, argv));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
