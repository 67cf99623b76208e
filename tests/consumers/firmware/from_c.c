/* SPDX-License-Identifier: BSL-1.0; the network of ../tiny.onnx by what `ctnn header --c` wrote. */
#include "network.h"

int main(void) {
  const float expected[3] = {0.22265625f, -0.37890625f, -2.66796875f};
  float image[16], scores[3];
  int i, wrong = 0;
  for (i = 0; i < 16; ++i) image[i] = (float)i / 8 - 1;
  if (network_run(image, scores) != 0) return 1;
  for (i = 0; i < 3; ++i) wrong += scores[i] != expected[i];
  return wrong;
}
