#include "fleet/questions/models.h"

#include <fmt/core.h>

#include "fleet/questions/answer.h"

namespace rankscope::fleet {
namespace {

constexpr std::string_view kModels = R"(
WITH of_runs AS (
  SELECT *, {period} AS period FROM fleet_run {where}),
last_runs AS (
  SELECT model, device_model, period, run_id,
         row_number() OVER (PARTITION BY model, device_model, period
           ORDER BY start_ns DESC, run_id) AS place
  FROM of_runs),
sums AS (
  SELECT model, device_model, period,
         count(*) AS runs, count(DISTINCT job) AS jobs,
         CAST(median(step_ns) AS BIGINT) AS step_ns,
         CAST(100.0 * sum(traced_busy_ns) / nullif(sum(traced_wall_ns), 0) AS DOUBLE) AS busy_pct,
         CAST(sum(device_ms) / 3600000.0 AS DOUBLE) AS device_hours,
         count(*) - count(device_ms) AS runs_without_hours,
         CASE WHEN min(framework) = max(framework) THEN min(framework)
              ELSE min(framework) || ', ' || max(framework) END AS frameworks
  FROM of_runs
  GROUP BY model, device_model, period)
SELECT s.model AS model, s.device_model AS device_model, s.period AS period, runs, jobs, step_ns,
       CAST(NULL AS DOUBLE) AS change_pct, busy_pct, device_hours, runs_without_hours, frameworks,
       l.run_id AS example_run
FROM sums AS s JOIN last_runs AS l
  ON coalesce(l.model, '') = coalesce(s.model, '')
 AND coalesce(l.device_model, '') = coalesce(s.device_model, '')
 AND l.period = s.period AND l.place = 1
ORDER BY model NULLS LAST, device_model NULLS LAST, period)";

std::string_view PeriodOf(Period period) {
  switch (period) {
    case Period::kDay:
      return "day";
    case Period::kWeek:
      return "CAST(CAST(date_trunc('week', CAST(day AS DATE)) AS DATE) AS VARCHAR)";
    case Period::kMonth:
      break;
  }
  return "substring(day, 1, 7)";
}

}  // namespace

Result<TableOf<FleetModels>> ModelsOverTime(FleetSql& sql, const std::string& model,
                                            Period period) {
  const std::string where = model.empty() ? "" : "WHERE model = " + Quoted(model);
  RS_ASSIGN_OR_RETURN(const Table rows, sql.Run(fmt::format(fmt::runtime(kModels),
                                                            fmt::arg("period", PeriodOf(period)),
                                                            fmt::arg("where", where))));
  RS_ASSIGN_OR_RETURN(const TableOf<FleetModels> sums, AnswerOf<FleetModels>(rows));
  const auto& columns = SchemaOf<FleetModels>();
  auto table = columns.NewTable(std::string(FleetModels::kName));
  for (std::size_t row = 0; row < sums.row_count(); ++row) {
    std::vector<Value> cells;
    for (std::size_t i = 0; i < sums.column_count(); ++i) cells.push_back(sums.table().At(row, i));
    const bool follows =
        row > 0 && sums.At(row, columns.model) == sums.At(row - 1, columns.model) &&
        sums.At(row, columns.device_model) == sums.At(row - 1, columns.device_model);
    const auto step = sums.Known(row, columns.step_ns);
    const auto before = follows ? sums.Known(row - 1, columns.step_ns) : std::nullopt;
    if (step && before && *before > 0) {
      cells[columns.change_pct.index()] =
          100 * (static_cast<double>(*step) / static_cast<double>(*before) - 1);
    }
    table.AddRow(cells);
  }
  return table;
}

}  // namespace rankscope::fleet
