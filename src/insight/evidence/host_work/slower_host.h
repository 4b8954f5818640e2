// A host that is slower at everything in some steps.
#pragma once

#include <cstdint>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

// What hosts do in these steps against the median of the other counted ones, by the user's function
// and by op where none is known: long pieces of a slow step are nodes that other steps do not have,
// so nodes do not tell. Of one function at most so much counts as makes it three times as long: a
// pause in one makes no host slow.
class SlowerHost {
 public:
  // `is_one` by step of the graph.
  SlowerHost(const RuleInput& input, const std::vector<bool>& is_one);

  // How many times as long they take.
  double Times() const { return usual_ns_ == 0 ? 1 : (usual_ns_ + more_ns_) / usual_ns_; }
  // `excess`: what these steps take longer, place by place. Most of it lies there, and most of what
  // hosts do takes longer, by more than 5%.
  bool Holds(const std::vector<std::int64_t>& excess) const;

 private:
  double usual_ns_ = 0, more_ns_ = 0, slower_usual_ns_ = 0;
};

}  // namespace rankscope
