// DurationSketch: a compact distribution of many durations, mergeable over ranks.
//
// Counts in log-linear buckets, 64 per power of two. So a value read back differs from the original
// by at most 1/128 (0.8 %); values below 64 are exact. Quantiles use the nearest rank. Memory: 16
// bytes per non-empty bucket, a few dozen for a kernel, however far apart they are; this matters
// since a trace may have a million names. Negative durations count as 0.
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
  // The smallest value that is at least as large as a share q of all values (nearest rank), within
  // the error above; 0 if empty.
  std::int64_t Quantile(double q) const;

  // Every value as it reads back, with its count, in ascending order.
  void ForEach(const std::function<void(std::int64_t value, std::int64_t count)>& visit) const;

  // A few bytes per non-empty bucket. Decode accepts any bytes: kBadData if they are not an
  // encoding.
  std::string Encode() const;
  static Result<DurationSketch> Decode(std::string_view bytes);

 private:
  struct Bucket {
    std::uint32_t index = 0;
    std::uint64_t count = 0;
  };
  void AddToBucket(std::size_t index, std::uint64_t count);

  std::vector<Bucket> buckets_;  // non-empty ones, by index
  std::int64_t count_ = 0;
};

}  // namespace rankscope
