#include "sql/session.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/letter_case.h"
#include "base/parallel.h"

#include "sql/column_writer.h"
#include "sql/error_text.h"
#include "sql/sessions_opened.h"
#include "table/human_number.h"

namespace rankscope::sql {
namespace {

std::atomic<std::int64_t> opened_so_far = 0;

Status Drain(Rows& rows) {
  while (true) {
    RS_ASSIGN_OR_RETURN(const Chunk chunk, rows.Next());
    if (!chunk) return OkStatus();
  }
}

// By its letters, in either case: DuckDB has functions by table, by call and by pragma.
bool NamesFunction(std::string_view sql, std::string_view name) {
  return ContainsInEitherCase(sql, name);
}

}  // namespace

Rows::~Rows() { duckdb_destroy_result(&result_); }

std::string Rows::column_name(std::size_t column) const {
  return duckdb_column_name(&result_, column);
}

LogicalType Rows::column_type(std::size_t column) const {
  return LogicalType(duckdb_column_logical_type(&result_, column));
}

Result<Chunk> Rows::Next() {
  Chunk chunk(duckdb_fetch_chunk(result_));
  if (!chunk) {
    if (const char* message = duckdb_result_error(&result_);
        message != nullptr && *message != '\0') {
      return session_.FailureOf(*this, message);
    }
  }
  return chunk;
}

Result<std::unique_ptr<Session>> Session::Open(const SessionOptions& options) {
  // Without address space its allocator crashes instead of failing.
  constexpr std::uint64_t kLeastAddressSpace = std::uint64_t{512} << 20;
  const std::uint64_t space = AvailableAddressSpace();
  if (space < kLeastAddressSpace) {
    return Error(StatusCode::kResource, "{} of address space are left, and DuckDB needs {}: {}",
                 HumanBytes(static_cast<double>(space)),
                 HumanBytes(static_cast<double>(kLeastAddressSpace)), AddressSpaceRemedy());
  }
  RS_RETURN_IF_ERROR(LoadDuckDb());
  RS_CHECK(duckdb_vector_size() == kVectorSize, "built for another DuckDB");
  RS_ASSIGN_OR_RETURN(auto spill, SpillFolder::Create(options.spill_folder));
  // Whoever may not read files hears nothing of the host's paths: every setting can be read.
  const std::string spilled = options.allow_files ? spill->path() : spill->NameInProcess();
  const std::pair<const char*, std::string> settings[] = {
      {"memory_limit", fmt::format("{}B", std::min(options.memory_bytes, space / 2))},
      {"temp_directory", spilled + "/data"},
      {"threads", std::to_string(options.threads)},
      {"autoinstall_known_extensions", "false"},
      {"autoload_known_extensions", "false"},
      {"allow_community_extensions", "false"},
      {"allow_persistent_secrets", "false"},
  };
  Config config;
  duckdb_create_config(config.out());
  for (const auto& [name, value] : settings) {
    if (duckdb_set_config(config.get(), name, value.c_str()) != DuckDBSuccess)
      return Error(StatusCode::kInternal, "DuckDB refuses {} = {}", name, value);
  }
  auto session = std::unique_ptr<Session>(new Session(std::move(spill), options.cancelled));
  ++opened_so_far;
  char* why = nullptr;
  if (duckdb_open_ext(nullptr, session->database_.out(), config.get(), &why) != DuckDBSuccess) {
    const DuckText text(why);
    return session->FailureOr(text ? text.get() : "DuckDB does not start");
  }
  if (duckdb_connect(session->database_.get(), session->connection_.out()) != DuckDBSuccess)
    return Error(StatusCode::kInternal, "DuckDB gives no connection");
  if (!options.allow_files) {
    // But for what it spills itself. Other folders that it could think of are none.
    RS_RETURN_IF_ERROR(session->ExecuteAll(
        fmt::format("SET allowed_directories = [{}]; SET home_directory = '/none'; "
                    "SET extension_directory = '/none'; SET secret_directory = '/none'; "
                    "SET enable_external_access = false",
                    QuotedText(spilled))));
  }
  return session;
}

std::int64_t SessionsOpened() { return opened_so_far; }

Status Session::CreateView(const std::string& schema, const std::string& name,
                           const std::string& select) {
  const bool is_taken = std::ranges::find(views_, name) != views_.end();
  // As a query has to write it.
  const std::string written =
      name.find('.') == std::string::npos ? name : fmt::format(R"("{}")", name);
  views_.push_back(is_taken ? schema + "." + written : written);
  return ExecuteAll(fmt::format(R"(CREATE VIEW "{}"."{}" AS {})", schema, name, select));
}

Status Session::Comment(const std::string& schema, const std::string& view,
                        std::string_view summary, std::span<const ColumnSpec> columns) {
  const std::string name = fmt::format(R"("{}"."{}")", schema, view);
  std::string sql = fmt::format("COMMENT ON VIEW {} IS {};", name, QuotedText(summary));
  for (const ColumnSpec& column : columns) {
    const std::string unit = column.unit.empty() ? "" : fmt::format(" [{}]", column.unit);
    sql += fmt::format(R"(COMMENT ON COLUMN {}."{}" IS {};)", name, column.name,
                       QuotedText(column.doc + unit));
  }
  return ExecuteAll(sql);
}

Status Session::FailureOr(const char* message) {
  if (IsCancelled()) return Error(StatusCode::kCancelled, "stopped");
  if (auto status = failure_.Take()) return *std::move(status);
  return StatusOf(message == nullptr ? "" : message, views_, hints_);
}

// What the statement has begun to write is removed.
Status Session::FailureOf(Rows& rows, const char* message) {
  if (rows.copies_) rows.copies_->Remove();
  return FailureOr(message);
}

Result<Prepared> Session::Prepare(duckdb_extracted_statements statements, idx_t index) {
  failure_.Take();  // a statement that had its answer may still have left one
  Prepared statement;
  if (duckdb_prepare_extracted_statement(connection_.get(), statements, index, statement.out()) !=
      DuckDBSuccess) {
    return FailureOr(duckdb_prepare_error(statement.get()));
  }
  if (duckdb_nparams(statement.get()) != 0) {
    return Error(StatusCode::kInvalidArgument,
                 "the query has parameters (? or $1), and there is nothing to fill them with");
  }
  return statement;
}

Result<std::unique_ptr<Rows>> Session::Start(Prepared statement, std::string_view sql) {
  auto rows = std::unique_ptr<Rows>(new Rows(*this, std::move(statement)));
  rows->watch_ = std::make_unique<InterruptWatch>(connection_.get(), cancelled_);
  Pending pending;
  if (duckdb_prepared_statement_type(rows->statement_.get()) == DUCKDB_STATEMENT_TYPE_COPY)
    rows->copies_.emplace(sql);
  if (duckdb_pending_prepared_streaming(rows->statement_.get(), pending.out()) != DuckDBSuccess)
    return FailureOf(*rows, duckdb_pending_error(pending.get()));
  if (duckdb_execute_pending(pending.get(), &rows->result_) != DuckDBSuccess)
    return FailureOf(*rows, duckdb_result_error(&rows->result_));
  if (duckdb_result_return_type(rows->result_) != DUCKDB_RESULT_TYPE_NOTHING)
    rows->column_count_ = duckdb_column_count(&rows->result_);
  return rows;
}

Result<Statements> Session::Extract(const std::string& sql, idx_t& count) {
  Statements statements;
  // A log that goes to a file throws where nothing catches it: at the end of a statement.
  if (NamesFunction(sql, "enable_logging"))
    return Error(StatusCode::kInvalidArgument, "enable_logging is not taken here");
  count = duckdb_extract_statements(connection_.get(), sql.c_str(), statements.out());
  if (count > 0) return statements;
  const char* why = duckdb_extract_statements_error(statements.get());
  if (why != nullptr && *why != '\0') return FailureOr(why);
  return Error(StatusCode::kInvalidArgument,
               "the query is empty; try: SELECT * FROM kernels LIMIT 5");
}

Result<std::unique_ptr<Rows>> Session::ExecuteSelect(const std::string& sql) {
  const auto refuse = [](std::string_view why) {
    return Error(StatusCode::kInvalidArgument, "one SELECT or EXPLAIN is taken here, {}", why);
  };
  hints_ = ErrorHints::kNone;
  idx_t count = 0;
  RS_ASSIGN_OR_RETURN(const Statements statements, Extract(sql, count));
  if (count != 1) return refuse("not several statements");
  RS_ASSIGN_OR_RETURN(Prepared statement, Prepare(statements.get(), 0));
  const duckdb_statement_type type = duckdb_prepared_statement_type(statement.get());
  if (type != DUCKDB_STATEMENT_TYPE_SELECT && type != DUCKDB_STATEMENT_TYPE_EXPLAIN)
    return refuse("no other statement");
  return Start(std::move(statement), sql);
}

Result<std::unique_ptr<Rows>> Session::Execute(const std::string& sql) {
  idx_t count = 0;
  RS_ASSIGN_OR_RETURN(const Statements statements, Extract(sql, count));
  for (idx_t i = 0; i + 1 < count; ++i) {
    RS_ASSIGN_OR_RETURN(Prepared statement, Prepare(statements.get(), i));
    RS_ASSIGN_OR_RETURN(const auto rows, Start(std::move(statement), sql));
    RS_RETURN_IF_ERROR(Drain(*rows));
  }
  RS_ASSIGN_OR_RETURN(Prepared last, Prepare(statements.get(), count - 1));
  return Start(std::move(last), sql);
}

Status Session::ExecuteAll(const std::string& sql) {
  RS_ASSIGN_OR_RETURN(const auto rows, Execute(sql));
  return Drain(*rows);
}

}  // namespace rankscope::sql
