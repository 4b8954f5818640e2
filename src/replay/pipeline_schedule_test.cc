#include "replay/pipeline_schedule.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

std::vector<StageTimes> Equal(std::size_t stages, double forward, double backward) {
  return std::vector<StageTimes>(stages, {forward, backward});
}

// (m + p - 1) (f + b): every stage's passes, and the others' before its first and behind its last.
TEST(PipelineSchedule, EqualStages) {
  EXPECT_EQ(PipelineNs(Equal(1, 10, 20), 8, 1), 8 * 30);
  EXPECT_EQ(PipelineNs(Equal(4, 10, 20), 1, 1), 4 * 30);
  EXPECT_EQ(PipelineNs(Equal(4, 10, 20), 8, 1), (8 + 3) * 30);
  EXPECT_EQ(PipelineNs(Equal(8, 1, 1), 64, 1), (64 + 7) * 2);
}

// (m v + p - 1) (f + b) of passes of a chunk, when chunks are interleaved.
TEST(PipelineSchedule, Chunks) {
  EXPECT_EQ(PipelineNs(Equal(4, 10, 20), 8, 2), (8 * 2 + 3) * 30);
  EXPECT_EQ(PipelineNs(Equal(2, 5, 5), 4, 4), (4 * 4 + 1) * 10);
}

// Two stages, two micro-batches, the second stage takes 3 each:
//   stage 0: F0 0-1, F1 1-2, B0 7-8, B1 13-14
//   stage 1: F0 1-4, B0 4-7, F1 7-10, B1 10-13
TEST(PipelineSchedule, AnUnevenStage) { EXPECT_EQ(PipelineNs({{1, 1}, {3, 3}}, 2, 1), 14); }

TEST(PipelineSchedule, WhatNoScheduleDoes) {
  EXPECT_EQ(PipelineNs({}, 4, 1), 0);
  EXPECT_EQ(PipelineNs(Equal(4, 1, 1), 0, 1), 0);
  EXPECT_EQ(PipelineNs(Equal(4, 1, 1), 6, 2), 0);
  EXPECT_EQ(PipelineNs(Equal(4, 1, 1), 4, 0), 0);
}

}  // namespace
}  // namespace rankscope
