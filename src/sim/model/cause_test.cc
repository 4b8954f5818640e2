#include "sim/model/cause.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/file.h"

namespace rankscope::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Cause, TheTableIsInTheOrderOfTheIds) {
  for (int i = 0; i < kCauseCount; ++i) {
    const CauseInfo& info = InfoOf(static_cast<CauseId>(i));
    EXPECT_EQ(static_cast<int>(info.id), i) << info.name;
    EXPECT_GT(info.default_severity, 0) << info.name;
    EXPECT_LE(info.default_severity, info.max_severity) << info.name;
    EXPECT_NE(info.jobs, 0U) << info.name;
    EXPECT_THAT(CauseTableMarkdown(), HasSubstr("| " + std::string(info.name) + " |"));
  }
}

TEST(Cause, TheTableStandsInTheDocumentation) {
  const char* root = std::getenv("RANKSCOPE_SOURCE_DIR");
  const auto page = ReadFile(std::string(root == nullptr ? "." : root) + "/docs/simulate.md");
  ASSERT_TRUE(page.ok()) << page.status().message();
  EXPECT_THAT(*page, HasSubstr(CauseTableMarkdown())) << CauseTableMarkdown();
}

TEST(Cause, IsParsedWithItsPlaceAndSeverity) {
  const auto bare = ParsePlantedCause("slow-gpu");
  ASSERT_TRUE(bare.ok());
  EXPECT_EQ(bare->severity, InfoOf(CauseId::kSlowGpu).default_severity);
  EXPECT_THAT(bare->ranks, ElementsAre(0));
  EXPECT_THAT(bare->steps, IsEmpty());
  const auto full = ParsePlantedCause("slow-host:rank=7+2-4,steps=1,severity=0.25");
  ASSERT_TRUE(full.ok()) << full.status().message();
  EXPECT_EQ(full->cause, CauseId::kSlowHost);
  EXPECT_EQ(full->severity, 0.25);
  EXPECT_THAT(full->ranks, ElementsAre(2, 3, 4, 7));
  EXPECT_TRUE(full->StrikesAt(3, 1));
  EXPECT_FALSE(full->StrikesAt(5, 1));
  EXPECT_FALSE(full->StrikesAt(3, 2));
}

TEST(Cause, WhatCannotBeUnderstoodIsSaid) {
  const auto refused = [](std::string_view text) {
    const auto parsed = ParsePlantedCause(text);
    EXPECT_FALSE(parsed.ok()) << text;
    return parsed.ok() ? std::string() : parsed.status().message();
  };
  EXPECT_THAT(refused("slow"), HasSubstr("there is no cause 'slow'; there are: slow-gpu, "));
  EXPECT_THAT(refused("slow-gpu:severity=high"), HasSubstr("the severity is no number"));
  EXPECT_THAT(refused("slow-gpu:rank=x"), HasSubstr("numbers and ranges"));
  std::string again = "slow-gpu:rank=0";  // as long as a command line may be: gigabytes of numbers
  for (int i = 0; i < 10'000; ++i) again += "+0-100000";
  EXPECT_THAT(refused(again), HasSubstr("numbers and ranges"));
  EXPECT_THAT(refused("slow-gpu:rank="), HasSubstr("numbers and ranges"));
  EXPECT_THAT(refused("slow-gpu:rank=4-2"), HasSubstr("numbers and ranges"));
  EXPECT_THAT(refused("slow-gpu:steps=-1"), HasSubstr("numbers and ranges"));
  EXPECT_THAT(refused("slow-gpu:steps=0-9999999999"), HasSubstr("numbers and ranges"));
  EXPECT_THAT(refused("slow-gpu:host=1"), HasSubstr("only rank, steps and severity"));
}

}  // namespace
}  // namespace rankscope::sim
