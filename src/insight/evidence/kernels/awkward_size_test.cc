#include "insight/evidence/kernels/awkward_size.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

TEST(AwkwardSize, WhatIsNotAligned) {
  for (const std::int64_t size : {17, 50257, 1001, 577}) EXPECT_TRUE(IsAwkwardSize(size)) << size;
  // 96 are three quarters of a tile; 3 are the colours of an image.
  for (const std::int64_t size : {3, 8, 64, 72, 96, 768, 1000, 16000, 50304, 0, -1})
    EXPECT_FALSE(IsAwkwardSize(size)) << size;
  EXPECT_EQ(PaddedSize(50257), 50304);
  EXPECT_EQ(PaddedSize(64), 64);
  EXPECT_EQ(PaddedSize(1001), 1024);
  EXPECT_EQ(PaddedSize(100), 104);
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
  // Of a gradient, an image and its weight; how many images is no matter.
  EXPECT_EQ(AwkwardSizeIn("[[44,64,8,8],[44,100,8,8],[64,100,3,3],[64]]", true), 100);
  EXPECT_EQ(AwkwardSizeIn("[[44,64,8,8],[44,128,8,8],[64,128,3,3],[64]]", true), std::nullopt);
  EXPECT_EQ(AwkwardSizeIn("[[64,128,8,8],[100,128,3,3]]", true), 100);
  // Of cudnn_convolution_add_relu, and of a gradient and an image alone.
  EXPECT_EQ(AwkwardSizeIn("[[100,64,8,8],[128,64,3,3],[100,128,8,8]]", true), std::nullopt);
  EXPECT_EQ(AwkwardSizeIn("[[],[100,64,8,8],[100,128,8,8]]", true), std::nullopt);
  EXPECT_EQ(AwkwardSizeIn("", false), std::nullopt);
  EXPECT_EQ(AwkwardSizeIn("nothing [", true), std::nullopt);
}

}  // namespace
}  // namespace rankscope
