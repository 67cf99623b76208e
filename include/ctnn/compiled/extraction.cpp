// SPDX-License-Identifier: BSL-1.0
// Extractors, which run models, and threads.
#define CTNN_UNIT CTNN_PART_EXTRACTION
#include "../model/extractor.hpp"
#include "../model/thread_pool.hpp"
