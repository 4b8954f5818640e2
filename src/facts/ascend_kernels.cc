#include "facts/ascend_kernels.h"

#include <algorithm>
#include <array>
#include <string>

namespace rankscope {
namespace {

struct OpsOfClass {
  KernelClass kernel_class;
  std::string_view ops;  // whole names, separated by spaces
};

constexpr std::array kOps = {
    OpsOfClass{
        KernelClass::kElementwise,
        " Abs Add AddN Addcdiv Addcmul Adds Axpy AxpyV2 BitwiseAnd BitwiseNot BitwiseOr "
        "Cast Ceil ClipByValue ClipByValueV2 Cos DSAGenBitMask Div Divs DropOutDoMask DropOutV3 "
        "Elu Equal Erf Exp Expand Expm1 Fill Fills Floor FloorDiv FloorMod GeGluV2 Greater "
        "GreaterEqual IsFinite IsInf IsNan LeakyRelu Less LessEqual Lerp Log Log1p LogicalAnd "
        "LogicalNot LogicalOr MaskedFill MaskedScale Maximum Minimum Mish Mod Mul Muls Neg "
        "NotEqual OnesLike Pow Pows RealDiv Reciprocal Relu ReluGrad Round Rsqrt RsqrtGrad "
        "Select SelectV2 Sign Sin Softplus Sqrt SqrtGrad Square SquaredDifference Sub Subs SwiGlu "
        "SwiGluGrad Swish SwishGrad Tanh TanhGrad Threshold Where ZerosLike "},
    OpsOfClass{
        KernelClass::kReduction,
        " ArgMaxV2 ArgMaxWithValue ArgMin ArgMinWithValue BiasAddGrad Cumsum L2Loss LpNormV2 "
        "MultiReduce ReduceAll ReduceAny ReduceLogSumExp ReduceMax ReduceMean ReduceMin "
        "ReduceProd ReduceStdV2 ReduceSum ReduceSumD ReduceSumOp SquareSumV1 "},
    OpsOfClass{
        KernelClass::kDataMovement,
        " AsStrided AtomicAddrClean AutomaticBufferFusion BroadcastTo Concat ConcatD ConcatV2 "
        "MemSet Pack Pad PadD PadV3 Slice SliceD Split SplitD SplitV StridedSlice "
        "StridedSliceD TensorMove Tile TransData ViewCopy Unpack "},
    OpsOfClass{KernelClass::kNormalisation,
               " BNInfer BNTrainingReduce BNTrainingReduceGrad BNTrainingUpdate "
               "BNTrainingUpdateGrad INTrainingReduceV2 "},
    OpsOfClass{KernelClass::kOptimizer,
               " Adam ApplyAdam ApplyAdamV2 ApplyAdamW ApplyFusedEmaAdam ApplyMomentum Lamb "
               "NpuApplyFusedAdamW NonFiniteCheck "},
    OpsOfClass{KernelClass::kGemm, " Dot FullyConnection GroupedMM Mm "},
    OpsOfClass{KernelClass::kConvolution, " Conv Conv2D Conv3D DepthwiseConv2D Im2col "},
};

// "aclnnMuls_MulAiCore_Mul" and "trans_TransData_12": the last part that is no number.
std::string_view OpOf(std::string_view name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  while (true) {
    const std::size_t part = name.rfind('_');
    const std::string_view last = name.substr(part == std::string_view::npos ? 0 : part + 1);
    if (part == std::string_view::npos || !std::all_of(last.begin(), last.end(), is_digit))
      return last;
    name = name.substr(0, part);
  }
}

KernelClass ClassOfOp(std::string_view op) {
  const std::string word = " " + std::string(op) + " ";
  for (const OpsOfClass& of : kOps) {
    if (of.ops.find(word) != std::string_view::npos) return of.kernel_class;
  }
  return KernelClass::kOther;
}

}  // namespace

KernelClass ClassOfAscendKernel(std::string_view name) {
  const std::string_view op = OpOf(name);
  if (op.starts_with("Foreach") || op.starts_with("MultiTensor")) return KernelClass::kOptimizer;
  const KernelClass of_op = ClassOfOp(op);
  if (of_op != KernelClass::kOther) return of_op;
  // "ReduceSum7": the number counts the ops of a graph.
  const std::size_t last = op.find_last_not_of("0123456789");
  return last == std::string_view::npos ? KernelClass::kOther : ClassOfOp(op.substr(0, last + 1));
}

}  // namespace rankscope
