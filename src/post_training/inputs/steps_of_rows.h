// Rows of metrics become steps, in the order in which a file has them.
//
// A row of veRL or OpenRLHF is a step; one that comes again with a time of the step (a run that was
// resumed) replaces the first, and one without is put together with it (veRL's rollouter logs by
// itself). TRL logs each timer by itself and then the step: rows are gathered until one has
// step_time or another global step. torchforge may spread a step over rows, which are put together.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "post_training/base/data.h"
#include "post_training/inputs/interpret.h"
#include "post_training/inputs/metric_row.h"

namespace rankscope::post_training {

class StepsOfRows {
 public:
  // A row without a time of a step counts for nothing, and false is answered.
  bool Take(MetricRow row);
  // Adds all steps, with a source for each framework, and notes of what is odd. Answers how many.
  std::int64_t Finish(const std::string& path, std::string_view what, PostData& to);

 private:
  void Flush();

  std::map<std::pair<Framework, std::int64_t>, MetricRow> steps_;
  std::int64_t repeated_ = 0;
  std::int64_t numbered_ = 0;          // of rows that tell no step
  std::optional<MetricRow> gathered_;  // of TRL
};

}  // namespace rankscope::post_training
