#include "service/changes/gains.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

namespace rankscope::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

api::MeasuredGain Gain(std::string finding, std::string model, double promised, double measured) {
  return {.finding = std::move(finding),
          .model = std::move(model),
          .team = "red",
          .base = "b",
          .test = "",
          .made = "2026-01-01T00:00:00Z",
          .promised_pct = promised,
          .measured_pct = measured};
}

TEST(ExpectedOf, IsWhatWasPromisedWhereNothingIsKnown) {
  const api::ExpectedGain expected =
      ExpectedOf({Gain("gc-pause", "m", 10, 1)}, "host-sync", "m", 20);
  EXPECT_EQ(expected.measured, 0);
  EXPECT_DOUBLE_EQ(expected.expected_pct, 20);
}

TEST(ExpectedOf, IsDrawnTowardsThePromise) {
  // (2 + 0.5) / 3 of the finding, and without a model nothing more.
  EXPECT_DOUBLE_EQ(ExpectedOf({Gain("a", "m", 10, 5)}, "a", "", 30).expected_pct, 25);
  // R = (2 + 0.5 + 1.1) / 4 = 0.9; of the model (2 * 0.9 + 0.5) / 3.
  const api::ExpectedGain expected =
      ExpectedOf({Gain("a", "m", 10, 5), Gain("a", "n", 20, 22)}, "a", "m", 30);
  EXPECT_EQ(expected.measured, 2);
  EXPECT_EQ(expected.of_model, 1);
  EXPECT_DOUBLE_EQ(expected.expected_pct, 30 * (2 * 0.9 + 0.5) / 3);
}

TEST(ExpectedOf, NoSingleChangeDecides) {
  EXPECT_DOUBLE_EQ(ExpectedOf({Gain("a", "", 1, 90)}, "a", "", 30).expected_pct, 30 * 4.0 / 3);
  EXPECT_DOUBLE_EQ(ExpectedOf({Gain("a", "", 1, -400)}, "a", "", 30).expected_pct, 10);
  EXPECT_EQ(ExpectedOf({Gain("a", "", 0.5, 90)}, "a", "", 30).measured, 0);
}

class GainsTest : public testing::Test {
 protected:
  GainsTest() {
    std::string pattern = testing::TempDir() + "/gains_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~GainsTest() override { std::filesystem::remove_all(folder_); }
  FolderGains Open() {
    return {folder_, folder_, [this](std::string_view text) { said_ += text; }};
  }
  static std::vector<double> MeasuredOf(const Gains& gains, std::string_view team = "red") {
    std::vector<double> measured;
    const auto all = gains.All([&](std::string_view its) { return its == team; });
    for (const auto& gain : all.value()) measured.push_back(gain.measured_pct);
    return measured;
  }
  std::string folder_;
  std::string said_;
};

TEST_F(GainsTest, AreKeptOncePerSecondRunTheNewestFirst) {
  {
    FolderGains gains = Open();
    api::MeasuredGain gain = Gain("a", "m", 10, 5);
    gain.test = "0123456789abcdef";
    ASSERT_TRUE(gains.Keep(gain).ok());
    gain.measured_pct = 6;
    ASSERT_TRUE(gains.Keep(gain).ok());
    gain = Gain("b", "m", 10, 7);
    gain.made = "2026-02-01T00:00:00Z";
    ASSERT_TRUE(gains.Keep(gain).ok());
    EXPECT_THAT(MeasuredOf(gains), ElementsAre(7, 6));
  }
  EXPECT_THAT(MeasuredOf(Open()), ElementsAre(7, 6));
  EXPECT_THAT(MeasuredOf(Open(), "blue"), ElementsAre());
  EXPECT_EQ(said_, "");
}

TEST_F(GainsTest, WhatIsNoGainIsRefused) {
  FolderGains gains = Open();
  for (const double promised : {0.0, 0.9, 101.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_FALSE(gains.Keep(Gain("a", "m", promised, 1)).ok()) << promised;
  EXPECT_FALSE(gains.Keep(Gain("", "m", 10, 1)).ok());
  EXPECT_FALSE(gains.Keep(Gain("a", "m", 10, std::numeric_limits<double>::infinity())).ok());
  EXPECT_THAT(MeasuredOf(gains), ElementsAre());
}

TEST_F(GainsTest, WhatCannotBeReadIsSaid) {
  std::ofstream(folder_ + "/x.gain") << "{";
  std::ofstream(folder_ + "/y.gain") << R"({"finding":"a"})";
  EXPECT_THAT(MeasuredOf(Open()), ElementsAre());
  EXPECT_THAT(said_, HasSubstr("x.gain"));
  EXPECT_THAT(said_, HasSubstr("y.gain"));
}

}  // namespace
}  // namespace rankscope::service
