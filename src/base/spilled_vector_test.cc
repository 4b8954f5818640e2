#include "base/spilled_vector.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <thread>
#include <utility>

#include "base/spilled_pages.h"

namespace rankscope {
namespace {

constexpr std::size_t kMany = kLeastSpilledBytes / sizeof(std::uint32_t);

class SpilledVectorTest : public ::testing::Test {
 protected:
  SpilledVectorTest() { AllowSpilling(true); }
  ~SpilledVectorTest() override { AllowSpilling(false); }
};

TEST_F(SpilledVectorTest, UnlessItIsAllowedElementsLieInPlainMemory) {
  AllowSpilling(false);
  const std::uint64_t before = SpilledBytes();
  SpilledVector<std::uint32_t> many(kMany, 3);
  EXPECT_EQ(SpilledBytes(), before);
  // And go as they came.
  AllowSpilling(true);
  const SpilledVector<std::uint32_t> others(kMany, 4);
  many = {};
  many.shrink_to_fit();
  EXPECT_EQ(others.back(), 4U);
}

TEST_F(SpilledVectorTest, FewElementsLieInPlainMemory) {
  const std::uint64_t before = SpilledBytes();
  const SpilledVector<std::uint32_t> few(kMany - 1, 7);
  EXPECT_EQ(SpilledBytes(), before);
  EXPECT_EQ(few.back(), 7U);
}

TEST_F(SpilledVectorTest, WhatWasLetGoIsStillThere) {
  SpilledVector<std::uint32_t> many;
  for (std::uint32_t i = 0; i < 2 * kMany; ++i) many.push_back(i);
  LetGoOfSpilled();
  for (std::uint32_t i = 0; i < many.size(); ++i) ASSERT_EQ(many[i], i);
  many[kMany] = 1;
  LetGoOfSpilled();
  EXPECT_EQ(many[kMany], 1U);
}

TEST_F(SpilledVectorTest, CopiesAreTheirOwnAndMovesAreNot) {
  SpilledVector<std::uint32_t> many(kMany, 3);
  SpilledVector<std::uint32_t> copy = many;
  copy[0] = 4;
  EXPECT_EQ(many[0], 3U);
  const std::uint32_t* const at = many.data();
  const SpilledVector<std::uint32_t> moved = std::move(many);
  EXPECT_EQ(moved.data(), at);
}

TEST_F(SpilledVectorTest, FilesGoWithTheirElements) {
  const std::uint64_t before = SpilledBytes();
  SpilledVector<std::uint32_t> many(kMany, 3);
  many = {};
  many.shrink_to_fit();
  EXPECT_EQ(SpilledBytes(), before);
}

TEST_F(SpilledVectorTest, WithoutAFileElementsLieInPlainMemory) {
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  rlimit less = old;
  less.rlim_cur = kLeastSpilledBytes - 1;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &less), 0);
  const std::uint64_t before = SpilledBytes();
  {
    SpilledVector<std::uint32_t> many(kMany, 5);
    EXPECT_EQ(SpilledBytes(), before);
    LetGoOfSpilled();
    EXPECT_EQ(many.back(), 5U);
  }
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
}

TEST_F(SpilledVectorTest, KeepingThemSmallChangesNothing) {
  KeepSpilledSmall();
  SpilledVector<std::uint32_t> many(kMany, 5);
  KeepSpilledSmall();
  EXPECT_EQ(many.back(), 5U);
}

TEST_F(SpilledVectorTest, PagesMayGoWhileOthersReadAndWrite) {
  SpilledVector<std::uint32_t> many(kMany, 0);
  std::thread letting_go([] {
    for (int i = 0; i < 50; ++i) LetGoOfSpilled();
  });
  for (int round = 0; round < 3; ++round) {
    for (std::uint32_t& value : many) ++value;
  }
  letting_go.join();
  EXPECT_EQ(std::accumulate(many.begin(), many.end(), std::uint64_t{0}), 3 * kMany);
}

}  // namespace
}  // namespace rankscope
