// SPDX-License-Identifier: BSL-1.0
// What ctnn does not have of ONNX's and ONNX Runtime's operators, as examples/ctnn/README.md lists it.
// CTNN_WRITE_README=1 test_model --source-file='*onnx_missing.cpp' writes that list.
#include <filesystem>

#include <doctest/doctest.h>

#include <ctnn/model.hpp>

#include "support/onnx_bytes.hpp"
#include "support/page_section.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace pb = test::onnx_bytes;
namespace fs = std::filesystem;

namespace {

/// All operators of ai.onnx, sets 1 to 27, without those that a set of the last years has taken away.
constexpr const char* onnx_names =
    "Abs Acos Acosh Add AffineGrid And ArgMax ArgMin Asin Asinh Atan Atanh Attention AveragePool BatchNormalization "
    "Bernoulli BitCast BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor BlackmanWindow Cast CastLike Ceil Celu "
    "CenterCropPad Clip Col2Im Compress Concat ConcatFromSequence Constant ConstantOfShape Conv ConvInteger "
    "ConvTranspose Cos Cosh CumProd CumSum DFT DeformConv DepthToSpace DequantizeLinear Det Div Dropout "
    "DynamicQuantizeLinear Einsum Elu Equal Erf Exp Expand EyeLike Flatten Floor GRU Gather GatherElements GatherND "
    "Gelu Gemm GlobalAveragePool GlobalLpPool GlobalMaxPool Greater GreaterOrEqual GridSample GroupNormalization "
    "HammingWindow HannWindow HardSigmoid HardSwish Hardmax Identity If ImageDecoder InstanceNormalization IsInf "
    "IsNaN LRN LSTM LayerNormalization LeakyRelu Less LessOrEqual Log LogSoftmax Loop LpNormalization LpPool MatMul "
    "MatMulInteger Max MaxPool MaxRoiPool MaxUnpool Mean MeanVarianceNormalization MelWeightMatrix Min Mish Mod Mul "
    "Multinomial Neg NegativeLogLikelihoodLoss NonMaxSuppression NonZero Not OneHot Optional OptionalGetElement "
    "OptionalHasElement Or PRelu Pad Pow QLinearConv QLinearMatMul QuantizeLinear RMSNormalization RNN RandomNormal "
    "RandomNormalLike RandomUniform RandomUniformLike Range Reciprocal ReduceL1 ReduceL2 ReduceLogSum "
    "ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare RegexFullMatch Relu Reshape "
    "Resize ReverseSequence RoiAlign RotaryEmbedding Round STFT Scan Scatter ScatterElements ScatterND Selu "
    "SequenceAt SequenceConstruct SequenceEmpty SequenceErase SequenceInsert SequenceLength SequenceMap Shape Shrink "
    "Sigmoid Sign Sin Sinh Size Slice Softmax SoftmaxCrossEntropyLoss Softplus Softsign SpaceToDepth Split "
    "SplitToSequence Sqrt Squeeze StringConcat StringNormalizer StringSplit Sub Sum Swish Tan Tanh TensorScatter "
    "TfIdfVectorizer ThresholdedRelu Tile TopK Transpose Trilu Unique Unsqueeze Upsample Where Xor";
/// And of com.microsoft, as ONNX Runtime 1.30's documentation has them.
constexpr const char* microsoft_names =
    "Attention AttnLSTM BeamSearch BiasAdd BiasDropout BiasGelu BiasSoftmax BiasSplitGelu BifurcationDetector "
    "BitmaskBiasDropout BitmaskDropout CDist CausalConvWithState ComplexMul ComplexMulConj "
    "ConvTransposeWithDynamicPads CropAndResize DecoderAttention DecoderMaskedMultiHeadAttention "
    "DecoderMaskedSelfAttention DequantizeBFP DequantizeLinear DequantizeWithOrder DynamicQuantizeLSTM "
    "DynamicQuantizeMatMul DynamicTimeWarping EPContext EmbedLayerNormalization EngramGate ExpandDims FastGelu "
    "FusedConv FusedGemm FusedMatMul FusedMatMulActivation GatedAdd GatedDeltaNet GatedRMSNorm "
    "GatedRelativePositionBias GatherBlockQuantized GatherND Gelu GemmFastGelu GemmFloat8 GemmaRotaryEmbedding "
    "GreedySearch GridSample GroupNorm GroupQueryAttention Inverse Irfft IsAllFinite LinearAttention "
    "LinearAttentionGate LongformerAttention MRotaryEmbedding MatMulBlockQuantizedFp4Weight "
    "MatMulBlockQuantizedFp8Weight MatMulBnb4 MatMulFpQ4 MatMulInteger16 MatMulIntegerToFloat MatMulNBits "
    "MatMulNBitsMlp MatMulNBitsQkv MaxpoolWithMask MoE MulInteger MultiHeadAttention MurmurHash3 NGramHashMapping "
    "NGramRepeatBlock NhwcConv NhwcFusedConv NhwcMaxPool PackedAttention PackedMultiHeadAttention Pad PagedAttention "
    "QAttention QEmbedLayerNormalization QGemm QLinearAdd QLinearAveragePool QLinearConcat QLinearConv "
    "QLinearGlobalAveragePool QLinearLeakyRelu QLinearMul QLinearReduceMean QLinearSigmoid QLinearSoftmax "
    "QLinearWhere QMoE QOrderedAttention QOrderedGelu QOrderedLayerNormalization QOrderedLongformerAttention "
    "QOrderedMatMul QuantizeBFP QuantizeLinear QuantizeWithOrder QuickGelu Range ReduceSumInteger "
    "RelativePositionBias RemovePadding RestorePadding Rfft RotaryEmbedding SampleOp Sampling SkipGroupNorm "
    "SkipLayerNormalization SkipSimplifiedLayerNormalization Snpe SparseAttention SparseToDenseMatMul Tokenizer "
    "TorchEmbedding TransposeMatMul Trilu UnfoldTensor Unique VarlenCausalConvWithState VarlenNGramHashMapping "
    "WhisperBeamSearch WordConvEmbedding";

/// Is a node of this kind refused as unknown, rather than for what it lacks?
bool is_missing(const std::string& domain, const std::string& name) {
  const std::string graph =
      pb::node(name, {}, {"y"}, domain.empty() ? "" : pb::bytes(7, domain)) + pb::output(pb::value("y", pb::f32, {1}));
  const std::string bytes = pb::model(graph, 23) + pb::bytes(8, pb::bytes(1, "com.microsoft") + pb::number(2, 1));
  try {
    onnx::build(onnx::parse_model(pb::view(bytes), "m"));
    return false;
  } catch (const error& e) {
    return std::string_view(e.what()).find("not supported: " + (domain.empty() ? "" : domain + ":") + name + " in ") !=
           std::string_view::npos;
  }
}

/// The names that are missing, in lines of at most 120 columns.
std::string missing_of(const std::string& domain, const char* names) {
  std::string out, line, next;
  std::istringstream all(names);
  int missing = 0, count = 0;
  while (all >> next) {
    ++count;
    if (!is_missing(domain, next)) continue;
    const std::string word = (missing++ == 0 ? "" : ", ") + next;
    if (line.size() + word.size() > 118) {
      out += line + ",\n";
      line = next;
    } else {
      line += word;
    }
  }
  return "Of " + std::to_string(count) + " operators of " + (domain.empty() ? "ONNX" : domain) + ", " +
         std::to_string(missing) + " are missing:\n" + out + line + ".\n";
}

}  // namespace

TEST_CASE("the list of missing operators is what the reader does not know") {
  CHECK_FALSE(is_missing("", "Relu"));
  CHECK_FALSE(is_missing("", "Loop"));
  CHECK_FALSE(is_missing("com.microsoft", "FusedConv"));
  CHECK(is_missing("", "NoSuchOperator"));
  const fs::path readme = fs::path(__FILE__).parent_path() / "../../examples/ctnn/README.md";
  if (!fs::exists(readme)) {
    MESSAGE("SKIPPED: no " << readme.string());
    return;
  }
  test::check_section(readme, "What is missing of ONNX",
                      missing_of("", onnx_names) + "\n" + missing_of("com.microsoft", microsoft_names));
}
