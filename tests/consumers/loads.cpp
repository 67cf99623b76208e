// SPDX-License-Identifier: BSL-1.0
// A user's program: FOLDER's models (tiny.py wrote them) give the same answer from both formats, with what this program
// was built with: inputs, weights and rules as files have them, on this machine. An LSTM gives what its definition
// does.
#include <cmath>
#include <ctnn/model.hpp>
#include <cstdio>
#include <string>
#include <vector>

int main(int count, char** arguments) {
  const std::string folder = std::string(count > 1 ? arguments[1] : ".") + "/";
  std::vector<float> image;
  for (int i = 0; i < 16; ++i) image.push_back(static_cast<float>(i) / 8 - 1);
  const std::vector<float> expected{0.22265625, -0.37890625, -2.66796875};
  std::vector<float> steps;  // 5 of 4 numbers
  for (int t = 0; t < 5; ++t)
    for (int i = 0; i < 4; ++i) steps.push_back(static_cast<float>((3 * t + 5 * i) % 11) / 8 - 0.625f);
  const float states[]{0.2069424f, -0.1423165f, 0.0563927f,  0.0628028f,  -0.2289468f,
                       0.0110977f, -0.013015f,  -0.0110815f, 0.0868371f,  0.0912968f,
                       0.0074409f, -0.0813758f, -0.0073711f, -0.0844822f, -0.0708628f};

  int wrong = 0;
  for (const ctnn::target_id target : ctnn::supported_targets()) {
    const ctnn::load_options options{.target = target};
    const auto check = [&](const char* format, const ctnn::model& m, ctnn::array input) {
      auto run = m.extractor();
      run.input("image", std::move(input));
      const ctnn::array scores = run.extract("scores");
      const auto got = scores.elements<float>();
      const bool right = std::vector<float>(got.begin(), got.end()) == expected;
      std::printf("%s, %s: %s\n", format, ctnn::target_name(target).data(), right ? "right" : "WRONG");
      wrong += !right;
    };
    check("ncnn", ctnn::model::load(folder + "tiny.param", folder + "tiny.bin", options),
          ctnn::array({1, 4, 4}, image));
    const auto lstm = ctnn::model::load(folder + "steps.param", folder + "steps.bin", options);
    auto run = lstm.extractor();
    run.input("x", ctnn::array({5, 4}, steps));
    const ctnn::array y = run.extract("y");
    bool close = y.elements<float>().size() == std::size(states);
    for (std::size_t i = 0; close && i < std::size(states); ++i)
      close = std::abs(y.elements<float>()[i] - states[i]) < 1e-6f;
    std::printf("an LSTM of half precision, %s: %s\n", ctnn::target_name(target).data(), close ? "right" : "WRONG");
    wrong += !close;
#if defined(CTNN_READS_ONNX)
    check("onnx", ctnn::model::load(folder + "tiny.onnx", options), ctnn::array({1, 1, 4, 4}, image));
#endif
  }
  return wrong;
}
