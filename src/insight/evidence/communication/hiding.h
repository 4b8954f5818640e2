// A replay with traffic of data parallelism hidden as far as there is computing to hide it behind.
//
// A gathering may begin when the one before it has ended: it hides behind what is computed from
// then on until it is needed. Reductions that begin during the backward are as early as their
// gradients: only computing that waits for them can go on earlier; others hide behind the backward
// as far as it has room, and so do all where the first of several begins as it ends.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "insight/evidence/communication/compute_of_steps.h"
#include "insight/evidence/communication/hideable.h"
#include "insight/evidence/communication/transfer_sums.h"

namespace rankscope {

class Hiding {
 public:
  // Refers to both. O(nodes + exchanges).
  Hiding(const RuleInput& input, const std::vector<HideableOfStep>& hideable);

  bool has_any() const { return sums_.count() > 0; }
  Scenario& without() { return without_; }
  // What was hidden, by its whole transfers.
  const TransferSums& sums() const { return sums_; }
  // "all_reduce of 25.2 MB in default_pg (8 ranks)": what takes most. Only if has_any().
  const std::string& Largest() const;

 private:
  std::int64_t BeginOf(const Exchange& exchange) const;
  std::int64_t EndOf(const Exchange& exchange) const;
  void Count(const Exchange& exchange);
  void Leave(const Exchange& exchange, double needed);
  // As much of all as there is computing, in equal parts.
  void HideBehind(const std::vector<const Exchange*>& exchanges, std::int64_t room_ns,
                  const HideableOfStep& of_step);
  void HideGatherings(const HideableOfStep& of_step);
  void HideReductions(const HideableOfStep& of_step);
  // Whether the first of several buckets begins when the backward is nearly done.
  bool BeginLate(const HideableOfStep& of_step) const;
  bool IsBesideBackward(const Exchange& exchange) const;
  // Computing no longer waits for reductions that begin during the backward and run on a stream of
  // their own. The last one of a step is still waited for, and these with it.
  void LetBackwardGoOn();

  const RuleInput& input_;
  const ComputeOfSteps compute_;
  Scenario without_;
  TransferSums sums_;
  std::map<std::string, std::int64_t> by_kind_;
  std::vector<const Exchange*> beside_;        // begin during the backward, on streams of their own
  std::vector<bool> is_beside_;                // by node: of these
  std::vector<bool> is_on_stream_of_compute_;  // by node
};

}  // namespace rankscope
