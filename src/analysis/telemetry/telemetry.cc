#include "telemetry/telemetry.h"

#include <algorithm>
#include <vector>

#include "analysis/telemetry/analyses.h"
#include "base/saturating.h"
#include "schemas/telemetry.h"
#include "table/or_null.h"

namespace rankscope {
namespace {

Result<Table> DeriveTelemetry(const InputTables&, const JobContext& job, const Options&) {
  const auto& columns = SchemaOf<TelemetrySamples>();
  auto table = columns.NewTable(std::string(TelemetrySamples::kName));
  if (job.telemetry == nullptr) return table;
  const Telemetry& telemetry = *job.telemetry;
  std::vector<Telemetry::Row> rows(telemetry.rows().begin(), telemetry.rows().end());
  std::ranges::stable_sort(rows, {}, &Telemetry::Row::time_ns);
  for (const Telemetry::Row& row : rows) {
    table.Add({columns.rank = row.rank == Telemetry::kNoRank ? Value(kNull) : Value(row.rank),
               columns.host = TextOrNull(telemetry.Text(row.host)),
               columns.time_ns = SaturatingSubtract(row.time_ns, job.origin_ns),
               columns.name = telemetry.Text(row.name), columns.value = row.value,
               columns.unit = TextOrNull(telemetry.Text(row.unit))});
  }
  return table;
}

}  // namespace

const Analysis& TelemetryAnalysis() {
  static const Analysis kAnalysis = {
      .name = std::string(TelemetrySamples::kName),
      .size = Size::kDetail,
      .summary = "what hosts and devices did meanwhile, sample by sample",
      .definition =
          "The samples of files NAME.telemetry.json beside the traces, by time: what "
          "rankscope-agent sends along with captures, and what a job tells of itself. Times are "
          "those of each host's own clock.",
      .example = "rankscope table telemetry traces/",
      .columns = SchemaOf<TelemetrySamples>().columns(),
      .derive = DeriveTelemetry,
  };
  return kAnalysis;
}

}  // namespace rankscope
