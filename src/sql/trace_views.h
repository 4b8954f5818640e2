// The views over traces, as data: their rows, and how each column's cells are computed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sql/column_writer.h"
#include "sql/job_reader.h"
#include "table/table.h"

namespace rankscope::sql {

// Rows of one trace that become the rows of one chunk: indices into the view's source.
struct RowBatch {
  const OpenedTrace& opened;
  std::span<const std::uint32_t> rows;
};

// How many distinct values a column has, for the query planner.
enum class Spread : std::uint8_t { kMany, kFew };

struct ViewColumn {
  const char* name;
  duckdb_type type;
  void (*fill)(const RowBatch& batch, ColumnWriter& out);
  const char* doc;
  Spread spread = Spread::kMany;
  const char* unit = "";
};

// The source of a view's rows.
enum class ViewSource : std::uint8_t { kRows, kSteps };

struct TraceView {
  const char* name;
  const char* summary;     // one line
  const char* definition;  // what a row is, and where its numbers come from
  ViewSource source = ViewSource::kRows;
  std::uint32_t kinds = 0;         // for kRows: bit k is set if rows of EventKind k belong
  std::int64_t usual_percent = 0;  // for kRows: typical share of a trace's rows
  std::span<const ViewColumn> columns;
};

// The one list of views over traces.
std::span<const TraceView> TraceViews();

// The columns as table declarations.
std::vector<ColumnSpec> ColumnsOf(const TraceView& view);

// Number of rows or steps to scan.
std::size_t SourceSize(const TraceView& view, const RankTrace& trace);

// Finds rows of the view in the source's [begin, end), at most out.size(), and advances `begin`
// past the scanned part. Returns the number of rows found. O(end - begin).
std::size_t SelectRows(const TraceView& view, const OpenedTrace& opened, const StepFilter& steps,
                       std::size_t& begin, std::size_t end, std::span<std::uint32_t> out);

}  // namespace rankscope::sql
