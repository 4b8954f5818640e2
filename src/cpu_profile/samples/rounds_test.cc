#include "cpu_profile/samples/rounds.h"

#include <gtest/gtest.h>

namespace rankscope::cpu_profile {
namespace {

TEST(Rounds, ThoseInTimeFollowEachOther) {
  Rounds rounds(100);
  rounds.Took(103, 10);
  EXPECT_EQ(rounds.next_ns(), 110);
  rounds.Took(120, 10);
  EXPECT_EQ(rounds.next_ns(), 120);
  EXPECT_EQ(rounds.missed(), 0U);
}

TEST(Rounds, WhatIsLateIsLeftOutAndCounted) {
  Rounds rounds(0);
  rounds.Took(37, 10);  // 10 and 20 were not taken; that of 30 is taken now
  EXPECT_EQ(rounds.next_ns(), 37);
  EXPECT_EQ(rounds.missed(), 2U);
  rounds.Took(52, 10);  // due at 47: late, and none fell out
  EXPECT_EQ(rounds.next_ns(), 52);
  EXPECT_EQ(rounds.missed(), 2U);
  rounds.Took(1062, 10);
  EXPECT_EQ(rounds.missed(), 102U);
}

}  // namespace
}  // namespace rankscope::cpu_profile
