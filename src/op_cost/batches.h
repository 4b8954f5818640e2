// The batches of a serving engine: which annotation with their sums is around a row.
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
  // Linear in the names; in the rows, too, of a trace that has such annotations.
  explicit Batches(const RankTrace& trace);
  // The name of the innermost such annotation around a row of a host thread; nullopt without one.
  std::optional<StringId> Around(Row row) const;
  // `name` is what Around gave.
  const BatchSums& SumsOf(StringId name) const { return *sums_[name]; }

 private:
  const RankTrace& trace_;
  std::vector<std::optional<BatchSums>> sums_;  // of each name; empty when none is an annotation
  std::unique_ptr<const FrameTree> annotations_;
};

}  // namespace rankscope
