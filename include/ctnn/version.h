/* SPDX-License-Identifier: BSL-1.0 */
/* Which ctnn this is, for C, C++ and the preprocessor. CMake and Meson read the three numbers here, one a line. */
#pragma once

#define CTNN_VERSION_MAJOR 0
#define CTNN_VERSION_MINOR 1
#define CTNN_VERSION_PATCH 0

/* 10203 is 1.2.3, to be compared by #if. */
#define CTNN_VERSION (CTNN_VERSION_MAJOR * 10000 + CTNN_VERSION_MINOR * 100 + CTNN_VERSION_PATCH)

/* "1.2.3" */
#define CTNN_VERSION_TEXT_OF(number) #number
#define CTNN_VERSION_TEXT(major, minor, patch) \
  CTNN_VERSION_TEXT_OF(major) "." CTNN_VERSION_TEXT_OF(minor) "." CTNN_VERSION_TEXT_OF(patch)
#define CTNN_VERSION_STRING CTNN_VERSION_TEXT(CTNN_VERSION_MAJOR, CTNN_VERSION_MINOR, CTNN_VERSION_PATCH)
