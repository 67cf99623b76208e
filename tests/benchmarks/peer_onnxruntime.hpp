// SPDX-License-Identifier: BSL-1.0
// ONNX Runtime by its C interface, with all optimisations and its own memory bound once.
#pragma once

#include <onnxruntime_c_api.h>

#include <stdexcept>
#include <vector>

#include "peer.hpp"

namespace ctnn::ir::test {

class peer_onnxruntime final : public peer {
 public:
  static library here() {
    return {std::string("ONNX Runtime ") + OrtGetApiBase()->GetVersionString(),
            [](const network_files& f) -> std::unique_ptr<peer> { return std::make_unique<peer_onnxruntime>(f); }};
  }

  explicit peer_onnxruntime(const network_files& files)
      : input_(files.input.begin(), files.input.end()), output_(extent(files.network.out)) {
    OrtSessionOptions* options = nullptr;
    check(api().CreateEnv(ORT_LOGGING_LEVEL_ERROR, "ctnn", &environment_));
    check(api().CreateSessionOptions(&options));
    check(api().SetIntraOpNumThreads(options, files.threads));
    check(api().SetInterOpNumThreads(options, 1));
    check(api().SetSessionGraphOptimizationLevel(options, ORT_ENABLE_ALL));
    check(api().CreateSession(environment_, files.onnx.c_str(), options, &session_));
    api().ReleaseSessionOptions(options);
    check(api().CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory_));
    in_ = bind(input_, files.network.in);
    out_ = bind(output_, files.network.out);
    OrtAllocator* allocator = nullptr;
    check(api().GetAllocatorWithDefaultOptions(&allocator));
    char *in = nullptr, *out = nullptr;
    check(api().SessionGetInputName(session_, 0, allocator, &in));
    check(api().SessionGetOutputName(session_, 0, allocator, &out));
    in_name_ = in, out_name_ = out;
    check(api().AllocatorFree(allocator, in));
    check(api().AllocatorFree(allocator, out));
  }
  ~peer_onnxruntime() override {
    api().ReleaseValue(in_);
    api().ReleaseValue(out_);
    api().ReleaseMemoryInfo(memory_);
    api().ReleaseSession(session_);
    api().ReleaseEnv(environment_);
  }
  peer_onnxruntime(const peer_onnxruntime&) = delete;
  peer_onnxruntime& operator=(const peer_onnxruntime&) = delete;

  void run() override {
    const char *in = in_name_.c_str(), *out = out_name_.c_str();
    check(api().Run(session_, nullptr, &in, &in_, 1, &out, 1, &out_));
  }
  std::span<const float> output() const override { return output_; }

 private:
  /// The interface of the header's version, or an error that says that the library is older.
  static const OrtApi& api() {
    static const OrtApi* const found = OrtGetApiBase()->GetApi(ORT_API_VERSION);
    if (!found) throw std::runtime_error("ONNX Runtime's library is older than its header");
    return *found;
  }
  static void check(OrtStatus* failed) {
    if (failed) throw std::runtime_error(api().GetErrorMessage(failed));
  }
  static std::size_t extent(const std::vector<int>& shape) {
    std::size_t n = 1;
    for (int d : shape) n *= static_cast<std::size_t>(d);
    return n;
  }
  OrtValue* bind(std::vector<float>& numbers, const std::vector<int>& shape) const {
    const std::vector<std::int64_t> dims(shape.begin(), shape.end());
    OrtValue* v = nullptr;
    check(api().CreateTensorWithDataAsOrtValue(memory_, numbers.data(), numbers.size() * sizeof(float), dims.data(),
                                               dims.size(), ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &v));
    return v;
  }

  std::vector<float> input_, output_;
  OrtEnv* environment_ = nullptr;
  OrtSession* session_ = nullptr;
  OrtMemoryInfo* memory_ = nullptr;
  OrtValue *in_ = nullptr, *out_ = nullptr;
  std::string in_name_, out_name_;
};

}  // namespace ctnn::ir::test
