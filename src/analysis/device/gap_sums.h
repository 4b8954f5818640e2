// Gaps of a device, summed by what the host did for most of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "analysis/device/host_doing.h"
#include "base/interval.h"

namespace rankscope {

struct GapSum {
  std::int64_t gaps = 0;
  std::int64_t total_ns = 0;
  Interval longest;

  void Add(const GapSum& other);
  std::int64_t longest_ns() const { return longest.end - longest.begin; }
};

class GapSums {
 public:
  struct Row {
    HostMoment moment;
    GapSum sum;
    bool is_others = false;
  };

  void Add(const HostMoment& moment, Interval gap);
  void AddToOthers(Interval gap);
  std::int64_t total_ns() const { return total_ns_; }
  // The `most` with the most time, the largest first, then the others, if there are any.
  std::vector<Row> Rows(std::size_t most) const;

 private:
  std::map<HostMoment, GapSum> sums_;
  GapSum others_;
  std::int64_t total_ns_ = 0;
};

}  // namespace rankscope
