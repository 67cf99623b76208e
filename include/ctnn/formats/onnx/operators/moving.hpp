// SPDX-License-Identifier: BSL-1.0
// ONNX's operators that move elements, and those about shapes.
#pragma once

#include "../readers/movement.hpp"
#include "../readers/shape.hpp"

namespace ctnn::onnx {

namespace readers {

/// Sorted by name.
inline constexpr operator_entry moving[] = {
    {"CenterCropPad", center_crop_pad},
    {"Col2Im", col2im},
    {"Compress", compress},
    {"Concat", concat},
    {"Constant", constant},
    {"ConstantOfShape", constant_of_shape},
    {"DepthToSpace", depth_to_space},
    {"Expand", expand},
    {"EyeLike", eye_like},
    {"Flatten", flatten},
    {"Gather", gather},
    {"GatherElements", gather_elements},
    {"GatherND", gather_nd},
    {"NonZero", nonzero},
    {"OneHot", one_hot},
    {"Pad", pad},
    {"Range", range<>},
    {"Reshape", reshape},
    {"ReverseSequence", reverse_sequence},
    {"Scatter", scatter_elements},
    {"ScatterElements", scatter_elements},
    {"ScatterND", scatter_nd},
    {"Shape", shape},
    {"Size", size},
    {"Slice", slice},
    {"SpaceToDepth", space_to_depth},
    {"Split", split},
    {"Squeeze", squeeze},
    {"TensorScatter", tensor_scatter},
    {"Tile", tile},
    {"Transpose", transpose},
    {"Trilu", trilu},
    {"Unique", unique},
    {"Unsqueeze", unsqueeze},
};

}  // namespace readers

CTNN_ONCE const operator_entry* find_moving(std::string_view name) { return find_in(readers::moving, name); }

}  // namespace ctnn::onnx
