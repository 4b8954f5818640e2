#include "engine/packing.h"

#include <gtest/gtest.h>

#include <random>

namespace rankscope {
namespace {

std::string Noise(std::size_t size) {
  std::mt19937 random(7);
  std::string noise(size, '\0');
  for (char& byte : noise) byte = static_cast<char>(random());
  return noise;
}

std::string Text(std::size_t size) {
  std::string text;
  for (int i = 0; text.size() < size; ++i) text += "kernel " + std::to_string(i % 1000) + ", ";
  text.resize(size);
  return text;
}

TEST(Packing, ComesBackWhateverThePieces) {
  for (const std::string& bytes : {std::string(), Text(1), Noise(100), Text(5'000), Text(131'072),
                                   Text(131'073), Noise(300'000), Text(1'000'000)}) {
    for (const std::size_t piece :
         {std::size_t{1000}, std::size_t{131'072}, std::size_t{400'000}}) {
      Packer packer;
      for (std::size_t at = 0; at < bytes.size(); at += piece)
        packer.Put(std::string_view(bytes).substr(at, piece));
      const std::string packed = packer.Finish();
      EXPECT_EQ(Unpack(packed), bytes) << bytes.size() << " by " << piece;
      EXPECT_EQ(packed, Pack(bytes)) << "the pieces do not matter";
    }
  }
}

TEST(Packing, TakesLess) { EXPECT_LT(Pack(Text(1'000'000)).size(), 100'000U); }

TEST(Packing, WhatDoesNotPackTakesItsSize) {
  EXPECT_EQ(Pack(Noise(1000)).size(), 1009U);
  EXPECT_LT(Pack(Noise(1'000'000)).size(), 1'000'200U);
}

// Nothing that is read may claim a thousand times its bytes, so nothing is written so.
TEST(Packing, WhatPacksTooWellIsKeptAsItIs) {
  const std::string zeros(3 << 20, '\0');
  EXPECT_EQ(Pack(zeros).size(), zeros.size() + 9);
  EXPECT_EQ(Unpack(Pack(zeros)), zeros);
}

}  // namespace
}  // namespace rankscope
