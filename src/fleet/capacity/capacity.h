// What a stream of reports needs: processors, network, disks. A model, whose every row says its
// formula; what a machine measures goes in as an option.
#pragma once

#include "base/status.h"
#include "schemas/fleet_answers.h"

namespace rankscope::fleet {

struct CapacityOptions {
  double reports_per_day = 50'000;
  double cpu_s_per_gb = 5;  // of JSON: 1 s to parse at 1 GB/s, / 0.6 to load, x 3 for all analyses
  double gz_ratio = 17;     // JSON to .json.gz
  double peak = 4;          // the busiest time of a day against its mean
  double use_pct = 60;      // of processors, that may be used at the peak
  double raw_days = 14;     // traces are kept
  double table_days = 400;  // reports, tables and rows are kept
};

// kInvalidArgument for numbers that are not above 0, or use_pct above 100.
Result<TableOf<Capacity>> CapacityFor(const CapacityOptions& options);

}  // namespace rankscope::fleet
