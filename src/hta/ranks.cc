#include "hta/ranks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/saturating.h"
#include "hta/options.h"
#include "stage/reducer.h"
#include "table/schema.h"

namespace rankscope::hta {
namespace {

struct FirstTsPartial : Schema {
  IntColumn ts = Int("ts", "us", "of the first event; no row without events");
};
struct StepNamePartial : Schema {
  StringColumn name = Text("name", "of a profiler step");
};
// The tables of a partial. The last two have the analysis's own columns; the last has no rows where
// the rank's steps alone decide that it is not wanted.
enum : std::size_t { kFirstTs, kSteps, kFiltered, kWhole };

// The partial of a rank's last recording.
struct Kept {
  std::int64_t capture = 0;
  std::vector<Table> tables;
};

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
  const auto& ts = SchemaOf<FirstTsPartial>();
  Table first_ts = ts.NewPartial("first_ts");
  const auto first = std::min_element(frame.events.begin(), frame.events.end(),
                                      [](const Event& a, const Event& b) { return a.ts < b.ts; });
  if (first != frame.events.end()) first_ts.Add({ts.ts = first->ts});
  const auto& step = SchemaOf<StepNamePartial>();
  Table steps = step.NewPartial("steps");
  for (const std::string_view name : StepNames(frame)) steps.Add({step.name = name});

  const bool keeps_last = FlagOf(options.values, "include_last_profiler_step");
  const bool is_decided = steps.row_count() > 1;
  std::vector<Table> tables = {std::move(first_ts), std::move(steps)};
  tables.push_back(make(FilterFrame(frame, keeps_last ? LastStep::kKeep : LastStep::kDrop)));
  const Table& filtered = tables[kFiltered];
  tables.push_back(is_decided ? Table(filtered.name(), filtered.columns()) : make(frame));
  return tables;
}

namespace {

// As in HTA the last recording of a rank counts.
struct State {
  State(const Options& of_analysis, const ReduceRanks& rows) : options(of_analysis), reduce(rows) {}

  void Keep(std::int64_t rank, Kept kept) {
    const auto [place, is_new] = by_rank.try_emplace(rank, std::move(kept));
    if (!is_new && kept.capture > place->second.capture) place->second = std::move(kept);
  }

  // Keeps the table that HTA's decision means.
  AllRanks Collect() {
    const auto& first = SchemaOf<FirstTsPartial>();
    const auto& step = SchemaOf<StepNamePartial>();
    std::set<std::string, std::less<>> steps;
    AllRanks all;
    bool is_first = true;
    for (const auto& [rank, kept] : by_rank) {
      const Table& names = kept.tables[kSteps];
      for (std::size_t row = 0; row < names.row_count(); ++row)
        steps.emplace(names.String(row, step.name));
      if (kept.tables[kFirstTs].row_count() == 0) continue;
      const std::int64_t ts = kept.tables[kFirstTs].Int(0, first.ts);
      all.first_ts = is_first ? ts : std::min(all.first_ts, ts);
      is_first = false;
    }
    const bool filters = steps.size() > 1;
    const std::vector<std::int64_t> wanted = WantedRanks(options);
    for (auto& [rank, kept] : by_rank) {
      if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), rank) == wanted.end())
        continue;
      all.ranks.push_back({rank, std::move(kept.tables[filters ? kFiltered : kWhole])});
    }
    return all;
  }

  Options options;
  ReduceRanks reduce;
  std::map<std::int64_t, Kept> by_rank;
};

class OverRanks : public Reducer {
 public:
  OverRanks(const Options& options, const ReduceRanks& reduce) : state_(options, reduce) {}

  Status Add(const Capture& capture, std::vector<Table> tables) override {
    if (tables.size() <= kWhole) {
      return Error(StatusCode::kIo,
                   "{}: the stored events do not fit together; run again with --no-cache",
                   capture.path);
    }
    state_.Keep(capture.rank, {capture.index, std::move(tables)});
    return OkStatus();
  }
  void Merge(Reducer& other) override {
    for (auto& [rank, kept] : static_cast<OverRanks&>(other).state_.by_rank)
      state_.Keep(rank, std::move(kept));
  }
  Result<Table> Finish(const JobContext&) override {
    return state_.reduce(state_.Collect(), state_.options);
  }

 private:
  State state_;
};

}  // namespace

Analysis ReducedOverRanks(RankAnalysis parts, std::vector<ColumnSpec> columns, ReduceRanks reduce) {
  Analysis analysis;
  analysis.name = parts.name;
  analysis.group = Group::kCompat;
  analysis.size = parts.size;
  analysis.summary = std::move(parts.summary);
  analysis.definition = std::move(parts.definition);
  analysis.example = std::move(parts.example);
  analysis.columns = std::move(columns);
  analysis.options = std::move(parts.job_options);
  analysis.mapper.name = std::move(parts.name);
  analysis.mapper.version = 2;
  analysis.mapper.options = std::move(parts.options);
  analysis.mapper.tables = {SchemaOf<FirstTsPartial>().BareColumns(),
                            SchemaOf<StepNamePartial>().BareColumns(), parts.columns,
                            parts.columns};
  analysis.mapper.options.push_back(IncludeLastProfilerStep());
  analysis.mapper.map = [columns_of_rank = std::move(parts.columns), make = std::move(parts.make)](
                            const RankTrace& trace, const MapOptions& options) {
    return MapFrame(trace, options, [&](const Frame& frame) {
      Table table("rank", columns_of_rank);
      make(frame, options.values, table);
      return table;
    });
  };
  analysis.check = CheckOptions;
  analysis.reducer = [reduce = std::move(reduce)](const Options& options) {
    return std::make_unique<OverRanks>(options, reduce);
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
        if (ts_column && std::holds_alternative<std::int64_t>(values[*ts_column]))
          values[*ts_column] =
              SaturatingSubtract(std::get<std::int64_t>(values[*ts_column]), all.first_ts);
        joined.AddRow(values);
      }
    }
    return joined;
  };
  return ReducedOverRanks(std::move(parts), std::move(columns), join);
}

}  // namespace rankscope::hta
