#include "statistics/duration_sketch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace rankscope {
namespace {

TEST(DurationSketch, SmallValuesAreExact) {
  DurationSketch sketch;
  for (const std::int64_t value : {3, 63, 0, 5, 5}) sketch.Add(value);
  EXPECT_EQ(sketch.count(), 5);
  EXPECT_EQ(sketch.Quantile(0), 0);
  EXPECT_EQ(sketch.Quantile(0.5), 5);
  EXPECT_EQ(sketch.Quantile(1), 63);
  EXPECT_EQ(DurationSketch().Quantile(0.5), 0);
}

TEST(DurationSketch, QuantilesAreWithinTheStatedError) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> durations(10, 3);
  DurationSketch sketch;
  std::vector<std::int64_t> values;
  for (int i = 0; i < 20000; ++i) {
    values.push_back(static_cast<std::int64_t>(durations(random)));
    sketch.Add(values.back());
  }
  std::sort(values.begin(), values.end());
  for (int percent = 0; percent <= 100; ++percent) {
    const double q = percent / 100.0;
    const double place = std::max(std::ceil(q * 20000) - 1, 0.0);
    const auto exact = static_cast<double>(values[static_cast<std::size_t>(place)]);
    EXPECT_LE(std::abs(static_cast<double>(sketch.Quantile(q)) - exact), exact / 128) << percent;
  }
}

TEST(DurationSketch, ExtremesOfTheRange) {
  DurationSketch sketch;
  sketch.Add(INT64_MAX);
  sketch.Add(-5);
  EXPECT_EQ(sketch.Quantile(0), 0);
  EXPECT_GT(sketch.Quantile(1), INT64_MAX - INT64_MAX / 64);
}

TEST(DurationSketch, MergeIsAddingTheSameValues) {
  std::mt19937_64 random(3);
  DurationSketch all;
  DurationSketch one;
  DurationSketch two;
  for (int i = 0; i < 1000; ++i) {
    const auto value = static_cast<std::int64_t>(random() >> (random() % 40 + 20));
    all.Add(value);
    (i % 3 == 0 ? one : two).Add(value);
  }
  one.Merge(two);
  EXPECT_EQ(one.Encode(), all.Encode());
  EXPECT_EQ(one.count(), 1000);
}

// A million names, each with a short and a long duration, must not need a table of all buckets
// each.
TEST(DurationSketch, FarValuesNeedNoMoreThanNearOnes) {
  DurationSketch near;
  DurationSketch far;
  near.Add(100);
  near.Add(100);
  far.Add(1);
  far.Add(INT64_MAX / 2);
  EXPECT_LE(far.Encode().size(), near.Encode().size() + 4);
  near.Merge(far);
  EXPECT_EQ(near.count(), 4);
  EXPECT_EQ(near.Quantile(0.25), 1);
  EXPECT_EQ(near.Quantile(0.75), 100);
}

TEST(DurationSketch, EncodingComesBack) {
  DurationSketch sketch;
  for (const std::int64_t value : {1, 100, 100, 123456789, 5000}) sketch.Add(value);
  const auto decoded = DurationSketch::Decode(sketch.Encode());
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->Encode(), sketch.Encode());
  EXPECT_EQ(decoded->count(), 5);
  EXPECT_TRUE(DurationSketch::Decode("").ok());
}

TEST(DurationSketch, AnyBytesAreSafeToDecode) {
  EXPECT_FALSE(DurationSketch::Decode("\x80").ok());
  EXPECT_FALSE(DurationSketch::Decode(std::string(20, '\xFF')).ok());
  std::mt19937_64 random(11);
  for (int i = 0; i < 5000; ++i) {
    std::string bytes;
    for (std::size_t n = random() % 12; n > 0; --n) bytes += static_cast<char>(random());
    const auto sketch = DurationSketch::Decode(bytes);
    if (!sketch.ok()) continue;
    EXPECT_GE(sketch->Quantile(0.5), 0);
  }
}

TEST(DurationSketch, SaysItsValues) {
  DurationSketch sketch;
  for (const std::int64_t value : {5, 40, 5}) sketch.Add(value);
  std::vector<std::pair<std::int64_t, std::int64_t>> seen;
  sketch.ForEach([&](std::int64_t value, std::int64_t count) { seen.emplace_back(value, count); });
  EXPECT_EQ(seen, (std::vector<std::pair<std::int64_t, std::int64_t>>{{5, 2}, {40, 1}}));
}

}  // namespace
}  // namespace rankscope
