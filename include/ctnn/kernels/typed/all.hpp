// SPDX-License-Identifier: BSL-1.0
// Every operator and its kernel for any element type.
#pragma once

#include "attention.hpp"
#include "by_reference.hpp"
#include "counting.hpp"
#include "detection.hpp"
#include "elementwise.hpp"
#include "indexing.hpp"
#include "matrix.hpp"
#include "movement.hpp"
#include "pairwise.hpp"
#include "pointwise.hpp"
#include "quantized.hpp"
#include "recurrent.hpp"
#include "reduction.hpp"
#include "run.hpp"
#include "sampling.hpp"
#include "signal.hpp"
#include "statistics.hpp"
#include "widened.hpp"
#include "windows.hpp"
