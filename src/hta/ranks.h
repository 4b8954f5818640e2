// From one rank's frame to all ranks: what every hta.* analysis shares.
//
// Whether HTA leaves the last profiler step out depends on the steps of all ranks, and its time 0
// is the first event of all ranks; Map sees one rank only. So a partial carries the names of the
// rank's steps, its first time, and its table for either decision that is still open.
#pragma once

#include <functional>
#include <vector>

#include "facts/trace_facts.h"
#include "hta/frame.h"
#include "stage/analysis.h"

namespace rankscope::hta {

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
  std::string name;
  Size size = Size::kSummary;
  std::string summary;
  std::string definition;
  std::string example;
  std::vector<ColumnSpec> columns;      // of a rank's table
  std::vector<OptionSpec> options;      // of `make`
  std::vector<OptionSpec> job_options;  // of what is done with the ranks' tables
  // Fills a rank's table.
  std::function<void(const Frame&, const Options&, Table&)> make;
};

// The analysis whose table is the rows of the ranks' tables behind a column "rank". A column "ts"
// is made relative to time 0.
Analysis JoinedOverRanks(RankAnalysis parts);

// The analysis that reduces the ranks' tables to one with these columns.
using ReduceRanks = std::function<Table(const AllRanks&, const Options&)>;
Analysis ReducedOverRanks(RankAnalysis parts, std::vector<ColumnSpec> columns, ReduceRanks reduce);

}  // namespace rankscope::hta
