// A fleet with truth: runs of models over days, with changes planted that `rankscope fleet` is to
// find, and with those that are none.
//
// Runs become rows on the way of real ones (rows/run_rows.h), from tables as reports have them.
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
  kMixShift,     // other models are run, no kernel gets slower: nothing is to be told
  kRefactoring,  // work moves from one kernel of a model to another: a cost shift
  kNewKernel,    // a model launches a kernel that it did not launch
  kNewShapes,  // a model is run with larger inputs, and shapes are recorded: nothing is to be told
};

struct Plant {
  PlantKind kind = PlantKind::kRegression;
  std::string cause = "driver";  // of a regression: driver, framework or image
};
// "regression", "regression:framework", "mix-shift", "refactoring", "new-kernel",
// "new-shapes".
Result<Plant> ParsePlant(std::string_view text);

struct FleetSimulation {
  std::int64_t days = 60;
  std::int64_t models = 6;  // 2 or more
  std::int64_t runs_per_day = 24;
  std::int64_t kernels = 19;  // of a model; as many or more
  std::uint64_t seed = 1;
  std::string since = "2026-07-01";  // the first day
  std::vector<Plant> plants;         // at days from the second to the last third
};

// Hands on the rows of each day in turn, and returns the truth as JSON: {"schema",
// "plants":[{"kind","kernel_key","models","device_model","since","change_pct","cause"}]}. Equal
// options give equal rows. kInvalidArgument for options that make no fleet.
Result<std::string> SimulateFleet(
    const FleetSimulation& options,
    const std::function<Status(const std::string& day, const FleetRows& rows)>& take);

}  // namespace rankscope::fleet
