#include "analysis/graphs/node_order.h"

namespace rankscope {

std::string_view ToString(NodeKind kind) {
  static constexpr std::array<std::string_view, kNodeKindCount> kNames = {"kernel", "copy",
                                                                          "memset"};
  return kNames[static_cast<std::size_t>(kind)];
}

NodeKind KindOfWork(const RankTrace& trace, Row work) {
  if (trace.kind[work] == EventKind::kMemcpy) return NodeKind::kCopy;
  if (trace.kind[work] == EventKind::kMemset) return NodeKind::kMemset;
  const std::string_view name = trace.name_of(work);
  if (name.starts_with("__amd_rocclr_copyBuffer")) return NodeKind::kCopy;
  if (name.starts_with("__amd_rocclr_fillBuffer")) return NodeKind::kMemset;
  return NodeKind::kKernel;
}

NodeKind KindOfCall(std::string_view call) {
  if (call.find("Memcpy") != std::string_view::npos) return NodeKind::kCopy;
  return call.find("Memset") != std::string_view::npos ? NodeKind::kMemset : NodeKind::kKernel;
}

}  // namespace rankscope
