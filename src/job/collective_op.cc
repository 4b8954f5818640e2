#include "job/collective_op.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/letter_case.h"
#include "trace/hlo_name.h"

namespace rankscope {
namespace {

// Lower case without '_', '-' and ':', so that all spellings of a name are one.
std::string Plain(std::string_view name) {
  std::string plain;
  plain.reserve(name.size());
  for (const char c : name) {
    if (c != '_' && c != '-' && c != ':') plain += LowerCase(c);
  }
  return plain;
}

struct Rule {
  std::string_view part;
  CollectiveOp op;
};

// The first that fits decides: "allgather" before "gather".
constexpr std::array kNames = {
    Rule{"allreduce", CollectiveOp::kAllReduce},
    Rule{"alltoall", CollectiveOp::kAllToAll},
    Rule{"allgather", CollectiveOp::kAllGather},
    Rule{"gatherintotensor", CollectiveOp::kAllGather},
    Rule{"reducescatter", CollectiveOp::kReduceScatter},
    Rule{"sendrecv", CollectiveOp::kSendReceive},
    Rule{"collectivepermute", CollectiveOp::kSendReceive},
    Rule{"broadcast", CollectiveOp::kBroadcast},
    Rule{"barrier", CollectiveOp::kBarrier},
    Rule{"recv", CollectiveOp::kReceive},
    Rule{"send", CollectiveOp::kSend},
    Rule{"scatter", CollectiveOp::kScatter},
    Rule{"gather", CollectiveOp::kGather},
    Rule{"reduce", CollectiveOp::kReduce},
};
// Of kernels that say it in other words: vLLM's and TensorRT-LLM's all-reduce, the userbuffers of
// Transformer Engine, NVSHMEM, and exchanges of tokens: DeepEP and what descends from it, MoRI,
// TensorRT-LLM. The first that fits decides: DeepEP's barrier is in the same namespace. Not pplx,
// whose kernels may be one half of an exchange and then do not end together: those that say so in
// their names ("a2a_dispatch_send_kernel") send or receive, without a partner that is known.
constexpr std::array kKernels = {
    Rule{"crossdevicereduce", CollectiveOp::kAllReduce},
    Rule{"quickreduce", CollectiveOp::kAllReduce},
    Rule{"multimemoneshotreduce", CollectiveOp::kReduce},
    Rule{"oneshotreduce", CollectiveOp::kAllReduce},
    Rule{"twoshotreduce", CollectiveOp::kAllReduce},
    Rule{"oneshotarfused", CollectiveOp::kAllReduce},
    Rule{"rmsnormlamport", CollectiveOp::kAllReduce},
    Rule{"lowprecisiontwoshot", CollectiveOp::kAllReduce},
    Rule{"suminplacegpurrag", CollectiveOp::kAllGather},
    Rule{"suminplacegpurwag", CollectiveOp::kAllGather},
    Rule{"suminplacegpumcag", CollectiveOp::kAllGather},
    Rule{"suminplacegpurrrs", CollectiveOp::kReduceScatter},
    Rule{"suminplacegpurwrs", CollectiveOp::kReduceScatter},
    Rule{"suminplacegpumcrs", CollectiveOp::kReduceScatter},
    Rule{"suminplacegpu", CollectiveOp::kAllReduce},
    Rule{"rdxn", CollectiveOp::kAllReduce},
    Rule{"fcollect", CollectiveOp::kAllGather},
    Rule{"nodebarrier", CollectiveOp::kBarrier},
    Rule{"hybridepdevicesync", CollectiveOp::kBarrier},
    Rule{"deepep", CollectiveOp::kAllToAll},
    Rule{"dpskep", CollectiveOp::kAllToAll},
    Rule{"internode", CollectiveOp::kAllToAll},
    Rule{"intranode", CollectiveOp::kAllToAll},
    Rule{"hybridep", CollectiveOp::kAllToAll},
    Rule{"mooncakeep", CollectiveOp::kAllToAll},
    Rule{"ncclepjit", CollectiveOp::kAllToAll},
    Rule{"epdispatch", CollectiveOp::kAllToAll},
    Rule{"epcombine", CollectiveOp::kAllToAll},
    Rule{"moea2adispatch", CollectiveOp::kAllToAll},
    Rule{"moea2acombine", CollectiveOp::kAllToAll},
    Rule{"exchangesplitandoffset", CollectiveOp::kAllToAll},
};

template <std::size_t kCount>
CollectiveOp First(std::string_view plain, const std::array<Rule, kCount>& rules) {
  const auto found = std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) {
    return plain.find(rule.part) != std::string_view::npos;
  });
  return found == rules.end() ? CollectiveOp::kUnknown : found->op;
}

}  // namespace

std::string_view ToString(CollectiveOp op) {
  static constexpr std::array<std::string_view, kCollectiveOpCount> kTexts = {
      "all_reduce", "all_gather",   "reduce_scatter", "all_to_all", "broadcast",
      "reduce",     "gather",       "scatter",        "barrier",    "send",
      "recv",       "send_receive", "unknown"};
  return kTexts[static_cast<std::size_t>(op)];
}

CollectiveOp OpOfName(std::string_view name) { return First(Plain(name), kNames); }

CollectiveOp OpOfKernel(std::string_view kernel) {
  // Of XLA's text, "%x.1 = f32[4]{0} all-reduce(f32[4]{0} %a)", the opcode; of fusions the name.
  if (const HloName hlo = ParseHloName(kernel); hlo.is_text)
    kernel = OpOfName(hlo.opcode) != CollectiveOp::kUnknown ? hlo.opcode : hlo.stem;
  static constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  // "void (anonymous namespace)::two_shot_all_reduce_kernel<c10::BFloat16>(...)"
  if (const std::size_t unnamed = kernel.find(kUnnamed);
      unnamed != std::string_view::npos && unnamed == kernel.find('('))
    kernel.remove_prefix(unnamed + kUnnamed.size());
  // What follows are types and arguments: "ncclDevKernel_Generic(ncclDevComm*, ...)".
  const std::string plain = Plain(kernel.substr(0, kernel.find('(')));
  const CollectiveOp custom = First(plain, kKernels);
  return custom != CollectiveOp::kUnknown ? custom : First(plain, kNames);
}

std::optional<std::int64_t> BytesOfCollectiveDtype(std::string_view dtype) {
  static constexpr std::array<std::pair<std::string_view, std::int64_t>, 18> kBytes = {{
      {"float", 4},
      {"double", 8},
      {"half", 2},
      {"bfloat16", 2},
      {"byte", 1},
      {"char", 1},
      {"bool", 1},
      {"short", 2},
      {"int", 4},
      {"long", 8},
      {"float8e4m3fn", 1},
      {"float8e5m2", 1},
      {"float8e4m3fnuz", 1},
      {"float8e5m2fnuz", 1},
      {"complexfloat", 8},
      {"complexdouble", 16},
      {"uint8", 1},
      {"int8", 1},
  }};
  const std::string plain = Plain(dtype);
  for (const auto& [name, bytes] : kBytes) {
    if (plain == name) return bytes;
  }
  return std::nullopt;
}

std::optional<std::int64_t> BufferBytes(CollectiveOp op, std::int64_t in_elements,
                                        std::int64_t out_elements, std::int64_t element_bytes,
                                        std::int64_t members) {
  const auto known = [&](std::int64_t elements, std::int64_t times) -> std::optional<std::int64_t> {
    std::int64_t bytes = 0;
    if (elements < 0 || times <= 0 || __builtin_mul_overflow(elements, times, &bytes) ||
        __builtin_mul_overflow(bytes, element_bytes, &bytes))
      return std::nullopt;
    return bytes;
  };
  switch (op) {
    case CollectiveOp::kAllGather:
    case CollectiveOp::kGather:
      return out_elements > 0 ? known(out_elements, 1) : known(in_elements, members);
    case CollectiveOp::kReduceScatter:
    case CollectiveOp::kScatter:
      return in_elements > 0 ? known(in_elements, 1) : known(out_elements, members);
    default:
      return known(std::max(in_elements, out_elements), 1);
  }
}

double BusFactor(CollectiveOp op, std::int64_t members) {
  if (members < 1) return 1;
  const auto n = static_cast<double>(members);
  switch (op) {
    case CollectiveOp::kAllReduce:
      return 2 * (n - 1) / n;
    case CollectiveOp::kAllGather:
    case CollectiveOp::kReduceScatter:
    case CollectiveOp::kAllToAll:
      return (n - 1) / n;
    default:
      return 1;
  }
}

}  // namespace rankscope
