// MemoryOwners: the ranges that were open on the thread when memory was allocated.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace rankscope {

// The innermost of each kind around an instant; kNoRow if none.
struct MemoryOwner {
  Row op = kNoRow;          // cpu_op
  Row annotation = kNoRow;  // user annotation, the step's mark aside
  Row module = kNoRow;      // Python frame of a module: "nn.Module: Linear_0"
  Row frame = kNoRow;       // any Python frame
};

class MemoryOwners {
 public:
  // O(rows of the threads that have memory instants).
  explicit MemoryOwners(const RankTrace& trace);
  // Of a memory instant. O(log instants).
  const MemoryOwner& Of(Row instant) const;

 private:
  std::vector<Row> instants_;  // ascending
  std::vector<MemoryOwner> owners_;
};

// The `limit` innermost Python frames from `frame` outwards, "inner < outer < ...".
std::string StackText(const RankTrace& trace, Row frame, std::int64_t limit);

}  // namespace rankscope
