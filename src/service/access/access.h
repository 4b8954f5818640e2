// Access rights: bearer tokens with roles and teams, and browser sessions.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "service/access/sessions.h"

namespace rankscope::service {

// Each includes the rights of those before it.
enum class Role : std::uint8_t { kNone, kRead, kUpload, kAdmin };
std::string_view ToString(Role role);
std::optional<Role> ParseRole(std::string_view text);

inline constexpr std::string_view kAllTeams = "*";

struct Principal {
  std::string name;  // for logs
  Role role = Role::kNone;
  std::string team;  // kAllTeams, or the one whose runs it sees
  // From a host's certificate, which is valid only for that host. Empty: no certificate.
  std::string host = {};
  bool sees_nothing = false;  // a host's certificate without a team: it reports, and that is all
  std::string source = {};    // of a person: Access::TakePeople; "": a token's or a certificate's

  bool SeesTeam(std::string_view other) const {
    return !sees_nothing && (team == kAllTeams || team == other);
  }
};

// A token as its owner has it, and the line of the file that admits it.
struct NewToken {
  std::string token;  // rs_ and 43 letters and digits: 256 bits
  std::string line;
};
// kInvalidArgument for names and teams that are not a single word.
Result<NewToken> MakeToken(Role role, std::string_view team, std::string_view name);

// Safe for many threads.
class Access {
 public:
  // Everybody may do everything: for a server reachable only from its own machine.
  static Access Open(std::function<std::int64_t()> now_s);
  // A file of lines "sha256:HEX ROLE TEAM NAME"; # begins a comment. The file has hashes alone:
  // who reads it has no token. Refused when others may write to it.
  static Result<Access> FromFile(const std::string& path, std::function<std::int64_t()> now_s);

  bool has_tokens() const { return !tokens_.empty(); }
  bool is_open() const { return tokens_.empty() && people_.empty(); }
  // Takes the same time for every token.
  std::optional<Principal> OfToken(std::string_view token) const;

  // A session of `principal` for kSessionSeconds; the oldest ends when there are too many.
  static constexpr std::int64_t kSessionSeconds = 12 * 3600;
  static constexpr std::size_t kMostSessions = 10'000;
  Result<std::string> NewSession(const Principal& principal);
  // Also none if this server no longer has the token of the session, or the person signed in under
  // other rules.
  Result<std::optional<Principal>> OfSession(std::string_view id) const;
  Status EndSession(std::string_view id);
  // Keeps sessions there from now on. Call it before the first session.
  void KeepSessionsIn(std::unique_ptr<Sessions> sessions) { sessions_ = std::move(sessions); }
  // Lets people sign in from now on. `source` identifies the provider that vouches for them, and
  // the rules.
  void TakePeople(std::string source) { people_ = std::move(source); }
  Principal PersonOf(std::string name, Role role, std::string team) const {
    return {.name = std::move(name), .role = role, .team = std::move(team), .source = people_};
  }

 private:
  struct Token {
    std::string hash;  // SHA-256, in digits
    Principal principal;
  };
  explicit Access(const std::function<std::int64_t()>& now_s)
      : sessions_(MakeSessionsInMemory(now_s)) {}

  std::vector<Token> tokens_;
  std::string people_;  // "": none
  std::unique_ptr<Sessions> sessions_;
};

}  // namespace rankscope::service
