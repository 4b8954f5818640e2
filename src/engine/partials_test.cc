#include "engine/partials.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

Partials Some() {
  Partials partials;
  partials.Set("kernels-1", std::string(10'000, 'k'));
  partials.Set("steps-2", "short");
  partials.Set("nothing", "");
  return partials;
}

TEST(Partials, ComeBackThroughAFile) {
  const auto read = Partials::Decode(Some().Encode());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->size(), 3U);
  EXPECT_EQ(read->Get("kernels-1"), std::string(10'000, 'k'));
  EXPECT_EQ(read->Get("steps-2"), "short");
  EXPECT_EQ(read->Get("nothing"), "");
  EXPECT_EQ(read->Get("other"), std::nullopt);
  EXPECT_TRUE(read->Contains("nothing"));
  EXPECT_FALSE(read->Contains("other"));
}

TEST(Partials, ArePacked) { EXPECT_LT(Some().Encode().size(), 300U); }

// Nothing that is read may claim a thousand times its bytes, so nothing is written so.
TEST(Partials, WhatPacksTooWellIsKeptAsItIs) {
  const std::string zeros(1 << 20, '\0');
  Partials partials;
  partials.Set("zeros", zeros);
  EXPECT_EQ(Partials::Decode(partials.Encode())->Get("zeros"), zeros);
  EXPECT_GT(partials.Encode().size(), zeros.size());
}

TEST(Partials, DamagedPackingIsNoPartial) {
  Partials partials;
  partials.SetPacked("none", "");
  partials.SetPacked("short", std::string("\1\5\0\0\0\0\0\0\0", 9));
  partials.SetPacked("kind", std::string("\7\1\0\0\0\0\0\0\0x", 10));
  partials.SetPacked("size", std::string("\0\2\0\0\0\0\0\0\0x", 10));
  partials.SetPacked("huge", std::string("\1\377\377\377\377\377\377\377\177x", 10));
  for (const char* stage : {"none", "short", "kind", "size", "huge"})
    EXPECT_EQ(partials.Get(stage), std::nullopt) << stage;
}

TEST(Partials, SettingAgainReplaces) {
  Partials partials = Some();
  partials.Set("steps-2", "new");
  EXPECT_EQ(partials.Get("steps-2"), "new");
  EXPECT_EQ(partials.size(), 3U);
}

TEST(Partials, EveryFlippedBitAndTruncationIsNoticed) {
  const std::string bytes = Some().Encode();
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(Partials::Decode(damaged).has_value()) << bit;
  }
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(Partials::Decode(bytes.substr(0, size)).has_value()) << size;
}

}  // namespace
}  // namespace rankscope
