#include "insight/what_if/micro_batches.h"

#include <gtest/gtest.h>

#include "schemas/layout.h"

namespace rankscope {
namespace {

// Of equal stages, 10 ns forward and 20 ns backward.
Table PipelineOf(std::int64_t stages, std::int64_t batches, double window_ns,
                 std::int64_t chunks = 1) {
  const auto& columns = SchemaOf<Pipeline>();
  auto table = columns.NewTable(std::string(Pipeline::kName));
  for (std::int64_t stage = 0; stage < stages; ++stage)
    table.Add({columns.stage = stage, columns.micro_batches = batches,
               columns.virtual_stages = chunks, columns.window_ns = window_ns,
               columns.forward_ns = 10.0, columns.backward_ns = 20.0});
  return table;
}

std::string Refusal(const Table& pipeline, std::int64_t count) {
  return std::string(SavedByMicroBatches(pipeline, 1000, count).status().message());
}

// Four stages take (4 + 3) * 30 = 210 ns for four micro-batches, (16 + 3) * 7.5 = 142.5 for 16.
TEST(MicroBatches, SmallerOnesShortenTheBubble) {
  EXPECT_DOUBLE_EQ(SavedByMicroBatches(PipelineOf(4, 4, 210), 210, 16).value(), 1 - 142.5 / 210);
  EXPECT_DOUBLE_EQ(SavedByMicroBatches(PipelineOf(4, 4, 210), 210, 4).value(), 0);
  // (2 + 3) * 60 = 300
  EXPECT_DOUBLE_EQ(SavedByMicroBatches(PipelineOf(4, 4, 210), 210, 2).value(), 1 - 300 / 210.0);
}

TEST(MicroBatches, OnlyThePipelinesPartOfTheStep) {
  EXPECT_DOUBLE_EQ(SavedByMicroBatches(PipelineOf(4, 4, 210), 420, 16).value(),
                   0.5 * (1 - 142.5 / 210));
}

TEST(MicroBatches, WhatCannotBeSaidIsASentence) {
  EXPECT_EQ(Refusal(PipelineOf(0, 4, 210), 8),
            "the job has no pipeline of which the micro-batches are known");
  EXPECT_EQ(Refusal(PipelineOf(4, 4, 210), 0), "count takes 1 to 100000 micro-batches");
  EXPECT_EQ(Refusal(PipelineOf(4, 4, 210, 2), 6),
            "with interleaved stages the micro-batches are a multiple of the 4 stages");
  EXPECT_EQ(Refusal(PipelineOf(4, 6, 210, 2), 8),
            "6 micro-batches on 4 stages fit no schedule that is known");
  const auto& columns = SchemaOf<Pipeline>();
  auto unknown = columns.NewTable(std::string(Pipeline::kName));
  unknown.Add({columns.stage = 3, columns.micro_batches = 4});
  EXPECT_EQ(Refusal(unknown, 8),
            "the passes of stage 3 were not recorded, so micro-batches cannot be changed");
}

}  // namespace
}  // namespace rankscope
