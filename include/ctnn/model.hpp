// SPDX-License-Identifier: BSL-1.0
// ctnn for models loaded from files: the hosted half, with heap, files and exceptions.
#pragma once

#include "ctnn.hpp"
#include "model/model.hpp"
