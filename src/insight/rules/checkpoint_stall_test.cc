// checkpoint-stall: the training waits while a checkpoint is written.
#include <gtest/gtest.h>

#include "insight/pause_for_test.h"

namespace rankscope {
namespace {

TEST(CheckpointStall, WhileTorchSaves) {
  const Table findings = FindingsOfPause("torch/serialization.py(850): save");
  ASSERT_EQ(Rows(findings, {"id", "severity", "ranks", "steps", "gain_method", "title"}),
            "checkpoint-stall,high,1,2,replay,rank 1 writes a checkpoint while the training waits "
            "(1.50 ms, in 1 step of 3)\n");
  EXPECT_EQ(IntCell(findings, 0, "gain_ns"), 1500 * kUsForTest / 3);
  EXPECT_EQ(Rows(findings, {"places"}).find(R"([{"op":"torch/serialization.py(850): save")"), 0u);
}

TEST(CheckpointStall, OtherNamesOfSaving) {
  for (const std::string_view range :
       {"train.py(40): save_checkpoint",
        "torch/distributed/checkpoint/state_dict_saver.py(80): save", "torch.save"})
    EXPECT_EQ(Ids(FindingsOfPause(range)), "checkpoint-stall\n") << range;
}

// As long a stretch that reads.
TEST(CheckpointStall, LoadingIsNotSaving) {
  EXPECT_EQ(Ids(FindingsOfPause("torch/serialization.py(1100): load")).find("checkpoint-stall"),
            std::string::npos);
}

}  // namespace
}  // namespace rankscope
