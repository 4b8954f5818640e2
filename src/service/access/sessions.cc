#include "service/access/sessions.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "postgres/database.h"
#include "service/access/access.h"

namespace rankscope::service {
namespace {

class SessionsInMemory final : public Sessions {
 public:
  explicit SessionsInMemory(std::function<std::int64_t()> now_s) : now_s_(std::move(now_s)) {}

  Status Add(const std::string& hash, const Principal& principal, std::int64_t seconds,
             std::size_t most) override {
    const std::scoped_lock lock(mutex_);
    const std::int64_t now = now_s_();
    std::erase_if(sessions_, [now](const auto& one) { return one.second.ends_s <= now; });
    if (sessions_.size() >= most) {
      sessions_.erase(std::ranges::min_element(sessions_, {},
                                               [](const auto& one) { return one.second.ends_s; }));
    }
    sessions_[hash] = {.ends_s = now + seconds, .principal = principal};
    return OkStatus();
  }

  Result<std::optional<Principal>> Find(const std::string& hash) override {
    const std::scoped_lock lock(mutex_);
    const auto found = sessions_.find(hash);
    if (found == sessions_.end() || found->second.ends_s <= now_s_())
      return std::optional<Principal>();
    return std::optional<Principal>(found->second.principal);
  }

  Status End(const std::string& hash) override {
    const std::scoped_lock lock(mutex_);
    sessions_.erase(hash);
    return OkStatus();
  }

 private:
  struct Session {
    std::int64_t ends_s = 0;
    Principal principal;
  };
  const std::function<std::int64_t()> now_s_;
  std::mutex mutex_;
  std::map<std::string, Session, std::less<>> sessions_;
};

class ClusterSessions final : public Sessions {
 public:
  explicit ClusterSessions(postgres::Database& database) : database_(database) {}

  Status Add(const std::string& hash, const Principal& principal, std::int64_t seconds,
             std::size_t most) override {
    return database_.Transact([&](postgres::Transaction& transaction) -> Status {
      RS_RETURN_IF_ERROR(
          transaction
              .Do("DELETE FROM rankscope.session WHERE ends <= now() OR hash IN "
                  "(SELECT hash FROM rankscope.session ORDER BY ends DESC OFFSET $1)",
                  {static_cast<std::int64_t>(most) - 1})
              .status());
      return transaction
          .Do("INSERT INTO rankscope.session (hash, ends, name, role, team, source) "
              "VALUES ($1, now() + $2 * interval '1 second', $3, $4, $5, $6)",
              {hash, seconds, principal.name, ToString(principal.role), principal.team,
               principal.source})
          .status();
    });
  }

  Result<std::optional<Principal>> Find(const std::string& hash) override {
    RS_ASSIGN_OR_RETURN(const postgres::Rows rows,
                        database_.Do("SELECT name, role, team, source FROM rankscope.session "
                                     "WHERE hash = $1 AND ends > now()",
                                     {hash}));
    const auto role = rows.empty() ? std::nullopt : ParseRole(rows.Text(0, 1));
    if (!role) return std::optional<Principal>();
    return std::optional(Principal{.name = rows.String(0, 0),
                                   .role = *role,
                                   .team = rows.String(0, 2),
                                   .source = rows.String(0, 3)});
  }

  Status End(const std::string& hash) override {
    return database_.Do("DELETE FROM rankscope.session WHERE hash = $1", {hash}).status();
  }

 private:
  postgres::Database& database_;
};

}  // namespace

std::unique_ptr<Sessions> MakeSessionsInMemory(std::function<std::int64_t()> now_s) {
  return std::make_unique<SessionsInMemory>(std::move(now_s));
}

std::unique_ptr<Sessions> MakeClusterSessions(postgres::Database& database) {
  return std::make_unique<ClusterSessions>(database);
}

}  // namespace rankscope::service
