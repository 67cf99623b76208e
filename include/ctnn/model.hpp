// SPDX-License-Identifier: BSL-1.0
// ctnn for models loaded from files: the hosted half, with heap, files and exceptions. Networks declared as
// types are ctnn.hpp's.
#pragma once

#include "base/compiler.hpp"
#include "model/model.hpp"
#include "version.h"
