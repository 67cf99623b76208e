// SPDX-License-Identifier: BSL-1.0
// Inputs of other shapes than a file says: the model makes itself a program for them.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <limits>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <ctnn/model.hpp>
#include <ctnn/model/packed_weights.hpp>
#include <ctnn/model/winograd_memory.hpp>
#include <ctnn/weights/packed.hpp>

#include "support/scratch_folder.hpp"
#include "synthetic.hpp"

using namespace ctnn;
using namespace ctnn::ir;

namespace {

const std::string convolutional =
    "7767517\n4 4\n"
    "Input       in   0 1 in 0=8 1=6 2=2\n"
    "Convolution conv 1 1 in a 0=5 1=3 4=1 5=1 6=90 9=1\n"
    "Pooling     pool 1 1 a b 0=0 1=2 2=2\n"
    "Softmax     soft 1 1 b out 0=0\n";

struct files {
  test::scratch_folder folder{};
  std::string param = folder.file("t.param"), bin = folder.file("t.bin");

  explicit files(const std::string& text) {
    const test::synthetic_weights weights(ncnn::parse_param(text));
    write_file(param, text);
    write_file(bin, {reinterpret_cast<const char*>(weights.bytes().data()), weights.bytes().size()});
  }
  model load(const load_options& options = {}) const { return model::load(param, bin, options); }
  std::string bin_bytes() const { return std::string(as_text(read_file(bin))); }
};

array image(const extents& shape) { return {shape, test::synthetic_input(static_cast<std::size_t>(shape.count()))}; }

std::vector<float> answer(extractor& run, const extents& shape) {
  run.input("in", image(shape));
  const array out = run.extract("out");
  return {out.values().begin(), out.values().end()};
}

}  // namespace

TEST_CASE("a new shape gives what a model loaded with that shape gives") {
  const files f(convolutional);
  const extents other{2, 11, 7};
  for (bool optimize : {false, true}) {
    const model m = f.load({.optimize = optimize});
    const model fixed = f.load({.optimize = optimize, .read = {.input_shapes = {{"in", other}}, .limits = {}}});
    extractor run = m.extractor(), expected = fixed.extractor();
    const auto first = answer(run, {2, 6, 8});
    CHECK(answer(run, other) == answer(expected, other));
    CHECK(run.extract("out").shape() == extents{5, 6, 4});
    CHECK(answer(run, {2, 6, 8}) == first);
    CHECK(m.graph().shape(0) == extents{2, 6, 8});
  }
}

TEST_CASE("a shape the layers do not admit is refused, and the extractor goes on") {
  const files f(convolutional);
  const model m = f.load();
  extractor run = m.extractor();
  CHECK_THROWS_WITH_AS(
      run.input("in", image({3, 6, 8})),
      "input 'in' of 3 x 6 x 8: t.param:4: layer 'conv' (Convolution): weight 'weight' has 90 numbers, "
      "expected 5 x 3 x 3 x 3",
      error);
  CHECK(answer(run, {2, 6, 8}).size() == 5 * 3 * 4);
  const model in_memory(ncnn::load(f.param, f.bin));
  extractor other = in_memory.extractor();
  CHECK_THROWS_WITH_AS(other.input("in", image({2, 4, 4})), "input 'in' is 2 x 6 x 8, got 2 x 4 x 4", error);
}

TEST_CASE("several inputs may change together") {
  const files f("7767517\n3 3\nInput in 0 1 in 0=4\nInput by 0 1 by 0=4\nBinaryOp sum 2 1 in by out 0=0\n");
  const model m = f.load();
  extractor run = m.extractor();
  run.input("in", {{3}, std::vector<float>{1, 2, 3}});
  CHECK_THROWS_AS(run.extract("out"), error);
  run.input("in", {{3}, std::vector<float>{1, 2, 3}});
  run.input("by", {{3}, std::vector<float>{10, 20, 30}});
  const array out = run.extract("out");
  CHECK(std::vector<float>(out.values().begin(), out.values().end()) == std::vector<float>{11, 22, 33});
}

TEST_CASE("programs are kept, the last used ones, and shared by threads") {
  const files f(convolutional);
  int read = 0;
  const auto network = [&](const extents& shape) {
    return ncnn::load(f.param, f.bin, {.input_shapes = {{"in", shape}}, .limits = {}});
  };
  const program one(network({2, 5, 5}), {});
  program_family family(ncnn::load(f.param, f.bin), {},
                        [&](const arrays_by_name& fed) {
                          ++read;
                          return network(fed.at("in").shape());
                        },
                        (one.bytes() - one.weights_bytes()) * 5 / 2);  // memory for two of them
  const auto at = [&](int size) { return family.at({{"in", array(extents{2, size, size})}}); };
  CHECK(family.at({{"in", array(extents{2, 6, 8})}}) == family.first());
  const auto four = at(4);
  at(5);
  CHECK(at(4) == four);
  CHECK(read == 2);
  at(6);  // 5 goes
  CHECK(at(4) == four);
  CHECK(read == 3);
  at(5);
  CHECK(read == 4);

  const model m = f.load({.reshaped_bytes = 1});
  std::vector<std::thread> threads;
  std::vector<std::vector<float>> got(4), want(4);
  for (int t = 0; t < 4; ++t) {
    const extents shape{2, 5 + t % 2, 9};
    const model alone = f.load();
    extractor run = alone.extractor();
    want[static_cast<std::size_t>(t)] = answer(run, shape);
    threads.emplace_back([&, t, shape] {
      for (int i = 0; i < 5; ++i) {
        extractor mine = m.extractor();
        got[static_cast<std::size_t>(t)] = answer(mine, shape);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(got == want);
}

TEST_CASE("makers of different shapes do not wait for each other, those of the same shape do") {
  const files f(convolutional);
  const auto network = [&](const extents& shape) {
    return ncnn::load(f.param, f.bin, {.input_shapes = {{"in", shape}}, .limits = {}});
  };
  std::promise<void> made;
  const std::shared_future<void> other = made.get_future().share();
  std::atomic<int> read = 0;
  std::atomic<bool> waited = false;
  program_family family("no shapes", {},
                        [&](const arrays_by_name& fed) {
                          ++read;
                          const extents& shape = fed.at("in").shape();
                          if (shape[1] == 5)
                            waited = other.wait_for(std::chrono::seconds(20)) != std::future_status::ready;
                          return network(shape);
                        },
                        std::size_t{1} << 20);
  const auto at = [&](int size) { return family.at({{"in", array(extents{2, size, size})}}); };
  std::shared_ptr<const program> fives[2];
  std::vector<std::thread> threads;
  for (auto& five : fives) threads.emplace_back([&] { five = at(5); });
  while (read == 0) std::this_thread::yield();
  const auto four = at(4);
  made.set_value();
  for (std::thread& t : threads) t.join();
  CHECK_FALSE(waited);
  CHECK(read == 2);
  CHECK(fives[0] == fives[1]);
  CHECK(four->weights_bytes() == 0);  // who came first has them, too
  CHECK(fives[0]->code(1).weights == four->code(1).weights);
}

TEST_CASE("who fails to make a program leaves it to those who wait") {
  const files f(convolutional);
  std::atomic<int> read = 0;
  program_family family("no shapes", {},
                        [&](const arrays_by_name&) -> loaded_model {
                          if (++read == 1) {
                            std::this_thread::sleep_for(std::chrono::milliseconds(50));
                            throw error("the first time");
                          }
                          return ncnn::load(f.param, f.bin);
                        },
                        0);
  const auto tries = [&] {
    const arrays_by_name fed{{"in", array(extents{2, 6, 8})}};
    return attempt([&] { return family.at(fed); });
  };
  bool made[2] = {};
  std::thread first([&] { made[0] = static_cast<bool>(tries()); });
  std::thread second([&] { made[1] = static_cast<bool>(tries()); });
  first.join();
  second.join();
  CHECK(made[0] != made[1]);
  CHECK(read == 2);
}

/// Counts what is read of it.
class counted_numbers final : public number_source {
 public:
  counted_numbers(shared_array numbers, int& reads) : numbers_(std::move(numbers)), reads_(reads) {}
  std::span<const std::byte> bytes(byte_buffer&) const override {
    ++reads_;
    return numbers_->bytes();
  }

 private:
  shared_array numbers_;
  int& reads_;
};

TEST_CASE("a new shape reads and packs no weight again") {
  const files f(convolutional);
  int reads = 0;
  std::map<std::string, std::shared_ptr<const number_source>, std::less<>> sources;
  const auto network = [&](const extents& shape) {
    loaded_model m = ncnn::load(f.param, f.bin, {.input_shapes = {{"in", shape}}, .limits = {}});
    for (auto& [name, numbers] : m.weights) {
      auto& from = sources[std::string(name.second)];
      if (!from) from = std::make_shared<counted_numbers>(numbers, reads);
      numbers = std::make_shared<const array>(numbers->shape(), numbers->type(), from);
    }
    return m;
  };
  const auto packed = std::make_shared<packed_weights>();
  const program first(network({2, 6, 8}), {}, packed);
  const int once = reads;
  CHECK(once > 0);
  const program second(network({2, 11, 7}), {}, packed);
  CHECK(reads == once);
  CHECK(second.weights_bytes() == 0);
  CHECK(second.code(1).weights == first.code(1).weights);
}

/// Gives a file other bytes without making another file of it.
void write_into(const std::string& path, const std::string& text) {
  const auto before = std::filesystem::last_write_time(path);
  write_file(path, text);
  std::filesystem::last_write_time(path, before + std::chrono::seconds(1));  // clocks of file systems may be coarse
}

/// Counts the parts that it runs, the last ones first.
struct counting_threads final : executor {
  int width() const override { return 4; }
  void run(int count, part_function part, void* work) override {
    for (int i = count; i-- > 0; ++parts) part(work, i);
  }
  int parts = 0;
};

/// 1.4 MB of weights.
const std::string large =
    "7767517\n4 4\n"
    "Input        in    0 1 in 0=8 1=6 2=2\n"
    "Convolution  conv  1 1 in a 0=5 1=3 4=1 5=1 6=90 9=1\n"
    "InnerProduct wide  1 1 a b 0=600 1=1 2=144000\n"
    "InnerProduct again 1 1 b out 0=500 1=1 2=300000\n";

TEST_CASE("weights are packed side by side, the same as one after the other") {
  const files f(large);
  extractor expected = f.load().extractor();
  const auto threads = std::make_shared<counting_threads>();
  for (const auto& executor :
       {std::shared_ptr<ctnn::executor>(threads), std::shared_ptr<ctnn::executor>(std::make_shared<thread_pool>(3))}) {
    const model m = f.load({.executor = executor});
    extractor run = m.extractor();
    run.set_executor({});
    CHECK(answer(run, {2, 6, 8}) == answer(expected, {2, 6, 8}));
  }
  CHECK(threads->parts == 6);  // weights and biases
  const auto idle = std::make_shared<counting_threads>();
  const files few(convolutional);
  CHECK_NOTHROW(few.load({.executor = idle}));
  CHECK(idle->parts == 0);
}

TEST_CASE("a weight that cannot be read is an error from whichever thread packs it") {
  const files f(large);
  loaded_model m = ncnn::load(f.param, f.bin, {});
  write_into(f.bin, "?");
  program_options options;
  options.executor = std::make_shared<thread_pool>(3);
  CHECK_THROWS_WITH_AS(program(std::move(m), options),
                       doctest::Contains("the file cannot be read or has changed since it was opened"), error);
}

TEST_CASE("a new shape needs no name of a file any more") {
  const files f(convolutional);
  const extents other{2, 11, 7};
  extractor expected = f.load().extractor();
  const auto want = answer(expected, other);
  SUBCASE("the files are gone") {
    const model m = f.load();
    std::filesystem::remove(f.param);
    std::filesystem::remove(f.bin);
    extractor run = m.extractor();
    CHECK(answer(run, {2, 6, 8}).size() == 5 * 3 * 4);
    CHECK(answer(run, other) == want);
  }
  SUBCASE("others have their names") {
    const model m = f.load();
    for (const std::string& name : {f.param, f.bin}) {
      write_file(f.folder.file("other"), "something else");
      std::filesystem::rename(f.folder.file("other"), name);
    }
    extractor run = m.extractor();
    CHECK(answer(run, other) == want);
  }
}

TEST_CASE("weights that have been written into are refused, and the extractor goes on") {
  const files f(convolutional);
  for (const std::size_t length : {std::size_t{0}, f.bin_bytes().size() / 2, f.bin_bytes().size()}) {
    const std::string before = f.bin_bytes();
    const model m = f.load();
    extractor run = m.extractor();
    const auto first = answer(run, {2, 6, 8});
    write_into(f.bin, std::string(length, '?'));
    CHECK_THROWS_WITH_AS(run.input("in", image({2, 4, 4})),
                         doctest::Contains("the file cannot be read or has changed since it was opened"), error);
    CHECK(answer(run, {2, 6, 8}) == first);
    write_into(f.bin, before);
  }
}

extents answer_shape(const model& m, const extents& shape) {
  extractor run = m.extractor();
  run.input("in", image(shape));
  return run.extract("out").shape();
}

TEST_CASE("a file that says no shape waits for its inputs") {
  std::string text = convolutional;
  text.replace(text.find(" 0=8 1=6 2=2"), 12, "");
  const files f(text), whole(convolutional);
  const model m = f.load();
  CHECK_THROWS_AS(m.graph(), error);
  const model expected = whole.load();
  for (const extents& shape : {extents{2, 6, 8}, extents{2, 3, 4}}) {
    extractor run = m.extractor(), other = expected.extractor();
    run.set_light_mode(false);
    CHECK(answer(run, shape) == answer(other, shape));
    CHECK(answer(run, {2, 4, 4}) == answer(other, {2, 4, 4}));
  }
  extractor run = m.extractor();
  CHECK_THROWS_WITH_AS(run.extract("out"), "input 'in' has not been given", error);
  run.input(0, image({2, 6, 8}));
  CHECK(run.extract("out").shape() == answer_shape(whole.load(), {2, 6, 8}));
  write_file(f.param, "7767517\n2 2\nInput in 0 1 in\nNoSuchLayer x 1 1 in out\n");
  CHECK_THROWS_WITH_AS(f.load(),
                       "t.param: not supported: Input: a shape that is neither in the file nor given in 'in' (line 3); "
                       "NoSuchLayer in 'x' (line 4)",
                       error);
}

TEST_CASE("programs for other shapes read the weights of the first") {
  const files f(convolutional);
  const auto network = [&](const extents& shape) {
    return ncnn::load(f.param, f.bin, {.input_shapes = {{"in", shape}}, .limits = {}});
  };
  const auto packed = std::make_shared<packed_weights>();
  auto first = std::make_unique<program>(network({2, 6, 8}), program_options{}, packed);
  const std::size_t all = first->weights_bytes();
  CHECK(all >= (90 + 5) * sizeof(float));
  auto second = std::make_unique<program>(network({2, 11, 7}), program_options{}, packed);
  const program third(network({2, 5, 5}), program_options{}, packed);
  CHECK(second->weights_bytes() == 0);
  CHECK(third.weights_bytes() == 0);
  const auto weights = [](const program& p) {
    std::vector<const float*> all_of_them;
    for (std::size_t n = 0; n < p.g().nodes.size(); ++n)
      for (const float* w : p.code(static_cast<int>(n)).weights) all_of_them.push_back(w);
    return all_of_them;
  };
  CHECK(!weights(third).empty());
  CHECK(weights(third) == weights(*first));
  const float before = *weights(third)[0];
  first.reset();
  second.reset();
  CHECK(*weights(third)[0] == before);  // what is read stays
  const program other(network({2, 6, 8}), program_options{.optimize = false}, packed);
  CHECK(other.weights_bytes() == 0);
  const program zeros(ncnn::load(f.param, "", {.input_shapes = {{"in", {2, 6, 8}}}, .limits = {}}), {}, packed);
  CHECK(zeros.weights_bytes() == all);
}

TEST_CASE("Winograd's weights take no more memory than they may, and the layers that gain the most go first") {
  const files f(
      "7767517\n6 6\n"
      "Input        in    0 1 in 0=40 1=40 2=32\n"
      "Convolution  large 1 1 in a 0=32 1=3 4=1 5=1 6=9216\n"
      "Pooling      pool  1 1 a b 0=0 1=2 2=2\n"
      "Convolution  small 1 1 b c 0=64 1=3 4=1 5=1 6=18432\n"
      "Pooling      mean  1 1 c d 0=1 4=1\n"
      "InnerProduct fc    1 1 d out 0=10 1=1 2=640\n");
  const auto packed = [](const graph_view& g) {
    std::vector<std::string_view> names;
    for (const node& n : g.nodes)
      if (packed_winograd_size(g, n) > 0) names.push_back(n.name);
    return names;
  };
  constexpr double unlimited = std::numeric_limits<double>::infinity();
  const model all = f.load({.winograd_growth = unlimited}), none = f.load({.exact_convolutions = true});
  const double direct = static_cast<double>(packed_total(none.graph()));
  CHECK(packed(all.graph()) == std::vector<std::string_view>{"large", "small"});
  CHECK(static_cast<double>(packed_total(all.graph())) > 3.5 * direct);
  extractor exact = none.extractor();
  const std::vector<float> wanted = answer(exact, {32, 40, 40});
  using names = std::vector<std::string_view>;
  for (const auto& [limit, left] : {std::pair(0.0, names{}), std::pair(0.9, names{}), std::pair(1.2, names{"large"}),
                                     std::pair(3.1, names{"large", "small"})}) {
    const double growth = limit;
    CAPTURE(growth);
    ir::graph g = thaw(all.graph());
    limit_winograd(g, growth, 0);
    CHECK(packed(g.view()) == left);
    CHECK(static_cast<double>(packed_total(g.view())) <= (1 + growth) * direct);
  }
  // Small networks may have more, and none need have any: the transforms that are not packed are made in each run.
  for (const double growth : {0.0, 0.08}) {
    CAPTURE(growth);
    const model m = f.load({.winograd_growth = growth});
    CHECK(packed(m.graph()).empty() == (growth == 0));
    for (const node& n : m.graph().nodes)
      if (n.name == "large" || n.name == "small") CHECK(winograd_size(m.graph(), n) > 0);
    extractor run = m.extractor();
    const std::vector<float> now = answer(run, {32, 40, 40});
    CHECK(now != wanted);
    for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(now[i] == doctest::Approx(wanted[i]).epsilon(1e-4));
  }
}
TEST_CASE("Without a word from the user a model takes at most a tenth more than its file's weights") {
  const files f(
      "7767517\n4 4\n"
      "Input        in    0 1 in 0=24 1=24 2=512\n"
      "Convolution  wide  1 1 in a 0=512 1=3 4=1 5=1 6=2359296\n"
      "Convolution  again 1 1 a b 0=512 1=3 4=1 5=1 6=2359296\n"
      "Pooling      mean  1 1 b out 0=1 4=1\n");
  const auto numbers = [&](const load_options& o) { return static_cast<double>(packed_total(f.load(o).graph())); };
  const double direct = numbers({.exact_convolutions = true});
  CHECK(numbers({}) <= 1.1 * direct);
  CHECK(numbers({.winograd_growth = std::numeric_limits<double>::infinity()}) > 2 * direct);
}
