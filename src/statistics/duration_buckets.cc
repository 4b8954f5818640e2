#include "statistics/duration_buckets.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/saturating.h"
#include "statistics/letters.h"

namespace rankscope {
namespace {

constexpr std::uint64_t kVersion = 1;
constexpr std::uint64_t kGammaId = 1;
// ln of int64's largest value / ln gamma, and some: no bucket lies beyond.
constexpr std::int64_t kLastBucket = 2200;

double LogGamma() {
  static const double kLogGamma =
      std::log((1 + DurationBuckets::kError) / (1 - DurationBuckets::kError));
  return kLogGamma;
}

std::int32_t BucketOf(std::int64_t value) {
  return static_cast<std::int32_t>(std::ceil(std::log(static_cast<double>(value)) / LogGamma()));
}

// 2 gamma^i / (gamma + 1) = gamma^i (1 - a).
double ValueOf(std::int32_t bucket) {
  return std::exp(bucket * LogGamma()) * (1 - DurationBuckets::kError);
}

void AppendVarint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

std::uint64_t ZigZag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t FromZigZag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
  bool is_at_end() const { return at_ == bytes_.size(); }
  // nullopt at the end, and of more than 63 bits: counts and distances are less.
  std::optional<std::uint64_t> Next() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 63 && at_ < bytes_.size(); shift += 7) {
      const auto byte = static_cast<std::uint8_t>(bytes_[at_++]);
      value |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

Status Damaged(std::string_view what) {
  return Error(StatusCode::kBadData, "a sketch of durations is damaged: {}", what);
}

}  // namespace

void DurationBuckets::Add(std::int64_t value_ns, std::int64_t count) {
  if (count <= 0) return;
  AddSaturating(count_, count);
  AddSaturating(value_ns <= 0 ? zeros_ : buckets_[BucketOf(value_ns)], count);
}

void DurationBuckets::Merge(const DurationBuckets& other) {
  for (const auto& [bucket, count] : other.buckets_) AddSaturating(buckets_[bucket], count);
  AddSaturating(zeros_, other.zeros_);
  AddSaturating(count_, other.count_);
}

std::int64_t DurationBuckets::Quantile(double q) const {
  if (count_ == 0) return 0;
  const double wanted = std::ceil(q * static_cast<double>(count_));
  const auto rank = static_cast<std::int64_t>(std::max(wanted, 1.0));
  std::int64_t seen = zeros_;
  if (seen >= rank) return 0;
  for (const auto& [bucket, count] : buckets_) {
    AddSaturating(seen, count);
    if (seen >= rank) {
      const double value = ValueOf(bucket);
      if (value >= 9.2e18) return std::numeric_limits<std::int64_t>::max();
      return std::llround(value);
    }
  }
  return buckets_.empty() ? 0 : std::llround(ValueOf(buckets_.rbegin()->first));
}

double DurationBuckets::LogMean() const {
  double sum = 0, n = 0;
  for (const auto& [bucket, count] : buckets_) {
    n += static_cast<double>(count);
    sum += static_cast<double>(count) * std::log(ValueOf(bucket));
  }
  return n > 0 ? sum / n : 0;
}

double DurationBuckets::LogVariance() const {
  const double mean = LogMean();
  double sum = 0, n = 0;
  for (const auto& [bucket, count] : buckets_) {
    const double away = std::log(ValueOf(bucket)) - mean;
    n += static_cast<double>(count);
    sum += static_cast<double>(count) * away * away;
  }
  return n > 1 ? sum / (n - 1) : 0;
}

std::string DurationBuckets::Encode() const {
  std::string bytes;
  AppendVarint(kVersion, bytes);
  AppendVarint(kGammaId, bytes);
  AppendVarint(static_cast<std::uint64_t>(zeros_), bytes);
  AppendVarint(buckets_.size(), bytes);
  std::optional<std::int32_t> last;
  for (const auto& [bucket, count] : buckets_) {
    AppendVarint(last ? static_cast<std::uint64_t>(bucket - *last) : ZigZag(bucket), bytes);
    AppendVarint(static_cast<std::uint64_t>(count), bytes);
    last = bucket;
  }
  return ToLetters(bytes);
}

Result<DurationBuckets> DurationBuckets::Decode(std::string_view text) {
  const std::optional<std::string> decoded = FromLetters(text);
  if (!decoded) return Damaged("it is no base64");
  Bytes bytes(*decoded);
  const auto version = bytes.Next();
  const auto gamma = bytes.Next();
  if (version != kVersion || gamma != kGammaId)
    return Damaged("its version is not known to this version of rankscope");
  const auto zeros = bytes.Next();
  const auto size = bytes.Next();
  if (!zeros || !size || *size > static_cast<std::uint64_t>(2 * kLastBucket))
    return Damaged("it ends early");
  DurationBuckets sketch;
  sketch.zeros_ = sketch.count_ = static_cast<std::int64_t>(*zeros);
  std::int64_t bucket = 0;
  for (std::uint64_t i = 0; i < *size; ++i) {
    const auto step = bytes.Next();
    const auto count = bytes.Next();
    if (!step || !count) return Damaged("it ends early");
    if (*count == 0 || (i > 0 && *step == 0) || *step > static_cast<std::uint64_t>(4 * kLastBucket))
      return Damaged("its buckets are out of order");
    bucket = i == 0 ? FromZigZag(*step) : bucket + static_cast<std::int64_t>(*step);
    if (bucket < 0 || bucket > kLastBucket) return Damaged("a value is beyond all durations");
    sketch.buckets_[static_cast<std::int32_t>(bucket)] = static_cast<std::int64_t>(*count);
    AddSaturating(sketch.count_, static_cast<std::int64_t>(*count));
  }
  if (!bytes.is_at_end()) return Damaged("something follows its end");
  return sketch;
}

}  // namespace rankscope
