// SPDX-License-Identifier: BSL-1.0
// `import ctnn;`: <ctnn/typed.hpp> as a module of C++20, for compilers that have them (Clang 16 or newer). It exports what
// declares, asks and runs networks; who writes operators or rules includes headers, beside the import or without.
//   clang++ -std=c++20 -O2 --precompile -I include include/ctnn/ctnn.cppm -o ctnn.pcm
//   clang++ -std=c++20 -O2 -c ctnn.pcm -o ctnn.o
//   clang++ -std=c++20 -O2 -fmodule-file=ctnn=ctnn.pcm app.cpp ctnn.o -lhwy
// Flags that choose instruction sets are the same for all three. What a unit includes stands before its import: Clang 16
// takes the standard library's headers in no other order. The macros of headers are not in a module.
module;

#include "typed.hpp"

export module ctnn;

export namespace ctnn {

#define CTNN_EXPORT(word, ...) using ctnn::word;

// What networks are declared with
CTNN_LAYER_WORDS(CTNN_EXPORT)
CTNN_OPTION_WORDS(CTNN_EXPORT)
CTNN_NUMBER_WORDS(CTNN_EXPORT)
CTNN_NUMBERS_WORDS(CTNN_EXPORT)
CTNN_ELEMENTS(CTNN_EXPORT)
using ctnn::affine_instance_norm1d;
using ctnn::affine_instance_norm2d;
using ctnn::affine_instance_norm3d;
using ctnn::affine_layer_norm;
using ctnn::affine_rms_norm;
using ctnn::batch_norm1d;
using ctnn::batch_norm2d;
using ctnn::batch_norm3d;
using ctnn::bfloat16;
using ctnn::bilinear;
using ctnn::block;
using ctnn::celu;
using ctnn::clip;
using ctnn::cosine_similarity;
using ctnn::dtype;
using ctnn::elu;
using ctnn::embedding;
using ctnn::embedding_bag;
using ctnn::fixed_string;
using ctnn::float16;
using ctnn::from;
using ctnn::function;
using ctnn::glu;
using ctnn::group_norm;
using ctnn::gru_cell;
using ctnn::hardshrink;
using ctnn::hardtanh;
using ctnn::instance_norm1d;
using ctnn::instance_norm2d;
using ctnn::instance_norm3d;
using ctnn::keep;
using ctnn::layer;
using ctnn::leaky_relu;
using ctnn::log_sigmoid;
using ctnn::lstm_cell;
using ctnn::multihead_attention;
using ctnn::network;
using ctnn::option;
using ctnn::output;
using ctnn::pairwise_distance;
using ctnn::pixel_unshuffle;
using ctnn::projected_lstm;
using ctnn::reduce;
using ctnn::repeat;
using ctnn::residual;
using ctnn::rnn_cell;
using ctnn::shortcut;
using ctnn::softmax2d;
using ctnn::softmin;
using ctnn::softshrink;
using ctnn::stacked_gru;
using ctnn::stacked_lstm;
using ctnn::stacked_rnn;
using ctnn::tanhshrink;
using ctnn::threshold;
using ctnn::thresholded_relu;
using ctnn::tied;
using ctnn::to;
using ctnn::transformer_decoder_layer;
using ctnn::transformer_encoder_layer;
using ctnn::unary;
using ctnn::unfold;
using ctnn::zero_pad;
namespace op {
#define CTNN_EXPORT_OPERATOR(name) using ctnn::op::name;
CTNN_OPERATORS(CTNN_EXPORT_OPERATOR)
#undef CTNN_EXPORT_OPERATOR
using ctnn::op::binary_function;
using ctnn::op::byte_arithmetic;
using ctnn::op::comparison;
using ctnn::op::eltwise_function;
using ctnn::op::input;
using ctnn::op::interpolation;
using ctnn::op::logic_function;
using ctnn::op::pad_mode;
using ctnn::op::pooling;
using ctnn::op::reduction;
using ctnn::op::rounding;
}  // namespace op

// Networks that are functions
using ctnn::declared;
using ctnn::found;
using ctnn::graph;
using ctnn::lstm_state;
using ctnn::lstm_values;
using ctnn::operand;
using ctnn::outputs;
using ctnn::pooled_values;
using ctnn::recurrent_values;
using ctnn::source_line;
using ctnn::value;
using ctnn::value_list;
using ctnn::operator+;
using ctnn::operator-;
using ctnn::operator*;
using ctnn::operator/;

// What becomes of them
using ctnn::canonical;
using ctnn::default_rules;
using ctnn::exact_convolutions;
using ctnn::exact_rules;
using ctnn::speed_first;
using ctnn::joined_rules;
using ctnn::kept;
using ctnn::only_rules;
using ctnn::optimized;
using ctnn::prune_dead;
using ctnn::rules_without;
using ctnn::batched;
using ctnn::stateful;

// What is asked of them
using ctnn::arena_bytes;
using ctnn::diff;
using ctnn::explain;
using ctnn::fused;
using ctnn::fused_into;
using ctnn::layer_info;
using ctnn::layers;
using ctnn::layers_after;
using ctnn::macs;
using ctnn::operator_of;
using ctnn::output_shape;
using ctnn::parameter_count;
using ctnn::report;
using ctnn::state_bytes;
using ctnn::stream_delay;
using ctnn::to_string;
using ctnn::value_info;
using ctnn::weight_info;
using ctnn::winograd;
#if __has_include(<boost/hana/tuple.hpp>)
using ctnn::arguments_of;
using ctnn::is;
using ctnn::is_about;
using ctnn::layers_of;
using ctnn::rules_of;
#endif

// Weights, engines and answers
using ctnn::arena;
using ctnn::engine;
using ctnn::executor;
using ctnn::extents;
using ctnn::fold;
using ctnn::in;
using ctnn::into;
using ctnn::load;
using ctnn::load_folded;
using ctnn::mistake;
using ctnn::named_weight;
using ctnn::no_weights;
using ctnn::pack;
using ctnn::parameters;
using ctnn::problem;
using ctnn::problem_report;
using ctnn::shared_arena;
using ctnn::split_blob;
using ctnn::weight_count;

#undef CTNN_EXPORT

}  // namespace ctnn
