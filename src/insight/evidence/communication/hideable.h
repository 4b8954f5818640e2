// Traffic of data parallelism that computing could hide: all but the first gathering and the last
// reduction of a step; of a giant one of these all but a bucket.
#pragma once

#include <vector>

#include "insight/evidence/communication/exchanges.h"

namespace rankscope {

// What could be hidden of the traffic of one group of data parallelism in one step and direction.
struct HideableOfStep {
  std::vector<const Exchange*> exchanges;  // by their begins
  // Of these, of which a bucket is needed: one reduction of nearly all gradients; the gathering of
  // all parameters at once; the first gathering, if it is far larger than the others.
  const Exchange* giant = nullptr;
  std::int64_t bucket_bytes = 0;    // of the giant one
  const Exchange* first = nullptr;  // of a step, when it gathers
  bool gathers = false;

  // How much of it has to be exposed.
  double NeededPart(const Exchange* exchange) const;
};

// By group, step and direction; without what is far smaller than the largest of these (a loss or a
// norm). O(exchanges log exchanges).
std::vector<HideableOfStep> Hideable(const RuleInput& input);

// Whether the backward launched it, on all ranks.
bool IsOfBackward(const RuleInput& input, const Exchange& exchange);

}  // namespace rankscope
