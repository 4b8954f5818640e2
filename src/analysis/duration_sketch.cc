#include "analysis/duration_sketch.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace rankscope {
namespace {

constexpr int kBitsPerOctave = 6;
constexpr std::uint64_t kPerOctave = std::uint64_t{1} << kBitsPerOctave;
constexpr std::size_t kBuckets = static_cast<std::size_t>(kPerOctave * (64 - kBitsPerOctave));

std::size_t BucketOf(std::int64_t value) {
  const auto v = static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0));
  if (v < kPerOctave) return static_cast<std::size_t>(v);
  const int shift = std::bit_width(v) - 1 - kBitsPerOctave;
  return static_cast<std::size_t>((static_cast<std::uint64_t>(shift) + 1) * kPerOctave +
                                  ((v >> shift) & (kPerOctave - 1)));
}

std::int64_t BeginOf(std::size_t bucket) {
  if (bucket < kPerOctave) return static_cast<std::int64_t>(bucket);
  const auto shift = static_cast<int>(bucket / kPerOctave) - 1;
  return static_cast<std::int64_t>((kPerOctave + bucket % kPerOctave) << shift);
}

std::int64_t MiddleOf(std::size_t bucket) {
  if (bucket < kPerOctave) return static_cast<std::int64_t>(bucket);
  const auto shift = static_cast<int>(bucket / kPerOctave) - 1;
  return BeginOf(bucket) + ((std::int64_t{1} << shift) - 1) / 2;
}

void PutVarint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

bool GetVarint(std::string_view& bytes, std::uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (bytes.empty()) return false;
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

}  // namespace

void DurationSketch::AddToBucket(std::size_t bucket, std::uint64_t count) {
  if (counts_.empty()) first_ = bucket;
  if (bucket < first_) {
    counts_.insert(counts_.begin(), first_ - bucket, 0);
    first_ = bucket;
  }
  if (bucket - first_ >= counts_.size()) counts_.resize(bucket - first_ + 1, 0);
  counts_[bucket - first_] += count;
  count_ += static_cast<std::int64_t>(count);
}

void DurationSketch::Add(std::int64_t value) { AddToBucket(BucketOf(value), 1); }

void DurationSketch::Merge(const DurationSketch& other) {
  for (std::size_t i = 0; i < other.counts_.size(); ++i) {
    if (other.counts_[i] > 0) AddToBucket(other.first_ + i, other.counts_[i]);
  }
}

std::int64_t DurationSketch::Quantile(double q) const {
  if (count_ == 0) return 0;
  const double place = std::ceil(q * static_cast<double>(count_)) - 1;
  const auto rank = static_cast<std::uint64_t>(std::max(place, 0.0));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen > rank) return MiddleOf(first_ + i);
  }
  return MiddleOf(first_ + counts_.size() - 1);
}

std::string DurationSketch::Encode() const {
  std::string bytes;
  std::size_t last = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    PutVarint(bytes, first_ + i - last);
    PutVarint(bytes, counts_[i]);
    last = first_ + i;
  }
  return bytes;
}

Result<DurationSketch> DurationSketch::Decode(std::string_view bytes) {
  DurationSketch sketch;
  std::uint64_t bucket = 0;
  while (!bytes.empty()) {
    std::uint64_t distance = 0;
    std::uint64_t count = 0;
    const bool is_whole = GetVarint(bytes, distance) && GetVarint(bytes, count);
    if (!is_whole || distance >= kBuckets || bucket + distance >= kBuckets ||
        count > static_cast<std::uint64_t>(INT64_MAX - sketch.count_)) {
      return Error(StatusCode::kBadData, "a distribution in the cache is damaged");
    }
    bucket += distance;
    sketch.AddToBucket(static_cast<std::size_t>(bucket), count);
  }
  return sketch;
}

}  // namespace rankscope
