#include "app/sql_session.h"

#include <utility>

#include "sql/query.h"
#include "sql/tables_database.h"
#include "training/list.h"

namespace rankscope::app {

namespace {

// A table takes up to twice its values while it grows; laid out as text, it takes five times them.
sql::QueryOptions OptionsOf(const SqlOptions& options) {
  const std::uint64_t part = options.form == ResultForm::kText ? 10 : 4;
  return {.memory_bytes = options.memory_bytes / 2,
          .result_bytes = options.memory_bytes / part,
          .allow_files = options.allow_files,
          .select_only = options.select_only,
          .cancelled = options.is_stopped};
}

}  // namespace

Result<std::unique_ptr<SqlSession>> SqlSession::Open(OpenedJob& job, const SqlOptions& options) {
  sql::QueryOptions query = OptionsOf(options);
  query.analyses = AllAnalyses();
  RS_ASSIGN_OR_RETURN(auto database, sql::JobDatabase::Open(job.job(), query));
  return std::unique_ptr<SqlSession>(new SqlSession(std::move(database), job.recordings()));
}

Result<std::unique_ptr<SqlSession>> SqlSession::Open(std::vector<Table> tables,
                                                     const SqlOptions& options) {
  RS_ASSIGN_OR_RETURN(auto database,
                      sql::TablesDatabase::Open(std::move(tables), OptionsOf(options)));
  return std::unique_ptr<SqlSession>(new SqlSession(std::move(database), 0));
}

SqlSession::SqlSession(Database database, std::size_t recordings)
    : database_(std::move(database)), recordings_(recordings) {}

SqlSession::~SqlSession() = default;

Result<Table> SqlSession::Run(const std::string& statements) {
  return std::visit([&](const auto& database) { return database->Run(statements); }, database_);
}

Status SqlSession::Stream(const std::string& statements,
                          const std::function<Status(const Table&)>& take) {
  return std::visit([&](const auto& database) { return database->Stream(statements, take); },
                    database_);
}

}  // namespace rankscope::app
