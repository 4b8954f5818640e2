// The metrics of a step by name, as programs print them:
//
//   (TaskRunner pid=17) step:3 - timing_s/gen:12.5 - timing_s/step:20.25      veRL
//   {'loss': 0.01, 'step_time': 3.5, 'epoch': 0.1}                            TRL, OpenRLHF
//   {"step": 3, "data": {"timing_s/gen": 12.5}}                               veRL's file, wandb
//
// Terminal colours and prefixes of Ray are skipped. O(line).
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
  std::vector<std::pair<std::string, double>> values;  // finite ones, in file order

  // The last value with that name; nullopt if there is none.
  std::optional<double> Find(std::string_view name) const;
  bool HasPrefix(std::string_view prefix) const;
};

// Removes terminal escape sequences ("\x1b[36m") and all other control characters except tabs.
std::string WithoutColours(std::string_view line);

// Parses "1.5", "np.float64(1.5)", "tensor(1.5)", "'1.5'": finite values.
std::optional<double> PrintedNumber(std::string_view text);

// veRL's console: the part of the line that begins with "step:N - "; any prefix is ignored.
std::optional<MetricRow> ParseStepLine(std::string_view line);
// A dict printed by Python, or JSON, anywhere in a line, with at least one known number. "Global
// step 7: {..}" gives the step.
std::optional<MetricRow> ParseDictLine(std::string_view line);
// A JSON object, including the content of its "data" or "metrics".
MetricRow RowOfJson(const json::Value& object);

}  // namespace rankscope::post_training
