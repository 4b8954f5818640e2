#include "analysis/steps/counted_windows.h"

namespace rankscope {

CountedWindows::CountedWindows(ViewOf<StepTimes> step_times) {
  const auto& columns = SchemaOf<StepTimes>();
  for (std::size_t row = 0; row < step_times.row_count(); ++row) {
    if (step_times.Bool(row, columns.complete))
      ++complete_steps_[step_times.Int(row, columns.rank)];
  }
}

bool CountedWindows::Counts(const Table& table, std::size_t row,
                            const WindowColumns& columns) const {
  if (!complete_steps_.contains(table.Int(row, columns.rank))) return true;
  return !table.IsNull(row, columns.step) && table.Bool(row, columns.complete);
}

std::optional<double> CountedWindows::StepsOf(std::int64_t rank) const {
  if (complete_steps_.empty()) return 1;
  const auto steps = complete_steps_.find(rank);
  if (steps == complete_steps_.end()) return std::nullopt;
  return static_cast<double>(steps->second);
}

}  // namespace rankscope
