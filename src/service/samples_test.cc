// Numbers of jobs, thinned for pictures.
#include "service/samples.h"

#include <gtest/gtest.h>

namespace rankscope::service {
namespace {

TEST(Samples, ThinnedKeepTheirExtremesAndTheirOrder) {
  std::vector<Sample> samples;
  for (std::int64_t i = 0; i < 1000; ++i) {
    Sample loss{.time_ns = i, .name = "loss"};
    loss.value = i == 777 ? 99 : i == 778 ? -5 : 1;
    samples.push_back(loss);
    if (i < 3) samples.push_back({.time_ns = i, .rank = 4, .name = "loss", .value = 2});
  }
  const std::vector<Sample> left = Thinned(samples, 20);
  double most = 0;
  double least = 0;
  std::size_t of_rank = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    most = std::max(most, left[i].value);
    least = std::min(least, left[i].value);
    of_rank += left[i].rank ? 1 : 0;
    EXPECT_TRUE(i == 0 || left[i - 1].time_ns <= left[i].time_ns);
  }
  EXPECT_EQ(most, 99);
  EXPECT_EQ(least, -5);
  EXPECT_EQ(of_rank, 3U);  // a series of its own, which is short
  EXPECT_LE(left.size(), 23U);
  EXPECT_EQ(Thinned(samples, 5000).size(), samples.size());
  EXPECT_TRUE(Thinned({}, 2).empty());
}

}  // namespace
}  // namespace rankscope::service
