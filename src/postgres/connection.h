// Connection: one session of a database. Statements are texts of the program; user input is only
// passed as parameters, so that it is never interpreted as SQL.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "postgres/library.h"

namespace rankscope::postgres {

// A parameter of a statement ($1, $2, ...), as text; nullopt is NULL.
class Param {
 public:
  Param(std::nullptr_t) {}                                       // NOLINT: as values are written
  Param(std::string text) : text_(std::move(text)) {}            // NOLINT
  Param(std::string_view text) : text_(std::string(text)) {}     // NOLINT
  Param(const char* text) : text_(std::string(text)) {}          // NOLINT
  Param(std::int64_t number) : text_(std::to_string(number)) {}  // NOLINT
  const std::optional<std::string>& text() const { return text_; }

 private:
  std::optional<std::string> text_;
};
using Params = std::vector<Param>;

// The result of a statement. Texts live as long as the object.
class Rows {
 public:
  std::size_t size() const;
  bool empty() const { return size() == 0; }
  bool IsNull(std::size_t row, int column) const;
  std::string_view Text(std::size_t row, int column) const;  // "" for NULL
  std::string String(std::size_t row, int column) const { return std::string(Text(row, column)); }
  std::int64_t Integer(std::size_t row, int column) const;  // 0 for NULL and non-numbers
  bool Flag(std::size_t row, int column) const { return Text(row, column) == "t"; }
  // Number of rows that a statement changed.
  std::int64_t affected() const;

 private:
  friend class Connection;
  Rows(const Library* library, PgAnswer* answer)
      : library_(library), answer_(answer, library->clear) {}
  const Library* library_;
  std::unique_ptr<PgAnswer, void (*)(PgAnswer*)> answer_;
};

// Why a statement failed, as far as it matters for the reaction.
enum class Failure : std::uint8_t {
  kNone,
  kLost,   // the connection: the last statement may have been executed or not (57P0x, 08xxx)
  kAgain,  // conflict of two transactions; succeeds when repeated (40001, 40P01)
  kOther,
};

struct ConnectionOptions {
  int connect_s = 10;         // for all of its hosts
  int silence_ms = 15'000;    // limit for unacknowledged data on the network
  int statement_ms = 30'000;  // limit per statement
  int idle_ms = 60'000;       // limit for a transaction without statements
};

// Not thread-safe.
class Connection {
 public:
  // kIo if no server answers or the database refuses the login; the sentence contains no password.
  static Result<std::unique_ptr<Connection>> Open(const std::string& address,
                                                  const ConnectionOptions& options);

  // Executes one statement. kInvalidArgument for a text that cannot be stored (a zero byte, invalid
  // UTF-8).
  Result<Rows> Do(const char* statement, std::span<const Param> params = {});
  Result<Rows> Do(const char* statement, const Params& params) {
    return Do(statement, std::span<const Param>(params));
  }
  // Executes several statements of the program, without parameters; returns the rows of the last.
  Result<Rows> Script(const char* statements);
  // COMMIT. The failure is kAgain if the database rolled back.
  Status Commit();

  // Of the last statement.
  Failure failure() const { return failure_; }
  bool is_lost() const { return is_lost_; }
  // Marks the connection as unusable, so that the pool does not hand it out again.
  void Abandon() { is_lost_ = true; }
  int socket() const { return library_->socket(connection_.get()); }

  // Names of channels that were notified since the last call. kIo if the connection is lost.
  Result<std::vector<std::string>> Notifications();

 private:
  Connection(const Library* library, PgConnection* connection)
      : library_(library), connection_(connection, library->finish) {}
  Result<Rows> Judge(PgAnswer* answer);

  const Library* library_;
  std::unique_ptr<PgConnection, void (*)(PgConnection*)> connection_;
  Failure failure_ = Failure::kNone;
  std::string sql_state_;  // the five-character code of the last error; "" if there is none
  bool is_lost_ = false;
};

}  // namespace rankscope::postgres
