// SPDX-License-Identifier: BSL-1.0
// TensorFlow Lite's files to graphs.
#define CTNN_UNIT CTNN_PART_TFLITE
#include "../formats/tflite/load.hpp"
