// The store of browser sessions: in the process, or in the database of a cluster, so that all
// servers know a session begun at one of them.
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

// Keyed by the SHA-256 of their ids, so the stored data gives no access. Safe for many threads.
class Sessions {
 public:
  virtual ~Sessions() = default;
  // If there are `most` already, the one that ends first is removed.
  virtual Status Add(const std::string& hash, const Principal& principal, std::int64_t seconds,
                     std::size_t most) = 0;
  virtual Result<std::optional<Principal>> Find(const std::string& hash) = 0;
  virtual Status End(const std::string& hash) = 0;
};

std::unique_ptr<Sessions> MakeSessionsInMemory(std::function<std::int64_t()> now_s);
// `database` outlives it.
std::unique_ptr<Sessions> MakeClusterSessions(postgres::Database& database);

}  // namespace rankscope::service
