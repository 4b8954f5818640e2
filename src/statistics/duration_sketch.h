// DurationSketch: the distribution of many durations in little space, mergeable over ranks.
//
// Counts in log-linear buckets: 64 per power of two, so a value read back differs from one that was
// put in by at most 1/128 of it (0.8 %); values below 64 are exact. Quantiles are those of the
// nearest rank. Memory: 16 bytes per bucket in use, a few dozen for a kernel, whatever lies between
// them: a trace may have a million names. Negative durations count as 0.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope {

class DurationSketch {
 public:
  void Add(std::int64_t value);
  void Merge(const DurationSketch& other);
  std::int64_t count() const { return count_; }
  // The smallest value that at least q of all values do not exceed (nearest rank), within the
  // stated error; 0 when empty.
  std::int64_t Quantile(double q) const;

  // Every value that was put in as it reads back, with how often, in ascending order.
  void ForEach(const std::function<void(std::int64_t value, std::int64_t count)>& visit) const;

  // A few bytes per bucket in use. Decode takes any bytes: kBadData when they are no encoding.
  std::string Encode() const;
  static Result<DurationSketch> Decode(std::string_view bytes);

 private:
  struct Bucket {
    std::uint32_t index = 0;
    std::uint64_t count = 0;
  };
  void AddToBucket(std::size_t index, std::uint64_t count);

  std::vector<Bucket> buckets_;  // in use, by index
  std::int64_t count_ = 0;
};

}  // namespace rankscope
