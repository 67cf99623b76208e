/* SPDX-License-Identifier: BSL-1.0 */
/* ctnn.h from C: models from files and from memory, what they say of themselves, running, and what is refused how. */
#include <ctnn/ctnn.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int checks = 0;
#define CHECK(condition)                                                                      \
  do {                                                                                        \
    ++checks;                                                                                 \
    if (!(condition)) {                                                                       \
      printf("%s:%d: %s\nlast error: %s\n", __FILE__, __LINE__, #condition, ctnn_last_error()); \
      exit(1);                                                                                \
    }                                                                                         \
  } while (0)
#define SAYS(text) CHECK(strstr(ctnn_last_error(), text) != NULL)

static const char fixed[] = "7767517\n2 2\nInput in 0 1 x 0=2 1=3\nInnerProduct fc 1 1 x y 0=2 1=1 2=12\n";
static const char unsized[] = "7767517\n2 2\nInput in 0 1 x\nScale s 1 1 x y 0=2 1=1\n";
/* A tag, 2 x 6 weights and two biases. */
static const float weights[15] = {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 10, 20};
static const float scales[4] = {2, 3, 10, 20};
static const float numbers[6] = {1, 2, 3, 4, 5, 6};
static const int64_t three_by_two[2] = {3, 2};

/* y = x * w of floats n x 2 and z = not c of two truths, in ONNX's protocol buffer. */
static const unsigned char onnx[] = {
    8, 8, 58, 130, 1, 10, 16, 10, 1, 'x', 10, 1, 'w', 18, 1, 'y', 26, 0, 34, 3, 'M', 'u', 'l', 10, 13, 10, 1, 'c',
    18, 1, 'z', 26, 0, 34, 3, 'N', 'o', 't', 42, 17, 8, 2, 16, 1, 'B', 1, 'w', 'J', 8, 0, 0, 64, 64, 0, 0, 160, 64,
    'Z', 20, 10, 1, 'x', 18, 15, 10, 13, 8, 1, 18, 9, 10, 3, 18, 1, 'n', 10, 2, 8, 2, 'Z', 15, 10, 1, 'c', 18, 10,
    10, 8, 8, 9, 18, 4, 10, 2, 8, 2, 'b', 20, 10, 1, 'y', 18, 15, 10, 13, 8, 1, 18, 9, 10, 3, 18, 1, 'n', 10, 2, 8,
    2, 'b', 15, 10, 1, 'z', 18, 10, 10, 8, 8, 9, 18, 4, 10, 2, 8, 2, 'B', 4, 10, 0, 16, 13};

static void write_file(const char* path, const void* bytes, size_t size) {
  FILE* out = fopen(path, "wb");
  CHECK(out && fwrite(bytes, 1, size, out) == size && fclose(out) == 0);
}

static void run_fixed(ctnn_model* model) {
  ctnn_value v;
  CHECK(ctnn_input_count(model) == 1 && ctnn_output_count(model) == 1);
  CHECK(ctnn_input(model, 0, &v) == CTNN_OK);
  CHECK(strcmp(v.name, "x") == 0 && v.type == CTNN_F32 && v.rank == 2 && v.extents[0] == 3 && v.extents[1] == 2);
  CHECK(ctnn_output(model, 0, &v) == CTNN_OK);
  CHECK(strcmp(v.name, "y") == 0 && v.type == CTNN_F32 && v.rank == 1 && v.extents[0] == 2);
  CHECK(ctnn_output(model, 1, &v) == CTNN_BAD_CALL);
  SAYS("index");

  ctnn_extractor* run;
  ctnn_array* y = NULL;
  CHECK(ctnn_extractor_create(model, &run) == CTNN_OK);
  CHECK(ctnn_extract(run, "y", &y) == CTNN_BAD_INPUT && y == NULL);
  SAYS("'x' has not been given");
  CHECK(ctnn_feed(run, "x", CTNN_F32, 2, three_by_two, numbers, sizeof numbers) == CTNN_OK);
  ctnn_model_destroy(model); /* the extractor keeps what it needs */
  CHECK(ctnn_extract(run, "y", &y) == CTNN_OK);
  CHECK(ctnn_array_type(y) == CTNN_F32 && ctnn_array_rank(y) == 1 && ctnn_array_extents(y)[0] == 2);
  CHECK(ctnn_array_bytes(y) == 2 * sizeof(float));
  CHECK(((const float*)ctnn_array_numbers(y))[0] == 11 && ((const float*)ctnn_array_numbers(y))[1] == 26);
  ctnn_array_destroy(y);
  float lent[6] = {1, 2, 3, 4, 5, 6};
  CHECK(ctnn_lend(run, "x", CTNN_F32, 2, three_by_two, lent, 20) == CTNN_BAD_CALL);
  CHECK(ctnn_lend(run, "x", CTNN_F32, 2, three_by_two, NULL, sizeof lent) == CTNN_BAD_CALL);
  lent[0] = 3; /* they are read where they are */
  lent[5] = 8;
  CHECK(ctnn_lend(run, "x", CTNN_F32, 2, three_by_two, lent, sizeof lent) == CTNN_OK);
  CHECK(ctnn_extract(run, "y", &y) == CTNN_OK);
  CHECK(((const float*)ctnn_array_numbers(y))[0] == 13 && ((const float*)ctnn_array_numbers(y))[1] == 28);
  ctnn_array_destroy(y);
  CHECK(ctnn_feed(run, "z", CTNN_F32, 2, three_by_two, numbers, sizeof numbers) == CTNN_BAD_INPUT);
  SAYS("no value called 'z'");
  CHECK(ctnn_feed(run, "x", CTNN_I32, 2, three_by_two, numbers, sizeof numbers) == CTNN_BAD_INPUT);
  SAYS("is f32, got i32");
  CHECK(ctnn_feed(run, "x", CTNN_F32, 2, three_by_two, numbers, 20) == CTNN_BAD_CALL);
  const int64_t huge[3] = {2147483647, 2147483647, 2147483647}, none[3] = {2147483647, 0, 2147483647};
  CHECK(ctnn_feed(run, "x", CTNN_F32, 3, huge, numbers, 24) == CTNN_BAD_CALL);
  CHECK(ctnn_feed(run, "x", CTNN_F32, 3, none, numbers, 0) != CTNN_OK);
  CHECK(ctnn_feed(run, "x", (ctnn_type)99, 2, three_by_two, numbers, 24) == CTNN_BAD_CALL);
  CHECK(ctnn_feed(run, "x", CTNN_F32, 11, three_by_two, numbers, 24) == CTNN_BAD_CALL);
  CHECK(ctnn_feed(run, NULL, CTNN_F32, 2, three_by_two, numbers, 24) == CTNN_BAD_CALL);
  CHECK(ctnn_extract(NULL, "y", &y) == CTNN_BAD_CALL);
  const char* const both[2] = {"y", "x"};
  const char* const wrong[2] = {"y", "z"};
  ctnn_array* two[2] = {NULL, NULL};
  CHECK(ctnn_feed(run, "x", CTNN_F32, 2, three_by_two, numbers, sizeof numbers) == CTNN_OK);
  CHECK(ctnn_extract_all(run, 2, wrong, two) == CTNN_BAD_INPUT && two[0] == NULL && two[1] == NULL);
  CHECK(ctnn_extract_all(run, 2, both, two) == CTNN_OK);
  CHECK(((const float*)ctnn_array_numbers(two[0]))[0] == 11 && ctnn_array_bytes(two[1]) == sizeof numbers);
  ctnn_array_destroy(two[0]);
  ctnn_array_destroy(two[1]);
  CHECK(ctnn_extract_all(run, 0, both, two) == CTNN_OK && ctnn_extract_all(run, 1, NULL, two) == CTNN_BAD_CALL);
  CHECK(ctnn_reset(run) == CTNN_OK && ctnn_reset(NULL) == CTNN_BAD_CALL);
  ctnn_extractor_destroy(run);
}

static void run_unsized(const ctnn_options* options) {
  ctnn_model* model;
  ctnn_extractor* run;
  ctnn_value v;
  CHECK(ctnn_load_ncnn_bytes(unsized, strlen(unsized), scales, sizeof scales, options, &model) == CTNN_OK);
  CHECK(ctnn_input(model, 0, &v) == CTNN_OK && v.rank == -1);
  CHECK(ctnn_extractor_create(model, &run) == CTNN_OK);
  for (int64_t n = 1; n <= 3; ++n) {
    const int64_t shape[3] = {2, 1, n};
    ctnn_array* y;
    CHECK(ctnn_feed(run, "x", CTNN_F32, 3, shape, numbers, (size_t)(8 * n)) == CTNN_OK);
    CHECK(ctnn_extract(run, "y", &y) == CTNN_OK);
    CHECK(ctnn_array_rank(y) == 3 && ctnn_array_extents(y)[2] == n);
    CHECK(((const float*)ctnn_array_numbers(y))[n] == 3 * numbers[n] + 20);
    ctnn_array_destroy(y);
  }
  ctnn_extractor_destroy(run);
  ctnn_model_destroy(model);
}

static void run_onnx(void) {
  ctnn_model* model = NULL;
  ctnn_extractor* run;
  ctnn_array* out;
  ctnn_value v;
  if (ctnn_load_onnx_bytes(onnx, sizeof onnx, NULL, &model) != CTNN_OK && strstr(ctnn_last_error(), "protozero")) {
    puts("not tried: ONNX, ctnn was built without protozero");
    return;
  }
  CHECK(model && ctnn_input_count(model) == 2 && ctnn_output_count(model) == 2);
  CHECK(ctnn_input(model, 0, &v) == CTNN_OK && v.rank == 2 && v.extents[0] == -1);
  CHECK(ctnn_input(model, 1, &v) == CTNN_OK && v.type == CTNN_BOOL && v.rank == 1 && v.extents[0] == 2);
  CHECK(ctnn_extractor_create(model, &run) == CTNN_OK);
  const unsigned char truths[2] = {0, 7};
  const int64_t two = 2;
  CHECK(ctnn_feed(run, "x", CTNN_F32, 2, three_by_two, numbers, sizeof numbers) == CTNN_OK);
  CHECK(ctnn_feed(run, "c", CTNN_BOOL, 1, &two, truths, 2) == CTNN_OK);
  CHECK(ctnn_extract(run, "y", &out) == CTNN_OK);
  CHECK(((const float*)ctnn_array_numbers(out))[5] == 30);
  ctnn_array_destroy(out);
  CHECK(ctnn_extract(run, "z", &out) == CTNN_OK);
  CHECK(ctnn_array_type(out) == CTNN_BOOL && memcmp(ctnn_array_numbers(out), "\1", 2) == 0);
  ctnn_array_destroy(out);
  ctnn_extractor_destroy(run);
  ctnn_model_destroy(model);
  for (size_t n = 0; n < sizeof onnx; ++n) {
    model = NULL;
    if (ctnn_load_onnx_bytes(onnx, n, NULL, &model) == CTNN_OK) ctnn_model_destroy(model);
    else CHECK(model == NULL && ctnn_last_error()[0] != 0);
  }
}

int main(void) {
  ctnn_options* options;
  ctnn_model* model = NULL;
  CHECK(strcmp(ctnn_version(), CTNN_VERSION_STRING) == 0);
  CHECK(ctnn_last_error()[0] == 0);
  CHECK(ctnn_type_size(CTNN_F64) == 8 && ctnn_type_size(CTNN_BOOL) == 1 && ctnn_type_size((ctnn_type)0) == 0);

  write_file("c_interface.param", fixed, strlen(fixed));
  write_file("c_interface.bin", weights, sizeof weights);
  CHECK(ctnn_load("c_interface.param", NULL, &model) == CTNN_OK);
  run_fixed(model);
  CHECK(ctnn_load_ncnn("c_interface.param", "c_interface.bin", NULL, &model) == CTNN_OK);
  run_fixed(model);
  remove("c_interface.param");
  remove("c_interface.bin");
  model = NULL;
  CHECK(ctnn_load("c_interface.param", NULL, &model) == CTNN_BAD_INPUT && model == NULL);
  SAYS("c_interface.param: no such file");
  CHECK(ctnn_load_ncnn_bytes(fixed, strlen(fixed), weights, sizeof weights - 1, NULL, &model) == CTNN_BAD_INPUT);
  CHECK(ctnn_load_ncnn_bytes(fixed, strlen(fixed), weights, sizeof weights, NULL, &model) == CTNN_OK);
  run_fixed(model);

  CHECK(ctnn_options_create(&options) == CTNN_OK);
  CHECK(ctnn_options_threads(options, 0) == CTNN_BAD_CALL);
  CHECK(ctnn_options_threads(options, 2) == CTNN_OK && ctnn_options_optimize(options, 0) == CTNN_OK);
  CHECK(ctnn_options_arena_first(options, 1) == CTNN_OK);
  CHECK(ctnn_options_exact_convolutions(options, 1) == CTNN_OK && ctnn_options_external_data(options, 1) == CTNN_OK);
  run_unsized(options);
  const int64_t shape[3] = {2, 1, 5};
  ctnn_value v;
  CHECK(ctnn_options_shape(options, "x", 3, shape) == CTNN_OK);
  CHECK(ctnn_load_ncnn_bytes(unsized, strlen(unsized), NULL, 0, options, &model) == CTNN_OK);
  CHECK(ctnn_input(model, 0, &v) == CTNN_OK && v.rank == 3 && v.extents[2] == 5);
  ctnn_options_destroy(options);
  ctnn_model_destroy(model);
  run_unsized(NULL);
  run_onnx();
  CHECK(ctnn_load(NULL, NULL, &model) == CTNN_BAD_CALL && ctnn_load("x.param", NULL, NULL) == CTNN_BAD_CALL);
  CHECK(ctnn_load("x.txt", NULL, &model) == CTNN_BAD_INPUT);
  ctnn_model_destroy(NULL);
  ctnn_extractor_destroy(NULL);
  ctnn_array_destroy(NULL);
  printf("C interface: %d checks\n", checks);
  return 0;
}
