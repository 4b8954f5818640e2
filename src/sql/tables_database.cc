#include "sql/tables_database.h"

#include <algorithm>
#include <utility>

#include "sql/result_table.h"
#include "sql/session.h"
#include "sql/table_scan.h"

namespace rankscope::sql {
namespace {

constexpr const char* kSchema = "main";

}  // namespace

struct TablesDatabase::State {
  std::vector<Table> tables;
  std::uint64_t result_bytes = 0;
  bool select_only = false;
  std::unique_ptr<Session> session;  // closed before the tables that its views read

  Result<std::unique_ptr<Rows>> Execute(const std::string& sql) {
    return select_only ? session->ExecuteSelect(sql) : session->Execute(sql);
  }
};

TablesDatabase::TablesDatabase(std::unique_ptr<State> state) : state_(std::move(state)) {}
TablesDatabase::~TablesDatabase() = default;

Result<std::unique_ptr<TablesDatabase>> TablesDatabase::Open(std::vector<Table> tables,
                                                             const QueryOptions& options) {
  auto state = std::make_unique<State>();
  state->tables = std::move(tables);
  state->result_bytes = options.result_bytes > 0 ? options.result_bytes : options.memory_bytes;
  state->select_only = options.select_only;
  RS_ASSIGN_OR_RETURN(state->session, Session::Open({options.memory_bytes, options.spill_folder,
                                                     std::max(options.threads, 1),
                                                     options.allow_files, options.cancelled}));
  for (const Table& table : state->tables) {
    const std::string function = "read_" + table.name();
    RS_RETURN_IF_ERROR(RegisterTable(*state->session, function, table.columns(),
                                     [&table]() -> Result<const Table*> { return &table; }));
    RS_RETURN_IF_ERROR(state->session->CreateView(
        kSchema, table.name(), fmt::format(R"(SELECT * FROM "{}"())", function)));
  }
  RS_RETURN_IF_ERROR(state->session->LockSettings());
  return std::unique_ptr<TablesDatabase>(new TablesDatabase(std::move(state)));
}

Result<Table> TablesDatabase::Run(const std::string& sql) {
  RS_ASSIGN_OR_RETURN(const auto rows, state_->Execute(sql));
  return ReadTable(*rows, kResultName, state_->result_bytes);
}

Status TablesDatabase::Stream(const std::string& sql,
                              const std::function<Status(const Table&)>& take) {
  RS_ASSIGN_OR_RETURN(const auto rows, state_->Execute(sql));
  return StreamTables(*rows, kResultName, take);
}

}  // namespace rankscope::sql
