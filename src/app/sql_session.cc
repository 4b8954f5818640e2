#include "app/sql_session.h"

#include <utility>

#include "sql/query.h"
#include "training/list.h"

namespace rankscope::app {

Result<std::unique_ptr<SqlSession>> SqlSession::Open(OpenedJob& job, const SqlOptions& options) {
  // A table takes up to twice its values while it grows; laid out as text, it takes five times
  // them.
  const std::uint64_t part = options.form == ResultForm::kText ? 10 : 4;
  RS_ASSIGN_OR_RETURN(
      auto database, sql::JobDatabase::Open(job.job(), {.memory_bytes = options.memory_bytes / 2,
                                                        .result_bytes = options.memory_bytes / part,
                                                        .allow_files = options.allow_files,
                                                        .select_only = options.select_only,
                                                        .analyses = AllAnalyses(),
                                                        .cancelled = options.is_stopped}));
  return std::unique_ptr<SqlSession>(new SqlSession(std::move(database), job.recordings()));
}

SqlSession::SqlSession(std::unique_ptr<sql::JobDatabase> database, std::size_t recordings)
    : database_(std::move(database)), recordings_(recordings) {}

SqlSession::~SqlSession() = default;

Result<Table> SqlSession::Run(const std::string& statements) { return database_->Run(statements); }

Status SqlSession::Stream(const std::string& statements,
                          const std::function<Status(const Table&)>& take) {
  return database_->Stream(statements, take);
}

}  // namespace rankscope::app
