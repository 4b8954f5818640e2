#include "formats/kineto/by_process/ascend_task.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

namespace rankscope::kineto {
namespace {

// Upper case, spaces as '_': "Notify Wait" and NOTIFY_WAIT_SQE are of one kind.
std::string Plain(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    const auto upper = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    plain += upper == ' ' ? '_' : upper;
  }
  return plain;
}

bool HasAny(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
    return text.find(part) != std::string_view::npos;
  });
}

bool BeginsWithAny(std::string_view text, std::initializer_list<std::string_view> begins) {
  return std::any_of(begins.begin(), begins.end(),
                     [&](std::string_view begin) { return text.starts_with(begin); });
}

bool IsComputing(std::string_view type) {
  return HasAny(type, {"AI_CORE", "AICORE", "AI_CPU", "AICPU", "VECTOR_CORE", "AIV", "AIC", "DSA",
                       "DVPP", "DSS", "FFTS", "CUBE"}) ||
         type == "KERNEL";
}

}  // namespace

AscendTask TaskOf(std::string_view name, std::string_view type) {
  const std::string of_name = Plain(name);
  const std::string of_type = Plain(type);
  // Parts of collectives: of the type that they are named after, but for copies of the program.
  const bool is_computing = IsComputing(of_type);
  if (IsAscendCollective(name)) return AscendTask::kNoWork;
  if (!is_computing) {
    if (BeginsWithAny(of_name, {"MEMCPY"}) || BeginsWithAny(of_type, {"MEMCPY"}))
      return AscendTask::kCopy;
    if (BeginsWithAny(of_name, {"MEMSET"})) return AscendTask::kSet;
  }
  for (const std::string_view text : {std::string_view(of_name), std::string_view(of_type)}) {
    if (is_computing) break;
    if (BeginsWithAny(text, {"EVENT_", "NOTIFY", "CAPTURE_", "STREAM_WAIT", "STREAMWAIT"}))
      return AscendTask::kWait;
    if (BeginsWithAny(
            text,
            {"SDMA",      "RDMA",     "WRITE_VALUE",  "MEM_WAIT",  "MEM_WRITE",  "REDUCE_INLINE",
             "PROFILING", "PROFILER", "PLACE_HOLDER", "MODEL_",    "LABEL_",     "STREAM_",
             "NOP",       "CMO",      "COND",         "BARRIER",   "HCCL",       "COMMUNICATION",
             "UB_",       "PCIE_DMA", "FLIP",         "END_GRAPH", "MAINTENANCE"}))
      return AscendTask::kNoWork;
  }
  return type.empty() || is_computing ? AscendTask::kKernel : AscendTask::kUnknown;
}

bool IsAscendCollective(std::string_view name) {
  return name.starts_with("hcom_") || name.starts_with("Hcom_") || name.starts_with("HCOM_");
}

AscendCollective AscendCollectiveOf(std::string_view name) {
  name.remove_prefix(std::min(name.size(), std::string_view("hcom_").size()));
  const std::size_t end = name.find("__");
  AscendCollective collective{.op = name.substr(0, end), .group = {}};
  // What PyTorch calls recv.
  if (collective.op == "receive") collective.op = "recv";
  if (end == std::string_view::npos) return collective;
  const std::string_view rest = name.substr(end + 2);
  collective.group = rest.substr(0, rest.find('_'));
  return collective;
}

std::string_view DtypeOfAscend(std::string_view dtype) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kNames = {{
      {"FP32", "Float"},
      {"FP16", "Half"},
      {"BFP16", "BFloat16"},
      {"BF16", "BFloat16"},
      {"FP64", "Double"},
      {"INT8", "Char"},
      {"UINT8", "Byte"},
      {"INT16", "Short"},
      {"INT32", "Int"},
      {"UINT32", "Int"},
      {"INT64", "Long"},
      {"UINT64", "Long"},
  }};
  for (const auto& [ascend, name] : kNames) {
    if (dtype == ascend) return name;
  }
  return dtype;
}

}  // namespace rankscope::kineto
