// Connection: one session of a database. What is asked is text of the program; what users say goes
// along as parameters, so that no word of theirs is ever SQL.
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

// A parameter of a statement ($1, $2, ...), as text; none is NULL.
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

// What came of a statement. Texts live as long as the object.
class Rows {
 public:
  std::size_t size() const;
  bool empty() const { return size() == 0; }
  bool IsNull(std::size_t row, int column) const;
  std::string_view Text(std::size_t row, int column) const;  // "" for NULL
  std::string String(std::size_t row, int column) const { return std::string(Text(row, column)); }
  std::int64_t Integer(std::size_t row, int column) const;  // 0 for NULL and what is none
  bool Flag(std::size_t row, int column) const { return Text(row, column) == "t"; }
  // Rows that a change changed.
  std::int64_t affected() const;

 private:
  friend class Connection;
  Rows(const Library* library, PgAnswer* answer)
      : library_(library), answer_(answer, library->clear) {}
  const Library* library_;
  std::unique_ptr<PgAnswer, void (*)(PgAnswer*)> answer_;
};

// Why a statement failed, as far as it decides what to do.
enum class Failure : std::uint8_t {
  kNone,
  kLost,   // the connection: what was asked last may have happened or not (57P0x, 08xxx)
  kAgain,  // two transactions met; done again, it goes through (40001, 40P01)
  kOther,
};

struct ConnectionOptions {
  int connect_s = 10;         // for all of its hosts
  int silence_ms = 15'000;    // that the network may keep what was sent to itself
  int statement_ms = 30'000;  // of one statement
  int idle_ms = 60'000;       // of a transaction in which nothing is asked
};

// One thread at a time.
class Connection {
 public:
  // kIo where nobody answers or the database lets nobody in; the sentence has no password.
  static Result<std::unique_ptr<Connection>> Open(const std::string& address,
                                                  const ConnectionOptions& options);

  // One statement. kInvalidArgument for a text that no database keeps (a zero byte, no UTF-8).
  Result<Rows> Do(const char* statement, std::span<const Param> params = {});
  Result<Rows> Do(const char* statement, const Params& params) {
    return Do(statement, std::span<const Param>(params));
  }
  // Several statements of the program itself, without parameters; the rows of the last.
  Result<Rows> Script(const char* statements);
  // COMMIT. kAgain as a failure when the database took all back.
  Status Commit();

  // Of what was asked last.
  Failure failure() const { return failure_; }
  // The five letters of the last error, "" without.
  const std::string& sql_state() const { return sql_state_; }
  bool is_lost() const { return is_lost_; }
  // What was begun on it is not to be gone on with: nobody gets it again.
  void Abandon() { is_lost_ = true; }
  int socket() const { return library_->socket(connection_.get()); }

  // Names of channels on which somebody notified since the last call. kIo when it is lost.
  Result<std::vector<std::string>> Notifications();

 private:
  Connection(const Library* library, PgConnection* connection)
      : library_(library), connection_(connection, library->finish) {}
  Result<Rows> Judge(PgAnswer* answer);

  const Library* library_;
  std::unique_ptr<PgConnection, void (*)(PgConnection*)> connection_;
  Failure failure_ = Failure::kNone;
  std::string sql_state_;
  bool is_lost_ = false;
};

}  // namespace rankscope::postgres
