// The runs of a store in PostgreSQL, shared by several servers and workers (docs/platform.md).
//
// The record is the same text as in a folder, with its checksum; the columns beside it serve lists.
// A queued run has a row of `work`, other runs have none. Both change in one transaction, so they
// always agree. Times of records are the database's.
//
// Costs: a look checks whether the record read last is still current (0.2 ms on one machine). A
// page reads as many rows as it shows and counts those that the query finds. A change is three
// statements and a commit.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "postgres/database.h"
#include "store/asked.h"
#include "store/catalogue.h"
#include "store/record_cache.h"
#include "store/shared_turn.h"

namespace rankscope::store {

class PostgresCatalogue final : public Catalogue {
 public:
  // Connects and migrates. `now_s`: empty is the database's clock.
  static Result<std::unique_ptr<PostgresCatalogue>> Open(const std::string& address,
                                                         std::function<std::int64_t()> now_s);

  Result<Run> Create(Run run, std::size_t most_of_team = 0) override;
  Result<RunPtr> Look(std::string_view id) const override;
  Result<std::vector<Run>> All() const override;
  Result<RunPage> Page(const RunQuery& query) const override;
  Result<std::size_t> Count() const override;
  Result<RunPtr> Update(std::string_view id, const std::function<Status(Run&)>& change) override;
  Status Remove(std::string_view id) override;
  Result<std::vector<std::pair<std::string, Status>>> Unreadable() const override;
  Result<std::unique_ptr<Collecting>> BeginCollecting() override;

  // As Update, in one transaction with `beside`, which is called when the run's row is locked and
  // before it changes. An error of `beside` leaves all as it was.
  using Beside = std::function<Status(postgres::Transaction&, const Run& before)>;
  Result<RunPtr> UpdateWith(std::string_view id, const std::function<Status(Run&)>& change,
                            const Beside& beside);
  // Adds a run of another store unchanged, with its id and times. False if this one already has
  // that id or a run with that key; the existing run stays.
  Result<bool> Import(const Run& run);

  // The name of the folder that all processes of the cluster share; "" before there is one.
  Result<std::string> Folder() const;
  // Sets it to `name` unless there is one already, which is then returned.
  Result<std::string> TakeFolder(const std::string& name);

  postgres::Database& database() const { return *database_; }

 private:
  PostgresCatalogue(std::unique_ptr<postgres::Database> database,
                    std::function<std::int64_t()> now_s)
      : database_(std::move(database)), now_s_(std::move(now_s)) {}

  // For one run: threads of this process share one transaction.
  struct Turn {
    SharedTurn<Asked> shared;
    int users = 0;
  };
  Status Do(std::string_view id, Asked& asked);
  void DoAll(std::string_view id, std::span<Asked* const> all, const Beside* beside);
  Status RemoveRow(std::string_view id);
  Result<std::vector<RunPtr>> RecordsOf(const postgres::Rows& ids_and_versions) const;
  Status Each(const std::function<void(const std::string& id, Result<Run> run)>& visit) const;

  static constexpr std::size_t kCacheBytes = std::size_t{64} << 20;
  const std::unique_ptr<postgres::Database> database_;
  const std::function<std::int64_t()> now_s_;
  mutable RecordCache records_{kCacheBytes};
  std::mutex mutex_;
  std::map<std::string, Turn, std::less<>> turns_;
};

}  // namespace rankscope::store
