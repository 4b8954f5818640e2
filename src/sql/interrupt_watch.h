// Ends a running DuckDB statement on request.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "sql/duckdb_functions.h"

namespace rankscope::sql {

// While it exists, a thread calls `cancelled` fifty times per second. Once that returns true, it
// interrupts the connection's statement, which then fails. Without a function there is no thread.
class InterruptWatch {
 public:
  InterruptWatch(duckdb_connection connection, const std::function<bool()>& cancelled);
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace rankscope::sql
