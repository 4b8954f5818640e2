// The rows that are kept of a run, for questions over all runs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/status.h"
#include "schemas/fleet.h"
#include "table/table.h"

namespace rankscope::fleet {

// A finished run from the store. A table is null if the store does not have it; its contents are
// then unknown.
struct RunInput {
  std::string id, name, user, team, model, product, framework, hardware;
  std::map<std::string, std::string> tags;
  std::int64_t world_size = -1;           // -1: unknown
  std::int64_t added_s = 0;               // since 1970
  std::string content;                    // hash of the report
  std::optional<std::int64_t> origin_ns;  // of the job's clock, since 1970
  std::optional<double> step_ns;
  std::string bottleneck;
  const Table* kernel_sketches = nullptr;  // schemas/kernels.h
  const Table* kernels_by_name = nullptr;  // instead of it, for older runs
  const Table* roofline = nullptr;
  const Table* captures = nullptr;
  const Table* utilisation = nullptr;
  const Table* job_steps = nullptr;
  const Table* findings = nullptr;
};

struct FleetRows {
  TableOf<FleetRun> runs = SchemaOf<FleetRun>().NewTable(std::string(FleetRun::kName));
  TableOf<KernelRun> kernels = SchemaOf<KernelRun>().NewTable(std::string(KernelRun::kName));
  TableOf<FindingRun> findings = SchemaOf<FindingRun>().NewTable(std::string(FindingRun::kName));
};

// Adds the rows of a run. kBadData if a sketch is damaged. Tables with other columns than in this
// version count as missing.
Status AddRun(const RunInput& run, FleetRows& rows);

// The UTC day of a moment, YYYY-MM-DD.
std::string DayOf(std::int64_t ns_since_1970);

}  // namespace rankscope::fleet
