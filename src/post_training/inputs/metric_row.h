// A step's numbers by their names, as programs print them:
//
//   (TaskRunner pid=17) step:3 - timing_s/gen:12.5 - timing_s/step:20.25      veRL
//   {'loss': 0.01, 'step_time': 3.5, 'epoch': 0.1}                            TRL, OpenRLHF
//   {"step": 3, "data": {"timing_s/gen": 12.5}}                               veRL's file, wandb
//
// Colours of a terminal and prefixes of Ray are passed over. O(line).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/reader.h"

namespace rankscope::post_training {

struct MetricRow {
  std::optional<std::int64_t> step;
  std::vector<std::pair<std::string, double>> values;  // finite ones, in their order

  // The last of that name; nullopt without.
  std::optional<double> Find(std::string_view name) const;
  bool HasPrefix(std::string_view prefix) const;
};

// Without escape sequences of terminals ("\x1b[36m") and other controls but tabs.
std::string WithoutColours(std::string_view line);

// "1.5", "np.float64(1.5)", "tensor(1.5)", "'1.5'": finite ones.
std::optional<double> PrintedNumber(std::string_view text);

// veRL's console. The line begins with "step:N - ", behind whatever stands before it.
std::optional<MetricRow> ParseStepLine(std::string_view line);
// A dict that Python printed, or JSON, somewhere in a line; at least one known number.
// "Global step 7: {..}" tells the step.
std::optional<MetricRow> ParseDictLine(std::string_view line);
// An object of JSON, with what lies in its "data" or "metrics".
MetricRow RowOfJson(const json::Value& object);

}  // namespace rankscope::post_training
