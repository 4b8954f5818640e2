// Copies from and to unpinned host memory, during which the host is blocked.
#pragma once

#include <cstdint>

#include "insight/base/rule_input.h"
#include "insight/evidence/loss/selection.h"

namespace rankscope {

// From a pageable buffer to a device, of any duration: the driver stages it first.
bool IsFromPageable(const NodeKind& kind);

// From a device to a pageable buffer, long enough for data and not a single value (kLongCopyNs):
// .cpu() and .numpy() of a tensor, not .item().
bool IsToPageable(const JobGraph& graph, NodeId node);

// The job with the copies on a separate stream if nothing depends on them, and without waits of
// hosts for them.
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
