#include "sim/jobs/graph_capture.h"

#include "base/check.h"

namespace rankscope::sim {
namespace {

// What a host does and no graph holds.
bool IsHostWork(Code code) {
  switch (code) {
    case Code::kOpenOp:
    case Code::kCloseOp:
    case Code::kOpenFrame:
    case Code::kCloseFrame:
    case Code::kThink:
    case Code::kAllocate:
    case Code::kFree:
    case Code::kPausePoint:
      return true;
    default:
      return false;
  }
}

}  // namespace

const CapturedGraph* Capture(const std::vector<const Segment*>& segments, GraphSide side,
                             Library* library) {
  CapturedGraph graph{.side = side, .nodes = {}};
  for (const Segment* segment : segments) {
    for (const Instruction& instruction : *segment) {
      if (IsHostWork(instruction.code)) continue;
      GraphNode node{.cause = instruction.cause};
      const bool launch = instruction.code == Code::kLaunch;
      if (launch) node.kernel = instruction.kernel;
      if (instruction.code == Code::kCopy) node.copy = instruction.copy;
      RS_CHECK((launch || node.copy != nullptr) && instruction.stream == Stream::kCompute,
               "instruction {} cannot be captured", static_cast<int>(instruction.code));
      graph.nodes.push_back(node);
    }
  }
  return library->Add(std::move(graph));
}

}  // namespace rankscope::sim
