#include "service/sign_in/sign_ins.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "postgres/database.h"

namespace rankscope::service {
namespace {

class SignInsInMemory final : public SignIns {
 public:
  explicit SignInsInMemory(std::function<std::int64_t()> now_s) : now_s_(std::move(now_s)) {}

  Status Add(const std::string& state, const SignIn& begun, const std::string& peer) override {
    const std::scoped_lock lock(mutex_);
    const std::int64_t now = now_s_();
    std::erase_if(begun_, [now](const auto& one) { return one.second.ends_s <= now; });
    const auto of_peer = [&peer](const auto& one) { return one.second.peer == peer; };
    if (static_cast<std::size_t>(std::ranges::count_if(begun_, of_peer)) >= kMostOfPeer)
      RemoveOldest(of_peer);
    if (begun_.size() >= kMost) RemoveOldest([](const auto&) { return true; });
    begun_[state] = {.number = ++last_, .ends_s = now + kSeconds, .peer = peer, .begun = begun};
    return OkStatus();
  }

  Result<std::optional<SignIn>> Take(const std::string& state) override {
    const std::scoped_lock lock(mutex_);
    const auto found = begun_.extract(state);
    if (found.empty() || found.mapped().ends_s <= now_s_()) return std::optional<SignIn>();
    return std::optional(found.mapped().begun);
  }

 private:
  struct Kept {
    std::uint64_t number = 0;
    std::int64_t ends_s = 0;
    std::string peer;
    SignIn begun;
  };
  template <typename Matches>
  void RemoveOldest(const Matches& matches) {
    auto oldest = begun_.end();
    for (auto one = begun_.begin(); one != begun_.end(); ++one) {
      const bool is_older = oldest == begun_.end() || one->second.number < oldest->second.number;
      if (is_older && matches(*one)) oldest = one;
    }
    if (oldest != begun_.end()) begun_.erase(oldest);
  }

  const std::function<std::int64_t()> now_s_;
  std::mutex mutex_;
  std::uint64_t last_ = 0;
  std::map<std::string, Kept, std::less<>> begun_;
};

class ClusterSignIns final : public SignIns {
 public:
  explicit ClusterSignIns(postgres::Database& database) : database_(database) {}

  Status Add(const std::string& state, const SignIn& begun, const std::string& peer) override {
    return database_.Transact([&](postgres::Transaction& transaction) -> Status {
      RS_RETURN_IF_ERROR(
          transaction
              .Do("DELETE FROM rankscope.sign_in WHERE ends <= now() OR state IN "
                  "(SELECT state FROM rankscope.sign_in WHERE peer = $1 "
                  "ORDER BY ends DESC OFFSET $2) OR state IN "
                  "(SELECT state FROM rankscope.sign_in ORDER BY ends DESC OFFSET $3)",
                  {peer, static_cast<std::int64_t>(kMostOfPeer) - 1,
                   static_cast<std::int64_t>(kMost) - 1})
              .status());
      return transaction
          .Do("INSERT INTO rankscope.sign_in (state, ends, peer, browser, nonce, verifier, "
              "redirect, page, began_s) "
              "VALUES ($1, now() + $2 * interval '1 second', $3, $4, $5, $6, $7, $8, $9)",
              {state, kSeconds, peer, begun.browser, begun.nonce, begun.verifier, begun.redirect,
               begun.to, begun.began_s})
          .status();
    });
  }

  Result<std::optional<SignIn>> Take(const std::string& state) override {
    std::optional<SignIn> taken;
    RS_RETURN_IF_ERROR(database_.Transact([&](postgres::Transaction& transaction) -> Status {
      taken.reset();
      RS_ASSIGN_OR_RETURN(
          const postgres::Rows rows,
          transaction.Do("DELETE FROM rankscope.sign_in WHERE state = $1 RETURNING browser, nonce, "
                         "verifier, redirect, page, began_s, ends > now()",
                         {state}));
      if (rows.empty() || !rows.Flag(0, 6)) return OkStatus();
      taken = SignIn{.browser = rows.String(0, 0),
                     .nonce = rows.String(0, 1),
                     .verifier = rows.String(0, 2),
                     .redirect = rows.String(0, 3),
                     .to = rows.String(0, 4),
                     .began_s = rows.Integer(0, 5)};
      return OkStatus();
    }));
    return taken;
  }

 private:
  postgres::Database& database_;
};

}  // namespace

std::unique_ptr<SignIns> MakeSignInsInMemory(std::function<std::int64_t()> now_s) {
  return std::make_unique<SignInsInMemory>(std::move(now_s));
}

std::unique_ptr<SignIns> MakeClusterSignIns(postgres::Database& database) {
  return std::make_unique<ClusterSignIns>(database);
}

}  // namespace rankscope::service
