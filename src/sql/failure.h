// Failure: carries a Status out of callbacks of DuckDB, bypassing DuckDB's own error text.
#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include "base/status.h"

namespace rankscope::sql {

// Thread-safe: table functions run on all DuckDB threads.
class Failure {
 public:
  // Keeps the first failure of a statement.
  void Set(Status status) {
    const std::lock_guard lock(mutex_);
    if (!first_) first_ = std::move(status);
  }
  // The failure since the last call, if any.
  std::optional<Status> Take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(first_, std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::optional<Status> first_;
};

}  // namespace rankscope::sql
