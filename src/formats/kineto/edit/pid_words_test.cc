#include "formats/kineto/edit/pid_words.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace rankscope::kineto {
namespace {

// "dp0 pp1 of 123".
std::string Told(std::string_view pid) {
  const auto found = RankInPidOf(pid);
  if (!found) return "";
  std::string text;
  for (const auto& [word, number] : found->place) text += fmt::format("{}{} ", word, number);
  return text + fmt::format("of {}", found->id);
}

TEST(PidWords, RanksAndAxes) {
  EXPECT_EQ(Told("[TP00] 5000"), "tp0 of 5000");
  EXPECT_EQ(Told("[TP01] 0"), "tp1 of 0");
  EXPECT_EQ(Told("rank0 GPU 0"), "rank0 of 0");
  EXPECT_EQ(Told("Rank 12: python 77"), "rank12 of 77");
  EXPECT_EQ(Told("[DP0 PP1 TP3] 123"), "dp0 pp1 tp3 of 123");
  EXPECT_EQ(Told("TP00-PP01-EP02 9"), "tp0 pp1 ep2 of 9");
  EXPECT_EQ(Told("dp_rank=1,tp_rank=2 (5)"), "dp1 tp2 of 5");
  EXPECT_EQ(Told("GPU 0 (rank 1)"), "rank1 of 0");
  EXPECT_EQ(Told("global_rank 3"), "rank3 of -1");
  EXPECT_EQ(Told("node1 rank_2"), "node1 rank2 of -1");
}

TEST(PidWords, OtherTextsAreNone) {
  for (const char* pid :
       {"", "Spans", "5000", "GPU 0", "CPU functions", "node 3", "rank", "ranked 3", "frank 3",
        "tp0x", "PyTorch Profiler (0)", "step 3", "rank 99999999999"}) {
    EXPECT_EQ(Told(pid), "") << pid;
  }
}

TEST(PidWords, OneRankHoweverItIsWritten) {
  EXPECT_EQ(RankInPidOf("[TP00] 5000")->place, RankInPidOf("tp0 GPU 0")->place);
  EXPECT_EQ(RankInPidOf("[TP00] 5000")->words, "TP00");
  EXPECT_EQ(RankInPidOf("rank 7: 1")->rank(), 7);
  EXPECT_EQ(RankInPidOf("[TP07] 1")->rank(), -1);
}

}  // namespace
}  // namespace rankscope::kineto
