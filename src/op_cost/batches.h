// The batches of a serving engine: finds the annotation with batch sums around a row.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "op_cost/models/paged_attention.h"
#include "trace/call_tree.h"
#include "trace/trace.h"

namespace rankscope {

class Batches {
 public:
  // O(names); for a trace with such annotations also O(rows).
  explicit Batches(const RankTrace& trace);
  // The name of the innermost such annotation around a row of a host thread; nullopt if there is
  // none.
  std::optional<StringId> Around(Row row) const;
  // `name` is a result of Around.
  const BatchSums& SumsOf(StringId name) const { return *sums_[name]; }

 private:
  const RankTrace& trace_;
  std::vector<std::optional<BatchSums>> sums_;  // by name; empty if no name is such an annotation
  std::unique_ptr<const FrameTree> annotations_;
};

}  // namespace rankscope
