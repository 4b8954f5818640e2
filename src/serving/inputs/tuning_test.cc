// tune.json of rankscope tune.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serving/inputs/read_file.h"

namespace rankscope::serving {
namespace {

Status Read(std::string_view text, Collection& to) {
  return ReadServingFile({.path = "tune.json", .text = text}, to);
}

TEST(Tuning, OfOneThatGoesOnTheTrialsAreKnown) {
  Collection to;
  ASSERT_TRUE(Read(R"({"schema":"rankscope.tune/1","adapter":"vllm","is_running":true,)"
                   R"("planned":29,"settings_now":{"n":8,"share":0.8200000000000001},)"
                   R"("trials":[{"stage":"baseline","settings":{"n":8,"share":0.8200000000000001},)"
                   R"("runs":true,"good_per_s":2.5,"sent":10,"good":9,"failed":1},)"
                   R"({"stage":"design","settings":{"n":16},"runs":false,"good_per_s":null,)"
                   R"("why":"out of memory"}]})",
                   to)
                  .ok());
  ASSERT_EQ(to.data.tunings.size(), 1U);
  const Tuning& tuning = to.data.tunings.front();
  EXPECT_TRUE(tuning.is_running);
  EXPECT_EQ(tuning.settings_now, "n=8, share=0.82");
  EXPECT_FALSE(tuning.gain.has_value());
  ASSERT_EQ(tuning.trials.size(), 2U);
  EXPECT_EQ(tuning.trials[0].number, 2);
  EXPECT_EQ(tuning.trials[0].good_per_s, 2.5);
  EXPECT_EQ(tuning.trials[0].failed, 1);
  EXPECT_FALSE(tuning.trials[1].good_per_s.has_value());
  EXPECT_EQ(tuning.trials[1].why, "out of memory");
  EXPECT_FALSE(to.data.HasRecords());
}

// Numbers that no tuning has are not known; one of another kind of report is none.
TEST(Tuning, WhatItDoesNotSayIsNotKnown) {
  Collection to;
  ASSERT_TRUE(Read(R"({"schema":"rankscope.tune/1","planned":-3,"now_per_s":-1,"gain":5,)"
                   R"("trials":{"a":1},"command":"x","settings":[1]})",
                   to)
                  .ok());
  const Tuning& tuning = to.data.tunings.front();
  EXPECT_FALSE(tuning.planned.has_value());
  EXPECT_FALSE(tuning.now_per_s.has_value());
  EXPECT_FALSE(tuning.gain.has_value());
  EXPECT_TRUE(tuning.trials.empty());
  EXPECT_EQ(tuning.settings + tuning.command, "");
  EXPECT_FALSE(Read(R"({"schema":"other","x":"rankscope.tune/1 \"rankscope.tune/1\""})", to).ok());
  EXPECT_FALSE(Read(R"({"schema":"rankscope.tune/1","trials":[)", to).ok());
}

}  // namespace
}  // namespace rankscope::serving
