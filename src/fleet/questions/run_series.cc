#include "fleet/questions/run_series.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace rankscope::fleet {
namespace {

constexpr std::string_view kRuns = R"(
SELECT run_id, day, start_ns, coalesce(job, ''), coalesce(host, ''), coalesce(model, ''),
       coalesce(device_model, ''), steps, ranks, coalesce(driver, ''), coalesce(cuda, ''),
       coalesce(framework, ''), coalesce(image, ''), coalesce(commit, ''), coalesce(host, ''),
       coalesce(rack, ''), coalesce(cluster, ''), coalesce(model, ''), coalesce(team, ''),
       coalesce("user", '')
FROM fleet_run
ORDER BY start_ns, run_id)";

constexpr std::string_view kRunSeriesKernels = R"(
SELECT run_id, kernel_key, class, coalesce(device_model, ''), coalesce(shape_bucket, ''),
       coalesce(dtype, ''), coalesce(model, ''), p50_ns, total_ns, launches, fleet_ms
FROM kernel_run
WHERE work = 'compute')";

RunInfo RunOf(const Table& rows, std::size_t row) {
  const auto text = [&](std::size_t column) { return std::string(rows.String(row, column)); };
  RunInfo run{.id = text(0),
              .day = text(1),
              .job = text(3),
              .host = text(4),
              .model = text(5),
              .device_model = text(6),
              .start_ns = rows.Int(row, 2)};
  if (!rows.IsNull(row, 7) && rows.Int(row, 8) > 0)
    run.rank_steps = static_cast<double>(rows.Int(row, 7)) * static_cast<double>(rows.Int(row, 8));
  for (std::size_t i = 0; i < kCauses.size(); ++i) run.causes[i] = text(9 + i);
  return run;
}

// Where sightings of a kernel go. Runs of a model have the same kernels in the same order, so the
// one that came behind a kernel the last time is looked at before all names are.
struct PlacesOfRun {
  std::vector<Sighting>* of_stratum;
  std::vector<Sighting>* of_group;
  const std::string* names;
  PlacesOfRun* next = nullptr;
};

Status AddKernels(FleetSql& sql, const std::unordered_map<std::string, std::uint32_t>& index,
                  RunSeries& series) {
  std::unordered_map<std::string, PlacesOfRun> places;
  std::string names;
  PlacesOfRun* last = nullptr;
  // Rows of a run come one behind the other.
  std::string run_id;
  auto found = index.end();
  return sql.Stream(std::string(kRunSeriesKernels), [&](const Table& rows) {
    for (std::size_t row = 0; row < rows.row_count(); ++row) {
      if (row == 0 || rows.String(row, 0) != run_id) {
        run_id = rows.String(row, 0);
        found = index.find(run_id);
      }
      if (found == index.end()) continue;
      names.clear();
      for (std::size_t column = 1; column <= 6; ++column)
        names.append(rows.String(row, column)).push_back('\0');
      PlacesOfRun* place = last == nullptr ? nullptr : last->next;
      if (place == nullptr || *place->names != names) {
        auto known = places.find(names);
        if (known == places.end()) {
          const auto text = [&](std::size_t column) {
            return std::string(rows.String(row, column));
          };
          std::vector<Sighting>& of_stratum =
              series.strata[{text(1), text(2), text(3), text(4), text(5), text(6)}];
          std::vector<Sighting>& of_group =
              series.groups[{text(6), text(3)}].kernels[{text(1), text(2), text(5)}];
          known = places.emplace(names, PlacesOfRun{&of_stratum, &of_group, nullptr}).first;
          known->second.names = &known->first;
        }
        place = &known->second;
        if (last != nullptr) last->next = place;
      }
      last = place;
      Sighting seen{.run = found->second,
                    .log_p50 = {},
                    .total_ns = rows.Int(row, 8),
                    .launches = rows.Int(row, 9),
                    .fleet_ms = {}};
      if (!rows.IsNull(row, 7) && rows.Int(row, 7) > 0)
        seen.log_p50 = std::log(static_cast<double>(rows.Int(row, 7)));
      if (!rows.IsNull(row, 10)) seen.fleet_ms = rows.Int(row, 10);
      place->of_stratum->push_back(seen);
      place->of_group->push_back(seen);
    }
    return OkStatus();
  });
}

// Of the sizes of a kernel in a run one sighting, with the median of the one that takes most time.
void MergeByRun(std::vector<Sighting>& sightings) {
  std::ranges::sort(sightings, {}, &Sighting::run);
  std::size_t kept = 0;
  std::int64_t most = 0;  // time of a size of the last one kept
  for (std::size_t i = 0; i < sightings.size(); ++i) {
    if (kept == 0 || sightings[kept - 1].run != sightings[i].run) {
      most = sightings[i].total_ns;
      sightings[kept++] = sightings[i];
      continue;
    }
    Sighting& all = sightings[kept - 1];
    if (sightings[i].total_ns > most) all.log_p50 = sightings[i].log_p50;
    most = std::max(most, sightings[i].total_ns);
    all.total_ns += sightings[i].total_ns;
    all.launches += sightings[i].launches;
    if (sightings[i].fleet_ms) all.fleet_ms = all.fleet_ms.value_or(0) + *sightings[i].fleet_ms;
  }
  sightings.resize(kept);
}

}  // namespace

Result<RunSeries> ReadSeries(FleetSql& sql) {
  RunSeries series;
  std::unordered_map<std::string, std::uint32_t> index;
  RS_RETURN_IF_ERROR(sql.Stream(std::string(kRuns), [&](const Table& rows) {
    for (std::size_t row = 0; row < rows.row_count(); ++row) {
      const auto next = static_cast<std::uint32_t>(series.runs.size());
      series.runs.push_back(RunOf(rows, row));
      const RunInfo& run = series.runs.back();
      index[run.id] = next;
      series.groups[{run.model, run.device_model}].runs.push_back(next);
    }
    return OkStatus();
  }));
  RS_RETURN_IF_ERROR(AddKernels(sql, index, series));
  for (auto& [stratum, sightings] : series.strata) std::ranges::sort(sightings, {}, &Sighting::run);
  for (auto& [names, group] : series.groups) {
    for (auto& [kernel, sightings] : group.kernels) MergeByRun(sightings);
  }
  return series;
}

}  // namespace rankscope::fleet
