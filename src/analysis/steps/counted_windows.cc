#include "analysis/steps/counted_windows.h"

namespace rankscope {

CountedWindows::CountedWindows(const Table& step_times) {
  const std::size_t rank = *step_times.Find("rank");
  const std::size_t complete = *step_times.Find("complete");
  for (std::size_t row = 0; row < step_times.row_count(); ++row) {
    if (step_times.Bool(row, complete)) ++complete_steps_[step_times.Int(row, rank)];
  }
}

bool CountedWindows::Counts(const Table& table, std::size_t row) const {
  if (!complete_steps_.contains(table.Int(row, *table.Find("rank")))) return true;
  return !table.IsNull(row, *table.Find("step")) && table.Bool(row, *table.Find("complete"));
}

std::optional<double> CountedWindows::StepsOf(std::int64_t rank) const {
  if (complete_steps_.empty()) return 1;
  const auto steps = complete_steps_.find(rank);
  if (steps == complete_steps_.end()) return std::nullopt;
  return static_cast<double>(steps->second);
}

}  // namespace rankscope
