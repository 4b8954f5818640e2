#include "statistics/duration_sketch.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/saturating.h"

namespace rankscope {
namespace {

constexpr int kBitsPerOctave = 6;
constexpr std::uint64_t kPerOctave = std::uint64_t{1} << kBitsPerOctave;
constexpr std::size_t kBuckets = static_cast<std::size_t>(kPerOctave * (64 - kBitsPerOctave));

std::size_t SketchBucketOf(std::int64_t value) {
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

void DurationSketch::AddToBucket(std::size_t index, std::uint64_t count) {
  auto place = std::lower_bound(buckets_.begin(), buckets_.end(), index,
                                [](const Bucket& b, std::size_t i) { return b.index < i; });
  if (place == buckets_.end() || place->index != index)
    place = buckets_.insert(place, {static_cast<std::uint32_t>(index), 0});
  place->count += count;
  AddSaturating(count_, static_cast<std::int64_t>(count));
}

void DurationSketch::Add(std::int64_t value) { AddToBucket(SketchBucketOf(value), 1); }

void DurationSketch::Merge(const DurationSketch& other) {
  std::vector<Bucket> merged;
  merged.reserve(buckets_.size() + other.buckets_.size());
  auto mine = buckets_.begin();
  for (const Bucket& bucket : other.buckets_) {
    while (mine != buckets_.end() && mine->index < bucket.index) merged.push_back(*mine++);
    merged.push_back(bucket);
    if (mine != buckets_.end() && mine->index == bucket.index) merged.back().count += mine++->count;
  }
  merged.insert(merged.end(), mine, buckets_.end());
  buckets_ = std::move(merged);
  AddSaturating(count_, other.count_);
}

std::int64_t DurationSketch::Quantile(double q) const {
  if (buckets_.empty()) return 0;
  const double place = std::ceil(q * static_cast<double>(count_)) - 1;
  const auto rank = static_cast<std::uint64_t>(std::max(place, 0.0));
  std::uint64_t seen = 0;
  for (const Bucket& bucket : buckets_) {
    seen += bucket.count;
    if (seen > rank) return MiddleOf(bucket.index);
  }
  return MiddleOf(buckets_.back().index);
}

void DurationSketch::ForEach(
    const std::function<void(std::int64_t value, std::int64_t count)>& visit) const {
  for (const Bucket& bucket : buckets_)
    visit(MiddleOf(bucket.index), static_cast<std::int64_t>(bucket.count));
}

std::string DurationSketch::Encode() const {
  std::string bytes;
  std::uint32_t last = 0;
  for (const Bucket& bucket : buckets_) {
    PutVarint(bytes, bucket.index - last);
    PutVarint(bytes, bucket.count);
    last = bucket.index;
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
