// SPDX-License-Identifier: BSL-1.0
// A user's program: FOLDER's models (tiny.py wrote them) give the same answer from both formats, with what this program
// was built with: inputs, weights and rules as files have them, on this machine.
#include <ctnn/model.hpp>
#include <cstdio>
#include <string>
#include <vector>

int main(int count, char** arguments) {
  const std::string folder = std::string(count > 1 ? arguments[1] : ".") + "/";
  std::vector<float> image;
  for (int i = 0; i < 16; ++i) image.push_back(static_cast<float>(i) / 8 - 1);
  const std::vector<float> expected{0.22265625, -0.37890625, -2.66796875};

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
#if defined(CTNN_READS_ONNX)
    check("onnx", ctnn::model::load(folder + "tiny.onnx", options), ctnn::array({1, 1, 4, 4}, image));
#endif
  }
  return wrong;
}
