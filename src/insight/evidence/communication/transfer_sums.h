// The exchanges of a cause in counted steps, and their loss.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "base/interval.h"
#include "insight/base/cause.h"
#include "insight/evidence/communication/exchanges.h"

namespace rankscope {

class TransferSums {
 public:
  explicit TransferSums(const RuleInput& input) : input_(&input) {}

  // No effect for an exchange in a step that does not count.
  void Add(const Exchange& exchange, std::int64_t lost_ns);

  std::size_t count() const { return count_; }
  const std::set<std::uint32_t>& steps() const { return steps_; }
  const std::vector<NodeId>& nodes() const { return nodes_; }
  double lost_ns() const { return static_cast<double>(lost_ns_); }
  double bytes() const { return static_cast<double>(bytes_); }
  double PerStep(double sum) const { return sum / static_cast<double>(input_->counted().size()); }

  // The most that a step can become shorter without these transfers, as a share of it: a path
  // through the job is in one of them at a time, so no more than some of them run.
  double MostGain() const;

  // Sets the cause's ranks, places, and its loss per step.
  void TellIn(Cause& cause) const;

 private:
  const RuleInput* input_;
  std::size_t count_ = 0;
  std::set<std::uint32_t> ranks_, steps_;
  std::vector<NodeId> nodes_;
  std::vector<Interval> transfers_;
  std::int64_t lost_ns_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace rankscope
