// DurationBuckets: a distribution of durations that can be merged exactly over runs, days and
// hosts: a DDSketch (Masson, Rim and Lee, VLDB 2019).
//
// A value x > 0 counts in bucket i = ceil(ln x / ln gamma), gamma = (1 + a) / (1 - a), a = 1 %, and
// reads back as 2 gamma^i / (gamma + 1), at most 1 % from x. Counts are integers, so merging is
// exact in any order. Buckets are never collapsed: 1 ns to 1,000 s take at most 1,382 buckets, a
// kernel a few dozen. Values of 0 and below count as 0.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope {

class DurationBuckets {
 public:
  static constexpr double kError = 0.01;  // relative error of a value that is read back

  // Adds the value `count` times. O(log buckets).
  void Add(std::int64_t value_ns, std::int64_t count = 1);
  void Merge(const DurationBuckets& other);
  std::int64_t count() const { return count_; }
  // The smallest value that is at least as large as a share q of all values (nearest rank), within
  // kError; 0 if empty.
  std::int64_t Quantile(double q) const;
  // Mean and variance (n - 1) of the natural logarithms of the values above 0, as read back; 0 if
  // there are none, and for the variance if there is only one.
  double LogMean() const;
  double LogVariance() const;

  // Text that any table can hold: base64 of a version (1), the id of gamma (1: a = 1 %), the number
  // of zeros, the number of buckets; then for each bucket its distance to the previous one (for the
  // first its index, zigzag) and its count; all as varints. Equal distributions give equal text. 80
  // to 400 characters for a kernel.
  std::string Encode() const;
  // Accepts any text: kBadData if it is not an encoding, or of another version.
  static Result<DurationBuckets> Decode(std::string_view text);

  friend bool operator==(const DurationBuckets&, const DurationBuckets&) = default;

 private:
  std::map<std::int32_t, std::int64_t> buckets_;
  std::int64_t zeros_ = 0;
  std::int64_t count_ = 0;  // including zeros
};

}  // namespace rankscope
