// The work of hosts while devices idle.
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "facts/trace_facts.h"
#include "trace/trace.h"

namespace rankscope {

// The work of a host thread at an instant; kEmptyString: nothing of that kind.
struct HostMoment {
  StringId op = kEmptyString;     // the outermost
  StringId range = kEmptyString;  // the innermost annotation around it
  StringId call = kEmptyString;   // of the device's API
  StringId line = kEmptyString;   // the innermost frame of the user's code
  auto Key() const { return std::tie(op, range, call, line); }
  bool operator<(const HostMoment& other) const { return Key() < other.Key(); }
};

class HostDoing {
 public:
  explicit HostDoing(const TraceFacts& facts);

  // The host's work during most of the gap. It is that of the thread that launched `next`, the work
  // that ends the gap, if that thread is in an op or a call; else that of the thread that is in one
  // the longest. If no thread is, it is the line of code of the first thread that has one. kNoRow:
  // no work ends the gap.
  HostMoment MostIn(Interval gap, Row next) const;

 private:
  std::pair<HostMoment, std::int64_t> MostOf(Interval gap, std::uint32_t thread) const;
  HostMoment At(Row row) const;

  const RankTrace& trace_;
  std::vector<std::uint32_t> threads_;  // that launch, the busiest first
};

}  // namespace rankscope
