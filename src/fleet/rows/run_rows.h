// The rows of a run: what is kept of it for questions over all runs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/status.h"
#include "schemas/fleet.h"
#include "table/table.h"

namespace rankscope::fleet {

// A finished run as the store has it. Tables are null where the store has none: what they say is
// unknown then.
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
  const Table* kernels_by_name = nullptr;  // in its place, for older runs
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

// Adds the rows of a run. kBadData when a sketch is damaged. Tables of other columns than this
// version's are taken for missing.
Status AddRun(const RunInput& run, FleetRows& rows);

// The UTC day of a moment, YYYY-MM-DD.
std::string DayOf(std::int64_t ns_since_1970);

}  // namespace rankscope::fleet
