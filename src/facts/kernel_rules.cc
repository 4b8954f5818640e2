#include "facts/kernel_rules.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bitset>

#include "base/letter_case.h"
#include "base/nearest_name.h"
#include "facts/xla_class.h"
#include "trace/hlo_name.h"

namespace rankscope {
namespace {

// Names as the libraries give them: NCCL, RCCL, cuBLAS(Lt), cuDNN, CUTLASS, hipBLASLt/Tensile
// ("Cijk_"), MIOpen, Composable Kernel, ATen, CUB, Inductor, FBGEMM, FlashAttention, FlashInfer,
// vLLM, SGLang, TensorRT-LLM, AITER, apex, Eigen (TensorFlow); of communication also DeepEP and
// what descends from it, pplx, MoRI, NVSHMEM, rocSHMEM, MSCCL++, Transformer Engine's userbuffers
// and PyTorch's symmetric memory. Order matters where a name says two things.
constexpr std::array kRules = {
    // Inductor names its kernels after the ops that they compute for, all_reduce among them.
    ClassRule{KernelClass::kTriton, "^triton_"},
    ClassRule{KernelClass::kRccl, "^rccl"},
    ClassRule{KernelClass::kNccl, "^nccl ncclkernel nccldevkernel"},
    // DeepEP counts tokens before it sends any: that is local.
    ClassRule{KernelClass::kIndexing, "get_dispatch_layout"},
    // MoRI's copy on the way to an exchange.
    ClassRule{KernelClass::kDataMovement, "copytostaging ^__amd_rocclr_copy ^__amd_rocclr_fill"},
    // "^dpsk::ep::": DeepSeek's own build has CUB in a namespace cdpsk::ep.
    ClassRule{
        KernelClass::kOtherCommunication,
        "^hccl ^hcom_ ^oneccl ^ccl_ ^nvshmem nvshmemi_ nvshmem_extension:: rocshmem mori::shmem "
        "_on_stream_kernel mscclpp deep_ep ^dpsk::ep:: internode:: internode_ll:: intranode:: "
        "hybrid_ep::dispatch hybrid_ep::combine hybrid_ep::device_sync mooncake_ep epdispatch "
        "epcombine a2a_dispatch a2a_combine moea2adispatch moea2acombine "
        "namespace)::dispatchkernel< namespace)::combinekernel< exchangesplitandoffset "
        "c10d::symmetric_memory:: put_signal_kernel wait_signal_kernel all_to_all alltoall"},
    ClassRule{KernelClass::kCustomAllReduce,
              "cross_device_reduce quickreduce userbuffers symm_mem multimem all_reduce allreduce "
              "oneshotarfused rmsnormlamport lowprecisiontwoshot reduce_scatter reducescatter "
              "all_gather allgather"},
    // Names of the framework that hold the name of another class.
    ClassRule{KernelClass::kElementwise,
              "rotary rope_ subtensorop elementwise_kernel_with_index scalepackedtensor"},
    // Not "kvcache" alone: attention kernels have vllm::Fp8KVCacheDataType as a parameter.
    ClassRule{KernelClass::kDataMovement,
              "reshape_and_cache concat_and_cache store_kvcache store_kv_cache write_kv_cache "
              "set_kv_buffer appendpagedkvcache copy_kv_cache"},
    ClassRule{KernelClass::kIndexing, "kv_indices"},
    ClassRule{KernelClass::kAttention,
              "flash_fwd flash_bwd flash_attn flashattn flash:: fmha attention _attn_ attn_fwd "
              "attn_bwd mha_fwd mha_bwd flashinfer paged_kv batchprefill batchdecode _mla_ sdpa"},
    ClassRule{KernelClass::kDataMovement, "kvcache kv_cache"},
    ClassRule{KernelClass::kEmbedding, "embedding"},
    ClassRule{KernelClass::kOptimizer,
              "multi_tensor_apply fused_adam fusedadam adamfunctor adam_kernel lamb_stage "
              "sgd_kernel fusedsgd"},
    ClassRule{KernelClass::kNormalisation,
              "layer_norm layernorm rms_norm rmsnorm batch_norm batchnorm group_norm groupnorm "
              "instance_norm instancenorm gammabetabackward rowwisemoments computegradientfuse "
              "cudnn::bn_ bn_fw_ bn_bw_ ln_fwd ln_bwd norm_fwd norm_bwd"},
    ClassRule{KernelClass::kConvolution,
              "convol conv1d conv2d conv3d conv_ depthwise wgrad dgrad fprop winograd im2col "
              "im3d2col col2im implicit_gemm implicitgemm igemm_ scudnn cask_cudnn cutlass_cudnn "
              "hcudnn_ icudnn_ 884cudnn 1688cudnn 8816cudnn 16816cudnn ^fft2d_r2c ^fft2d_c2r"},
    ClassRule{KernelClass::kGemm,
              "gemm gemv ^cijk_ matmul cublas splitkreduce hipblas nvjet _tensorop_ tensorop_s "
              "xmma_ bmm_ fused_moe"},
    ClassRule{
        KernelClass::kDataMovement,
        "direct_copy copy_device_to_device catarray transpose nchwtonhwc nhwctonchw "
        "float8_copy bfloat16_copy float16_copy permute chunk_cat split_with_sizes recat_copy "
        "tensorshufflingop"},
    ClassRule{
        KernelClass::kReduction,
        "reduce_kernel softmax devicereduce devicesegmentedreduce reduce_1block nll_loss "
        "nllcriterion cross_entropy logsumexp pool lpnorm tensorreductionop fullreductionkernel "
        "innerreductionkernel"},
    ClassRule{KernelClass::kIndexing,
              "index gather scatter sort topk devicescan scan_kernel searchsorted unique nonzero "
              "deviceselect bucketize offsets_range routing masked_select bounds_check compactinit "
              "scan_config bitmatrix moe_align future_token_ids"},
    ClassRule{KernelClass::kElementwise,
              "elementwise pointwise dropout activation gelu silu relu sigmoid fillfunctor clamp "
              "distribution_ quantize _quant triu_tril arange rowwise_to_float qparam "
              "eigenmetakernel fillphiloxrandom"},
};

bool Fits(std::string_view name, std::string_view patterns) {
  while (!patterns.empty()) {
    const std::string_view pattern = patterns.substr(0, patterns.find(' '));
    patterns.remove_prefix(std::min(patterns.size(), pattern.size() + 1));
    const bool fits = pattern.front() == '^' ? name.starts_with(pattern.substr(1))
                                             : name.find(pattern) != std::string_view::npos;
    if (fits) return true;
  }
  return false;
}

// Which pairs of letters a name has: most patterns are ruled out by their first two, without a look
// at the name. Pairs may share a place, so that one that is there need not be in the name.
class Pairs {
 public:
  explicit Pairs(std::string_view name) {
    for (std::size_t at = 0; at + 1 < name.size(); ++at) has_.set(PlaceOf(name.substr(at)));
  }
  bool MayHold(std::string_view part) const { return part.size() < 2 || has_[PlaceOf(part)]; }

 private:
  static std::size_t PlaceOf(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    const auto second = static_cast<unsigned char>(text[1]);
    return (first * 32U + second) % kPlaces;
  }
  static constexpr std::size_t kPlaces = 4096;
  std::bitset<kPlaces> has_;
};

// The built-in table, its patterns apart.
struct Pattern {
  KernelClass kernel_class;
  bool is_prefix;
  std::string_view text;
};
std::vector<Pattern> SplitRules() {
  std::vector<Pattern> patterns;
  for (const ClassRule& rule : kRules) {
    std::string_view rest = rule.patterns;
    while (!rest.empty()) {
      std::string_view text = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(rest.size(), text.size() + 1));
      const bool is_prefix = text.starts_with('^');
      if (is_prefix) text.remove_prefix(1);
      patterns.push_back({rule.kernel_class, is_prefix, text});
    }
  }
  return patterns;
}

KernelClass ClassByTable(std::string_view name) {
  static const std::vector<Pattern> patterns = SplitRules();
  const Pairs pairs(name);
  for (const Pattern& pattern : patterns) {
    if (!pairs.MayHold(pattern.text)) continue;
    const bool fits = pattern.is_prefix ? name.starts_with(pattern.text)
                                        : name.find(pattern.text) != std::string_view::npos;
    if (fits) return pattern.kernel_class;
  }
  return KernelClass::kOther;
}

// A namespace that holds the name of a class: what is in it are no matrix products.
void RemoveAll(std::string& name, std::string_view part) {
  for (std::size_t at = name.find(part); at != std::string::npos; at = name.find(part, at))
    name.erase(at, part.size());
}

std::string_view WithoutVoid(std::string_view name) {
  if (name.starts_with("void ")) name.remove_prefix(5);
  return name;
}

// Cuts the first line off the text.
std::string_view TakeLine(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

std::vector<std::string_view> WordsOf(std::string_view line) {
  constexpr std::string_view kSpace = " \t\r";
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> words;
  while (true) {
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(kSpace)));
    if (line.empty()) return words;
    words.push_back(line.substr(0, line.find_first_of(kSpace)));
    line.remove_prefix(words.back().size());
  }
}

Result<KernelClass> ClassNamed(std::string_view word, std::string_view path, std::size_t line) {
  std::vector<std::string> names;
  for (int k = 0; k < kKernelClassCount; ++k) {
    const auto kernel_class = static_cast<KernelClass>(k);
    if (word == ToString(kernel_class)) return kernel_class;
    names.emplace_back(ToString(kernel_class));
  }
  // A file of something else may be one line without a space.
  constexpr std::size_t kMostShown = 40;
  const std::string_view nearest = NearestName(word, names);
  return Error(
      StatusCode::kInvalidArgument,
      "{}, line {}: there is no kernel class '{}{}'; {}a line is CLASS PATTERN..., and the "
      "classes are {}",
      path, line, word.substr(0, kMostShown), word.size() > kMostShown ? "..." : "",
      nearest.empty() ? "" : fmt::format("did you mean {}? ", nearest), fmt::join(names, ", "));
}

}  // namespace

std::span<const ClassRule> ClassRules() { return kRules; }

std::string DescribeClassRules() {
  std::string text;
  for (const ClassRule& rule : kRules)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", ToString(rule.kernel_class),
                        rule.patterns);
  return text;
}

Result<KernelRules> KernelRules::Parse(std::string_view text, std::string_view path) {
  KernelRules rules;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::vector<std::string_view> words = WordsOf(TakeLine(text));
    if (words.empty()) continue;
    RS_ASSIGN_OR_RETURN(const KernelClass kernel_class, ClassNamed(words.front(), path, line));
    if (words.size() == 1) {
      return Error(StatusCode::kInvalidArgument,
                   "{}, line {}: class {} has no pattern; a line is CLASS PATTERN..., such as: {} "
                   "part_of_its_name ^begin_of_its_name",
                   path, line, words.front(), words.front());
    }
    OwnRule& rule = rules.own_.emplace_back(OwnRule{kernel_class, {}});
    for (const std::string_view pattern : std::span(words).subspan(1)) {
      if (pattern == "^") {
        return Error(StatusCode::kInvalidArgument,
                     "{}, line {}: ^ alone fits every kernel; write the begin of a name behind it",
                     path, line);
      }
      rule.patterns += rule.patterns.empty() ? "" : " ";
      rule.patterns += LowerCase(pattern);
    }
  }
  return rules;
}

std::string KernelRules::OwnRules() const {
  std::string text;
  for (const OwnRule& rule : own_)
    text += fmt::format("{} {}\n", ToString(rule.kernel_class), rule.patterns);
  return text;
}

KernelClass KernelRules::ClassOf(std::string_view name, std::string_view category,
                                 bool is_amd) const {
  std::string lower = LowerCase(name);
  const auto of_vendor = [&](KernelClass kernel_class) {
    return kernel_class == KernelClass::kNccl && is_amd ? KernelClass::kRccl : kernel_class;
  };
  for (const OwnRule& rule : own_) {
    if (Fits(WithoutVoid(lower), rule.patterns)) return of_vendor(rule.kernel_class);
  }
  if (const auto of_xla = ClassOfXlaOp(name, category)) return *of_xla;
  // Of an instruction's text the operands name others.
  if (const HloName hlo = ParseHloName(name); hlo.is_text)
    lower = LowerCase(fmt::format("{} {} {}", hlo.stem, hlo.opcode, hlo.target));
  RemoveAll(lower, "fbgemm_gpu");
  const std::string_view text = WithoutVoid(lower);
  if (text.starts_with("memcpy") || text.starts_with("memset")) return KernelClass::kMemory;
  return of_vendor(ClassByTable(text));
}

}  // namespace rankscope
