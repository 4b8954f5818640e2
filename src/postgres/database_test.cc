// The wrapper of libpq against the real server.
#include "postgres/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <stdexcept>
#include <thread>

#include "postgres/address.h"
#include "postgres/listener.h"
#include "postgres/migrate.h"
#include "postgres/test_server.h"

namespace rankscope::postgres {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

std::unique_ptr<Database> OpenAt(const std::string& address) {
  auto database = Database::Open(address);
  EXPECT_TRUE(database.ok()) << database.status().message();
  return database.ok() ? std::move(*database) : nullptr;
}

TEST(Address, IsShownWithoutItsPassword) {
  RS_NEEDS_POSTGRES();
  EXPECT_EQ(*ShownAddress("postgresql://ann:geheim@db.example:5433/runs?sslmode=disable"),
            "postgresql://db.example:5433/runs");
  EXPECT_EQ(*ShownAddress("postgres://ann:geheim@a,b/runs"), "postgresql://a,b/runs");
  for (const char* wrong : {"mysql://ann:geheim@db/runs", "postgresql://ann:geheim%zz@db/runs",
                            "geheim", "", "postgresql://ann:geheim@db/runs?geheim=1"}) {
    const auto shown = ShownAddress(wrong);
    EXPECT_EQ(shown.status().code(), StatusCode::kInvalidArgument) << wrong;
    EXPECT_THAT(shown.status().message(), Not(HasSubstr("geheim")));
    EXPECT_THAT(shown.status().message(), HasSubstr("--catalogue"));
  }
}

TEST(Address, OfNobodyIsToldWithoutItsPassword) {
  RS_NEEDS_POSTGRES();
  const auto database = Database::Open("postgresql://ann:geheim@127.0.0.1:1/runs",
                                       {.most_tries = 1, .first_pause = {}, .longest_pause = {}});
  EXPECT_EQ(database.status().code(), StatusCode::kIo);
  EXPECT_THAT(database.status().message(), HasSubstr("postgresql://127.0.0.1:1/runs cannot be"));
  EXPECT_THAT(database.status().message(), Not(HasSubstr("geheim")));
}

class DatabaseTest : public testing::Test {
 protected:
  void SetUp() override {
    RS_NEEDS_POSTGRES();
    address_ = TestServer::Get().NewDatabase();
    database_ = OpenAt(address_);
  }
  std::int64_t Count(const char* table = "t") {
    const auto rows = database_->Do((std::string("SELECT count(*) FROM ") + table).c_str());
    EXPECT_TRUE(rows.ok()) << rows.status().message();
    return rows.ok() ? rows->Integer(0, 0) : -1;
  }
  void Make() { ASSERT_TRUE(database_->Do("CREATE TABLE t (id bigint, text text)").ok()); }
  std::string address_;
  std::unique_ptr<Database> database_;
};

TEST_F(DatabaseTest, WhatUsersSayIsNoSql) {
  Make();
  const std::string words = "'; DROP TABLE t; -- \\ \" $1 \x01 \u00e4";
  ASSERT_TRUE(database_->Do("INSERT INTO t VALUES ($1, $2)", {std::int64_t{1}, words}).ok());
  ASSERT_TRUE(database_->Do("INSERT INTO t VALUES ($1, $2)", {std::int64_t{2}, nullptr}).ok());
  const auto rows = database_->Do("SELECT text FROM t ORDER BY id");
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ(rows->Text(0, 0), words);
  EXPECT_FALSE(rows->IsNull(0, 0));
  EXPECT_TRUE(rows->IsNull(1, 0));
  // A text with an end in it, and bytes that are no UTF-8.
  for (const std::string& wrong : {std::string("a\0b", 3), std::string("\xff")}) {
    EXPECT_EQ(database_->Do("SELECT $1::text", {wrong}).status().code(),
              StatusCode::kInvalidArgument);
  }
}

TEST_F(DatabaseTest, ATransactionIsWholeOrNothing) {
  Make();
  int calls = 0;
  const Status refused = database_->Transact([&](Transaction& transaction) -> Status {
    ++calls;
    RS_RETURN_IF_ERROR(transaction.Do("INSERT INTO t VALUES (1)").status());
    return Error(StatusCode::kBadData, "no");
  });
  EXPECT_EQ(refused.code(), StatusCode::kBadData);
  EXPECT_EQ(calls, 1) << "what the body refuses is not tried again";
  EXPECT_EQ(Count(), 0);
  // An error that the body does not look at is one, too.
  const Status unseen = database_->Transact([&](Transaction& transaction) -> Status {
    RS_RETURN_IF_ERROR(transaction.Do("INSERT INTO t VALUES (1)").status());
    (void)transaction.Do("SELECT no_such_column FROM t");
    return OkStatus();
  });
  EXPECT_THAT(unseen.message(), HasSubstr("42703"));
  EXPECT_EQ(Count(), 0);
}

TEST_F(DatabaseTest, AnExceptionTakesEverythingBack) {
  Make();
  EXPECT_THROW((void)database_->Transact([&](Transaction& transaction) -> Status {
    RS_RETURN_IF_ERROR(transaction.Do("INSERT INTO t VALUES (1)").status());
    throw std::runtime_error("no");
  }),
               std::runtime_error);
  ASSERT_TRUE(database_
                  ->Transact([&](Transaction& transaction) {
                    return transaction.Do("INSERT INTO t VALUES (2)").status();
                  })
                  .ok());
  EXPECT_EQ(Count(), 1);
}

// Each has what the other wants next: the database ends one of them, which goes through afterwards.
TEST_F(DatabaseTest, TransactionsThatMeetGoThrough) {
  Make();
  ASSERT_TRUE(database_->Do("INSERT INTO t VALUES (1, '0'), (2, '0')").ok());
  std::atomic<int> begun = 0;
  const auto add = [&](const char* first, const char* second) {
    return database_->Transact(
        [&, is_first_try = true](Transaction& transaction) mutable -> Status {
          constexpr const char* kAdd = "UPDATE t SET text = (text::int + 1)::text WHERE id = $1";
          RS_RETURN_IF_ERROR(transaction.Do(kAdd, {first}).status());
          if (std::exchange(is_first_try, false)) {
            ++begun;
            (void)Until([&] { return begun == 2; });
          }
          return transaction.Do(kAdd, {second}).status();
        });
  };
  Status of_other;
  std::thread other([&] { of_other = add("2", "1"); });
  const Status of_this = add("1", "2");
  other.join();
  EXPECT_TRUE(of_this.ok()) << of_this.message();
  EXPECT_TRUE(of_other.ok()) << of_other.message();
  EXPECT_EQ(database_->Do("SELECT sum(text::int) FROM t")->Integer(0, 0), 4);
}

TEST_F(DatabaseTest, AConnectionThatIsCutIsMadeAnew) {
  Make();
  int calls = 0;
  const Status done = database_->Transact([&](Transaction& transaction) -> Status {
    RS_RETURN_IF_ERROR(transaction.Do("INSERT INTO t VALUES (1)").status());
    if (++calls == 1) {
      RS_RETURN_IF_ERROR(transaction.Do("SELECT pg_terminate_backend(pg_backend_pid())").status());
    }
    return OkStatus();
  });
  EXPECT_TRUE(done.ok()) << done.message();
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(Count(), 1);
}

TEST_F(DatabaseTest, SurvivesTheDeathOfTheServer) {
  Make();
  ASSERT_TRUE(database_->Do("INSERT INTO t VALUES (1)").ok());
  TestServer::Get().Crash();
  ASSERT_TRUE(Until([&] { return database_->Do("SELECT 1").ok(); }));
  EXPECT_EQ(Count(), 1) << "what was committed is there";
}

TEST_F(DatabaseTest, WaitsForAConnectionNoLongerThanItMay) {
  const auto narrow = Database::Open(
      address_,
      {.most_connections = 1, .for_a_connection = std::chrono::milliseconds(1), .most_tries = 1});
  ASSERT_TRUE(narrow.ok());
  const Status outer = (*narrow)->Transact(
      [&](Transaction&) -> Status { return (*narrow)->Do("SELECT 1").status(); });
  EXPECT_THAT(outer.message(), HasSubstr("busy"));
  EXPECT_TRUE((*narrow)->Do("SELECT 1").ok());
}

TEST_F(DatabaseTest, ALockIsOnes) {
  auto lock = database_->TryLock(77);
  ASSERT_TRUE(lock.ok() && *lock != nullptr);
  EXPECT_EQ(*database_->TryLock(77), nullptr);
  EXPECT_NE(*database_->TryLock(78), nullptr);
  lock->reset();
  EXPECT_TRUE(Until([&] { return *database_->TryLock(77) != nullptr; }));
}

// A socket between client and server, which can lose the answer to a COMMIT: that was sent, and
// either reaches the server or does not.
class Between {
 public:
  enum class Loses { kNothing, kAnswer, kCommit };

  Between(const std::string& address) {
    std::string pattern = "/tmp/rankscope_between_XXXXXX";
    folder_ = mkdtemp(pattern.data());
    const std::size_t host = address.find("host=");
    server_ = address.substr(host + 5) + "/.s.PGSQL.5432";
    address_ = address.substr(0, host + 5) + folder_;
    listening_ = Socket();
    const sockaddr_un here = At(folder_ + "/.s.PGSQL.5432");
    EXPECT_EQ(bind(listening_, Generic(&here), sizeof(here)), 0);
    EXPECT_EQ(listen(listening_, 16), 0);
    thread_ = std::thread([this] { Accept(); });
  }
  ~Between() {
    shutdown(listening_, SHUT_RDWR);
    thread_.join();
    close(listening_);
    fs::remove_all(folder_);
  }
  const std::string& address() const { return address_; }
  std::atomic<Loses> loses = Loses::kNothing;

 private:
  // The statement and its end; BEGIN has the level READ COMMITTED.
  static constexpr std::string_view kCommit{"COMMIT\0", 7};
  static int Socket() { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }
  static sockaddr_un At(const std::string& path) {
    sockaddr_un at{.sun_family = AF_UNIX, .sun_path = {}};
    path.copy(at.sun_path, sizeof(at.sun_path) - 1);
    return at;
  }
  static const sockaddr* Generic(const sockaddr_un* at) {
    return reinterpret_cast<const sockaddr*>(at);
  }
  void Accept() {
    std::vector<std::thread> pairs;
    for (int client = 0; (client = accept(listening_, nullptr, nullptr)) >= 0;)
      pairs.emplace_back([this, client] { Carry(client); });
    for (std::thread& pair : pairs) pair.join();
  }
  void Carry(int client) {
    const int server = Socket();
    const sockaddr_un there = At(server_);
    bool is_lost = connect(server, Generic(&there), sizeof(there)) != 0;
    char bytes[65536];
    while (!is_lost) {
      pollfd wanted[2] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
      if (poll(wanted, 2, -1) < 0) break;
      const bool is_asked = wanted[0].revents != 0;
      const ssize_t count = read(is_asked ? client : server, bytes, sizeof(bytes));
      if (count <= 0) break;
      const auto size = static_cast<std::size_t>(count);
      const bool commits =
          is_asked && std::string_view(bytes, size).find(kCommit) != std::string_view::npos;
      const Loses lost = commits ? loses.exchange(Loses::kNothing) : Loses::kNothing;
      is_lost = lost != Loses::kNothing;
      if (lost == Loses::kCommit) break;
      if (write(is_asked ? server : client, bytes, size) != count) break;
      if (lost == Loses::kAnswer) (void)!read(server, bytes, sizeof(bytes));
    }
    close(client);
    close(server);
  }

  std::string folder_;
  std::string server_;
  std::string address_;
  int listening_ = -1;
  std::thread thread_;
};

TEST_F(DatabaseTest, ACommitWithoutAnAnswerIsMadeOnce) {
  Make();
  Between between(address_);
  {
    const auto database = OpenAt(between.address());
    for (const auto lost : {Between::Loses::kAnswer, Between::Loses::kCommit}) {
      ASSERT_TRUE(database_->Do("DELETE FROM t").ok());
      between.loses = lost;
      int calls = 0;
      const Status done = database->Transact([&](Transaction& transaction) -> Status {
        ++calls;
        return transaction.Do("INSERT INTO t VALUES (1)").status();
      });
      EXPECT_TRUE(done.ok()) << done.message();
      EXPECT_EQ(Count(), 1) << "neither lost nor doubled";
      EXPECT_EQ(calls, lost == Between::Loses::kAnswer ? 1 : 2);
    }
  }
}

constexpr MigrationStep kSteps[] = {{"CREATE TABLE kept.a (id int); INSERT INTO kept.a VALUES (1)"},
                                    {"ALTER TABLE kept.a ADD COLUMN more int NOT NULL DEFAULT 0"},
                                    {"CREATE TABLE kept.b (id int)"}};

TEST_F(DatabaseTest, TablesGoForwardsStepByStep) {
  const std::span<const MigrationStep> steps = kSteps;
  EXPECT_TRUE(Migrate(*database_, "kept", steps.first(1)).ok());
  const Status all = Migrate(*database_, "kept", steps);
  EXPECT_TRUE(all.ok()) << all.message();
  EXPECT_TRUE(Migrate(*database_, "kept", steps).ok());
  EXPECT_EQ(Count("kept.a"), 1);
  EXPECT_EQ(Count("kept.b"), 0);
  const Status newer = Migrate(*database_, "kept", steps.first(2));
  EXPECT_EQ(newer.code(), StatusCode::kBadData);
  EXPECT_THAT(newer.message(), HasSubstr("of version 3, for programs that know version 3; this "));
}

// Servers of the version before go on, and start, beside a newer one whose steps keep them.
TEST_F(DatabaseTest, OlderProgramsGoOnBesideStepsThatKeepThem) {
  const std::vector<MigrationStep> steps = {
      kSteps[0], {.script = kSteps[1].script, .keeps_older = true}, kSteps[2]};
  const std::span<const MigrationStep> all = steps;
  EXPECT_TRUE(Migrate(*database_, "kept", all.first(2)).ok());
  EXPECT_TRUE(Migrate(*database_, "kept", all.first(1)).ok());
  EXPECT_TRUE(database_->Do("INSERT INTO kept.a VALUES (2)").ok());
  EXPECT_TRUE(Migrate(*database_, "kept", all).ok());
  EXPECT_EQ(Migrate(*database_, "kept", all.first(2)).code(), StatusCode::kBadData);
  // Tables of a program that did not keep it.
  EXPECT_TRUE(database_->Do("ALTER TABLE kept.version DROP COLUMN least").ok());
  EXPECT_EQ(Migrate(*database_, "kept", all.first(2)).code(), StatusCode::kBadData);
  EXPECT_TRUE(Migrate(*database_, "kept", all).ok());
}

TEST_F(DatabaseTest, AStepThatFailsLeavesTheOneBefore) {
  constexpr MigrationStep kBroken[] = {kSteps[0], {"CREATE TABLE kept.c (id int); SELECT 1 / 0"}};
  EXPECT_FALSE(Migrate(*database_, "kept", kBroken).ok());
  EXPECT_EQ(Count("kept.a"), 1);
  EXPECT_TRUE(database_->Do("SELECT to_regclass('kept.c')")->IsNull(0, 0));
  EXPECT_TRUE(Migrate(*database_, "kept", kSteps).ok());
}

TEST_F(DatabaseTest, ProgramsThatBeginTogetherMigrateOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] { good += Migrate(*database_, "kept", kSteps).ok() ? 1 : 0; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 8);
  EXPECT_EQ(Count("kept.a"), 1);
}

TEST_F(DatabaseTest, AListenerIsWokenAndComesBack) {
  std::atomic<int> wakes = 0;
  Listener listener(address_, {},
                    {.channels = {"some_channel"},
                     .at_least_every = std::chrono::hours(1),
                     .wake = [&] { ++wakes; },
                     .on_message = {}});
  const auto hears = [&] {
    const int before = wakes;
    return Until([&] {
      return database_->Do("SELECT pg_notify('some_channel', '')").ok() && wakes > before;
    });
  };
  EXPECT_TRUE(hears());
  ASSERT_TRUE(database_
                  ->Do("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                       "WHERE query = 'LISTEN some_channel'")
                  .ok());
  EXPECT_TRUE(hears());
}

}  // namespace
}  // namespace rankscope::postgres
