// SPDX-License-Identifier: BSL-1.0
// Graphs to ncnn's files.
#define CTNN_UNIT CTNN_PART_NCNN_WRITER
#include "../formats/ncnn/write.hpp"
