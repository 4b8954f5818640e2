#include "base/hash.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

// Known answers of XXH3: a cache written by one build is read by another.
TEST(Hash, KnownAnswers) {
  EXPECT_EQ(HashBytes("").Hex(), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(Checksum64("", 0), 0x2d06800538d394c2U);
}

TEST(Hash, EveryByteAndTheLengthCount) {
  const std::string text = "the quick brown fox";
  const Hash128 hash = HashBytes(text);
  EXPECT_EQ(HashBytes(std::string(text)), hash);
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string other = text;
    other[at] = static_cast<char>(other[at] ^ 1);
    EXPECT_NE(HashBytes(other), hash) << at;
    EXPECT_NE(Checksum64(other.data(), other.size()), Checksum64(text.data(), text.size())) << at;
  }
  EXPECT_NE(HashBytes(text + '\0'), hash);
}

TEST(Hash, HexHasLeadingZeros) {
  EXPECT_EQ((Hash128{0x1, 0xABC}).Hex(), "00000000000000010000000000000abc");
  EXPECT_EQ((Hash128{}).Hex(), std::string(32, '0'));
}

}  // namespace
}  // namespace rankscope
