#include "fleet/questions/movers.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <vector>

#include "fleet/changes/cost_change.h"
#include "table/or_null.h"

namespace rankscope::fleet {
namespace {

constexpr std::string_view kDays = R"(
SELECT DISTINCT day FROM kernel_day WHERE work = 'compute' ORDER BY day)";

constexpr std::string_view kSums = R"(
SELECT kernel_key, class, coalesce(device_model, '') AS device, coalesce(shape_bucket, '') AS shapes,
       coalesce(dtype, '') AS type,
       coalesce(model, '') AS of_model,
       CAST(sum(launches) FILTER (WHERE day < {split}) AS BIGINT),
       CAST(sum(launches) FILTER (WHERE day >= {split}) AS BIGINT),
       CAST(sum(total_ns) FILTER (WHERE day < {split}) AS BIGINT),
       CAST(sum(total_ns) FILTER (WHERE day >= {split}) AS BIGINT),
       CAST(sum(fleet_launches) FILTER (WHERE day < {split}) AS BIGINT),
       CAST(sum(fleet_launches) FILTER (WHERE day >= {split}) AS BIGINT),
       CAST(sum(fleet_ms) FILTER (WHERE day < {split}) AS BIGINT),
       CAST(sum(fleet_ms) FILTER (WHERE day >= {split}) AS BIGINT)
FROM kernel_day
WHERE work = 'compute'
GROUP BY kernel_key, class, device, shapes, type, of_model
ORDER BY kernel_key, class, device, shapes, type, of_model)";

constexpr std::int64_t kNsPerMs = 1'000'000;

std::int64_t Known(const Table& rows, std::size_t row, std::size_t column) {
  return rows.IsNull(row, column) ? 0 : rows.Int(row, column);
}

Result<std::string> MiddleDay(FleetSql& sql) {
  RS_ASSIGN_OR_RETURN(const Table days, sql.Run(std::string(kDays)));
  if (days.row_count() == 0) return std::string("0000-00-00");
  return std::string(days.String(days.row_count() / 2, 0));
}

StratumChange StratumAt(const Table& rows, std::size_t row, bool is_weighted) {
  const std::size_t first = is_weighted ? 10 : 6;
  const std::int64_t unit = is_weighted ? 1 : kNsPerMs;
  return {Known(rows, row, first), Known(rows, row, first + 1), Known(rows, row, first + 2) / unit,
          Known(rows, row, first + 3) / unit};
}

void AddRow(const std::string& key, bool is_weighted, const CostChange& change,
            TableOf<FleetMovers>& table) {
  const auto& columns = SchemaOf<FleetMovers>();
  table.Add({columns.kernel_key = TextOrNull(key),
             columns.basis = is_weighted ? "fleet" : "recorded", columns.before_ms = change.before,
             columns.after_ms = change.after, columns.change_ms = change.after - change.before,
             columns.duration_ms = change.duration, columns.count_ms = change.count,
             columns.mix_ms = change.mix, columns.index = change.index});
}

}  // namespace

Result<TableOf<FleetMovers>> FindMovers(FleetSql& sql, const std::string& split, std::int64_t top) {
  std::string day = split;
  if (day.empty()) {
    RS_ASSIGN_OR_RETURN(day, MiddleDay(sql));
  }
  RS_ASSIGN_OR_RETURN(const Table rows,
                      sql.Run(fmt::format(fmt::runtime(kSums), fmt::arg("split", Quoted(day)))));
  // By weights where runs of both parts have them.
  const auto has_any = [&](std::size_t column) {
    for (std::size_t row = 0; row < rows.row_count(); ++row) {
      if (Known(rows, row, column) > 0) return true;
    }
    return false;
  };
  const bool is_weighted = has_any(12) && has_any(13);
  std::vector<StratumChange> all;
  std::map<std::string, std::vector<StratumChange>> by_key;
  for (std::size_t row = 0; row < rows.row_count(); ++row) {
    all.push_back(StratumAt(rows, row, is_weighted));
    by_key[std::string(rows.String(row, 0))].push_back(all.back());
  }
  auto table = SchemaOf<FleetMovers>().NewTable(std::string(FleetMovers::kName));
  // From nothing, or to nothing, nothing moved.
  if (!is_weighted && !(has_any(8) && has_any(9))) return table;
  AddRow("", is_weighted, ChangeOf(all), table);
  std::vector<std::pair<std::string, CostChange>> movers;
  movers.reserve(by_key.size());
  for (const auto& [key, strata] : by_key) movers.emplace_back(key, ChangeOf(strata));
  std::ranges::stable_sort(movers, std::greater<>(), [](const auto& one) {
    return std::abs(one.second.after - one.second.before);
  });
  for (std::size_t i = 0; i < movers.size() && i < static_cast<std::size_t>(top); ++i)
    AddRow(movers[i].first, is_weighted, movers[i].second, table);
  return table;
}

}  // namespace rankscope::fleet
