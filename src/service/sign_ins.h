// Sign-ins that are under way at a provider: what has to come back, and whose browser began it.
// Kept in the process, or in the database of a cluster, since another server may be the one to
// which the browser comes back.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope::postgres {
class Database;
}

namespace rankscope::service {

struct SignIn {
  std::string browser;   // SHA-256 of the secret in its cookie
  std::string nonce;     // that the provider's token has
  std::string verifier;  // of PKCE
  std::string redirect;  // where the browser comes back to
  std::string to;        // the page that it came from: a path of this server
  std::int64_t began_s = 0;
};

// By the SHA-256 of their states. Safe for many threads.
class SignIns {
 public:
  static constexpr std::int64_t kSeconds = 600;
  static constexpr std::size_t kMost = 10'000;
  static constexpr std::size_t kMostOfPeer = 1'000;

  virtual ~SignIns() = default;
  // Where `peer` (an address) has kMostOfPeer, or all have kMost, the oldest makes room, of that
  // address first: nobody ends the sign-ins of others by beginning many.
  virtual Status Add(const std::string& state, const SignIn& begun, const std::string& peer) = 0;
  // Takes it out, so that no state counts twice; none that is older than kSeconds.
  virtual Result<std::optional<SignIn>> Take(const std::string& state) = 0;
};

std::unique_ptr<SignIns> MakeSignInsInMemory(std::function<std::int64_t()> now_s);
// `database` outlives it.
std::unique_ptr<SignIns> MakeClusterSignIns(postgres::Database& database);

}  // namespace rankscope::service
