// The views over traces, as data: which rows they have and how each column's cells are made.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sql/column_writer.h"
#include "sql/job_reader.h"
#include "table/table.h"

namespace rankscope::sql {

// Rows of one trace that become the rows of one chunk: indices of the view's source.
struct RowBatch {
  const OpenedTrace& opened;
  std::span<const std::uint32_t> rows;
};

// How many different values a column has, for the planner.
enum class Spread : std::uint8_t { kMany, kFew };

struct ViewColumn {
  const char* name;
  duckdb_type type;
  void (*fill)(const RowBatch& batch, ColumnWriter& out);
  const char* doc;
  Spread spread = Spread::kMany;
  const char* unit = "";
};

// What a view's rows are made of.
enum class ViewSource : std::uint8_t { kRows, kSteps };

struct TraceView {
  const char* name;
  const char* summary;     // one line
  const char* definition;  // what a row is, and where its numbers come from
  ViewSource source = ViewSource::kRows;
  std::uint32_t kinds = 0;         // of kRows: bit k is set when rows of EventKind k belong to it
  std::int64_t usual_percent = 0;  // of kRows: of a trace's rows
  std::span<const ViewColumn> columns;
};

// The one list of views over traces.
std::span<const TraceView> TraceViews();

// The columns as a table would declare them.
std::vector<ColumnSpec> ColumnsOf(const TraceView& view);

// How many rows or steps there are to look at.
std::size_t SourceSize(const TraceView& view, const RankTrace& trace);

// Finds rows of the view in the source's [begin, end), at most out.size(), and moves `begin` behind
// what it looked at. Returns how many it found. O(end - begin).
std::size_t SelectRows(const TraceView& view, const OpenedTrace& opened, const StepFilter& steps,
                       std::size_t& begin, std::size_t end, std::span<std::uint32_t> out);

}  // namespace rankscope::sql
