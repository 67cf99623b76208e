// SPDX-License-Identifier: BSL-1.0
// Files in JSON to graphs: Neural Amp Modeler's and RTNeural's.
#define CTNN_UNIT CTNN_PART_JSON
#include "../formats/json/load.hpp"
