#include "statistics/duration_buckets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "statistics/letters.h"

namespace rankscope {
namespace {

using ::testing::HasSubstr;

std::vector<std::int64_t> RandomDurations(std::mt19937_64& random, std::size_t count) {
  std::lognormal_distribution<double> durations(11, 3);
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(static_cast<std::int64_t>(std::min(durations(random), 1e12)));
  return values;
}

DurationBuckets SketchOf(const std::vector<std::int64_t>& values) {
  DurationBuckets sketch;
  for (const std::int64_t value : values) sketch.Add(value);
  return sketch;
}

TEST(DurationBuckets, QuantilesAreWithinTheStatedError) {
  std::mt19937_64 random(7);  // NOLINT: the same every time
  for (const std::size_t count : {1, 2, 10, 1000, 20000}) {
    std::vector<std::int64_t> values = RandomDurations(random, count);
    const DurationBuckets sketch = SketchOf(values);
    std::ranges::sort(values);
    for (const double q : {0.0, 0.01, 0.5, 0.9, 0.99, 1.0}) {
      const auto rank = std::max<std::int64_t>(
          1, static_cast<std::int64_t>(std::ceil(q * static_cast<double>(count))));
      const auto exact = static_cast<double>(values[static_cast<std::size_t>(rank - 1)]);
      // Half a nanosecond for rounding to whole ones.
      EXPECT_NEAR(static_cast<double>(sketch.Quantile(q)), exact, 0.01 * exact + 0.5) << q;
    }
  }
}

TEST(DurationBuckets, AnyOrderOfMergesGivesTheSameBytes) {
  std::mt19937_64 random(11);  // NOLINT: the same every time
  for (int round = 0; round < 50; ++round) {
    std::vector<std::int64_t> all;
    std::vector<DurationBuckets> parts;
    for (std::size_t i = 0; i < 6; ++i) {
      const std::vector<std::int64_t> values = RandomDurations(random, random() % 200);
      all.insert(all.end(), values.begin(), values.end());
      parts.push_back(SketchOf(values));
    }
    const std::string expected = SketchOf(all).Encode();
    std::ranges::shuffle(parts, random);
    DurationBuckets in_turn;
    for (const DurationBuckets& part : parts) in_turn.Merge(part);
    EXPECT_EQ(in_turn.Encode(), expected);
    // As a tree.
    for (std::size_t step = 1; step < parts.size(); step *= 2) {
      for (std::size_t i = 0; i + step < parts.size(); i += 2 * step)
        parts[i].Merge(parts[i + step]);
    }
    EXPECT_EQ(parts[0].Encode(), expected);
  }
}

TEST(DurationBuckets, ReadsBackWhatItWrote) {
  std::mt19937_64 random(13);  // NOLINT: the same every time
  for (int round = 0; round < 50; ++round) {
    DurationBuckets sketch = SketchOf(RandomDurations(random, random() % 300));
    sketch.Add(0, 3);
    sketch.Add(std::numeric_limits<std::int64_t>::max());
    const Result<DurationBuckets> back = DurationBuckets::Decode(sketch.Encode());
    ASSERT_TRUE(back.ok()) << back.status().message();
    EXPECT_EQ(*back, sketch);
  }
}

TEST(DurationBuckets, RefusesWhatItDidNotWrite) {
  for (const char* text : {"", "A", "?", "AQEA", "AgEAAA", "AQIAAA", "AQEAAQA"}) {
    const auto sketch = DurationBuckets::Decode(text);
    EXPECT_EQ(sketch.status().code(), StatusCode::kBadData) << text;
    EXPECT_THAT(sketch.status().message(), HasSubstr("sketch of durations")) << text;
  }
  std::mt19937_64 random(17);  // NOLINT: the same every time
  const std::string good = SketchOf(RandomDurations(random, 200)).Encode();
  for (int round = 0; round < 2000; ++round) {
    std::string bad = good;
    bad[random() % bad.size()] = static_cast<char>('A' + random() % 26);
    const auto sketch = DurationBuckets::Decode(bad);  // no crash; maybe another distribution
    EXPECT_TRUE(!sketch.ok() || sketch->count() >= 0);
  }
}

TEST(DurationBuckets, LogarithmsAndZeros) {
  DurationBuckets sketch;
  EXPECT_EQ(sketch.Quantile(0.5), 0);
  EXPECT_EQ(sketch.LogMean(), 0);
  sketch.Add(1000, 4);
  sketch.Add(-5);
  EXPECT_EQ(sketch.count(), 5);
  EXPECT_EQ(sketch.Quantile(0.2), 0);
  EXPECT_NEAR(sketch.LogMean(), std::log(1000), 0.011);
  EXPECT_NEAR(sketch.LogVariance(), 0, 1e-12);
}

TEST(Letters, GoThereAndBack) {
  EXPECT_EQ(ToLetters("foobar"), "Zm9vYmFy");
  EXPECT_EQ(ToLetters("foob"), "Zm9vYg");
  for (const std::string text : {"", "f", "fo", "foo", "\xff\x00\x80"}) {
    EXPECT_EQ(FromLetters(ToLetters(text)), text);
  }
  EXPECT_FALSE(FromLetters("Zm9vYh").has_value());  // bits behind the last byte
}

}  // namespace
}  // namespace rankscope
