// SPDX-License-Identifier: BSL-1.0
// ncnn's files to graphs.
#define CTNN_UNIT CTNN_PART_NCNN_READER
#include "../formats/ncnn/load.hpp"
