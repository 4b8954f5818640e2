#include "fleet/questions/costs.h"

#include <fmt/core.h>

#include <map>
#include <set>
#include <tuple>

#include "fleet/questions/answer.h"
#include "statistics/duration_buckets.h"

namespace rankscope::fleet {
namespace {

// A column of fleet_run for the word of --by, which is spelled like it but for two.
std::string ColumnOf(std::string_view by) {
  if (by == "device") return "device_model";
  return std::string(by);
}

constexpr std::string_view kShares = R"(
SELECT "{column}" AS value,
       count(*) AS runs,
       count(DISTINCT job) AS jobs,
       CAST(sum(device_ms) / 3600000.0 AS DOUBLE) AS device_hours,
       CAST(100.0 * sum(device_ms) / nullif(sum(sum(device_ms)) OVER (), 0) AS DOUBLE) AS share_pct,
       count(*) - count(device_ms) AS runs_without_hours,
       CAST(100.0 * sum(traced_busy_ns) / nullif(sum(traced_wall_ns), 0) AS DOUBLE) AS busy_pct,
       CAST(sum(traced_wall_ns) / 3600000000000.0 AS DOUBLE) AS recorded_hours
FROM fleet_run
GROUP BY "{column}"
ORDER BY device_hours DESC NULLS LAST, recorded_hours DESC NULLS LAST, value NULLS LAST)";

constexpr std::string_view kClasses = R"(
WITH sums AS (
  SELECT class, work, bound,
         CAST(sum(launches) AS BIGINT) AS launches,
         CAST(sum(total_ns) AS BIGINT) AS total_ns,
         CAST(sum(fleet_ms) AS BIGINT) AS fleet_ms,
         CAST(sum(unweighted_ns) AS BIGINT) AS unweighted_ns
  FROM kernel_day
  GROUP BY class, work, bound)
SELECT class, work, bound, launches, total_ns,
       CAST(100.0 * total_ns / nullif(sum(total_ns) OVER (), 0) AS DOUBLE) AS share_pct,
       CAST(fleet_ms / 3600000.0 AS DOUBLE) AS gpu_hours,
       CAST(100.0 * fleet_ms / nullif(sum(fleet_ms) OVER (), 0) AS DOUBLE) AS gpu_share_pct,
       CAST(100.0 * unweighted_ns / nullif(total_ns, 0) AS DOUBLE) AS unweighted_pct
FROM sums
ORDER BY gpu_hours DESC NULLS LAST, total_ns DESC, class, work, bound NULLS LAST)";

constexpr std::string_view kCostsKernels = R"(
WITH sums AS (
  SELECT kernel_key, class, work,
         CASE WHEN count(bound) = 0 THEN NULL
              WHEN min(bound) = max(bound) AND count(bound) = count(*) THEN min(bound)
              ELSE 'mixed' END AS bound,
         dtype, device_model,
         count(DISTINCT model) AS models,
         CAST(sum(runs_once) AS BIGINT) AS runs,
         CAST(sum(launches) AS BIGINT) AS launches,
         CAST(sum(fleet_launches) AS BIGINT) AS fleet_launches,
         CAST(sum(total_ns) AS BIGINT) AS total_ns,
         CAST(sum(fleet_ms) AS BIGINT) AS fleet_ms,
         CAST(sum(unweighted_ns) AS BIGINT) AS unweighted_ns,
         min(example_run) AS example_run
  FROM kernel_day
  GROUP BY kernel_key, class, work, dtype, device_model)
SELECT kernel_key, class, work, bound, dtype, device_model, models, runs, launches, fleet_launches,
       total_ns,
       CAST(100.0 * total_ns / nullif(sum(total_ns) OVER (), 0) AS DOUBLE) AS share_pct,
       CAST(fleet_ms / 3600000.0 AS DOUBLE) AS gpu_hours,
       CAST(100.0 * fleet_ms / nullif(sum(fleet_ms) OVER (), 0) AS DOUBLE) AS gpu_share_pct,
       CAST(100.0 * unweighted_ns / nullif(total_ns, 0) AS DOUBLE) AS unweighted_pct,
       CAST(NULL AS BIGINT) AS p50_ns, CAST(NULL AS BIGINT) AS p90_ns,
       CAST(NULL AS BIGINT) AS p99_ns,
       example_run
FROM sums
ORDER BY {order}, kernel_key, class, work, dtype NULLS LAST, device_model NULLS LAST
LIMIT {top})";

constexpr std::string_view kByTime = "gpu_hours DESC NULLS LAST, total_ns DESC";
constexpr std::string_view kByLaunches = "fleet_launches DESC NULLS LAST, launches DESC";

constexpr std::string_view kSketches = R"(
SELECT kernel_key, class, work, coalesce(dtype, ''), coalesce(device_model, ''), sketch
FROM kernel_day
WHERE kernel_key IN ({keys}))";

constexpr std::string_view kFindings = R"(
WITH of_runs AS (
  SELECT f.finding AS finding, {value} AS value, f.run_id AS run_id, f.severity AS severity,
         f.lost_ms AS lost_ms, f.gain_pct AS gain_pct
  FROM finding_run AS f JOIN fleet_run AS r USING (run_id)),
ranked AS (
  SELECT finding, value, run_id,
         row_number() OVER (PARTITION BY finding, value
           ORDER BY lost_ms DESC NULLS LAST, gain_pct DESC NULLS LAST, run_id) AS place
  FROM of_runs),
sums AS (
  SELECT finding, value,
         count(DISTINCT run_id) AS runs,
         count(DISTINCT run_id) FILTER (WHERE severity = 'high') AS high,
         CAST(sum(lost_ms) / 3600000.0 AS DOUBLE) AS lost_hours,
         count(*) - count(lost_ms) AS runs_without_hours,
         CAST(median(gain_pct) AS DOUBLE) AS gain_pct
  FROM of_runs
  GROUP BY finding, value)
SELECT s.finding AS finding, s.value AS value, s.runs AS runs,
       CAST(100.0 * s.runs / nullif((SELECT count(*) FROM fleet_run), 0) AS DOUBLE) AS runs_pct,
       s.high AS high, s.lost_hours AS lost_hours, s.runs_without_hours AS runs_without_hours,
       s.gain_pct AS gain_pct, r.run_id AS example_run
FROM sums AS s JOIN ranked AS r
  ON r.finding = s.finding AND coalesce(r.value, '') = coalesce(s.value, '') AND r.place = 1
ORDER BY lost_hours DESC NULLS LAST, runs DESC, finding, value NULLS LAST)";

constexpr std::string_view kUnknownRuns = R"(
SELECT count(*), count(weight), count(steps), count(host), count(driver), count(framework),
       count(model), count(team), count(device_model)
FROM fleet_run)";

constexpr std::string_view kUnknownTime = R"(
SELECT CAST(sum(total_ns) AS BIGINT),
       CAST(sum(total_ns) FILTER (WHERE bound IS NULL AND work = 'compute') AS BIGINT),
       CAST(sum(total_ns) FILTER (WHERE shape_bucket IS NULL AND work = 'compute') AS BIGINT),
       CAST(sum(total_ns) FILTER (WHERE sketch IS NULL) AS BIGINT)
FROM kernel_day)";

using KernelName = std::tuple<std::string, std::string, std::string, std::string, std::string>;

// The durations of the kernels that the rows name, merged; absent where one is not known.
Result<std::map<KernelName, DurationBuckets>> Distributions(FleetSql& sql, const Table& rows) {
  std::map<KernelName, DurationBuckets> merged;
  std::set<KernelName> unknown;
  std::set<std::string> keys;
  for (std::size_t row = 0; row < rows.row_count(); ++row) keys.insert(Quoted(rows.String(row, 0)));
  if (keys.empty()) return merged;
  std::string list;
  for (const std::string& key : keys) list += key + ",";
  list.pop_back();
  RS_RETURN_IF_ERROR(sql.Stream(
      fmt::format(fmt::runtime(kSketches), fmt::arg("keys", list)),
      [&](const Table& chunk) -> Status {
        for (std::size_t row = 0; row < chunk.row_count(); ++row) {
          const auto text = [&](std::size_t i) { return std::string(chunk.String(row, i)); };
          KernelName name{text(0), text(1), text(2), text(3), text(4)};
          if (chunk.IsNull(row, 5)) {
            unknown.insert(std::move(name));
            continue;
          }
          RS_ASSIGN_OR_RETURN(const DurationBuckets sketch,
                              DurationBuckets::Decode(chunk.String(row, 5)));
          merged[std::move(name)].Merge(sketch);
        }
        return OkStatus();
      }));
  for (const KernelName& name : unknown) merged.erase(name);
  return merged;
}

double PartPct(std::int64_t part, std::int64_t all) {
  return all > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(all) : 0;
}

}  // namespace

std::vector<std::string> DivisionNames() {
  return {"team",   "model", "user",   "product", "framework", "driver", "cuda",
          "device", "image", "commit", "cluster", "host",      "job"};
}

Result<TableOf<FleetShares>> SharesBy(FleetSql& sql, std::string_view by) {
  RS_ASSIGN_OR_RETURN(const Table rows, sql.Run(fmt::format(fmt::runtime(kShares),
                                                            fmt::arg("column", ColumnOf(by)))));
  return AnswerOf<FleetShares>(rows);
}

Result<TableOf<FleetClasses>> CostByClass(FleetSql& sql) {
  RS_ASSIGN_OR_RETURN(const Table rows, sql.Run(std::string(kClasses)));
  return AnswerOf<FleetClasses>(rows);
}

Result<TableOf<FleetKernels>> CostByKernel(FleetSql& sql, KernelOrder order, std::int64_t top) {
  RS_ASSIGN_OR_RETURN(
      const Table rows,
      sql.Run(fmt::format(fmt::runtime(kCostsKernels),
                          fmt::arg("order", order == KernelOrder::kTime ? kByTime : kByLaunches),
                          fmt::arg("top", top))));
  RS_ASSIGN_OR_RETURN(const TableOf<FleetKernels> sums, AnswerOf<FleetKernels>(rows));
  RS_ASSIGN_OR_RETURN(const auto merged, Distributions(sql, sums));
  const auto& columns = SchemaOf<FleetKernels>();
  auto table = columns.NewTable(std::string(FleetKernels::kName));
  for (std::size_t row = 0; row < sums.row_count(); ++row) {
    const auto text = [&](auto column) { return std::string(sums.TextOrEmpty(row, column)); };
    std::vector<Value> cells;
    for (std::size_t i = 0; i < sums.column_count(); ++i) cells.push_back(sums.table().At(row, i));
    const auto found =
        merged.find({text(columns.kernel_key), text(columns.kernel_class), text(columns.work),
                     text(columns.dtype), text(columns.device_model)});
    if (found != merged.end()) {
      cells[columns.p50_ns.index()] = found->second.Quantile(0.5);
      cells[columns.p90_ns.index()] = found->second.Quantile(0.9);
      cells[columns.p99_ns.index()] = found->second.Quantile(0.99);
    }
    table.AddRow(cells);
  }
  return table;
}

Result<TableOf<FleetFindings>> CostByFinding(FleetSql& sql, std::string_view by) {
  const std::string value = by.empty() ? "CAST(NULL AS VARCHAR)" : "r.\"" + ColumnOf(by) + "\"";
  RS_ASSIGN_OR_RETURN(const Table rows,
                      sql.Run(fmt::format(fmt::runtime(kFindings), fmt::arg("value", value))));
  return AnswerOf<FleetFindings>(rows);
}

Result<TableOf<FleetUnknown>> UnknownParts(FleetSql& sql) {
  RS_ASSIGN_OR_RETURN(const Table runs, sql.Run(std::string(kUnknownRuns)));
  RS_ASSIGN_OR_RETURN(const Table time, sql.Run(std::string(kUnknownTime)));
  const auto& columns = SchemaOf<FleetUnknown>();
  auto table = columns.NewTable(std::string(FleetUnknown::kName));
  struct Part {
    const char* what;
    const char* effect;
    const char* remedy;
  };
  const Part of_runs[] = {
      {"weight", "their kernels count in shares of recorded time, and in no GPU hours",
       "--tag device_hours=N when runs are sent: device hours that the job was given"},
      {"steps", "cost shifts are not told from regressions", "record with ProfilerStep marks"},
      {"host", "a host is not suspected as a cause (ranks on several hosts have none)",
       "nothing, if jobs span hosts"},
      {"driver", "a driver is not suspected as a cause", "--tag driver=VERSION"},
      {"framework", "a framework is not suspected as a cause", "--framework NAME"},
      {"model", "kernels of all such runs make one stratum", "--model NAME"},
      {"team", "their hours belong to nobody", "--team NAME"},
      {"device_model", "durations on different devices make one stratum", "--hardware NAME"}};
  const std::int64_t all_runs = runs.Int(0, 0);
  for (std::size_t i = 0; i < std::size(of_runs); ++i) {
    const std::int64_t unknown = all_runs - runs.Int(0, i + 1);
    if (unknown == 0) continue;
    table.Add({columns.what = of_runs[i].what, columns.of = "runs",
               columns.unknown_pct = PartPct(unknown, all_runs), columns.effect = of_runs[i].effect,
               columns.remedy = of_runs[i].remedy});
  }
  const Part of_time[] = {{"bound", "it is in no class's memory or compute part",
                           "record_shapes=True; devices whose peaks are known"},
                          {"shape_bucket", "other shapes than before show as a change",
                           "record_shapes=True; analyse older runs again with this version"},
                          {"sketch", "no percentiles over several runs or names",
                           "analyse the run again with this version: rankscope store add"}};
  const std::int64_t all_time = time.IsNull(0, 0) ? 0 : time.Int(0, 0);
  for (std::size_t i = 0; i < std::size(of_time); ++i) {
    if (time.IsNull(0, i + 1) || time.Int(0, i + 1) == 0) continue;
    table.Add({columns.what = of_time[i].what, columns.of = "kernel time",
               columns.unknown_pct = PartPct(time.Int(0, i + 1), all_time),
               columns.effect = of_time[i].effect, columns.remedy = of_time[i].remedy});
  }
  return table;
}

}  // namespace rankscope::fleet
