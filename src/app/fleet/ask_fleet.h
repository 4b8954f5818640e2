// Queries over all runs of a store, for `rankscope fleet`.
#pragma once

#include <cstdint>
#include <string>

#include "app/fleet/fleet_database.h"
#include "app/listener.h"
#include "base/status.h"
#include "report/fleet/fleet_report.h"

namespace rankscope::app {

struct OverviewQuestion {
  FleetSpec fleet;
  std::string by = "team";  // fleet/questions/costs.h has the words
  std::int64_t top = 10;
};
// Hours by owner, classes, the most expensive and the most launched kernels, findings, unknown
// data.
Result<FleetReport> AskOverview(const OverviewQuestion& question, Listener& listener);

struct KernelsQuestion {
  FleetSpec fleet;
  bool by_launches = false;  // else by GPU time
  std::int64_t top = 30;
};
Result<FleetReport> AskKernels(const KernelsQuestion& question, Listener& listener);

struct RegressionsQuestion {
  FleetSpec fleet;
  double most_q = 0.05;
  double least_hours_per_day = 0;
  std::string split;      // the first day of the second part; "" is the day in the middle
  std::int64_t top = 10;  // movers
};
Result<FleetReport> AskRegressions(const RegressionsQuestion& question, Listener& listener);

struct FindingsQuestion {
  FleetSpec fleet;
  std::string by;  // "": all together
};
Result<FleetReport> AskFindings(const FindingsQuestion& question, Listener& listener);

struct ModelsQuestion {
  FleetSpec fleet;
  std::string model;  // "": all
  std::string every = "month";
};
// kNotFound for a model without a run in the period.
Result<FleetReport> AskModels(const ModelsQuestion& question, Listener& listener);

// One SELECT over the views of fleet_database.h.
Result<Table> AskFleet(const FleetSpec& fleet, const std::string& sql, Listener& listener);

}  // namespace rankscope::app
