// SPDX-License-Identifier: BSL-1.0
// Inputs and outputs by name: names there are, each input once, as many numbers as it has, of its type.
// mistakes: 5
// expect: ctnn: the network has no input of this name; did_you_mean<...> is the nearest
// expect: ctnn: the network has no output of this name; did_you_mean<...> is the nearest
// expect: ctnn: run(in<...>(...), ...) takes each input of the network once
// expect: ctnn: in<...> and into<...> take arrays or std::spans of as many numbers as the input or output has
// expect: ctnn: in<...> and into<...> take elements of the input's or output's type
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

using net = nn::network<nn::input<"image", nn::shape<4>>, nn::input<"state", nn::shape<2>>,
                        nn::relu<"r", nn::from<"image">>, nn::output<"r", "state">>;

void run(nn::engine<net>& e, const float (&four)[4], const float (&two)[2], const double (&doubles)[2]) {
#ifdef CTNN_CORRECTED
  (void)doubles;
  e.run(nn::in<"image">(four), nn::in<"state">(two));
  (void)e.output<"r">();
#else
  e.run(nn::in<"imgae">(four), nn::in<"state">(two));
  e.run(nn::in<"image">(four), nn::in<"image">(four));
  e.run(nn::in<"image">(two), nn::in<"state">(two));
  e.run(nn::in<"image">(four), nn::in<"state">(doubles));
  (void)e.output<"rr">();
#endif
}
