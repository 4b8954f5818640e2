#include "sql/trace_scan.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "sql/table_function.h"
#include "sql/trace_views.h"

namespace rankscope::sql {
namespace {

// Rows of a trace that are one task: 60 chunks, as many as DuckDB's own row groups have.
constexpr std::size_t kRowGroup = 60 * kVectorSize;

struct ScanInfo {
  const TraceView& view;
  JobReader& reader;
  Failure& failure;
};

struct ScanTask {
  std::size_t capture;
  std::size_t begin;
  std::size_t end;
};

// One scan of one query, shared by its threads.
struct ScanState {
  std::vector<idx_t> columns;  // to be made, in this order
  std::vector<ScanTask> tasks;
  std::atomic<std::size_t> next{0};
};

// What a thread is at.
struct ScanCursor {
  std::shared_ptr<const OpenedTrace> opened;
  std::size_t capture = 0;  // of `opened`
  std::size_t begin = 0;    // of what is left of the task
  std::size_t end = 0;
  std::array<std::uint32_t, kVectorSize> rows;
};

// DuckDB orders joins by this. It need not be right, only not wrong by orders of magnitude:
// counting would mean to open every trace.
idx_t EstimateRows(const ScanInfo& scan) {
  std::int64_t rows = 0;
  std::int64_t captures = 0;
  for (const Capture& capture : scan.reader.context().captures) {
    if (!capture.selected) continue;
    rows += capture.rows;
    ++captures;
  }
  const bool of_steps = scan.view.source == ViewSource::kSteps;
  return static_cast<idx_t>(of_steps ? captures * 10 : rows * scan.view.usual_percent / 100) + 1;
}

void Bind(duckdb_bind_info info) {
  const auto& scan = *static_cast<const ScanInfo*>(duckdb_bind_get_extra_info(info));
  for (const ViewColumn& column : scan.view.columns) AddColumn(info, column.name, column.type);
  duckdb_bind_set_cardinality(info, EstimateRows(scan), false);
}

void Init(duckdb_init_info info) {
  const auto& scan = *static_cast<const ScanInfo*>(duckdb_init_get_extra_info(info));
  auto state = std::make_unique<ScanState>();
  state->columns = ProjectedColumns(info);
  const auto& captures = scan.reader.context().captures;
  for (std::size_t i = 0; i < captures.size(); ++i) {
    if (!captures[i].selected) continue;
    if (scan.view.source == ViewSource::kRows) {
      const auto rows = static_cast<std::size_t>(captures[i].rows);
      for (std::size_t begin = 0; begin < rows; begin += kRowGroup)
        state->tasks.push_back({i, begin, begin + kRowGroup});
    } else {
      state->tasks.push_back({i, 0, kRowGroup});
    }
    if (!state->tasks.empty()) state->tasks.back().end = SIZE_MAX;
  }
  duckdb_init_set_max_threads(info, std::max<std::size_t>(state->tasks.size(), 1));
  duckdb_init_set_init_data(info, state.release(), Delete<ScanState>);
}

void InitThread(duckdb_init_info info) {
  duckdb_init_set_init_data(info, new ScanCursor, Delete<ScanCursor>);
}

// Moves to the next task; false when there is none.
Result<bool> NextTask(const ScanInfo& scan, ScanState& state, ScanCursor& cursor) {
  const std::size_t index = state.next++;
  if (index >= state.tasks.size()) {
    cursor.opened = nullptr;
    return false;
  }
  const ScanTask& task = state.tasks[index];
  if (cursor.opened == nullptr || cursor.capture != task.capture) {
    cursor.opened = nullptr;  // first, so that it may make room for the next
    RS_ASSIGN_OR_RETURN(cursor.opened, scan.reader.Open(task.capture));
    cursor.capture = task.capture;
  }
  cursor.begin = task.begin;
  cursor.end = std::min(task.end, SourceSize(scan.view, cursor.opened->trace()));
  return true;
}

// The rows of the next chunk, none at the end.
Result<std::size_t> NextRows(const ScanInfo& scan, ScanState& state, ScanCursor& cursor) {
  while (true) {
    if (cursor.opened != nullptr) {
      const std::size_t count = SelectRows(scan.view, *cursor.opened, scan.reader.steps(),
                                           cursor.begin, cursor.end, cursor.rows);
      if (count > 0) return count;
    }
    RS_ASSIGN_OR_RETURN(const bool more, NextTask(scan, state, cursor));
    if (!more) return std::size_t{0};
  }
}

void Run(duckdb_function_info info, duckdb_data_chunk output) {
  const auto& scan = *static_cast<const ScanInfo*>(duckdb_function_get_extra_info(info));
  auto& state = *static_cast<ScanState*>(duckdb_function_get_init_data(info));
  auto& cursor = *static_cast<ScanCursor*>(duckdb_function_get_local_init_data(info));
  const Result<std::size_t> count = NextRows(scan, state, cursor);
  if (!count.ok()) return Fail(info, scan.failure, count.status());
  if (*count > 0) {
    const RowBatch batch{*cursor.opened, {cursor.rows.data(), *count}};
    for (idx_t i = 0; i < state.columns.size(); ++i) {
      if (state.columns[i] >= scan.view.columns.size()) continue;
      ColumnWriter out(duckdb_data_chunk_get_vector(output, i));
      scan.view.columns[state.columns[i]].fill(batch, out);
    }
  }
  duckdb_data_chunk_set_size(output, *count);
}

// The planner takes every column of a table function for a key, and then joins three views over
// the pair that shares only (rank, capture) first, which multiplies their rows. An expression that
// ends in a constant it takes for a constant, so that such a column never looks worth joining by.
std::string SelectAll(const TraceView& view, const std::string& function) {
  std::string columns;
  for (const ViewColumn& column : view.columns) {
    columns += columns.empty() ? "" : ", ";
    columns += column.spread == Spread::kFew ? fmt::format("{0} | 0 AS {0}", column.name)
                                             : fmt::format("{}", column.name);
  }
  return fmt::format("SELECT {} FROM {}()", columns, function);
}

}  // namespace

Status RegisterTraceViews(Session& session, JobReader& reader) {
  for (const TraceView& view : TraceViews()) {
    const std::string function = fmt::format("scan_{}", view.name);
    RS_RETURN_IF_ERROR(RegisterTableFunction(session, function, {Bind, Init, InitThread, Run},
                                             ScanInfo{view, reader, session.failure()}));
    RS_RETURN_IF_ERROR(session.CreateView("main", view.name, SelectAll(view, function)));
  }
  return OkStatus();
}

}  // namespace rankscope::sql
