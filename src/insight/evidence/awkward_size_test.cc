#include "insight/evidence/awkward_size.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

TEST(AwkwardSize, OfATile) {
  for (const std::int64_t size : {17, 50257, 1001, 72, 520 + 56 + 1})
    EXPECT_TRUE(IsAwkwardSize(size)) << size;
  // 1000 to 1024 is 2.4 % more; 3 are the colours of an image.
  for (const std::int64_t size : {3, 8, 64, 768, 1000, 16000, 50304, 0, -1})
    EXPECT_FALSE(IsAwkwardSize(size)) << size;
  EXPECT_EQ(PaddedSize(50257), 50304);
  EXPECT_EQ(PaddedSize(64), 64);
}

TEST(AwkwardSize, SizesOfInputs) {
  const std::vector<std::vector<std::int64_t>> sizes = {{768}, {16384, 768}, {}};
  EXPECT_EQ(SizesOf("[[768], [16384,768], []]"), sizes);
  EXPECT_TRUE(SizesOf("").empty());
  EXPECT_TRUE(SizesOf("[").empty());
}

TEST(AwkwardSize, InShapes) {
  EXPECT_EQ(AwkwardSizeIn("[[768], [16384, 768], [768, 50257], [], []]", false), 50257);
  EXPECT_EQ(AwkwardSizeIn("[[16384,768],[768,16000]]", false), std::nullopt);
  // Batches of products, of which how many is no matter.
  EXPECT_EQ(AwkwardSizeIn("[[101,1024,64],[101,64,1024]]", false), std::nullopt);
  // Of convolutions channels, neither the image nor the kernel.
  EXPECT_EQ(AwkwardSizeIn("[[64,3,177,177],[64,3,7,7],[64]]", true), std::nullopt);
  EXPECT_EQ(AwkwardSizeIn("[[64,100,44,44],[128,100,3,3]]", true), 100);
  EXPECT_EQ(AwkwardSizeIn("", false), std::nullopt);
  EXPECT_EQ(AwkwardSizeIn("nothing [", true), std::nullopt);
}

}  // namespace
}  // namespace rankscope
