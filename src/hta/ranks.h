// From one rank's frame to all ranks: what every hta.* analysis shares.
//
// Whether HTA leaves the last profiler step out depends on the steps of all ranks, and its time 0
// is the first event of all ranks; Map sees one rank only. So a partial carries the names of the
// rank's steps, its first time, and its table for either decision that is still open.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "facts/trace_facts.h"
#include "hta/frame.h"
#include "schemas/columns.h"
#include "stage/analysis.h"
#include "table/schema.h"

namespace rankscope::hta {

// What a table begins with that is the rows of the ranks' tables.
struct RowsOfRanks : Schema<RowsOfRanks> {
  IntColumn rank = Int(column::Rank());
};

// The tables that an analysis makes of a rank's frame, whatever is left of it after filtering.
using MakeTable = std::function<Table(const Frame&)>;
std::vector<Table> MapFrame(const RankTrace& trace, const MapOptions& options,
                            const MakeTable& make);

struct RankTable {
  std::int64_t rank = 0;
  Table table;
};

struct AllRanks {
  std::vector<RankTable> ranks;  // by rank, those of the option `ranks` or `rank`
  std::int64_t first_ts = 0;     // HTA's time 0 in microseconds of the files
};

// What tells one hta.* analysis from another.
struct RankAnalysis {
  Size size = Size::kSummary;
  std::string summary;
  std::string definition;
  std::string example;
  std::vector<OptionSpec> options;      // of `make`
  std::vector<OptionSpec> job_options;  // of what is done with the ranks' tables
  // Fills a rank's table, which has the columns of a schema's NewPartial.
  std::function<void(const Frame&, const Options&, Table&)> make;
};

// RankAnalysis::make of a function that fills a table of its schema.
template <typename S>
std::function<void(const Frame&, const Options&, Table&)> Filling(void (*fill)(const Frame&,
                                                                               const Options&,
                                                                               TableOf<S>&)) {
  return [fill](const Frame& frame, const Options& options, Table& table) {
    TableOf<S> typed(std::move(table));
    fill(frame, options, typed);
    table = std::move(typed);
  };
}

// The analysis whose table is the rows of the ranks' tables, of a schema T that begins like
// RowsOfRanks: `make` leaves rank open. The columns of `times` are made relative to time 0.
Analysis JoinedOverRanks(const RowsOfRanks& schema, std::string_view name, RankAnalysis parts,
                         std::vector<std::size_t> times);

template <typename T>
Analysis JoinedOverRanks(RankAnalysis parts,
                         std::initializer_list<ColumnHandle<T, std::int64_t>> times = {}) {
  std::vector<std::size_t> columns;
  for (const auto time : times) columns.push_back(time.index());
  return JoinedOverRanks(SchemaOf<T>(), T::kName, std::move(parts), std::move(columns));
}

// The analysis that reduces the ranks' tables to one of another schema. The ranks are used up.
using ReduceRanks = std::function<Table(AllRanks, const Options&)>;
Analysis ReducedOverRanks(const SchemaColumns& of_rank, const SchemaColumns& schema,
                          std::string_view name, RankAnalysis parts, ReduceRanks reduce);

template <typename OfRank, typename T>
Analysis ReducedOverRanks(RankAnalysis parts, ReduceRanks reduce) {
  return ReducedOverRanks(SchemaOf<OfRank>(), SchemaOf<T>(), T::kName, std::move(parts),
                          std::move(reduce));
}

}  // namespace rankscope::hta
