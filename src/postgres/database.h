// Database: a limited pool of connections, and transactions that survive failures of the database
// or its network, and conflicts with other transactions.
//
// If a COMMIT was sent but not answered, it is unknown whether the transaction was committed. Its
// number was read beforehand, and pg_xact_status tells the outcome. So a change is made exactly
// once, whatever is killed at any time. If the outcome cannot be determined, the error says so.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "postgres/connection.h"

namespace rankscope::postgres {

// The interface for a transaction's statements. Lives while its body runs.
class Transaction {
 public:
  Result<Rows> Do(const char* statement, const Params& params = {}) {
    Result<Rows> rows = connection_.Do(statement, params);
    if (!rows.ok() && failure_ == Failure::kNone) {
      failure_ = connection_.failure();
      failed_ = rows.status();
    }
    return rows;
  }
  // Several statements of the program, without parameters.
  Result<Rows> Script(const char* statements) {
    Result<Rows> rows = connection_.Script(statements);
    if (!rows.ok() && failure_ == Failure::kNone) {
      failure_ = connection_.failure();
      failed_ = rows.status();
    }
    return rows;
  }

 private:
  friend class Database;
  explicit Transaction(Connection& connection) : connection_(connection) {}
  Connection& connection_;
  Failure failure_ = Failure::kNone;  // of the first statement that failed
  Status failed_;
};

struct DatabaseOptions {
  ConnectionOptions connection;
  std::size_t most_connections = 16;
  std::chrono::milliseconds for_a_connection{30'000};  // wait for a free connection
  // Number of tries, with pauses that double from the first to the longest; each pause is a random
  // part of that.
  int most_tries = 7;
  std::chrono::milliseconds first_pause{100};
  std::chrono::milliseconds longest_pause{2'000};
};

// Thread-safe.
class Database {
 public:
  // Connects once, so that a wrong address is reported immediately.
  static Result<std::unique_ptr<Database>> Open(const std::string& address,
                                                DatabaseOptions options = {});
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Executes a statement that is read-only, or may be executed twice.
  Result<Rows> Do(const char* statement, const Params& params = {});

  // Executes all statements of `body`, or none. An error from the body rolls back and is returned.
  // If the database rolls back through no fault of the body, `body` is called again; so it must
  // reset any state outside of itself at its start. READ COMMITTED. The body should do nothing but
  // execute statements.
  Status Transact(const std::function<Status(Transaction&)>& body);

  // An advisory lock of the database with this name, held while the object lives and its connection
  // is intact; nullptr while another client holds it.
  class Lock {
   public:
    ~Lock();

   private:
    friend class Database;
    explicit Lock(std::unique_ptr<Connection> connection);
    std::unique_ptr<Connection> connection_;
  };
  Result<std::unique_ptr<Lock>> TryLock(std::int32_t name);

  // For messages: without user and password.
  const std::string& shown() const { return shown_; }
  const std::string& address() const { return address_; }
  const DatabaseOptions& options() const { return options_; }

 private:
  Database(std::string address, std::string shown, DatabaseOptions options)
      : address_(std::move(address)), shown_(std::move(shown)), options_(options) {}

  // Returns its connection to the pool, unless it is lost.
  class Lease {
   public:
    Lease(Database& database, std::unique_ptr<Connection> connection)
        : database_(&database), connection_(std::move(connection)) {}
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (connection_ != nullptr) database_->GiveBack(std::move(connection_));
    }
    Connection& operator*() { return *connection_; }
    Connection* operator->() { return connection_.get(); }

   private:
    Database* database_;
    std::unique_ptr<Connection> connection_;
  };
  Result<Lease> Take();
  void GiveBack(std::unique_ptr<Connection> connection);
  void DropIdle();
  // Call before try number `tries`; false if there are no more tries, or if too many fail overall.
  bool PauseBefore(int tries);
  void NoteGood();
  enum class Outcome : std::uint8_t { kCommitted, kUndone, kUnknown };
  Outcome OutcomeOf(const std::string& transaction);

  const std::string address_;
  const std::string shown_;
  const DatabaseOptions options_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Connection>> idle_;
  std::size_t taken_ = 0;
  // Retries of all threads together: each retry takes one, each success returns a tenth. So an
  // unreachable database does not get seven times the requests from everybody.
  static constexpr double kMostBudget = 200;
  double budget_ = kMostBudget;
};

}  // namespace rankscope::postgres
