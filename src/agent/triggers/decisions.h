// Decisions: the triggers' decisions and their reasons, kept for later queries.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace rankscope::agent {

struct Decision {
  std::int64_t unix_ms = 0;
  std::string trigger;  // "iteration", "schedule", "rule", "event"
  std::string cause;    // in a sentence
  std::string job;      // empty: of none
  bool is_taken = false;
  std::string reason;         // when it is refused
  std::string capture;        // its id, when it is taken
  std::size_t processes = 0;  // that were asked
};

// Safe for many threads; keeps the last kMost.
class Decisions {
 public:
  static constexpr std::size_t kMost = 500;

  void Add(Decision decision);
  std::vector<Decision> All() const;  // the oldest first

 private:
  mutable std::mutex mutex_;
  std::deque<Decision> kept_;
};

// {"triggers":[{"time_unix_ms","trigger","cause","job","decision":"taken"|"refused","reason",
// "capture","processes"}]}; members that do not apply are null.
std::string ToJson(const std::vector<Decision>& decisions);

}  // namespace rankscope::agent
