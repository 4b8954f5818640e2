#include "base/gzip.h"

#include <gtest/gtest.h>

#include <string>

namespace rankscope {
namespace {

constexpr std::size_t kMost = std::size_t{1} << 24;

TEST(Gzip, GoesBothWays) {
  for (const std::string& text :
       {std::string(), std::string("a"), std::string(3'000'000, 'x') + "y"}) {
    for (const GzipEffort effort : {GzipEffort::kFast, GzipEffort::kSmall}) {
      const std::string packed = PackGzip(text, effort);
      EXPECT_TRUE(packed.starts_with("\x1f\x8b"));
      const Result<std::string> again = UnpackGzip(packed, kMost);
      ASSERT_TRUE(again.ok()) << again.status().message();
      EXPECT_EQ(*again, text);
    }
  }
}

TEST(Gzip, WhatIsNoneOrCutOrTooLargeIsAnError) {
  const std::string packed = PackGzip(std::string(100'000, 'x'), GzipEffort::kSmall);
  EXPECT_TRUE(UnpackGzip(packed, 100'000).ok());
  EXPECT_FALSE(UnpackGzip(packed, 99'999).ok());
  EXPECT_FALSE(UnpackGzip(std::string_view(packed).substr(0, packed.size() - 1), kMost).ok());
  EXPECT_FALSE(UnpackGzip("{}", kMost).ok());
  EXPECT_FALSE(UnpackGzip("", kMost).ok());
}

}  // namespace
}  // namespace rankscope
