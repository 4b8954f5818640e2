#include "hta/ranks.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "hta/options.h"
#include "stage/reducer.h"

namespace rankscope::hta {
namespace {

struct FirstTsPartial : Schema<FirstTsPartial> {
  IntColumn ts = Int("ts", "us", "of the first event; no row without events");
};
struct StepNamePartial : Schema<StepNamePartial> {
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
  auto first_ts = ts.NewPartial("first_ts");
  const auto first = std::min_element(frame.events.begin(), frame.events.end(),
                                      [](const Event& a, const Event& b) { return a.ts < b.ts; });
  if (first != frame.events.end()) first_ts.Add({ts.ts = first->ts});
  const auto& step = SchemaOf<StepNamePartial>();
  auto steps = step.NewPartial("steps");
  for (const std::string_view name : StepNames(frame)) steps.Add({step.name = name});

  const bool keeps_last = FlagOf(options.values, "include_last_profiler_step");
  const bool is_decided = steps.row_count() > 1;
  std::vector<Table> tables = {std::move(first_ts), std::move(steps)};
  const bool filters = !options.values.contains("filter") || FlagOf(options.values, "filter");
  tables.push_back(
      make(filters ? FilterFrame(frame, keeps_last ? LastStep::kKeep : LastStep::kDrop) : frame));
  const Table& filtered = tables[kFiltered];
  tables.push_back(is_decided ? Table(filtered.name(), filtered.columns()) : make(frame));
  return tables;
}

namespace {

// As in HTA the last recording of a rank counts.
struct RanksState {
  RanksState(const Options& of_analysis, const ReduceRanks& rows)
      : options(of_analysis), reduce(rows) {}

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
      const ViewOf<StepNamePartial> names = kept.tables[kSteps];
      for (std::size_t row = 0; row < names.row_count(); ++row)
        steps.emplace(names.String(row, step.name));
      if (kept.tables[kFirstTs].row_count() == 0) continue;
      const std::int64_t ts = ViewOf<FirstTsPartial>(kept.tables[kFirstTs]).Int(0, first.ts);
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
  RanksState state_;
};

}  // namespace

Analysis ReducedOverRanks(const SchemaColumns& of_rank, const SchemaColumns& schema,
                          std::string_view name, RankAnalysis parts, ReduceRanks reduce) {
  Analysis analysis;
  analysis.name = name;
  analysis.group = Group::kCompat;
  analysis.size = parts.size;
  analysis.summary = std::move(parts.summary);
  analysis.definition = std::move(parts.definition);
  analysis.example = std::move(parts.example);
  analysis.columns = schema.columns();
  analysis.options = std::move(parts.job_options);
  analysis.mapper.name = name;
  analysis.mapper.version = 5;
  analysis.mapper.options = std::move(parts.options);
  analysis.mapper.tables = {SchemaOf<FirstTsPartial>().BareColumns(),
                            SchemaOf<StepNamePartial>().BareColumns(), of_rank.BareColumns(),
                            of_rank.BareColumns()};
  analysis.mapper.options.push_back(IncludeLastProfilerStep());
  analysis.mapper.map = [&of_rank, make = std::move(parts.make)](const RankTrace& trace,
                                                                 const MapOptions& options) {
    return MapFrame(trace, options, [&](const Frame& frame) {
      Table table("rank", of_rank.BareColumns());
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

Analysis JoinedOverRanks(const RowsOfRanks& schema, std::string_view name, RankAnalysis parts,
                         std::vector<std::size_t> times) {
  const auto join = [&schema, name, times = std::move(times)](AllRanks all, const Options&) {
    Table joined = schema.NewTable(std::string(name));
    for (RankTable& of_rank : all.ranks) {
      TableOf<RowsOfRanks> table(std::exchange(of_rank.table, Table()));
      table.Fill(schema.rank, of_rank.rank);
      joined.Append(table);
    }
    for (const std::size_t time : times) joined.Subtract(time, all.first_ts);
    return joined;
  };
  return ReducedOverRanks(schema, schema, name, std::move(parts), join);
}

}  // namespace rankscope::hta
