// growing-cat: a cache that is copied to append a row.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// Eight appends to a cache of 63 rows and more, of `us` each.
Body Decodes(std::int64_t first, std::int64_t added, std::int64_t us, bool grows = true) {
  return [=](Program& of, int) {
    for (int i = 0; i < 8; ++i) {
      of.Products(2);
      if (us == 0) continue;
      const std::string there = "[4,8," + std::to_string(first + (grows ? i * added : 0)) + ",64]";
      of.Op("aten::cat", "CatArrayBatchedCopy", us,
            "[[" + there + ",[4,8," + std::to_string(added) + ",64]],[]]", R"(["",""])");
    }
  };
}

TEST(GrowingCat, WouldTakeWhatIsNew) {
  const Told told = TellOf(Decodes(63, 1, 100));
  EXPECT_EQ(told.first(), "growing-cat") << told.ids;
  // A 64th to a 71st of it remains.
  EXPECT_NEAR(told.gain, 100 * 8 * 100 * (1 - 1 / 67.5) / told.mean_step, 0.5);
  EXPECT_NE(told.title.find("8 times a step: each time all of it is copied to append one part in "),
            std::string::npos)
      << told.title;
  EXPECT_NE(told.change.find("static cache"), std::string::npos) << told.change;
}

// Halves that are put together, and a token that stands before every image.
TEST(GrowingCat, IsNotWhereNothingGrows) {
  EXPECT_FALSE(TellOf(Decodes(64, 64, 100)).Has("growing-cat"));
  EXPECT_FALSE(TellOf(Decodes(196, 1, 100, false)).Has("growing-cat"));
}

// All layers have a cache of one length, and one token was recorded, or the oldest one leaves.
TEST(GrowingCat, OfLongCachesThatAreNotSeenToGrow) {
  const Told told = TellOf(Decodes(4000, 1, 100, false));
  EXPECT_EQ(told.ids, "") << "of low severity";
  EXPECT_EQ(told.all, "growing-cat ");
  EXPECT_TRUE(told.title.starts_with("little is appended to long tensors")) << told.title;
  EXPECT_NEAR(told.gain, 100 * 8 * 100.0 / told.mean_step, 0.5);
}

// Tensors of the list as inputs of their own.
TEST(GrowingCat, WhereTheListIsSpelledAsInputs) {
  const Told told = TellOf([](Program& of, int) {
    for (int i = 0; i < 8; ++i) {
      of.Products(2);
      of.Op("aten::cat", "CatArrayBatchedCopy", 100,
            "[[4,8," + std::to_string(63 + i) + ",64],[4,8,1,64]]", R"(["",""])");
    }
  });
  EXPECT_EQ(told.first(), "growing-cat") << told.all;
}

// Every step recorded is one of many: its cache is longer by what was appended meanwhile.
TEST(GrowingCat, BetweenRecordedStepsToo) {
  const auto of_lengths = [](const std::vector<int>& lengths) {
    return TellOf([=](Program& of, int step) {
      const std::string there =
          "[4,8," + std::to_string(lengths[static_cast<std::size_t>(step)]) + ",64]";
      for (int i = 0; i < 8; ++i) {
        of.Products(2);
        of.Op("aten::cat", "CatArrayBatchedCopy", 100, "[[" + there + ",[4,8,1,64]],[]]",
              R"(["",""])");
      }
    });
  };
  EXPECT_EQ(of_lengths({1000, 1300, 1600, 1900, 2200, 2500}).first(), "growing-cat");
  // Inputs of all lengths, each with one token before it.
  EXPECT_FALSE(of_lengths({1000, 1600, 1300, 2500, 1900, 2200}).Has("growing-cat"));
}

}  // namespace
}  // namespace rankscope
