#include "base/running_checksum.h"

#include <gtest/gtest.h>

#include <string>

#include "base/hash.h"

namespace rankscope {
namespace {

TEST(RunningChecksum, IsThatOfAllPiecesTogether) {
  std::string all;
  RunningChecksum running;
  EXPECT_EQ(running.Value(), Checksum64(nullptr, 0));
  for (const std::size_t size : {1U, 0U, 300U, 70'000U, 3U}) {
    const std::string piece(size, static_cast<char>('a' + size % 26));
    running.Add(piece);
    all += piece;
    EXPECT_EQ(running.Value(), Checksum64(all.data(), all.size()));
  }
}

}  // namespace
}  // namespace rankscope
