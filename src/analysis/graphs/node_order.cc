#include "analysis/graphs/node_order.h"

namespace rankscope {

std::string_view ToString(GraphNodeKind kind) {
  static constexpr std::array<std::string_view, kNodeKindCount> kNames = {"kernel", "copy",
                                                                          "memset"};
  return kNames[static_cast<std::size_t>(kind)];
}

GraphNodeKind KindOfWork(const RankTrace& trace, Row work) {
  if (trace.kind[work] == EventKind::kMemcpy) return GraphNodeKind::kCopy;
  if (trace.kind[work] == EventKind::kMemset) return GraphNodeKind::kMemset;
  const std::string_view name = trace.name_of(work);
  if (name.starts_with("__amd_rocclr_copyBuffer")) return GraphNodeKind::kCopy;
  if (name.starts_with("__amd_rocclr_fillBuffer")) return GraphNodeKind::kMemset;
  return GraphNodeKind::kKernel;
}

GraphNodeKind KindOfCall(std::string_view call) {
  if (call.find("Memcpy") != std::string_view::npos) return GraphNodeKind::kCopy;
  return call.find("Memset") != std::string_view::npos ? GraphNodeKind::kMemset
                                                       : GraphNodeKind::kKernel;
}

}  // namespace rankscope
