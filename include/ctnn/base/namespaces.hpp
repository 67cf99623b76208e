// SPDX-License-Identifier: BSL-1.0
// Whose words stand where. `ctnn` has what people say who declare, load and run networks; `ctnn::ir` the words in which
// operators, kernels and rules are written and graphs are planned. What is in between is written in both.
#pragma once

namespace ctnn::ir {}

/// The operators.
namespace ctnn::op {
using namespace ir;
}
/// The rewrite rules, by name.
namespace ctnn::rules {
using namespace ir;
}
/// Readers and writers, a namespace a format.
namespace ctnn::onnx {
using namespace ir;
}
namespace ctnn::tflite {
using namespace ir;
}
namespace ctnn::ncnn {
using namespace ir;
}
namespace ctnn::json {
using namespace ir;
}
namespace ctnn::nam {
using namespace ir;
}
namespace ctnn::rtneural {
using namespace ir;
}
namespace ctnn::cpp {
using namespace ir;
}
namespace ctnn::npy {
using namespace ir;
}
