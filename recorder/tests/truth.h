// What a test service knows of its calls by itself: when a client sent one and had its answer, when
// the handler began and ended, and how long it waited for a lock. A line of JSON each, on standard
// output.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>

#include "rankscope/requests/record.h"

namespace rankscope::truth {

struct Call {
  std::int64_t sent_ns = 0, begin_ns = 0, end_ns = 0, lock_ns = 0, had_ns = 0;
};

class Truth {
 public:
  // By what the client sent, which tells calls apart.
  template <typename Change>
  void Note(std::int64_t call, Change change) {
    const std::lock_guard<std::mutex> lock(mutex_);
    change(calls_[call]);
  }

  void Print() {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [number, call] : calls_)
      std::printf(
          "{\"call\":%lld,\"sent\":%lld,\"begin\":%lld,\"end\":%lld,\"lock\":%lld,\"had\":%lld}\n",
          static_cast<long long>(number), static_cast<long long>(call.sent_ns),
          static_cast<long long>(call.begin_ns), static_cast<long long>(call.end_ns),
          static_cast<long long>(call.lock_ns), static_cast<long long>(call.had_ns));
  }

 private:
  std::mutex mutex_;
  std::map<std::int64_t, Call> calls_;
};

}  // namespace rankscope::truth
