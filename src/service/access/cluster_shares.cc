// Shares in a table of a cluster: all servers have the same.
#include <sys/stat.h>

#include <filesystem>

#include "base/file.h"
#include "json/reader.h"
#include "postgres/database.h"
#include "service/access/share_text.h"
#include "store/random_id.h"

namespace rankscope::service {
namespace {

namespace fs = std::filesystem;
using postgres::Param;
using postgres::Rows;
using postgres::Transaction;

constexpr const char* kInsert =
    "INSERT INTO rankscope.share (name, team, token, bytes, used_s, content) "
    "VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";

class ClusterShares final : public Shares {
 public:
  ClusterShares(postgres::Database& database, ShareLimits limits, TeamOfRun team_of_run,
                WallClock now_s)
      : database_(database),
        limits_(limits),
        team_of_run_(std::move(team_of_run)),
        now_s_(std::move(now_s)) {}

  Result<std::string> Keep(const Principal& who, const std::string& state) override {
    const std::string team = TeamOfShare(who, state, team_of_run_);
    const std::string token = ShareOwner(who);
    const std::int64_t now = now_s_();
    const std::string text = HeadOfShare(team, token, now, state) + state;
    const std::string name = store::RandomSecretId();
    const Status written = database_.Transact([&](Transaction& transaction) -> Status {
      // Those of a team come one after the other: two that count at the same time would both fit.
      RS_RETURN_IF_ERROR(
          transaction.Do("SELECT pg_advisory_xact_lock(1918988908, hashtext($1))", {team})
              .status());
      RS_ASSIGN_OR_RETURN(const Rows sums,
                          transaction.Do("SELECT count(*) FILTER (WHERE token = $1), "
                                         "coalesce(sum(bytes) FILTER (WHERE token = $1), 0), "
                                         "count(*) FILTER (WHERE team = $2) "
                                         "FROM rankscope.share WHERE token = $1 OR team = $2",
                                         {token, team}));
      const auto shares = static_cast<std::size_t>(sums.Integer(0, 0));
      const auto bytes = static_cast<std::uint64_t>(sums.Integer(0, 1));
      // An open server has no tokens: its one reader is everybody.
      if (!who.name.empty() &&
          (shares >= limits_.most_of_token || bytes + text.size() > limits_.most_bytes_of_token))
        return TokenIsFull(shares, bytes, limits_);
      if (static_cast<std::size_t>(sums.Integer(0, 2)) >= limits_.most_of_team)
        return TeamIsFull(limits_);
      return transaction
          .Do(kInsert, {name, team, token, static_cast<std::int64_t>(text.size()), now, text})
          .status();
    });
    RS_RETURN_IF_ERROR(written);
    return name;
  }

  Result<std::string> Find(const Principal& who, const std::string& name) override {
    RS_ASSIGN_OR_RETURN(
        const Rows rows,
        database_.Do("SELECT team, used_s, content FROM rankscope.share WHERE name = $1", {name}));
    if (rows.empty()) return NoShare();
    const auto team = rows.IsNull(0, 0) ? std::nullopt : std::optional(rows.String(0, 0));
    std::string text = rows.String(0, 2);
    if (team && !IsSoundShare(text, *team)) {
      return Error(StatusCode::kBadData, "share {}: its checksum is another: it is damaged", name);
    }
    if (team) text.erase(0, text.find('\n') + 1);
    if (!MaySeeShare(who, team, text, team_of_run_)) return NoShare();
    const std::int64_t now = now_s_();
    if (now - rows.Integer(0, 1) > kDayS) {
      // What is not noted is noted by the next who looks.
      (void)database_.Do("UPDATE rankscope.share SET used_s = greatest(used_s, $2) WHERE name = $1",
                         {name, now});
    }
    return text;
  }

  void RemoveUnused() override {
    // The next collection does what this one could not.
    (void)database_.Do("DELETE FROM rankscope.share WHERE used_s < $1",
                       {now_s_() - limits_.unused_s});
  }

 private:
  postgres::Database& database_;
  const ShareLimits limits_;
  const TeamOfRun team_of_run_;
  const WallClock now_s_;
};

}  // namespace

std::unique_ptr<Shares> MakeClusterShares(postgres::Database& database, ShareLimits limits,
                                          Shares::TeamOfRun team_of_run, WallClock now_s) {
  return std::make_unique<ClusterShares>(database, limits, std::move(team_of_run),
                                         std::move(now_s));
}

Result<std::int64_t> CopyShares(const std::string& folder, postgres::Database& database,
                                const std::function<void(std::string_view)>& on_message) {
  std::int64_t copied = 0;
  std::error_code error;
  if (!fs::exists(folder, error)) return copied;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string path = entry.path().string();
    const bool is_older = path.ends_with(".json");
    if (!is_older && !path.ends_with(".share")) continue;
    struct stat info {};
    const auto text = ReadFile(path);
    const std::string team = text.ok() && !is_older ? TeamInShare(*text) : "";
    if (!text.ok() || stat(path.c_str(), &info) != 0 || (!is_older && !IsSoundShare(*text, team))) {
      on_message(fmt::format("{}: damaged, and left out", path));
      continue;
    }
    std::string token;
    if (!is_older) {
      const auto head = json::Reader::Parse(text->substr(0, text->find('\n')));
      if (head.ok()) token = head->root()["token"].TextOr("");
    }
    RS_ASSIGN_OR_RETURN(
        const Rows inserted,
        database.Do(kInsert, {entry.path().stem().string(), is_older ? Param(nullptr) : Param(team),
                              token, static_cast<std::int64_t>(text->size()),
                              static_cast<std::int64_t>(info.st_mtim.tv_sec), *text}));
    copied += inserted.affected();
  }
  if (error) return Error(StatusCode::kIo, "{}: cannot list: {}", folder, error.message());
  return copied;
}

}  // namespace rankscope::service
