// SPDX-License-Identifier: BSL-1.0
// What operators' records point to: their shapes, costs and reference kernels.
#define CTNN_UNIT CTNN_PART_RECORDS
#include "../kernels/operator_code.hpp"  // before operators that compare their records
#include "../graph/operators.hpp"

namespace ctnn::ir {

#define CTNN_RECORD(name) template const operator_type type_of<op::name>;
CTNN_RECORD(input)
CTNN_OPERATORS(CTNN_RECORD)

}  // namespace ctnn::ir
