#include "fleet/changes/change_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace rankscope::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::size_t> IndexesOf(const std::vector<double>& series,
                                   const ChangeOptions& options) {
  std::vector<std::size_t> indexes;
  for (const ChangePoint& point : FindChangePoints(series, options)) indexes.push_back(point.index);
  return indexes;
}

// The series of Apache Otava's own tests.
const std::vector<double> kOneStep = {1.02, 0.95, 0.99, 1.00, 1.12, 1.00, 1.01, 0.98, 1.01, 0.96,
                                      0.50, 0.51, 0.48, 0.48, 0.55, 0.50, 0.49, 0.51, 0.50, 0.49};
std::vector<double> TwoSteps() {
  std::vector<double> series = kOneStep;
  for (const double value : {0.47, 0.48, 0.45, 0.01, 0.1, 0.22}) series.push_back(value);
  return series;
}

TEST(ChangePoints, FindsOneStep) {
  for (const std::size_t window : {10, 50}) {
    for (const double p : {1e-3, 1e-4})
      EXPECT_THAT(IndexesOf(kOneStep, {.window = window, .most_p = p}), ElementsAre(10)) << window;
  }
}

TEST(ChangePoints, FindsTwoSteps) {
  EXPECT_THAT(IndexesOf(TwoSteps(), {.window = 50}), ElementsAre(10, 23));
  EXPECT_THAT(IndexesOf(TwoSteps(), {.window = 50, .most_p = 1e-4}), ElementsAre(10, 23));
  // The deviations of populations would find 23, too.
  EXPECT_THAT(IndexesOf(TwoSteps(), {.window = 5, .most_p = 1e-4}), ElementsAre(10));
}

TEST(ChangePoints, SayBothRegimes) {
  const std::vector<ChangePoint> points = FindChangePoints(kOneStep);
  ASSERT_EQ(points.size(), 1);
  EXPECT_EQ(points[0].begin, 0);
  EXPECT_EQ(points[0].end, kOneStep.size());
  EXPECT_NEAR(points[0].before, 1.004, 1e-9);
  EXPECT_NEAR(points[0].after, 0.501, 1e-9);
}

TEST(ChangePoints, SmallOnesAreDropped) {
  EXPECT_THAT(IndexesOf(TwoSteps(), {.least_change = 0.4}), ElementsAre(10));
  EXPECT_THAT(IndexesOf(TwoSteps(), {.least_change = 2}), IsEmpty());
}

TEST(ChangePoints, NoneWhereNothingChanges) {
  EXPECT_THAT(IndexesOf({}, {}), IsEmpty());
  EXPECT_THAT(IndexesOf({1, 2, 3}, {}), IsEmpty());
  EXPECT_THAT(IndexesOf(std::vector<double>(100, 7.0), {}), IsEmpty());
  std::vector<double> alternating;
  for (int i = 0; i < 200; ++i) alternating.push_back(i % 2);
  EXPECT_THAT(IndexesOf(alternating, {}), IsEmpty());
}

TEST(ChangePoints, AreFoundFarBeyondAWindow) {
  std::vector<double> series;
  for (int i = 0; i < 300; ++i) series.push_back((i < 170 ? 1.0 : 1.2) + 0.01 * (i % 5));
  EXPECT_THAT(IndexesOf(series, {.window = 20}), ElementsAre(170));
}

TEST(StudentTest, KnownAnswers) {
  const std::vector<double> a = {1.00, 1.02, 1.05, 0.95, 0.98};
  const std::vector<double> b = {0.80, 0.82, 0.85, 0.79, 0.77};
  EXPECT_EQ(StudentTest(a, a), 1);
  EXPECT_NEAR(StudentTest(a, b), 2.02e-5, 0.01e-5);
  EXPECT_EQ(StudentTest(std::vector{1.0}, std::vector{2.0}), 1);
  EXPECT_EQ(StudentTest(std::vector{1.0, 1.0}, std::vector{2.0, 2.0}), 0);
}

}  // namespace
}  // namespace rankscope::fleet
