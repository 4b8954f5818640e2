#include "sql/interrupt_watch.h"

#include <chrono>

namespace rankscope::sql {

InterruptWatch::InterruptWatch(duckdb_connection connection,
                               const std::function<bool()>& cancelled) {
  if (!cancelled) return;
  thread_ = std::thread([this, connection, &cancelled] {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, std::chrono::milliseconds(20), [this] { return is_over_; })) {
      if (cancelled()) duckdb_interrupt(connection);
    }
  });
}

InterruptWatch::~InterruptWatch() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

}  // namespace rankscope::sql
