#include "app/read_role_traces.h"

#include <filesystem>
#include <utility>

#include "app/make_table.h"
#include "base/saturating.h"
#include "insight/base/cause_tools.h"
#include "schemas/captures.h"
#include "schemas/steps.h"

namespace rankscope::app {
namespace {

constexpr std::int64_t kLeastEngineSteps = 10;

// Of all ranks' complete steps; what was not observed is in no denominator.
void TakeBusy(ViewOf<TimeBreakdown> rows, post_training::RoleTrace& to) {
  const auto& schema = SchemaOf<TimeBreakdown>();
  std::int64_t busy = 0, observed = 0;
  for (std::size_t row = 0; row < rows.row_count(); ++row) {
    if (rows.IsNull(row, schema.complete) || !rows.Bool(row, schema.complete)) continue;
    const auto of = [&](auto column) { return rows.Known(row, column).value_or(0); };
    AddSaturating(busy, of(schema.compute_ns));
    AddSaturating(busy, of(schema.exposed_communication_ns));
    AddSaturating(busy, of(schema.exposed_copy_ns));
    AddSaturating(observed, of(schema.duration_ns));
    AddSaturating(observed, -of(schema.not_observed_ns));
  }
  if (observed > 0) to.busy_pct = 100 * static_cast<double>(busy) / static_cast<double>(observed);
}

void TakeSteps(ViewOf<StepTimes> rows, post_training::RoleTrace& to) {
  const auto& schema = SchemaOf<StepTimes>();
  double sum = 0;
  for (std::size_t row = 0; row < rows.row_count(); ++row) {
    const auto duration = rows.Known(row, schema.duration_ns);
    if (!duration || rows.IsNull(row, schema.complete) || !rows.Bool(row, schema.complete))
      continue;
    sum += static_cast<double>(*duration);
    ++to.steps;
    const std::string_view mark = rows.TextOrEmpty(row, schema.marked_by);
    if (mark == "engine") {
      to.kind = "generator";
    } else if (to.kind.empty() && (mark == "profiler" || mark == "optimizer")) {
      to.kind = "trainer";
    }
  }
  if (to.steps > 0) to.step_mean = sum / static_cast<double>(to.steps);
}

}  // namespace

Result<post_training::RoleTrace> ReadRoleTraces(const std::string& folder,
                                                const std::vector<std::string>& files,
                                                Listener& listener) {
  JobSpec spec{.paths = files, .takes_many_runs = true, .cache = CacheOfEnvironment()};
  spec.captures.which = CaptureChoice::Which::kAll;
  const std::string name = std::filesystem::path(folder).filename().string();
  post_training::RoleTrace trace{.role = name.empty() ? folder : name,
                                 .ranks = static_cast<std::int64_t>(files.size())};
  RS_ASSIGN_OR_RETURN(const auto job, OpenJob(spec,
                                              {{.table = std::string(StepTimes::kName)},
                                               {.table = std::string(TimeBreakdown::kName)},
                                               {.table = std::string(Recording::kName)}},
                                              listener));
  const auto table_of = [&](std::string_view table) {
    return MakeTable({.table = std::string(table)}, *job, listener);
  };
  RS_ASSIGN_OR_RETURN(const Table steps, table_of(StepTimes::kName));
  TakeSteps(ViewOf<StepTimes>(steps), trace);
  if (trace.steps == 0)
    return Error(StatusCode::kNotFound,
                 "{}: traces without a complete step: rankscope analyze reads them", folder);
  RS_ASSIGN_OR_RETURN(const Table verdicts, table_of(Recording::kName));
  // Of a few steps of an engine how busy its devices are says little.
  const bool is_enough = trace.kind != "generator" || trace.steps >= kLeastEngineSteps;
  if (is_enough && KnowsAllDevices(ViewOf<Recording>(verdicts))) {
    RS_ASSIGN_OR_RETURN(const Table parts, table_of(TimeBreakdown::kName));
    TakeBusy(ViewOf<TimeBreakdown>(parts), trace);
  }
  return trace;
}

}  // namespace rankscope::app
