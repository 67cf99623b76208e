// SPDX-License-Identifier: BSL-1.0
// ncnn in 32 bits, with its pools of memory: what its own benchmark does.
#pragma once

#include <net.h>

#include <stdexcept>
#include <vector>

#include "peer.hpp"

namespace ctnn::ir::test {

class peer_ncnn final : public peer {
 public:
  static library here() {
    return {"ncnn " NCNN_VERSION_STRING,
            [](const network_files& f) -> std::unique_ptr<peer> { return std::make_unique<peer_ncnn>(f); }};
  }

  explicit peer_ncnn(const network_files& files) : out_name_(files.network.output) {
    net_.opt.num_threads = files.threads;
    net_.opt.lightmode = true;
    net_.opt.blob_allocator = &blobs_;
    net_.opt.workspace_allocator = &work_;
    net_.opt.use_fp16_packed = net_.opt.use_fp16_storage = net_.opt.use_fp16_arithmetic = false;
    net_.opt.use_bf16_packed = net_.opt.use_bf16_storage = false;
    if (net_.load_param(files.param.c_str()) != 0 || net_.load_model(files.bin.c_str()) != 0)
      throw std::runtime_error("ncnn does not load " + files.param);
    const std::vector<int>& shape = files.network.in;
    const auto count = static_cast<int>(files.input.size());
    // ncnn may leave room between channels: reshape() copies where it does.
    const ::ncnn::Mat flat(count, const_cast<float*>(files.input.data()));
    in_ = shape.size() == 4 ? flat.reshape(shape[3], shape[2], shape[1]).clone() : flat.clone();
  }

  void run() override {
    ::ncnn::Extractor ex = net_.create_extractor();
    if (ex.input("x", in_) != 0 || ex.extract(out_name_.c_str(), out_) != 0) throw std::runtime_error("ncnn fails");
  }
  std::span<const float> output() const override {
    flat_ = out_.reshape(out_.w * out_.h * out_.d * out_.c);
    return {static_cast<const float*>(flat_.data), static_cast<std::size_t>(flat_.w)};
  }

 private:
  ::ncnn::UnlockedPoolAllocator blobs_;
  ::ncnn::PoolAllocator work_;
  ::ncnn::Net net_;
  ::ncnn::Mat in_, out_;
  mutable ::ncnn::Mat flat_;
  std::string out_name_;
};

}  // namespace ctnn::ir::test
