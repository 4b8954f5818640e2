#include "report/words/rank_words.h"

#include <gtest/gtest.h>

#include "schemas/layout.h"

namespace rankscope {
namespace {

// Eight ranks in so many stages of as many ranks each; none where the coordinate is not known.
Report Pipeline(std::int64_t stages) {
  const auto& columns = SchemaOf<LayoutRanks>();
  auto table = columns.NewTable("layout_ranks");
  for (std::int64_t rank = 0; rank < 8; ++rank) {
    table.Add(
        {columns.rank = rank, columns.pp = stages > 0 ? Value(rank * stages / 8) : Value(kNull)});
  }
  Report report;
  report.tables.push_back(table);
  return report;
}

TEST(RankWords, AreRanges) {
  EXPECT_EQ(RanksInWords({}, {}), "no rank");
  EXPECT_EQ(RanksInWords({}, {3}), "rank 3");
  EXPECT_EQ(RanksInWords({}, {32, 2, 0, 1, 2}), "ranks 0-2, 32");
}

TEST(RankWords, NameStagesThatAreMeantAsAWhole) {
  EXPECT_EQ(RanksInWords(Pipeline(4), {2, 3}), "ranks 2, 3 (pipeline stage 1)");
  EXPECT_EQ(RanksInWords(Pipeline(4), {0, 1, 6, 7}), "ranks 0, 1, 6, 7 (pipeline stages 0, 3)");
  EXPECT_EQ(RanksInWords(Pipeline(8), {5}), "rank 5 (pipeline stage 5)");
  EXPECT_EQ(RanksInWords(Pipeline(4), {2, 3, 4}), "ranks 2-4") << "half of stage 2";
  EXPECT_EQ(RanksInWords(Pipeline(4), {2, 3, 9}), "ranks 2, 3, 9") << "one of no stage";
  EXPECT_EQ(RanksInWords(Pipeline(4), {0, 1, 2, 3, 4, 5, 6, 7}), "ranks 0-7") << "all ranks";
  EXPECT_EQ(RanksInWords(Pipeline(1), {0, 1, 2, 3, 4, 5, 6, 7}), "ranks 0-7") << "no pipeline";
  EXPECT_EQ(RanksInWords(Pipeline(0), {2, 3}), "ranks 2, 3") << "not known";
}

}  // namespace
}  // namespace rankscope
