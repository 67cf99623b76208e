// SPDX-License-Identifier: BSL-1.0
// ctnn for models loaded from files, and made of networks of types (to_model): the hosted half, with heap, files and
// exceptions. Networks declared as types are ctnn.hpp's.
#pragma once

#include "base/compiler.hpp"
#include "model/model.hpp"
#include "model/to_model.hpp"
#include "version.h"
