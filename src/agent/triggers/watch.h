// Watch: a rule over all series that it selects, reading by reading.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/telemetry/snapshot.h"
#include "agent/triggers/rule.h"

namespace rankscope::agent {

// A series that has met its rule's condition.
struct Crossing {
  Labels labels;
  double value = 0;
};

// Fires once when the condition has held for Rule::hold_ms, from its first reading to its latest.
// It fires again only after the condition has not held for as long. An unknown value (the source is
// down, the series is gone, too few values) restarts the time, but does not count as the
// condition's end. Not thread-safe.
class Watch {
 public:
  static constexpr std::size_t kMostSeries = 4096;

  explicit Watch(Rule rule) : rule_(std::move(rule)) {}

  const Rule& rule() const { return rule_; }
  // Whether any reading ever matched.
  bool has_matched() const { return has_matched_; }
  // For a snapshot that it has not seen. O(readings of the name).
  std::vector<Crossing> See(const Snapshot& snapshot);

 private:
  struct Series {
    std::string_view source;
    std::uint64_t seen = 0;        // the number of the last call that had it
    std::optional<double> before;  // the last reading
    std::int64_t before_ms = 0;
    std::deque<double> history;                 // of kRelative
    std::optional<std::int64_t> true_since_ms;  // steady
    std::optional<std::int64_t> false_since_ms;
    bool has_fired = false;
  };
  std::optional<double> ValueOf(Series& series, double reading, std::int64_t now_ms) const;
  bool Step(Series& series, bool is_so, std::int64_t now_ms) const;

  const Rule rule_;
  std::map<std::string, Series> series_;
  std::uint64_t calls_ = 0;
  bool has_matched_ = false;
};

}  // namespace rankscope::agent
