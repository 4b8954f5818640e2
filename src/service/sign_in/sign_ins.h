// Sign-ins in progress at a provider: the values that must come back, and the browser that began
// it. They are kept in the process, or in the database of a cluster, since the browser may come
// back to another server.
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
  // If `peer` (an address) has kMostOfPeer, or all have kMost, the oldest is removed, preferably of
  // that address. So nobody can end the sign-ins of others by beginning many.
  virtual Status Add(const std::string& state, const SignIn& begun, const std::string& peer) = 0;
  // Removes and returns it, so that no state is valid twice; none if it is older than kSeconds.
  virtual Result<std::optional<SignIn>> Take(const std::string& state) = 0;
};

std::unique_ptr<SignIns> MakeSignInsInMemory(std::function<std::int64_t()> now_s);
// `database` outlives it.
std::unique_ptr<SignIns> MakeClusterSignIns(postgres::Database& database);

}  // namespace rankscope::service
