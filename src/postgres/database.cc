#include "postgres/database.h"

#include <algorithm>
#include <random>
#include <thread>

#include "postgres/address.h"

namespace rankscope::postgres {
namespace {

// Of advisory locks: what tells ours from those of other programs in the same database.
constexpr std::int32_t kOurLocks = 0x72616e6b;

}  // namespace

Result<std::unique_ptr<Database>> Database::Open(const std::string& address,
                                                 DatabaseOptions options) {
  RS_ASSIGN_OR_RETURN(std::string shown, ShownAddress(address));
  auto database = std::unique_ptr<Database>(new Database(address, std::move(shown), options));
  RS_ASSIGN_OR_RETURN([[maybe_unused]] const Lease first, database->Take());
  return database;
}

Database::~Database() = default;

Result<Database::Lease> Database::Take() {
  {
    std::unique_lock lock(mutex_);
    const bool is_free = returned_.wait_for(lock, options_.for_a_connection,
                                            [&] { return taken_ < options_.most_connections; });
    if (!is_free) {
      return Error(StatusCode::kIo,
                   "the database {} is busy: all {} connections were taken for {} s", shown_,
                   options_.most_connections, options_.for_a_connection.count() / 1000);
    }
    ++taken_;
    if (!idle_.empty()) {
      Lease lease(*this, std::move(idle_.back()));
      idle_.pop_back();
      return lease;
    }
  }
  auto opened = Connection::Open(address_, options_.connection);
  if (!opened.ok()) {
    GiveBack(nullptr);
    return opened.status();
  }
  return Lease(*this, std::move(*opened));
}

void Database::GiveBack(std::unique_ptr<Connection> connection) {
  {
    const std::scoped_lock lock(mutex_);
    --taken_;
    if (connection != nullptr && !connection->is_lost()) idle_.push_back(std::move(connection));
  }
  returned_.notify_one();
}

// When one connection is lost the others are, as a rule: a server that was restarted.
void Database::DropIdle() {
  std::vector<std::unique_ptr<Connection>> idle;
  const std::scoped_lock lock(mutex_);
  idle.swap(idle_);
}

bool Database::PauseBefore(int tries) {
  if (tries >= options_.most_tries) return false;
  {
    const std::scoped_lock lock(mutex_);
    if (budget_ < 1) return false;
    budget_ -= 1;
  }
  const auto longest = std::min(options_.longest_pause, options_.first_pause * (1 << (tries - 1)));
  thread_local std::minstd_rand random(std::random_device{}());
  std::this_thread::sleep_for(std::chrono::milliseconds(
      std::uniform_int_distribution<std::int64_t>(0, longest.count())(random)));
  return true;
}

void Database::NoteGood() {
  const std::scoped_lock lock(mutex_);
  budget_ = std::min(kMostBudget, budget_ + 0.1);
}

Result<Rows> Database::Do(const char* statement, const Params& params) {
  for (int tries = 1;; ++tries) {
    auto lease = Take();
    if (!lease.ok()) {
      if (lease.status().code() == StatusCode::kIo && PauseBefore(tries)) continue;
      return lease.status();
    }
    Result<Rows> rows = (*lease)->Do(statement, params);
    if (rows.ok()) {
      NoteGood();
      return rows;
    }
    const Failure failure = (*lease)->failure();
    if (failure == Failure::kLost) DropIdle();
    if (failure == Failure::kOther || !PauseBefore(tries)) return rows.status();
  }
}

Status Database::Transact(const std::function<Status(Transaction&)>& body) {
  for (int tries = 1;; ++tries) {
    auto lease = Take();
    if (!lease.ok()) {
      if (lease.status().code() == StatusCode::kIo && PauseBefore(tries)) continue;
      return lease.status();
    }
    Connection& connection = **lease;
    const auto may_go_on = [&](Failure failure) {
      if (failure == Failure::kLost) DropIdle();
      return failure != Failure::kOther && failure != Failure::kNone && PauseBefore(tries);
    };
    // Its number is taken now: behind COMMIT nobody could ask for it.
    const auto begun = connection.Script(
        "BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_current_xact_id()::text");
    if (!begun.ok()) {
      if (may_go_on(connection.failure())) continue;
      return begun.status();
    }
    const std::string number = begun->String(0, 0);
    Transaction transaction(connection);
    // An exception leaves a transaction that the next who gets the connection would go on with.
    bool has_returned = false;
    const std::shared_ptr<void> guard(nullptr, [&](void*) {
      if (!has_returned) connection.Abandon();
    });
    Status done = body(transaction);
    has_returned = true;
    if (transaction.failure_ != Failure::kNone && done.ok()) done = transaction.failed_;
    if (!done.ok()) {
      if (!connection.is_lost()) (void)connection.Script("ROLLBACK");
      if (may_go_on(transaction.failure_)) continue;
      return done;
    }
    const Status committed = connection.Commit();
    if (committed.ok()) {
      NoteGood();
      return OkStatus();
    }
    const Failure failure = connection.failure();
    if (failure == Failure::kLost) {
      DropIdle();
      const Outcome outcome = OutcomeOf(number);
      if (outcome == Outcome::kCommitted) return OkStatus();
      if (outcome == Outcome::kUnknown) {
        return Error(StatusCode::kIo,
                     "the connection to the database {} was lost while it wrote, and whether it "
                     "did is not known: look, then ask again",
                     shown_);
      }
    } else if (!connection.is_lost()) {
      (void)connection.Script("ROLLBACK");
    }
    if (!may_go_on(failure)) return committed;
  }
}

// A server process that does not know yet that its client is gone is still in progress.
Database::Outcome Database::OutcomeOf(const std::string& transaction) {
  constexpr int kMostLooks = 200;
  constexpr std::chrono::milliseconds kBetween{150};
  for (int looks = 0; looks < kMostLooks; ++looks) {
    if (looks > 0) std::this_thread::sleep_for(kBetween);
    auto lease = Take();
    if (!lease.ok()) continue;
    const auto status = (*lease)->Do("SELECT pg_xact_status($1::xid8)", Params{Param(transaction)});
    if (!status.ok()) continue;
    if (status->Text(0, 0) == "committed") return Outcome::kCommitted;
    if (status->Text(0, 0) == "aborted") return Outcome::kUndone;
    if (status->IsNull(0, 0)) return Outcome::kUnknown;
  }
  return Outcome::kUnknown;
}

Database::Lock::Lock(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
// The end of its connection is the end of the lock.
Database::Lock::~Lock() = default;

Result<std::unique_ptr<Database::Lock>> Database::TryLock(std::int32_t name) {
  RS_ASSIGN_OR_RETURN(auto connection, Connection::Open(address_, options_.connection));
  RS_ASSIGN_OR_RETURN(const Rows rows,
                      connection->Do("SELECT pg_try_advisory_lock($1::int, $2::int)",
                                     Params{std::int64_t{kOurLocks}, std::int64_t{name}}));
  if (!rows.Flag(0, 0)) return std::unique_ptr<Lock>();
  return std::unique_ptr<Lock>(new Lock(std::move(connection)));
}

}  // namespace rankscope::postgres
