// The resources that a stream of reports needs: processors, network, disks. A model in which every
// row states its formula; measured values of a machine go in as options.
#pragma once

#include "base/status.h"
#include "schemas/fleet_answers.h"

namespace rankscope::fleet {

struct CapacityOptions {
  double reports_per_day = 50'000;
  double cpu_s_per_gb = 5;  // of JSON: 1 s to parse at 1 GB/s, / 0.6 to load, x 3 for all analyses
  double gz_ratio = 17;     // JSON to .json.gz
  double peak = 4;          // peak load of a day relative to its mean
  double use_pct = 60;      // allowed processor utilisation at the peak
  double raw_days = 14;     // retention of traces
  double table_days = 400;  // retention of reports, tables and rows
};

// kInvalidArgument for numbers that are not above 0, or use_pct above 100.
Result<TableOf<Capacity>> CapacityFor(const CapacityOptions& options);

}  // namespace rankscope::fleet
