#include "cpu_profile/image/segments.h"

#include <gtest/gtest.h>

namespace rankscope::cpu_profile {
namespace {

// As GNU ld lays a small program out: a segment has pages of its own.
TEST(BiasOf, OfSegmentsWithPagesOfTheirOwn) {
  const std::vector<Segment> segments = {{0, 0, 0x628, false}, {0x1000, 0x1000, 0x175, true}};
  EXPECT_EQ(BiasOf(segments, {.begin = 0x7000, .end = 0x8000, .offset = 0}), 0x7000);
  EXPECT_EQ(BiasOf(segments, {.begin = 0x8000, .end = 0x9000, .offset = 0x1000, .is_code = true}),
            0x7000);
  EXPECT_EQ(BiasOf(segments, {.begin = 0x9000, .end = 0xa000, .offset = 0x2000}), std::nullopt);
}

// As lld does: the first page of the file is mapped twice, for what is read and for code.
TEST(BiasOf, OfSegmentsThatShareAPage) {
  const std::vector<Segment> segments = {{0, 0, 0x5c4, false}, {0x5d0, 0x15d0, 0x190, true}};
  EXPECT_EQ(BiasOf(segments, {.begin = 0x7000, .end = 0x8000, .offset = 0}), 0x7000);
  EXPECT_EQ(BiasOf(segments, {.begin = 0x8000, .end = 0x9000, .offset = 0, .is_code = true}),
            0x7000);
}

// What may be run and what not were one segment before linkers kept them apart; parts of it may be
// protected otherwise while the program runs.
TEST(BiasOf, OfTheOnlySegmentWhateverTheMappingMay) {
  const std::vector<Segment> segments = {{0, 0x400000, 0x2000, true}};
  EXPECT_EQ(BiasOf(segments, {.begin = 0x401000, .end = 0x402000, .offset = 0x1000}), 0);
}

}  // namespace
}  // namespace rankscope::cpu_profile
