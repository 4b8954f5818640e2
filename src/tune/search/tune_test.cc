// The parts of a search, each by what it is defined to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tune/search/acquisition.h"
#include "tune/search/bisection.h"
#include "tune/search/gaussian_process.h"
#include "tune/search/halton.h"
#include "tune/search/journal.h"
#include "tune/search/optimiser.h"

namespace rankscope::tune {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

Space TwoParameters() {
  return Space::Make(
             {{.name = "seqs",
               .scale = Scale::kLog2,
               .least = 16,
               .most = 1024,
               .standard = 256,
               .resolution = 1},
              {.name = "share", .least = 0.5, .most = 1, .standard = 0.9, .resolution = 0.1},
              {.name = "mode", .scale = Scale::kChoice, .choices = {"a", "b", "c"}}})
      .value();
}

TEST(Space, ValuesLieOnTheirGrid) {
  const Space space = TwoParameters();
  EXPECT_THAT(space.Values(0), ElementsAre(16, 32, 64, 128, 256, 512, 1024));
  EXPECT_EQ(space.Values(1).size(), 6U);
  EXPECT_THAT(space.Values(2), ElementsAre(0, 1, 2));
  EXPECT_EQ(space.FromUnit({0.49, 0.5, 1}), Point({128, 0.8, 2}));
  for (const Point& point : {Point{32, 0.6, 1}, space.Standard()})
    EXPECT_EQ(space.FromUnit(space.ToUnit(point)), point);
  EXPECT_EQ(space.Text({32, 0.6, 1}), "seqs=32, share=0.6, mode=b");
  EXPECT_EQ(space.Features({16, 0.5, 1}), std::vector<double>({0, 0, 0, 1, 0}));
}

TEST(Space, WhatMakesNoSenseIsRefusedInASentence) {
  const auto refusal = [](std::vector<Parameter> parameters, std::vector<Order> orders = {}) {
    return Space::Make(std::move(parameters), std::move(orders)).status().message();
  };
  EXPECT_THAT(refusal({}), HasSubstr("no parameter"));
  EXPECT_THAT(refusal({{.name = "a"}, {.name = "a"}}), HasSubstr("twice"));
  EXPECT_THAT(refusal({{.name = "a", .standard = 2}}), HasSubstr("out of bounds"));
  EXPECT_THAT(refusal({{.name = "a", .scale = Scale::kLog2}}), HasSubstr("1 or more"));
  EXPECT_THAT(refusal({{.name = "a"}}, {{.greater = "a", .lesser = "b"}}), HasSubstr("names b"));
  EXPECT_THAT(
      refusal({{.name = "a"}, {.name = "b", .standard = 1}}, {{.greater = "a", .lesser = "b"}}),
      HasSubstr("defaults do not keep"));
}

TEST(Halton, FillsEveryCoordinateEvenly) {
  Halton halton(4, 7);
  std::vector<std::vector<int>> counts(4, std::vector<int>(4));
  for (int i = 0; i < 400; ++i) {
    const auto point = halton.Next();
    for (std::size_t j = 0; j < 4; ++j) ++counts[j][static_cast<std::size_t>(point[j] * 4)];
  }
  for (const auto& of_coordinate : counts)
    EXPECT_THAT(of_coordinate, Each(testing::AllOf(testing::Ge(94), testing::Le(106))));
}

TEST(GaussianProcess, GoesThroughWhatHasNoNoiseAndIsUnsureFarAway) {
  std::vector<std::vector<double>> points;
  std::vector<double> values;
  std::vector<std::uint64_t> groups;
  for (int i = 0; i <= 10; ++i) {
    points.push_back({i * 0.05, 0.3});
    values.push_back(std::sin(i * 0.3));
    groups.push_back(static_cast<std::uint64_t>(i));
  }
  const auto fit = GaussianProcess::Fit(points, values, groups, {.expected_noise = 0.001});
  EXPECT_NEAR(fit.Predict({0.225, 0.3}).mean, std::sin(1.35), 0.02);
  EXPECT_LT(fit.Predict({0.25, 0.3}).deviation, 0.05);
  EXPECT_GT(fit.Predict({1, 0.3}).deviation, 5 * fit.Predict({0.25, 0.3}).deviation);
  EXPECT_GT(fit.lengths()[1], 0.2);  // nothing is known of it
}

// Two settings that differ by 0.2 on every schedule, schedules that differ by far more.
TEST(GaussianProcess, TellsGroupsFromPoints) {
  std::vector<std::vector<double>> points;
  std::vector<double> values;
  std::vector<std::uint64_t> groups;
  for (std::uint64_t group = 0; group < 6; ++group) {
    for (const double x : {0.2, 0.8}) {
      points.push_back({x});
      values.push_back((x > 0.5 ? 0.2 : 0) + (group % 2 == 0 ? 0.5 : -0.5));
      groups.push_back(group);
    }
  }
  const auto fit = GaussianProcess::Fit(points, values, groups, {.expected_noise = 0.1});
  EXPECT_NEAR(fit.Predict({0.8}).mean - fit.Predict({0.2}).mean, 0.2, 0.05);
  EXPECT_LT(fit.noise(), 0.1);
}

TEST(Acquisition, ExpectedImprovementIsTheIntegral) {
  EXPECT_NEAR(ExpectedImprovement({.mean = 0, .deviation = 1}, 0), 0.398942, 1e-6);
  EXPECT_NEAR(ExpectedImprovement({.mean = 1, .deviation = 0}, 0.25), 0.75, 1e-12);
  EXPECT_NEAR(ExpectedImprovement({.mean = -1, .deviation = 2}, 0), 2 * 0.197797, 1e-5);
}

TEST(Bisection, FindsTheGreatestValueThatIsWell) {
  const Space space = Space::Make({{.name = "a", .most = 100}}).value();
  for (const double limit : {-1.0, 0.0, 1.0, 37.0, 99.0, 100.0}) {
    Bisection search(space, 0);
    int trials = 0;
    for (; const auto value = search.Suggest(); ++trials) search.Tell(*value <= limit);
    EXPECT_LE(trials, 9);
    if (limit < 0) {
      EXPECT_EQ(search.Best(), std::nullopt);
    } else {
      EXPECT_EQ(search.Best(), limit);
    }
  }
}

// Without noise: best at seqs = 64, dies above 0.95, later than allowed below 32.
Measurement Measure(const Point& point) {
  const double off = std::log2(point[0] / 64);
  return {.crashed = point[1] > 0.95,
          .objective = 10 * std::exp(-off * off / 4) * point[1],
          .metrics = {point[0] < 32 ? 2.0 : 0.5}};
}

OptimiserOptions Options() {
  return {.trials = 24, .seed = 3, .limits = {{.metric = "late", .most = 1}}};
}

TEST(Optimiser, HasItsStagesAndFindsTheBest) {
  auto search = Optimiser::Make(TwoParameters(), Options()).value();
  std::map<Stage, int> stages;
  while (const auto next = search.Suggest()) {
    ++stages[next->stage];
    ASSERT_TRUE(search.Tell(Measure(next->point)).ok());
  }
  EXPECT_EQ(stages[Stage::kBaseline], 3);
  EXPECT_EQ(stages[Stage::kDesign], 7);
  EXPECT_EQ(stages[Stage::kFinal], 8);
  const auto choice = search.Choose();
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->point[0], 64);
  EXPECT_GE(choice->point[1], 0.8);
  EXPECT_GT(choice->gain_low, 1.5);
}

TEST(Optimiser, FinalistsAndDefaultsShareSchedulesThatNothingWasFoundBy) {
  auto search = Optimiser::Make(TwoParameters(), Options()).value();
  std::map<std::uint64_t, std::set<Point>> rounds;
  while (const auto next = search.Suggest()) {
    if (next->stage == Stage::kFinal) {
      rounds[next->schedule].insert(next->point);
      for (const Trial& trial : search.trials()) {
        EXPECT_TRUE(trial.asked.stage == Stage::kFinal || trial.asked.schedule != next->schedule);
      }
    }
    ASSERT_TRUE(search.Tell(Measure(next->point)).ok());
  }
  ASSERT_EQ(rounds.size(), 2U);
  for (const auto& [schedule, points] : rounds) {
    EXPECT_EQ(points.size(), 4U);
    EXPECT_TRUE(points.contains(search.space().Standard()));
  }
}

TEST(Optimiser, SearchesOnlyWhatIsHintedAndMostlyThere) {
  auto options = Options();
  options.hints = {{.parameter = "seqs", .direction = -1}};
  auto search = Optimiser::Make(TwoParameters(), options).value();
  while (const auto next = search.Suggest()) {
    EXPECT_EQ(next->point[1], 0.9);
    EXPECT_EQ(next->point[2], 0);
    EXPECT_LE(next->point[0], 512);
    ASSERT_TRUE(search.Tell(Measure(next->point)).ok());
  }
  EXPECT_EQ(search.Choose()->point[0], 64);
}

TEST(Optimiser, ChoosesNothingWhereEverythingBreaksALimit) {
  auto search = Optimiser::Make(TwoParameters(), Options()).value();
  while (search.Suggest()) ASSERT_TRUE(search.Tell({.objective = 1, .metrics = {1.5}}).ok());
  EXPECT_FALSE(search.Choose());
  auto dead = Optimiser::Make(TwoParameters(), Options()).value();
  while (dead.Suggest()) ASSERT_TRUE(dead.Tell({.crashed = true}).ok());
  EXPECT_FALSE(dead.Choose());
}

TEST(Optimiser, MeasurementsThatMakeNoSenseAreRefused) {
  auto search = Optimiser::Make(TwoParameters(), Options()).value();
  EXPECT_THAT(search.Tell({.objective = 1}).message(), HasSubstr("0 metrics; there are 1 limits"));
  EXPECT_THAT(search.Tell({.objective = -1, .metrics = {1}}).message(), HasSubstr("0 or more"));
  EXPECT_TRUE(search.trials().empty());
}

TEST(Journal, AKilledSearchGoesOnAsIfItHadNot) {
  auto whole = Optimiser::Make(TwoParameters(), Options()).value();
  std::string text = JournalHead(whole.space(), whole.options());
  std::string part;
  while (const auto next = whole.Suggest()) {
    if (whole.trials().size() == 15) part = text;
    ASSERT_TRUE(whole.Tell(Measure(next->point)).ok());
    text += JournalLine(whole.trials().back());
  }
  auto again = Optimiser::Make(TwoParameters(), Options()).value();
  ASSERT_TRUE(ReadJournal(part + "{\"stage\":\"sea", again).ok());  // cut off amid a line
  EXPECT_EQ(again.trials().size(), 15U);
  while (const auto next = again.Suggest()) {
    EXPECT_EQ(next->point, whole.trials()[again.trials().size()].asked.point);
    ASSERT_TRUE(again.Tell(Measure(next->point)).ok());
  }
  EXPECT_EQ(again.Choose()->point, whole.Choose()->point);
}

TEST(Journal, WhatIsNoneOrAnothersIsRefusedWithItsLine) {
  auto search = Optimiser::Make(TwoParameters(), Options()).value();
  const std::string head = JournalHead(search.space(), search.options());
  const auto refusal = [&](const std::string& text) {
    auto fresh = Optimiser::Make(TwoParameters(), Options()).value();
    return ReadJournal(text, fresh).message();
  };
  EXPECT_THAT(refusal("{}\n"), HasSubstr("line 1: the journal is of another search"));
  EXPECT_THAT(refusal(head + "{}\n"), HasSubstr("line 2: stage"));
  EXPECT_THAT(refusal(head + JournalLine({.asked = {.point = {1, 2, 3}}})),
              HasSubstr("line 2: trial 1 is none"));
}

}  // namespace
}  // namespace rankscope::tune
