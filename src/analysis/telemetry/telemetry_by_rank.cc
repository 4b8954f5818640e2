#include <algorithm>
#include <map>
#include <vector>

#include "analysis/telemetry/analyses.h"
#include "base/saturating.h"
#include "schemas/telemetry.h"
#include "table/or_null.h"
#include "telemetry/telemetry.h"

namespace rankscope {
namespace {

// Samples come every few seconds, recordings take less: what was so shortly before is so still.
constexpr std::int64_t kBefore_ns = 30'000'000'000;
constexpr std::int64_t kAfter_ns = 10'000'000'000;

struct TelemetryByRankSums {
  std::int64_t samples = 0;
  double sum = 0;
  double least = 0, greatest = 0;
  std::uint32_t unit = 0;

  void Add(const Telemetry::Row& row) {
    least = samples == 0 ? row.value : std::min(least, row.value);
    greatest = samples == 0 ? row.value : std::max(greatest, row.value);
    sum += row.value;
    unit = row.unit;
    ++samples;
  }
};

// Rows of a rank, or of a host, by time.
template <typename Key>
using RowsBy = std::map<Key, std::vector<const Telemetry::Row*>, std::less<>>;

class ByRank {
 public:
  explicit ByRank(const Telemetry& telemetry) : telemetry_(telemetry) {
    std::vector<const Telemetry::Row*> rows;
    for (const Telemetry::Row& row : telemetry.rows()) rows.push_back(&row);
    std::ranges::stable_sort(rows, {}, [](const Telemetry::Row* row) { return row->time_ns; });
    for (const Telemetry::Row* row : rows) {
      if (row->rank != Telemetry::kNoRank) {
        of_ranks_[row->rank].push_back(row);
      } else if (!telemetry.Text(row->host).empty()) {
        of_hosts_[std::string(telemetry.Text(row->host))].push_back(row);
      }
    }
  }

  void AddRows(const Capture& capture, TableOf<TelemetryByRank>& table) const {
    if (const auto found = of_ranks_.find(capture.rank); found != of_ranks_.end())
      AddRows(capture, "rank", found->second, table);
    if (const auto found = of_hosts_.find(capture.host); found != of_hosts_.end())
      AddRows(capture, "host", found->second, table);
  }

 private:
  void AddRows(const Capture& capture, std::string_view of,
               const std::vector<const Telemetry::Row*>& rows,
               TableOf<TelemetryByRank>& table) const {
    const auto& columns = SchemaOf<TelemetryByRank>();
    const std::int64_t from = SaturatingSubtract(capture.begin_ns, kBefore_ns);
    const std::int64_t to = SaturatingAdd(capture.end_ns, kAfter_ns);
    std::map<std::string_view, TelemetryByRankSums> by_name;
    const auto first =
        std::ranges::lower_bound(rows, from, {}, [](const auto* row) { return row->time_ns; });
    for (auto row = first; row != rows.end() && (*row)->time_ns <= to; ++row)
      by_name[telemetry_.Text((*row)->name)].Add(**row);
    for (const auto& [name, sums] : by_name) {
      table.Add({columns.rank = capture.rank, columns.capture = capture.index, columns.name = name,
                 columns.of = of, columns.samples = sums.samples,
                 columns.mean = sums.sum / static_cast<double>(sums.samples),
                 columns.least = sums.least, columns.greatest = sums.greatest,
                 columns.unit = TextOrNull(telemetry_.Text(sums.unit))});
    }
  }

  const Telemetry& telemetry_;
  RowsBy<std::int64_t> of_ranks_;
  RowsBy<std::string> of_hosts_;
};

Result<Table> DeriveTelemetryByRank(const InputTables&, const JobContext& job, const Options&) {
  auto table = SchemaOf<TelemetryByRank>().NewTable(std::string(TelemetryByRank::kName));
  if (job.telemetry == nullptr) return table;
  const ByRank by_rank(*job.telemetry);
  for (const Capture& capture : job.captures) {
    if (capture.selected) by_rank.AddRows(capture, table);
  }
  return table;
}

}  // namespace

const Analysis& TelemetryByRankAnalysis() {
  static const Analysis kAnalysis = {
      .name = std::string(TelemetryByRank::kName),
      .summary = "what each rank's device and host did around its recording",
      .definition =
          "Of the samples of the rank, and of those of its host that have no rank, from 30 s "
          "before "
          "the recording begins to 10 s after it ends, by the host's own clock, which is that of "
          "the "
          "trace: how many, their mean, least and greatest. Samples come every few seconds and "
          "recordings are shorter than that, so the window is wider than the recording; a job in "
          "steady state does the same all along.",
      .example = "rankscope table telemetry_by_rank traces/",
      .columns = SchemaOf<TelemetryByRank>().columns(),
      .derive = DeriveTelemetryByRank,
  };
  return kAnalysis;
}

}  // namespace rankscope
