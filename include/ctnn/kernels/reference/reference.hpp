// SPDX-License-Identifier: BSL-1.0
// reference::run(op, arguments) for every operator: plain loops over contiguous nchw data with weights as Op::weights()
// lists them, usable in constants. They define what the vector kernels must compute, fold constants, and run networks
// in the compiler. Clang counts evaluation steps (1,048,576 by default): a multiply-add costs about two.
#pragma once

#include "attention.hpp"
#include "convolution.hpp"
#include "elementwise.hpp"
#include "interpolate.hpp"
#include "linear.hpp"
#include "movement.hpp"
#include "normalization.hpp"
#include "pooling.hpp"
#include "recurrent.hpp"
#include "reduce.hpp"
#include "softmax.hpp"
