// Which windows statistics over ranks are made of: the complete steps of a rank; of a rank that has
// none, all windows, since something is better than nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "table/table.h"

namespace rankscope {

// The columns of a table whose rows are windows of ranks.
struct WindowColumns {
  IntColumn rank;
  IntColumn step;
  FlagColumn complete;
};
template <typename T>
WindowColumns WindowColumnsOf(const T& schema) {
  return {schema.rank, schema.step, schema.complete};
}

class CountedWindows {
 public:
  // `step_times` is the table of that analysis.
  explicit CountedWindows(const Table& step_times);

  // Whether a row of a table with these columns counts.
  bool Counts(const Table& table, std::size_t row, const WindowColumns& columns) const;
  // Complete steps of the rank, over its recordings. 1 when no rank has any: the recording is the
  // step; nullopt when others have: what is per step cannot be compared with a whole recording.
  std::optional<double> StepsOf(std::int64_t rank) const;

 private:
  std::map<std::int64_t, std::int64_t> complete_steps_;
};

}  // namespace rankscope
