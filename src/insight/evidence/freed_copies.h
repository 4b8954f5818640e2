// Copies from and to memory of the host that is not pinned: the host cannot go on beside them.
#pragma once

#include <cstdint>

#include "insight/base/rule_input.h"
#include "insight/evidence/selection.h"

namespace rankscope {

// From a pageable buffer to a device, however short: the driver stages it first.
bool IsFromPageable(const NodeKind& kind);

// From a device to a pageable buffer, of a duration that tells of data and not of a single value
// (kLongCopyNs): .cpu() and .numpy() of a tensor, not .item().
bool IsToPageable(const JobGraph& graph, NodeId node);

// The job with the copies on a stream of their own, when nothing needs it, and hosts that wait for
// none.
class FreedCopies {
 public:
  FreedCopies(const RuleInput& input, const Selection& copies);

  std::int64_t waited_ns() const { return waited_ns_; }  // by hosts, in steps that count
  Scenario Take() && { return std::move(without_); }

 private:
  void CutWait(NodeId waiting, std::size_t edge);
  void CutCall(NodeId call, NodeId copy);

  const RuleInput& input_;
  Scenario without_;
  std::int64_t waited_ns_ = 0;
};

}  // namespace rankscope
