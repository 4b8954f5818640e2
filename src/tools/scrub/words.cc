#include "tools/scrub/words.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>

namespace rankscope::tools {
namespace {

using Words = boost::unordered_flat_set<std::string_view>;

// Of ops, kernels and calls of PyTorch and of the libraries under it, and what kernel classes are
// told by.
constexpr std::string_view kCodeWords =
    "abs ac access accessor accumulate ackward acombine act activation active activity ad "
    "ada adadelta adafactor adagrad adam adamfunctor adamw adaptive add addbmm addcdiv "
    "addcmul addmm address adi adispatch afc afem after agent agn ailk aiter alg algorithm "
    "alias align alignc aligned alik all allgather alloc allreduce alltoall alpha amd amp "
    "ampere and anonymous aot app append appendpagedkvcache apply arams arange arch arg "
    "argmax args argument arr array as asem assign async asynchronous at aten attention "
    "attn attribute attributes au auto autocast autograd average avg avgpool back backward "
    "baddbmm bag barrier base batch batchdecode batched batchnorm batchprefill bbs bce "
    "before begin beta bf bff bfloat bh bias bilinear bin binary bitmatrix bjlk blackwell "
    "bljk block blocks bmm bn bo bool bottom bound bounds broadcast bs bt bu bubble bucket "
    "bucketize buffer built bw bwd bx by byte bytecode cache cads calculator call capture "
    "capturing case cask cast cat catarray ccl cell celu center char check checkpoint chunk "
    "cijk ck clamp class classes clip clone close clr cnn coalesced code codegen col "
    "collate collect column combination combine combined combinekernel comm command comms "
    "communication compact compacted compactinit compare compatible compile compiled "
    "complete complex composed compute computegradientfuse concat conditional config "
    "congruous conj const constant context contig contiguous continue conv convert convex "
    "convol convolution convolve cool copies copy copytostaging cos count cp cpp cpu create "
    "criterion cross cta cu cub cublas cuda cudnn cumsum cunn cupti curand cutlass da data "
    "dataloader ddp de debian decltype decode decoder deconv deep default delta dense "
    "depthwise describe destroy detach detail determinism dev device devicereduce "
    "devicescan devicesegmentedreduce deviceselect df dgrad dict diff differentiable "
    "diiiiiiib dim direct dispatch dispatcher dispatchkernel dist distributed distribution "
    "div divide divisor dk dma do dot double down dp dpsk dq dqkv driver dropout dtla dtlb "
    "dto dtod dtoh dtva dtvb dtype dv dw dynamo eb ediv ee eee eeee eeeee eeeeeens eeeeens "
    "eeeeensd eeeejnsm eeeens eeelns eeelsu eeens eeensa eees eeesc eeesk eens eensa eensn "
    "ef eff efficient el elapsed elem elementwise elns elu embedding embs emplace empty "
    "enable encode encoder end engine engines enqueue ens ensf enso entropy enum enumerate "
    "ep epcombine epdispatch epilogue epoch eps eq equality erf error es esc esh esi esy ev "
    "eval evaluate evaluation event ex exchange exchangesplitandoffset exclusive exe "
    "execute execution executor exp expand expert explicit ext extension false fast fb "
    "fbgemm fc fdsi feature features ffsets fft fill fillfunctor filter final finalize find "
    "first fits fixed flags flash flashattn flashinfer flatten float flow fmha fmt fold for "
    "foreach format forward fp fprop fragment free fresh front frozen fsdp full func "
    "function functor fused fusedadam fusedsgd future fw fwd fwdbwd gamma gammabetabackward "
    "gate gather gaudi gb gcd gcgemm ge geforce gelu gemm gemmk gemv gemvx generate "
    "generator generic get gif gkgs global gloo gls glu gmem gpu grad gradient grads graph "
    "graphics grid group groupnorm grpm gru grvwa grvwb gsuamb gsuambsk gt gtcx gz ha "
    "habana half hardswish hardtanh has hbm hccl head helper hfp hip hipblas histogram hmma "
    "home hook hooks hopper host hpu hto htod hybrid id identity idf ids if igemm ihip ij "
    "il im impl implicit implicitgemm in index indexed indexing indice indices infer "
    "inference info init inplace input ins insa insf inss instance instancenorm instantiate "
    "instinct int integral intel interaction interior interleave internal internode "
    "interpolate intranode invalid invert io is isa isb isc isw item items iter iteration "
    "iterator ith iu jit job join json kargs kentry kernel kernels key keys kind kineto ko "
    "kp kreduce kv kvcache label labels lamb lambda large largek last launch launcher layer "
    "layernorm layers layout lb lbsppa lbsppb lbsppm ldg lds ldsb ldsti le lengths li lib "
    "lift like limits linalg line linear linearize linux lion list ll lm ln lns load loader "
    "loat local log logger logical logit logits logsoftmax logsumexp long lookback lookup "
    "loop loops loss lovelace lower lowprecisiontwoshot lpa lpb lpm lpnorm lrvw lstm lt lwp "
    "magma main major malloc manual map masked math matmul matrix max maxpool me mean "
    "medium mem memcpy memory memset merge mesh metadata method metric metrics mfma mh mha "
    "mi miav micro microbatch mig min miopen mish missing miwt mixed mla mlp mm mma mn mnt "
    "mo mod mode model models modifier module modules moe moea moments mooncake mori mp mpi "
    "mps ms mscclpp mse mt mtia mul multi multihead multimem multiplicand multiplies "
    "multiply multiprocessing multiprocessor multistage nadam name named names namespace "
    "nan narrow nary native nccl nccldevkernel ncclkernel nchw nchwtonhwc nd nearest neg "
    "nepbs new next nhwc nhwckrsc nhwctonchw nlca nlcb nll nllcriterion nn nnt no nocast "
    "node nodes none nonfused nonzero norm normal not np ns nse nso nsp nss nt nta ntb ntc "
    "ntd ntm null nullary nullptr num numpy nv nvidia nvjet nvshmem nvshmemi object "
    "occupancy of off offset offsets ogs on one oneccl ones oneshotarfused onesweep onll op "
    "opaque open operation operator ops opt optim optimal optimized optimizer optional or "
    "other out output outputs over overlap own pack packages packed pad pageable paged "
    "parallel param params parse part pascal pass path pattern patterns pcie pe peek per "
    "permute persistent pf pft pg pgr philox pid pilogue pin pinned pipeline pitch pixel "
    "pka plr plus poi pointer pointwise policy pool pooled pop position post pow pp pre "
    "precompiled predicated predictor prefetch prefill prefix pregraph prelu prep priority "
    "problem process processing product profiler proj projection prologue prompt properties "
    "ps pt pth pto ptr ptx put py python pytorch qint qk qkv qparam quadro quant quantize "
    "quantized query queue quickreduce quint radam radeon radix ragged raked rand randn "
    "range rank rccl read recat record recv red reduce reduced reducer reducescatter "
    "reduction ref region regular related relu remainder remote remove repeat replicate "
    "representation req request reshape reshard residual resize resolve restrict result "
    "return ring rks rms rmsnorm rmsnormlamport rmsprop rnn rocm rocprim rocshmem roctracer "
    "root rope rotary round routing row rows rowwise rowwisemoments rpc rprop rs rsqrt rsub "
    "rtx rule rules run runtime sample sampler sav save sb sc scal scalar scalarlist scale "
    "scaled scalepackedtensor scaler scaling scan scatter schedule scope scratch scudnn "
    "sdpa searchsorted segment segments select selecting selector self selu send sensitive "
    "seqk seqq sequence sequential set sgd sgemm sgl sglang sgn shallow shape shard shared "
    "shmem short shuffle si sia sigmoid sign signal signed silu simple simt simulate "
    "simulated sin single singleread site size sizes sk skftr skxccm slice sliced sm small "
    "sn soft softmax softplus softsign sort sp span spans sparse spin split splitkreduce "
    "splitkv spo sq sqrt square squeeze srvw ss sso stack stage stages start starts state "
    "statistics stats status std steady step steps storage store str stream stride strided "
    "string struct style sub submit subspan subtensorop sum svw swiglu swizzle sxm symbol "
    "symm symmetric sync synchronize sz ta take tan tanh target tb tem templates tensor "
    "tensordot tensorlist tensorop tensors tesla test text tf tfloat thread threadblock "
    "threshold tid tile tiles tilesize time titan tlds tmp tn to tofloat token tokenize "
    "tokenizer tokens top topk torch total tp tpu tr trace traces train trainer training "
    "traits trampoline transform transformer transpose tril triton triu trivial true trunc "
    "truncation tt tuple turing two type ubuntu ucc uiofgro ul ulsgro unary unbind "
    "undefined uneven unflatten unfold unified uniform unique unity unknown unquantized "
    "unroll unrolled unsafe unshard unsigned unsqueeze unweighted up update upsample us use "
    "user userbuffers users usfgr usl usr utils val validate validation value values var "
    "vec vector vectorized vendor version vf view vllm void volatile volta vs vwa vwb wait "
    "warm warmup warning warp warpgroupsize warpsize weak weight weighted weights wg wgrad "
    "where window winograd with without wmma words work worker workspace wr wrapped wrapper "
    "write wrw ws wsgra wsgrb wt xbf xmma xmxfp xpu xregs zero zeros zn zst ";

// What every training program calls its parts.
constexpr std::string_view kGenericWords =
    "ac active activity adagrad adam adamw add after all allgather allreduce alltoall amd amp "
    "app append arch at attention auto autocast autograd backward barrier base batch before "
    "begin bias bin block blocks bottom broadcast bs bubble bucket built cache call "
    "checkpoint clip close coalesced collate comm communication compile compute context conv "
    "cool copies copy count cp cpp cpu ctx cuda cupti data dataloader ddp debian decode "
    "decoder default dense device dict dist distributed down dp draft dropout embedding "
    "encode encoder end enumerate ep epoch error eval evaluation exchange execute executor "
    "expert extend false fc feature features final first flow forward frozen fsdp function "
    "fused fwdbwd gate gather gelu gen generate generation get global gloo gpu grad gradient "
    "grads group gz hccl head home hook hooks host id idle in index infer inference info init "
    "input int intel interaction items iter iteration job json kernel kernels key keys kineto "
    "kv label labels lamb last launch launcher layer layernorm layers lib linear linux list "
    "lm load loader local log logger loop loss main memory mesh method metric metrics micro "
    "microbatch mixed mlp mnt mode model models module modules mp mpi ms multi "
    "multiprocessing name nccl next nn no node none norm ns nvidia object of op open ops opt "
    "optim optimizer out output over overlap packages parallel part pg pid pipeline pop post "
    "pp pre prefetch prefill prefix process processing profiler proj projection prompt pt pth "
    "py python pytorch qkv query queue rank rccl read record recv reduce reducescatter relu "
    "repeat replicate reqs request reshard residual roctracer root run sample sampler save "
    "scaler scatter schedule scope scratch send sequence set sgd shard silu simulate "
    "simulated single site size softmax sp spans sparse stage start steady step steps str "
    "stream string sync synchronize target tensor test thread tid time tmp to token tokenize "
    "tokenizer tokens toks top torch total tp trace traces train trainer training true tuple "
    "type ubuntu ucc undefined unknown unshard up update us user users usr validate "
    "validation value values var verify version wait warm warmup warning weight weights "
    "window worker workspace write zero zst ";

constexpr std::string_view kKeys[] = {
    "ph",
    "cat",
    "name",
    "pid",
    "tid",
    "ts",
    "dur",
    "id",
    "args",
    "bp",
    "s",
    "tts",
    "tdur",
    "cname",
    "bind_id",
    "id2",
    "sf",
    "stack",
    "schemaVersion",
    "deviceProperties",
    "distributedInfo",
    "baseTimeNanoseconds",
    "displayTimeUnit",
    "traceName",
    "traceEvents",
    "trace_id",
    "host_name",
    "record_shapes",
    "with_flops",
    "with_modules",
    "with_stack",
    "profile_memory",
    "cupti_version",
    "cuda_runtime_version",
    "cuda_driver_version",
    "roctracer_version",
    "hip_runtime_version",
    "hip_driver_version",
    "group_trace_id",
    "otherData",
    "totalGlobalMem",
    "computeMajor",
    "computeMinor",
    "maxThreadsPerBlock",
    "maxThreadsPerMultiprocessor",
    "regsPerBlock",
    "regsPerMultiprocessor",
    "warpSize",
    "sharedMemPerBlock",
    "sharedMemPerMultiprocessor",
    "numSms",
    "sharedMemPerBlockOptin",
    "maxSharedMemoryPerMultiProcessor",
    "backend",
    "rank",
    "world_size",
    "pg_count",
    "pg_config",
    "pg_name",
    "pg_desc",
    "backend_config",
    "pg_size",
    "ranks",
    "nccl_version",
    "labels",
    "sort_index",
    "column",
    "row",
    "size",
    "device",
    "context",
    "stream",
    "correlation",
    "bytes",
    "queued",
    "grid",
    "block",
    "cbid",
    "cid",
    "kernel",
    "kernel_name",
    "kernel_hash",
    "kernel_file",
    "kernel_backend",
    "kernel_kwargs",
    "num_warps",
    "num_stages",
    "dtype",
    "ptr",
    "src",
    "dst",
    "kind",
    "finished",
    "seq_num",
    "sqid",
    "direction",
    "stream_id",
    "cmd_name",
    "executable_name",
    "wait_on_stream",
    "wait_on_cuda_event_record_corr_id",
    "wait_on_cuda_event_id",
    "cuda_sync_kind",
    "iteration",
    "microbatch",
    "model_chunk",
    "pp_rank",
    "graph",
    "critical",
    "cause",
    "event",
    "External id",
    "external id",
    "external ts",
    "Ev Idx",
    "Record function id",
    "Sequence number",
    "Fwd thread id",
    "Input Dims",
    "Input dims",
    "Input type",
    "Input names",
    "Input Strides",
    "Concrete Inputs",
    "Output dims",
    "Output type",
    "Output names",
    "Module Hierarchy",
    "Call stack",
    "Extra arguments",
    "Trace name",
    "Trace iteration",
    "Device",
    "Profiler Event Index",
    "Op count",
    "Collective name",
    "In msg nelems",
    "Out msg nelems",
    "In split size",
    "Out split size",
    "Group size",
    "Process Group Name",
    "Process Group Description",
    "Process Group Ranks",
    "Global rank start",
    "Global rank stride",
    "Src Rank",
    "Dst Rank",
    "Seq",
    "memory bandwidth (GB/s)",
    "registers per thread",
    "shared memory",
    "warps per SM",
    "blocks per SM",
    "est. achieved occupancy %",
    "Total Reserved",
    "Total Allocated",
    "Bytes",
    "Addr",
    "Device Id",
    "Device Type",
    "Python id",
    "Python parent id",
    "Python module id",
    "graph node id",
    "graph id",
    "mem size",
    "Is asynchronized collective",
    "Rank",
    "Collective id",
};

constexpr std::string_view kCategories[] = {
    "cpu_op",
    "Operator",
    "user_annotation",
    "python_function",
    "cuda_runtime",
    "cuda_driver",
    "Runtime",
    "hip_runtime",
    "mtia_runtime",
    "xpu_runtime",
    "xpu_driver",
    "glow_runtime",
    "privateuse1_runtime",
    "privateuse1_driver",
    "kernel",
    "Kernel",
    "mtia_ccp_events",
    "hpu_op",
    "gpu_memcpy",
    "Memcpy",
    "gpu_memset",
    "Memset",
    "cuda_sync",
    "cuda_event",
    "gpu_user_annotation",
    "overhead",
    "cuda_profiler_range",
    "cpu_instant_event",
    "Trace",
    "ac2g",
    "async_cpu_to_gpu",
    "async_gpu",
    "fwdbwd",
    "async",
    "critical_path",
};

Words WordsOf(std::string_view text) {
  Words words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.insert(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

}  // namespace

bool IsCodeWord(std::string_view lower) {
  static const Words kWords = WordsOf(kCodeWords);
  return kWords.contains(lower);
}

bool IsGenericWord(std::string_view lower) {
  static const Words kWords = WordsOf(kGenericWords);
  return kWords.contains(lower);
}

bool IsKnownKey(std::string_view key) {
  static const Words kWords(std::begin(kKeys), std::end(kKeys));
  return kWords.contains(key);
}

bool IsKnownCategory(std::string_view category) {
  static const Words kWords(std::begin(kCategories), std::end(kCategories));
  return kWords.contains(category);
}

}  // namespace rankscope::tools
