#include "postgres/connection.h"

#include <charconv>

#include "postgres/address.h"

namespace rankscope::postgres {
namespace {

// Server 13: pg_current_xact_id and pg_xact_status, which tell what became of a lost commit.
constexpr int kOldestServer = 130000;

// libpq writes several lines, each with its end.
std::string InOneLine(const char* text) {
  std::string line;
  for (const char* c = text; c != nullptr && *c != 0; ++c) {
    if (*c != '\n' && *c != '\r' && *c != '\t') {
      line += *c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

Failure FailureOf(std::string_view state) {
  if (state == "40001" || state == "40P01") return Failure::kAgain;
  // 57P01: an administrator ends it; 57P02: the server crashed; 57P03: it starts; 57P05: it was
  // idle for too long; 25P03: so was its transaction.
  if (state.starts_with("08") || state.starts_with("57P0") || state == "25P03")
    return Failure::kLost;
  return Failure::kOther;
}

StatusCode CodeOf(std::string_view state) {
  // 22021: text that is no UTF-8; 22P05: a character that it cannot keep.
  if (state == "22021" || state == "22P05") return StatusCode::kInvalidArgument;
  if (state.starts_with("53")) return StatusCode::kResource;  // disk, memory, connections
  if (state.starts_with("42") || state.starts_with("22") || state.starts_with("23"))
    return StatusCode::kInternal;
  return StatusCode::kIo;
}

}  // namespace

std::size_t Rows::size() const { return static_cast<std::size_t>(library_->rows(answer_.get())); }

bool Rows::IsNull(std::size_t row, int column) const {
  return library_->is_null(answer_.get(), static_cast<int>(row), column) != 0;
}

std::string_view Rows::Text(std::size_t row, int column) const {
  const int at = static_cast<int>(row);
  return {library_->value(answer_.get(), at, column),
          static_cast<std::size_t>(library_->length(answer_.get(), at, column))};
}

std::int64_t Rows::Integer(std::size_t row, int column) const {
  const std::string_view text = Text(row, column);
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::int64_t Rows::affected() const {
  const std::string_view text = library_->affected(answer_.get());
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Result<std::unique_ptr<Connection>> Connection::Open(const std::string& address,
                                                     const ConnectionOptions& options) {
  RS_ASSIGN_OR_RETURN(const std::string shown, ShownAddress(address));
  RS_ASSIGN_OR_RETURN(const Library* const library, LoadLibrary());
  const std::string connect_s = std::to_string(options.connect_s);
  const std::string silence_ms = std::to_string(options.silence_ms);
  // What stands in the address comes last and counts; where it names several hosts, the one that
  // takes writes is meant.
  const char* const names[] = {"connect_timeout",
                               "tcp_user_timeout",
                               "keepalives_idle",
                               "keepalives_interval",
                               "keepalives_count",
                               "application_name",
                               "target_session_attrs",
                               "client_encoding",
                               "dbname",
                               nullptr};
  const char* const values[] = {connect_s.c_str(),
                                silence_ms.c_str(),
                                "10",
                                "5",
                                "3",
                                "rankscope",
                                "read-write",
                                "UTF8",
                                address.c_str(),
                                nullptr};
  auto connection = std::unique_ptr<Connection>(
      new Connection(library, library->connect_params(names, values, /*expand_dbname=*/1)));
  PgConnection* const raw = connection->connection_.get();
  if (raw == nullptr) return Error(StatusCode::kResource, "{}: no memory for a connection", shown);
  if (library->status(raw) != kConnectionOk) {
    return Error(StatusCode::kIo, "the database {} cannot be reached: {}", shown,
                 InOneLine(library->error_message(raw)));
  }
  if (library->server_version(raw) < kOldestServer) {
    return Error(StatusCode::kBadData,
                 "the database {} is PostgreSQL {}; rankscope needs 13 or newer", shown,
                 library->server_version(raw) / 10000);
  }
  // Notices would go to standard error.
  library->set_notice_processor(
      raw, [](void*, const char*) {}, nullptr);
  // What is acknowledged is on the disk, whatever the database's own default is.
  const std::string settings = fmt::format(
      "SET statement_timeout = {}; SET idle_in_transaction_session_timeout = {}; "
      "SET standard_conforming_strings = on; "
      "SELECT set_config('synchronous_commit', 'on', false) "
      "WHERE current_setting('synchronous_commit') = 'off'",
      options.statement_ms, options.idle_ms);
  RS_RETURN_IF_ERROR(connection->Script(settings.c_str()).status());
  return connection;
}

Result<Rows> Connection::Do(const char* statement, std::span<const Param> params) {
  std::vector<const char*> values;
  values.reserve(params.size());
  for (const Param& param : params) {
    const auto& text = param.text();
    if (text && text->find('\0') != std::string::npos) {
      failure_ = Failure::kOther;
      sql_state_ = "22021";
      return Error(StatusCode::kInvalidArgument, "a text with a zero byte cannot be kept");
    }
    values.push_back(text ? text->c_str() : nullptr);
  }
  return Judge(library_->execute_params(connection_.get(), statement,
                                        static_cast<int>(values.size()), nullptr, values.data(),
                                        nullptr, nullptr, /*result_format=*/0));
}

Result<Rows> Connection::Script(const char* statements) {
  return Judge(library_->execute(connection_.get(), statements));
}

Status Connection::Commit() {
  const auto committed = Script("COMMIT");
  if (!committed.ok()) return committed.status();
  // A transaction in which a statement failed is taken back without an error.
  if (std::string_view(library_->command_tag(committed->answer_.get())) == "COMMIT")
    return OkStatus();
  failure_ = Failure::kAgain;
  return Error(StatusCode::kIo, "the database took the transaction back");
}

Result<Rows> Connection::Judge(PgAnswer* answer) {
  failure_ = Failure::kNone;
  sql_state_.clear();
  if (library_->status(connection_.get()) != kConnectionOk) is_lost_ = true;
  if (answer == nullptr) {
    is_lost_ = true;
    failure_ = Failure::kLost;
    return Error(StatusCode::kIo, "the connection to the database is lost: {}",
                 InOneLine(library_->error_message(connection_.get())));
  }
  Rows rows(library_, answer);
  const int status = library_->result_status(answer);
  if (status == kCommandOk || status == kTuplesOk) return rows;
  if (const char* state = library_->result_field(answer, kFieldOfSqlState)) sql_state_ = state;
  failure_ = is_lost_ ? Failure::kLost : FailureOf(sql_state_);
  if (failure_ == Failure::kLost) is_lost_ = true;
  const char* sentence = library_->result_field(answer, kFieldOfSentence);
  return Error(CodeOf(sql_state_), "the database: {}{}",
               InOneLine(sentence != nullptr ? sentence : library_->result_message(answer)),
               sql_state_.empty() ? "" : " (SQLSTATE " + sql_state_ + ")");
}

Result<std::vector<std::string>> Connection::Notifications() {
  if (library_->consume_input(connection_.get()) == 0) {
    is_lost_ = true;
    failure_ = Failure::kLost;
    return Error(StatusCode::kIo, "the connection to the database is lost: {}",
                 InOneLine(library_->error_message(connection_.get())));
  }
  std::vector<std::string> channels;
  while (PgNotification* one = library_->notification(connection_.get())) {
    channels.emplace_back(one->channel);
    library_->free_memory(one);
  }
  return channels;
}

}  // namespace rankscope::postgres
