/* SPDX-License-Identifier: BSL-1.0 */
/* Models loaded from files, for C and for languages that call C: libctnn (CMake: CTNN_C_LIBRARY, Meson: libctnn).
 *
 *   ctnn_model* model;
 *   ctnn_extractor* run;
 *   ctnn_array* prob;
 *   if (ctnn_load("squeezenet.onnx", NULL, &model) || ctnn_extractor_create(model, &run) ||
 *       ctnn_feed(run, "data", CTNN_F32, 4, shape, pixels, sizeof pixels) || ctnn_extract(run, "prob", &prob))
 *     show(ctnn_last_error());
 *
 * Functions that can fail return CTNN_OK, which is 0, or what was wrong, and write nothing through their last pointer
 * then; ctnn_last_error() has the sentence. No exception leaves them. One model serves any number of threads, an
 * extractor one at a time; what is destroyed may be null. Arrays are row-major, outermost axis first, without gaps. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "version.h"

#if defined(_WIN32) && defined(CTNN_C_BUILDS)
#define CTNN_C_API __declspec(dllexport)
#elif defined(__GNUC__)
#define CTNN_C_API __attribute__((visibility("default")))
#else
#define CTNN_C_API
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/* The library that is linked, "1.2.3"; CTNN_VERSION_STRING is that of this header. */
CTNN_C_API const char* ctnn_version(void);

typedef enum ctnn_status {
  CTNN_OK = 0,
  CTNN_BAD_INPUT = 1, /* of a file, a shape, an element type, a name */
  CTNN_BAD_CALL = 2,  /* a null pointer, an index out of range */
  CTNN_OUT_OF_MEMORY = 3
} ctnn_status;

/* What the last call of this thread that failed was about: valid until the next one fails; never null. */
CTNN_C_API const char* ctnn_last_error(void);

typedef enum ctnn_type {
  CTNN_F32 = 1,
  CTNN_F64,
  CTNN_F16,
  CTNN_BF16,
  CTNN_I8,
  CTNN_I16,
  CTNN_I32,
  CTNN_I64,
  CTNN_U8,
  CTNN_U16,
  CTNN_U32,
  CTNN_U64,
  CTNN_BOOL /* a byte, 0 or 1 */
} ctnn_type;
/* Bytes of an element; 0 for no type. */
CTNN_C_API size_t ctnn_type_size(ctnn_type type);

#define CTNN_MAX_RANK 10

/* An input or output. */
typedef struct ctnn_value {
  const char* name; /* lives as long as the model */
  ctnn_type type;
  int rank;                       /* -1 if the file does not say */
  int64_t extents[CTNN_MAX_RANK]; /* -1 is open: what is fed decides */
} ctnn_value;

typedef struct ctnn_options ctnn_options;
typedef struct ctnn_model ctnn_model;
typedef struct ctnn_extractor ctnn_extractor;
typedef struct ctnn_array ctnn_array;

/* How to load; NULL takes what ctnn_options_create() sets. */
CTNN_C_API ctnn_status ctnn_options_create(ctnn_options** out);
CTNN_C_API void ctnn_options_destroy(ctnn_options* options);
/* For large layers, 1 to 1024 (1). Answers are the same bits. */
CTNN_C_API ctnn_status ctnn_options_threads(ctnn_options* options, int threads);
/* Whether to rewrite the network (1). */
CTNN_C_API ctnn_status ctnn_options_optimize(ctnn_options* options, int yes);
/* Whether an ONNX model's weights may be in other files of its folder (0). */
CTNN_C_API ctnn_status ctnn_options_external_data(ctnn_options* options, int yes);
/* Whether convolutions add product by product, without Winograd's filtering (0). */
CTNN_C_API ctnn_status ctnn_options_exact_convolutions(ctnn_options* options, int yes);
/* Whether Winograd's filtering takes no more memory than the network needs layer by layer (0). */
CTNN_C_API ctnn_status ctnn_options_arena_first(ctnn_options* options, int yes);
/* The shape of an input that the file leaves open. */
CTNN_C_API ctnn_status ctnn_options_shape(ctnn_options* options, const char* input, int rank, const int64_t* extents);

/* x.onnx, or x.param with its weights in x.bin beside it. */
CTNN_C_API ctnn_status ctnn_load(const char* path, const ctnn_options* options, ctnn_model** out);
/* An ncnn model; without `bin` all weights are zeros. */
CTNN_C_API ctnn_status ctnn_load_ncnn(const char* param, const char* bin, const ctnn_options* options,
                                      ctnn_model** out);
/* The same from memory, which need not live any longer. */
CTNN_C_API ctnn_status ctnn_load_onnx_bytes(const void* bytes, size_t size, const ctnn_options* options,
                                            ctnn_model** out);
CTNN_C_API ctnn_status ctnn_load_ncnn_bytes(const char* param, size_t param_size, const void* bin, size_t bin_size,
                                            const ctnn_options* options, ctnn_model** out);
/* Extractors of the model may live longer. */
CTNN_C_API void ctnn_model_destroy(ctnn_model* model);

/* In the order of the file; inputs that the file has numbers for are not among them. */
CTNN_C_API size_t ctnn_input_count(const ctnn_model* model);
CTNN_C_API size_t ctnn_output_count(const ctnn_model* model);
CTNN_C_API ctnn_status ctnn_input(const ctnn_model* model, size_t index, ctnn_value* out);
CTNN_C_API ctnn_status ctnn_output(const ctnn_model* model, size_t index, ctnn_value* out);

/* One inference at a time: feed inputs, then extract values; feeding again starts over. What a network carries from run
 * to run is the extractor's own: it needs all inputs fed before the first ctnn_extract(). */
CTNN_C_API ctnn_status ctnn_extractor_create(const ctnn_model* model, ctnn_extractor** out);
CTNN_C_API void ctnn_extractor_destroy(ctnn_extractor* extractor);
/* `bytes` is the size of the numbers, which are copied: the product of the extents and of the element's size. */
CTNN_C_API ctnn_status ctnn_feed(ctnn_extractor* extractor, const char* name, ctnn_type type, int rank,
                                 const int64_t* extents, const void* numbers, size_t bytes);
/* The same without a copy: the numbers, aligned as their type, stay where they are and as they are until the input is
 * fed again or the extractor destroyed. (Booleans are copied.) */
CTNN_C_API ctnn_status ctnn_lend(ctnn_extractor* extractor, const char* name, ctnn_type type, int rank,
                                 const int64_t* extents, const void* numbers, size_t bytes);
/* What is carried from run to run is again what it is before the first run. */
CTNN_C_API ctnn_status ctnn_reset(ctnn_extractor* extractor);
/* An output, or any other value that is still there, computing what it needs. */
CTNN_C_API ctnn_status ctnn_extract(ctnn_extractor* extractor, const char* name, ctnn_array** out);
/* Several of them into `out`, which has room for `count`: what they need is computed once. */
CTNN_C_API ctnn_status ctnn_extract_all(ctnn_extractor* extractor, size_t count, const char* const* names,
                                        ctnn_array** out);

CTNN_C_API void ctnn_array_destroy(ctnn_array* array);
CTNN_C_API ctnn_type ctnn_array_type(const ctnn_array* array);
CTNN_C_API int ctnn_array_rank(const ctnn_array* array);
/* As many as the rank says. */
CTNN_C_API const int64_t* ctnn_array_extents(const ctnn_array* array);
CTNN_C_API const void* ctnn_array_numbers(const ctnn_array* array);
CTNN_C_API size_t ctnn_array_bytes(const ctnn_array* array);

#if defined(__cplusplus)
}
#endif
