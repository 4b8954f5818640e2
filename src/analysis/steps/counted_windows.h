// Which windows statistics over ranks are made of: the complete steps of a rank; of a rank that has
// none, all windows, since something is better than nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "schemas/steps.h"
#include "table/table.h"

namespace rankscope {

// The columns of a table whose rows are windows of ranks, by their index.
struct WindowColumns {
  std::size_t rank = 0;
  std::size_t step = 0;
  std::size_t complete = 0;
};
template <typename T>
WindowColumns WindowColumnsOf(const T& schema) {
  return {schema.rank.index(), schema.step.index(), schema.complete.index()};
}

class CountedWindows {
 public:
  explicit CountedWindows(ViewOf<StepTimes> step_times);

  // Whether a row of a table with these columns counts.
  bool Counts(const Table& table, std::size_t row, const WindowColumns& columns) const;
  // Complete steps of the rank, over its recordings. 1 when no rank has any: the recording is the
  // step; nullopt when others have: what is per step cannot be compared with a whole recording.
  std::optional<double> StepsOf(std::int64_t rank) const;

 private:
  std::map<std::int64_t, std::int64_t> complete_steps_;
};

}  // namespace rankscope
