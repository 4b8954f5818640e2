// Drains: when each of many queues (streams, devices) finishes the work issued so far.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "trace/trace.h"

namespace rankscope {

struct Drain {
  std::int64_t end_ns = INT64_MIN;  // end of the last work issued
  Row row = kNoRow;                 // that work
};

class Drains {
 public:
  explicit Drains(std::size_t queues) : of_(queues) {}

  void Issue(std::uint32_t queue, Row row, std::int64_t end_ns) {
    Drain& drain = of_[queue];
    if (drain.row != kNoRow && end_ns <= drain.end_ns) return;
    if (drain.row == kNoRow) {
      by_end_.emplace(end_ns, queue);
    } else {
      auto node = by_end_.extract({drain.end_ns, queue});
      node.value().first = end_ns;
      by_end_.insert(std::move(node));
    }
    drain = {end_ns, row};
  }

  const Drain& of(std::uint32_t queue) const { return of_[queue]; }

  // Of the queues except `except` that are empty by t, the last to become empty. O(log queues).
  std::optional<Drain> LastBy(std::int64_t t, std::uint32_t except = UINT32_MAX) const {
    auto next = by_end_.upper_bound({t, UINT32_MAX});
    while (next != by_end_.begin()) {
      --next;
      if (next->second != except) return of_[next->second];
    }
    return std::nullopt;
  }

  // Calls visit(queue, drain) for queues that become empty in (after, t], the last first, until it
  // returns false.
  template <typename Visit>
  void ForEachBy(std::int64_t t, std::int64_t after, const Visit& visit) const {
    auto next = by_end_.upper_bound({t, UINT32_MAX});
    while (next != by_end_.begin()) {
      --next;
      if (next->first <= after || !visit(next->second, of_[next->second])) return;
    }
  }

 private:
  std::vector<Drain> of_;
  std::set<std::pair<std::int64_t, std::uint32_t>> by_end_;
};

}  // namespace rankscope
