#include "job/captures.h"

#include <gtest/gtest.h>

#include <tuple>

#include "base/units_for_test.h"

namespace rankscope {
namespace {

Capture Of(std::string path, std::int64_t rank, std::int64_t begin, std::int64_t end,
           std::int64_t rows = 100) {
  Capture capture;
  capture.path = std::move(path);
  capture.rank = rank;
  capture.rank_is_stated = rank >= 0;
  capture.begin_ns = begin;
  capture.end_ns = end;
  capture.rows = rows;
  return capture;
}

std::vector<std::string> Selected(const std::vector<Capture>& captures) {
  std::vector<std::string> paths;
  for (const Capture& capture : captures) {
    if (capture.selected) paths.push_back(capture.path);
  }
  return paths;
}

using Paths = std::vector<std::string>;

TEST(ArrangeCaptures, LatestGroupWithMostRanks) {
  // Two profiling cycles of two ranks, then a third that only rank 0 recorded.
  std::vector<Capture> captures = {Of("r1c1", 1, 110, 190), Of("r0c0", 0, 0, 50),
                                   Of("r0c1", 0, 100, 200), Of("r1c0", 1, 10, 60),
                                   Of("r0c2", 0, 300, 400)};
  ArrangeCaptures(captures, {});
  EXPECT_EQ(Selected(captures), (Paths{"r0c1", "r1c1"}));
  EXPECT_EQ(captures[0].path, "r0c0");
  EXPECT_EQ(captures[2].index, 2);
  EXPECT_EQ(captures[2].group, 2);

  CaptureSelection all;
  all.which = CaptureSelection::Which::kAll;
  for (Capture& capture : captures) capture.selected = true;
  ArrangeCaptures(captures, all);
  EXPECT_EQ(Selected(captures).size(), 5U);

  CaptureSelection first;
  first.which = CaptureSelection::Which::kGroup;
  first.group = 0;
  first.ranks = std::set<std::int64_t>{1};
  for (Capture& capture : captures) capture.selected = true;
  ArrangeCaptures(captures, first);
  EXPECT_EQ(Selected(captures), (Paths{"r1c0"}));
}

// Short recordings of hosts whose clocks differ by 50 ms do not overlap, and belong together.
TEST(ArrangeCaptures, ClocksOfHostsDiffer) {
  std::vector<Capture> captures = {
      Of("r0c0", 0, 0, 10 * kMs),          Of("r1c0", 1, 50 * kMs, 60 * kMs),
      Of("r2c0", 2, 52 * kMs, 62 * kMs),   Of("r0c1", 0, 400 * kMs, 410 * kMs),
      Of("r1c1", 1, 450 * kMs, 460 * kMs), Of("r2c1", 2, 900 * kMs, 910 * kMs)};
  ArrangeCaptures(captures, {});
  EXPECT_EQ(Selected(captures), (Paths{"r0c0", "r1c0", "r2c0"}));
  // A second recording of the same rank, and one that is too far, begin groups of their own.
  EXPECT_EQ(captures[1].group, 1);
  EXPECT_EQ(captures[3].group, 1);
  EXPECT_EQ(captures[5].group, 2);
}

// Clocks that nobody sets: the hosts' recordings lie 30 s apart. Each rank of the world has one
// recording, and the hosts are others.
TEST(ArrangeCaptures, ClocksOfHostsThatNobodySets) {
  const auto arranged = [](std::int64_t world, const std::string& other_host, std::int64_t apart) {
    std::vector<Capture> captures;
    for (std::int64_t rank = 0; rank < 4; ++rank) {
      const std::int64_t begin = rank < 2 ? 0 : apart;
      captures.push_back(Of("r" + std::to_string(rank), rank, begin, begin + 100 * kMs));
      captures.back().host = rank < 2 ? "node0" : other_host;
      captures.back().world_size = world;
    }
    ArrangeCaptures(captures, {});
    return Selected(captures);
  };
  EXPECT_EQ(arranged(4, "node1", 30'000 * kMs), (Paths{"r0", "r1", "r2", "r3"}));
  // One host has one clock; of a larger world others may be missing; and a day is another time.
  EXPECT_EQ(arranged(4, "node0", 30'000 * kMs), (Paths{"r2", "r3"}));
  EXPECT_EQ(arranged(8, "node1", 30'000 * kMs), (Paths{"r2", "r3"}));
  EXPECT_EQ(arranged(4, "node1", 86'400'000 * kMs), (Paths{"r2", "r3"}));
}

TEST(ArrangeCaptures, RanksFromNamesThenFreeNumbers) {
  std::vector<Capture> captures = {Of("/d/rank-34.json", -1, 0, 10),
                                   Of("/d/worker7_step.json", -1, 0, 10),
                                   Of("/d/b.json", -1, 0, 10), Of("/d/stated.json", 0, 0, 10)};
  ArrangeCaptures(captures, {});
  std::vector<std::int64_t> ranks;
  for (const Capture& capture : captures) ranks.push_back(capture.rank);
  EXPECT_EQ(ranks, (std::vector<std::int64_t>{0, 1, 7, 34}));
  EXPECT_TRUE(captures[0].quality.empty());
  for (std::size_t i = 1; i < 4; ++i)
    EXPECT_EQ(captures[i].quality.at(0).code, QualityCode::kMissingMetadata);
}

// torch_npu calls every trace alike.
TEST(ArrangeCaptures, RanksFromNamesOfFolders) {
  std::vector<Capture> captures = {
      Of("/lora-rank8/rank1_ascend_pt/OUT/trace_view.json", -1, 0, 10),
      Of("/lora-rank8/rank0_ascend_pt/OUT/trace_view.json", -1, 1, 11)};
  ArrangeCaptures(captures, {});
  EXPECT_EQ(captures[0].rank, 0);
  EXPECT_EQ(captures[1].rank, 1);
  EXPECT_EQ(captures[1].path, "/lora-rank8/rank1_ascend_pt/OUT/trace_view.json");
  EXPECT_NE(captures[1].quality.at(0).message.find("the folder's name"), std::string::npos);
  EXPECT_TRUE(CheckOneRun(captures, {}).ok()) << "ranks of one job";
}

// Of two runs, each rank's recordings stand together, and no two have one index.
TEST(ArrangeCaptures, RanksOfSeveralRuns) {
  std::vector<Capture> captures = {Of("a/r0", 0, 0, 10), Of("a/r1", 1, 0, 10), Of("b/r0", 0, 5, 15),
                                   Of("b/r1", 1, 5, 15)};
  CaptureSelection all;
  all.which = CaptureSelection::Which::kAll;
  ArrangeCaptures(captures, all);
  std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>> places;
  for (const Capture& capture : captures)
    places.emplace_back(capture.rank, capture.index, capture.run);
  EXPECT_EQ(places, (std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>>{
                        {0, 0, 0}, {0, 1, 1}, {1, 0, 0}, {1, 1, 1}}));
  EXPECT_FALSE(CheckOneRun(captures, all).ok());
  all.ranks = std::set<std::int64_t>{7};
  EXPECT_TRUE(CheckOneRun(captures, all).ok());
}

TEST(ArrangeCaptures, ASingleRecordingNeedsNoRank) {
  std::vector<Capture> captures = {Of("/d/trace.json", -1, 0, 10)};
  ArrangeCaptures(captures, {});
  EXPECT_EQ(captures[0].rank, 0);
  EXPECT_TRUE(captures[0].quality.empty());
}

TEST(ArrangeCaptures, OverlapOfOneRankIsAnError) {
  std::vector<Capture> captures = {Of("small", 3, 0, 100, 10), Of("large", 3, 50, 150, 20),
                                   Of("later", 3, 150, 200, 5)};
  CaptureSelection all;
  all.which = CaptureSelection::Which::kAll;
  ArrangeCaptures(captures, all);
  EXPECT_EQ(Selected(captures), (Paths{"large", "later"}));
  ASSERT_EQ(captures[0].quality.size(), 1U);
  EXPECT_EQ(captures[0].quality[0].code, QualityCode::kDuplicateCapture);
}

}  // namespace
}  // namespace rankscope
