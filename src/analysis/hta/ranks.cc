#include "analysis/hta/ranks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "analysis/hta/options.h"

namespace rankscope::hta {
namespace {

// The tables of a partial.
enum : std::size_t { kFirstTs, kSteps, kFiltered, kWhole };

// The partial of a rank's last recording.
struct Kept {
  std::int64_t capture = 0;
  std::vector<Table> tables;
};

Result<std::map<std::int64_t, Kept>> LastCaptures(PartialStream& partials, const JobContext& job) {
  std::map<std::int64_t, Kept> by_rank;
  Partial partial;
  while (true) {
    RS_ASSIGN_OR_RETURN(const bool more, partials.Next(partial));
    if (!more) return by_rank;
    const Capture& capture = job.captures[partial.capture];
    Kept& kept = by_rank[capture.rank];
    if (kept.tables.empty() || capture.index > kept.capture)
      kept = {capture.index, std::move(partial.tables)};
  }
}

// By HTA's name for the parameter: some of its functions take one rank.
std::vector<std::int64_t> WantedRanks(const Options& options) {
  for (const std::string_view name : {"ranks", "rank"}) {
    if (options.contains(name)) return NumbersOf(options, name);
  }
  return {};
}

}  // namespace

std::vector<Table> MapFrame(const RankTrace& trace, const MapOptions& options,
                            const MakeTable& make) {
  const Frame frame = LoadFrame(trace);
  Table first_ts("first_ts", {{"ts", ColumnType::kInt64, "us"}});
  const auto first = std::min_element(frame.events.begin(), frame.events.end(),
                                      [](const Event& a, const Event& b) { return a.ts < b.ts; });
  if (first != frame.events.end()) first_ts.AddRow({first->ts});
  Table steps("steps", {{"name", ColumnType::kString}});
  for (const std::string_view name : StepNames(frame)) steps.AddRow({name});

  const bool keeps_last = FlagOf(options.values, "include_last_profiler_step");
  const bool is_decided = steps.row_count() > 1;
  std::vector<Table> tables = {std::move(first_ts), std::move(steps)};
  tables.push_back(make(FilterFrame(frame, keeps_last ? LastStep::kKeep : LastStep::kDrop)));
  if (!is_decided) tables.push_back(make(frame));
  return tables;
}

Result<AllRanks> CollectRanks(PartialStream& partials, const JobContext& job,
                              const Options& options) {
  RS_ASSIGN_OR_RETURN(auto by_rank, LastCaptures(partials, job));
  std::set<std::string, std::less<>> steps;
  AllRanks all;
  bool is_first = true;
  for (const auto& [rank, kept] : by_rank) {
    const Table& names = kept.tables[kSteps];
    for (std::size_t row = 0; row < names.row_count(); ++row) steps.emplace(names.String(row, 0));
    if (kept.tables[kFirstTs].row_count() == 0) continue;
    const std::int64_t ts = kept.tables[kFirstTs].Int(0, 0);
    all.first_ts = is_first ? ts : std::min(all.first_ts, ts);
    is_first = false;
  }
  const bool filters = steps.size() > 1;
  const std::vector<std::int64_t> wanted = WantedRanks(options);
  for (auto& [rank, kept] : by_rank) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), rank) == wanted.end()) continue;
    all.ranks.push_back({rank, std::move(kept.tables[filters ? kFiltered : kWhole])});
  }
  return all;
}

Analysis ReducedOverRanks(RankAnalysis parts, std::vector<ColumnSpec> columns, ReduceRanks reduce) {
  Analysis analysis;
  analysis.name = std::move(parts.name);
  analysis.group = Group::kCompat;
  analysis.size = parts.size;
  analysis.summary = std::move(parts.summary);
  analysis.definition = std::move(parts.definition);
  analysis.example = std::move(parts.example);
  analysis.columns = std::move(columns);
  analysis.options = std::move(parts.options);
  analysis.options.push_back(IncludeLastProfilerStep());
  analysis.map = [columns_of_rank = std::move(parts.columns), make = std::move(parts.make)](
                     const RankTrace& trace, const MapOptions& options) {
    return MapFrame(trace, options, [&](const Frame& frame) {
      Table table("rank", columns_of_rank);
      make(frame, options.values, table);
      return table;
    });
  };
  analysis.check = CheckOptions;
  analysis.reduce = [reduce = std::move(reduce)](PartialStream& partials, const JobContext& job,
                                                 const Options& options) -> Result<Table> {
    RS_ASSIGN_OR_RETURN(const AllRanks all, CollectRanks(partials, job, options));
    return reduce(all, options);
  };
  return analysis;
}

Analysis JoinedOverRanks(RankAnalysis parts) {
  std::vector<ColumnSpec> columns = {{"rank", ColumnType::kInt64, "", "global rank"}};
  columns.insert(columns.end(), parts.columns.begin(), parts.columns.end());
  const auto join = [name = parts.name, columns](const AllRanks& all, const Options&) {
    Table joined(name, columns);
    const std::optional<std::size_t> ts_column = joined.Find("ts");
    std::vector<Value> values;
    for (const RankTable& of_rank : all.ranks) {
      for (std::size_t row = 0; row < of_rank.table.row_count(); ++row) {
        values.assign({of_rank.rank});
        for (std::size_t column = 0; column < of_rank.table.column_count(); ++column)
          values.push_back(of_rank.table.At(row, column));
        if (ts_column)
          values[*ts_column] = std::get<std::int64_t>(values[*ts_column]) - all.first_ts;
        joined.AddRow(values);
      }
    }
    return joined;
  };
  return ReducedOverRanks(std::move(parts), std::move(columns), join);
}

}  // namespace rankscope::hta
