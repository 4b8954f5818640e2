// Database: a bounded pool of connections, and transactions that go through when the database, its
// network or another transaction comes between.
//
// A transaction whose COMMIT was sent and not answered is neither done nor undone until somebody
// asks: its number was taken beforehand, and pg_xact_status tells what became of it. So a change is
// made once, whatever is killed when. Where that cannot be found out, the sentence says so.
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

// What a transaction asks with. Lives while its body runs.
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
  // Several statements of the program itself, without parameters.
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
  std::chrono::milliseconds for_a_connection{30'000};  // that somebody waits for one of them
  // So often something is tried anew, after pauses that double from the first to the longest, each
  // a random part of it.
  int most_tries = 7;
  std::chrono::milliseconds first_pause{100};
  std::chrono::milliseconds longest_pause{2'000};
};

// Safe for many threads.
class Database {
 public:
  // Connects once, so that a wrong address is told at once.
  static Result<std::unique_ptr<Database>> Open(const std::string& address,
                                                DatabaseOptions options = {});
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // A statement that changes nothing, or may be done twice.
  Result<Rows> Do(const char* statement, const Params& params = {});

  // All of what `body` asks, or nothing. An error of the body's own takes everything back and is
  // returned. `body` is called again where the database took all back for no fault of it: what it
  // keeps outside of itself it sets anew each time. READ COMMITTED; no work beside asking belongs
  // in it.
  Status Transact(const std::function<Status(Transaction&)>& body);

  // An advisory lock of the database by this name, held while the object lives and its connection
  // stands; nullptr while somebody else has it.
  class Lock {
   public:
    ~Lock();

   private:
    friend class Database;
    explicit Lock(std::unique_ptr<Connection> connection);
    std::unique_ptr<Connection> connection_;
  };
  Result<std::unique_ptr<Lock>> TryLock(std::int32_t name);

  // As messages show it: without user and password.
  const std::string& shown() const { return shown_; }
  const std::string& address() const { return address_; }
  const DatabaseOptions& options() const { return options_; }

 private:
  Database(std::string address, std::string shown, DatabaseOptions options)
      : address_(std::move(address)), shown_(std::move(shown)), options_(options) {}

  // Gives its connection back, unless that is lost.
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
  // Before try number `tries`; false when it was the last, or too much fails for more.
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
  // Retries of all threads together: each takes one, each success gives a tenth back, so that a
  // database that is away is not asked seven times by everybody.
  static constexpr double kMostBudget = 200;
  double budget_ = kMostBudget;
};

}  // namespace rankscope::postgres
