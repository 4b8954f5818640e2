// Who may do what: bearer tokens with roles and teams, and the sessions of browsers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "service/sessions.h"

namespace rankscope::service {

// Each may what those before it may.
enum class Role : std::uint8_t { kNone, kRead, kUpload, kAdmin };
std::string_view ToString(Role role);
std::optional<Role> ParseRole(std::string_view text);

inline constexpr std::string_view kAllTeams = "*";

struct Principal {
  std::string name;  // for logs
  Role role = Role::kNone;
  std::string team;  // kAllTeams, or the one whose runs it sees
  // Of a host's certificate: it speaks for that host alone. Empty: of no certificate.
  std::string host = {};
  bool sees_nothing = false;  // a host's certificate without a team: it reports, and that is all
  std::string source = {};    // of a person: Access::TakePeople; "": a token's or a certificate's

  bool SeesTeam(std::string_view other) const {
    return !sees_nothing && (team == kAllTeams || team == other);
  }
};

// A token as its owner has it, and the line that lets it in.
struct NewToken {
  std::string token;  // rs_ and 43 letters and digits: 256 bits
  std::string line;
};
// kInvalidArgument for names and teams that are no single word.
Result<NewToken> MakeToken(Role role, std::string_view team, std::string_view name);

// Safe for many threads.
class Access {
 public:
  // Everybody may do everything: for a server that only its own machine reaches.
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
  // None also when the token of the session is no longer among those of this server, or the person
  // signed in by other rules.
  Result<std::optional<Principal>> OfSession(std::string_view id) const;
  Status EndSession(std::string_view id);
  // Sessions are kept there from now on: before the first.
  void KeepSessionsIn(std::unique_ptr<Sessions> sessions) { sessions_ = std::move(sessions); }
  // People sign in, too, from now on. `source` stands for who vouches for them and by which rules.
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
