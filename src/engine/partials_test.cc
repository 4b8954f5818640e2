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
