#include "sql/files_database.h"

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "sql/duckdb_handle.h"
#include "sql/parquet_copy.h"
#include "sql/result_table.h"
#include "sql/session.h"
#include "sql/table_scan.h"

namespace rankscope::sql {
struct FilesDatabase::State {
  std::uint64_t memory_bytes = 0;
  std::unique_ptr<Session> session;
};

FilesDatabase::FilesDatabase(std::unique_ptr<State> state) : state_(std::move(state)) {}
FilesDatabase::~FilesDatabase() = default;

Result<std::unique_ptr<FilesDatabase>> FilesDatabase::Open(const FilesOptions& options) {
  auto state = std::make_unique<State>();
  state->memory_bytes = options.memory_bytes;
  RS_ASSIGN_OR_RETURN(state->session, Session::Open({.memory_bytes = options.memory_bytes,
                                                     .threads = std::max(options.threads, 1),
                                                     .cancelled = options.cancelled}));
  return std::unique_ptr<FilesDatabase>(new FilesDatabase(std::move(state)));
}

Status FilesDatabase::AddTable(const std::string& name, const Table& table) {
  const std::string function = "read_" + name;
  RS_RETURN_IF_ERROR(RegisterTable(*state_->session, function, table.columns(),
                                   [&table]() -> Result<const Table*> { return &table; }));
  return AddView(name, fmt::format(R"(SELECT * FROM "{}"())", function));
}

Status FilesDatabase::AddView(const std::string& name, const std::string& select) {
  return state_->session->CreateView("main", name, select);
}

Status FilesDatabase::Execute(const std::string& sql) { return state_->session->ExecuteAll(sql); }

Result<Table> FilesDatabase::Run(const std::string& sql) {
  RS_ASSIGN_OR_RETURN(const auto rows, state_->session->Execute(sql));
  return ReadTable(*rows, kResultName, state_->memory_bytes);
}

Result<Table> FilesDatabase::RunSelect(const std::string& sql) {
  RS_ASSIGN_OR_RETURN(const auto rows, state_->session->ExecuteSelect(sql));
  return ReadTable(*rows, kResultName, state_->memory_bytes);
}

Status FilesDatabase::Stream(const std::string& sql,
                             const std::function<Status(const Table&)>& take) {
  RS_ASSIGN_OR_RETURN(const auto rows, state_->session->Execute(sql));
  return StreamTables(*rows, kResultName, take);
}

Status FilesDatabase::Copy(const std::string& select, const Table& like, const std::string& path) {
  RS_ASSIGN_OR_RETURN(const auto file, AtomicFile::Create(path));
  RS_RETURN_IF_ERROR(
      Execute(CopyToParquet(select, file->temporary_path(), like.name(), like.columns())));
  return file->Commit();
}

std::string ReadParquetOf(std::span<const std::string> files) {
  std::string list;
  for (const std::string& file : files) {
    if (!list.empty()) list += ", ";
    list += QuotedText(file);
  }
  return fmt::format("read_parquet([{}])", list);
}

}  // namespace rankscope::sql
