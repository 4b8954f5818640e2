// A fleet with ground truth: runs of models over days, with planted changes that `rankscope fleet`
// should find, and with others that it should not report.
//
// Runs become rows in the same way as real ones (rows/run_rows.h), from tables as in reports.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "fleet/rows/run_rows.h"

namespace rankscope::fleet {

enum class PlantKind : std::uint8_t {
  kRegression,   // a kernel gets slower where an attribute has a new value
  kMixShift,     // other models run, no kernel gets slower: nothing to report
  kRefactoring,  // work moves from one kernel of a model to another: a cost shift
  kNewKernel,    // a model launches a kernel that it did not launch before
  kNewShapes,    // larger inputs of a model, with recorded shapes: nothing to report
};

struct Plant {
  PlantKind kind = PlantKind::kRegression;
  std::string cause = "driver";  // for a regression: driver, framework or image
};
// "regression", "regression:framework", "mix-shift", "refactoring", "new-kernel",
// "new-shapes".
Result<Plant> ParsePlant(std::string_view text);

struct FleetSimulation {
  std::int64_t days = 60;
  std::int64_t models = 6;  // 2 or more
  std::int64_t runs_per_day = 24;
  std::int64_t kernels = 19;  // per model; at least 19
  std::uint64_t seed = 1;
  std::string since = "2026-07-01";  // the first day
  std::vector<Plant> plants;         // on days in the middle third
};

// Passes on the rows of each day in turn, and returns the truth as JSON: {"schema",
// "plants":[{"kind","kernel_key","models","device_model","since","change_pct","cause"}]}. Equal
// options give equal rows. kInvalidArgument for invalid options.
Result<std::string> SimulateFleet(
    const FleetSimulation& options,
    const std::function<Status(const std::string& day, const FleetRows& rows)>& take);

}  // namespace rankscope::fleet
