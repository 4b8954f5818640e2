// Combines rows of metrics into steps, in file order.
//
// A row of veRL or OpenRLHF is a step. If it repeats a step and has a step time (a resumed run), it
// replaces the first; without a step time it is merged into it (veRL's rollouter logs separately).
// TRL logs each timer separately and then the step: rows are collected until one has step_time or
// another global step. torchforge may spread a step over several rows, which are merged.
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
  // Returns false, and ignores the row, if it has no time of a step.
  bool Take(MetricRow row);
  // Adds all steps, a source per framework, and notes on oddities. Returns the number of steps.
  std::int64_t Finish(const std::string& path, std::string_view what, PostData& to);

 private:
  void Flush();

  std::map<std::pair<Framework, std::int64_t>, MetricRow> steps_;
  std::int64_t repeated_ = 0;
  std::int64_t numbered_ = 0;          // for rows without a step number
  std::optional<MetricRow> gathered_;  // for TRL
};

}  // namespace rankscope::post_training
