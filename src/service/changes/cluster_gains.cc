// Measured gains in a table of a cluster: all servers have the same.
#include <algorithm>
#include <functional>

#include "json/fields.h"
#include "postgres/database.h"
#include "service/changes/gains.h"

namespace rankscope::service {
namespace {

using api::MeasuredGain;
using postgres::Rows;
using postgres::Transaction;

class ClusterGains final : public Gains {
 public:
  explicit ClusterGains(postgres::Database& database) : database_(database) {}

  Status Keep(MeasuredGain gain) override {
    RS_RETURN_IF_ERROR(CheckGain(gain));
    const std::string name = NameOfGain(gain);
    return database_.Transact([&](Transaction& transaction) -> Status {
      // Those of a team come one after the other: two that count at the same time would both fit.
      RS_RETURN_IF_ERROR(
          transaction.Do("SELECT pg_advisory_xact_lock(1918988909, hashtext($1))", {gain.team})
              .status());
      RS_ASSIGN_OR_RETURN(
          const Rows others,
          transaction.Do("SELECT count(*) FROM rankscope.gain WHERE team = $1 AND name <> $2",
                         {gain.team, name}));
      if (others.Integer(0, 0) >= kMostOfTeam) return TeamIsFullOfGains(others.Integer(0, 0));
      return transaction
          .Do("INSERT INTO rankscope.gain (name, team, content) VALUES ($1, $2, $3) "
              "ON CONFLICT (name) DO UPDATE SET team = $2, content = $3",
              {name, gain.team, json::ToJson(gain)})
          .status();
    });
  }

  Status Forget(const std::string& test) override {
    return database_.Do("DELETE FROM rankscope.gain WHERE name = $1", {test}).status();
  }

  Result<std::vector<MeasuredGain>> All(const Sees& sees) const override {
    RS_ASSIGN_OR_RETURN(const Rows rows,
                        database_.Do("SELECT team, content FROM rankscope.gain ORDER BY name"));
    std::vector<MeasuredGain> all;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!sees(rows.Text(i, 0))) continue;
      auto gain = json::FromJson<MeasuredGain>(rows.Text(i, 1));
      if (gain.ok() && CheckGain(*gain).ok()) all.push_back(*std::move(gain));
    }
    std::ranges::stable_sort(all, std::greater<>(), &MeasuredGain::made);
    return all;
  }

 private:
  postgres::Database& database_;
};

}  // namespace

std::unique_ptr<Gains> MakeClusterGains(postgres::Database& database) {
  return std::make_unique<ClusterGains>(database);
}

Result<std::int64_t> CopyGains(const std::string& folder, postgres::Database& database,
                               const std::function<void(std::string_view)>& on_message) {
  const FolderGains gains(folder, "", on_message);
  std::int64_t copied = 0;
  for (const auto& [name, gain] : gains.named()) {
    RS_ASSIGN_OR_RETURN(const Rows inserted,
                        database.Do("INSERT INTO rankscope.gain (name, team, content) "
                                    "VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                                    {name, gain.team, json::ToJson(gain)}));
    copied += inserted.affected();
  }
  return copied;
}

}  // namespace rankscope::service
