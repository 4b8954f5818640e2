// From one rank's frame to all ranks: the common part of all hta.* analyses.
//
// Whether HTA leaves out the last profiler step depends on the steps of all ranks, and its time 0
// is the first event of all ranks; but Map sees only one rank. So a partial contains the names of
// the rank's steps, its first time, and its table for both cases while the decision is open.
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

// The first columns of a table that concatenates the ranks' tables.
struct RowsOfRanks : Schema<RowsOfRanks> {
  IntColumn rank = Int(column::Rank());
};

// The tables that an analysis makes from a rank's frame, after any filtering.
using MakeTable = std::function<Table(const Frame&)>;
std::vector<Table> MapFrame(const RankTrace& trace, const MapOptions& options,
                            const MakeTable& make);

struct RankTable {
  std::int64_t rank = 0;
  Table table;
};

struct AllRanks {
  std::vector<RankTable> ranks;  // by rank; those selected by the option `ranks` or `rank`
  std::int64_t first_ts = 0;     // HTA's time 0 in microseconds of the files
};

// The differences between hta.* analyses.
struct RankAnalysis {
  Size size = Size::kSummary;
  std::string summary;
  std::string definition;
  std::string example;
  std::vector<OptionSpec> options;      // of `make`
  std::vector<OptionSpec> job_options;  // of the step that combines the ranks' tables
  // Fills a rank's table, which has the columns of a schema's NewPartial.
  std::function<void(const Frame&, const Options&, Table&)> make;
};

// A RankAnalysis::make from a function that fills a table of its schema.
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

// An analysis whose table concatenates the ranks' tables, with a schema T that begins like
// RowsOfRanks: `make` leaves rank empty. The columns of `times` become relative to time 0.
Analysis JoinedOverRanks(const RowsOfRanks& schema, std::string_view name, RankAnalysis parts,
                         std::vector<std::size_t> times);

template <typename T>
Analysis JoinedOverRanks(RankAnalysis parts,
                         std::initializer_list<ColumnHandle<T, std::int64_t>> times = {}) {
  std::vector<std::size_t> columns;
  for (const auto time : times) columns.push_back(time.index());
  return JoinedOverRanks(SchemaOf<T>(), T::kName, std::move(parts), std::move(columns));
}

// An analysis that reduces the ranks' tables to one of another schema. It consumes the ranks.
using ReduceRanks = std::function<Table(AllRanks, const Options&)>;
Analysis ReducedOverRanks(const SchemaColumns& of_rank, const SchemaColumns& schema,
                          std::string_view name, RankAnalysis parts, ReduceRanks reduce);

template <typename OfRank, typename T>
Analysis ReducedOverRanks(RankAnalysis parts, ReduceRanks reduce) {
  return ReducedOverRanks(SchemaOf<OfRank>(), SchemaOf<T>(), T::kName, std::move(parts),
                          std::move(reduce));
}

}  // namespace rankscope::hta
