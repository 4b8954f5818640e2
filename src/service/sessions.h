// Where the sessions of browsers are kept: in the process, or in the database of a cluster, so that
// who signed in at one server is known to the others.
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

struct Principal;

// By the SHA-256 of their ids: who reads what is kept has no session. Safe for many threads.
class Sessions {
 public:
  virtual ~Sessions() = default;
  // The one that ends first makes room where there are `most` already.
  virtual Status Add(const std::string& hash, const Principal& principal, std::int64_t seconds,
                     std::size_t most) = 0;
  virtual Result<std::optional<Principal>> Find(const std::string& hash) = 0;
  virtual Status End(const std::string& hash) = 0;
};

std::unique_ptr<Sessions> MakeSessionsInMemory(std::function<std::int64_t()> now_s);
// `database` outlives it.
std::unique_ptr<Sessions> MakeClusterSessions(postgres::Database& database);

}  // namespace rankscope::service
