#include "facts/kernel_class.h"

#include <fmt/core.h>

#include <array>
#include <cctype>

namespace rankscope {
namespace {

// Names as the libraries give them: NCCL, RCCL, cuBLAS(Lt), cuDNN, CUTLASS, hipBLASLt/Tensile
// ("Cijk_"), MIOpen, Composable Kernel, ATen, CUB, Inductor, FBGEMM, FlashAttention, FlashInfer,
// vLLM, SGLang, TensorRT-LLM, AITER, apex; of communication also DeepEP and what descends from it,
// pplx, MoRI, NVSHMEM, rocSHMEM, MSCCL++, Transformer Engine's userbuffers and PyTorch's symmetric
// memory. Order matters where a name says two things.
constexpr std::array kRules = {
    // Inductor names its kernels after the ops that they compute for, all_reduce among them.
    ClassRule{KernelClass::kTriton, "^triton_"},
    ClassRule{KernelClass::kRccl, "^rccl"},
    ClassRule{KernelClass::kNccl, "^nccl ncclkernel nccldevkernel"},
    // DeepEP counts tokens before it sends any: that is local.
    ClassRule{KernelClass::kIndexing, "get_dispatch_layout"},
    // "^dpsk::ep::": DeepSeek's own build has CUB in a namespace cdpsk::ep.
    ClassRule{
        KernelClass::kOtherCommunication,
        "^hccl ^oneccl ^ccl_ ^nvshmem nvshmemi_ nvshmem_extension:: rocshmem mori::shmem "
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
              "col2im implicit_gemm implicitgemm igemm_ scudnn cask_cudnn cutlass_cudnn "
              "^fft2d_r2c ^fft2d_c2r"},
    ClassRule{KernelClass::kGemm,
              "gemm gemv ^cijk_ matmul cublas splitkreduce hipblas nvjet _tensorop_ tensorop_s "
              "xmma_ bmm_ fused_moe"},
    ClassRule{
        KernelClass::kDataMovement,
        "direct_copy copy_device_to_device catarray transpose nchwtonhwc nhwctonchw "
        "float8_copy bfloat16_copy float16_copy permute chunk_cat split_with_sizes recat_copy"},
    ClassRule{KernelClass::kReduction,
              "reduce_kernel softmax devicereduce devicesegmentedreduce reduce_1block nll_loss "
              "nllcriterion cross_entropy logsumexp pool lpnorm"},
    ClassRule{KernelClass::kIndexing,
              "index gather scatter sort topk devicescan scan_kernel searchsorted unique nonzero "
              "deviceselect bucketize offsets_range routing masked_select bounds_check compactinit "
              "scan_config bitmatrix moe_align future_token_ids"},
    ClassRule{KernelClass::kElementwise,
              "elementwise pointwise dropout activation gelu silu relu sigmoid fillfunctor clamp "
              "distribution_ quantize _quant triu_tril arange rowwise_to_float qparam"},
};

std::string LowerCase(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

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

// A namespace that holds the name of a class: what is in it are no matrix products.
void RemoveAll(std::string& name, std::string_view part) {
  for (std::size_t at = name.find(part); at != std::string::npos; at = name.find(part, at))
    name.erase(at, part.size());
}

bool IsAmd(const RankTrace& trace) {
  for (const DeviceProperties& device : trace.meta.devices) {
    if (device.name.starts_with("AMD")) return true;
  }
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (trace.kind[row] == EventKind::kRuntime) {
      const std::string_view name = trace.name_of(row);
      if (name.starts_with("hip")) return true;
      if (name.starts_with("cu")) return false;
    }
  }
  return false;
}

}  // namespace

std::string_view ToString(WorkClass work) {
  static constexpr std::string_view kNames[kWorkClassCount] = {"compute", "communication", "copy"};
  return kNames[static_cast<int>(work)];
}

std::string_view ToString(KernelClass kernel_class) {
  static constexpr std::string_view kNames[kKernelClassCount] = {"gemm",
                                                                 "convolution",
                                                                 "attention",
                                                                 "normalisation",
                                                                 "elementwise",
                                                                 "reduction",
                                                                 "embedding",
                                                                 "optimizer",
                                                                 "indexing",
                                                                 "data_movement",
                                                                 "triton",
                                                                 "other",
                                                                 "nccl",
                                                                 "rccl",
                                                                 "custom_all_reduce",
                                                                 "other_communication",
                                                                 "memory"};
  return kNames[static_cast<int>(kernel_class)];
}

WorkClass WorkOf(KernelClass kernel_class) {
  if (kernel_class == KernelClass::kMemory) return WorkClass::kCopy;
  return kernel_class >= KernelClass::kNccl ? WorkClass::kCommunication : WorkClass::kCompute;
}

std::span<const ClassRule> ClassRules() { return kRules; }

std::string DescribeClassRules() {
  std::string text;
  for (const ClassRule& rule : kRules)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", ToString(rule.kernel_class),
                        rule.patterns);
  return text;
}

KernelClass ClassOfKernel(std::string_view name, bool is_amd) {
  std::string lower = LowerCase(name);
  RemoveAll(lower, "fbgemm_gpu");
  std::string_view text = lower;
  if (text.starts_with("void ")) text.remove_prefix(5);
  if (text.starts_with("memcpy") || text.starts_with("memset")) return KernelClass::kMemory;
  for (const ClassRule& rule : kRules) {
    if (!Fits(text, rule.patterns)) continue;
    const bool is_rccl = rule.kernel_class == KernelClass::kNccl && is_amd;
    return is_rccl ? KernelClass::kRccl : rule.kernel_class;
  }
  return KernelClass::kOther;
}

WorkClassifier::WorkClassifier(const RankTrace& trace)
    : trace_(trace), by_name_(trace.strings.size(), KernelClass::kOther) {
  const bool is_amd = IsAmd(trace);
  std::vector<std::uint8_t> is_known(trace.strings.size());
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kDevice) continue;
    for (Row row = track.begin; row < track.end; ++row) {
      const StringId name = trace.name[row];
      if (is_known[name] || !IsDeviceWork(trace.kind[row])) continue;
      is_known[name] = 1;
      by_name_[name] = ClassOfKernel(trace.strings.Get(name), is_amd);
    }
  }
}

}  // namespace rankscope
