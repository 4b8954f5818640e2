#include "sim/serving/engine_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::sim {
namespace {

using testing::HasSubstr;

CostShape LlamaEngineSettings() { return CostShapeOf("llama3-8b-a100").value(); }

std::string RefusalEngineSettings(const EngineSettings& settings) {
  return KvBlocks(LlamaEngineSettings(), settings).status().message();
}

// 85 GB * 0.9 - 16.1 GB - 2048 * 150 kB - 256 * 2 MB = 59.58 GB; a block has 16 * 131,072 bytes.
TEST(EngineSettings, ThePoolIsWhatTheMemoryLeaves) {
  EXPECT_EQ(KvBlocks(LlamaEngineSettings(), {}).value(), 28410);
  EXPECT_EQ(KvBlocks(LlamaEngineSettings(), {.kv_blocks = 4000}).value(), 4000);
}

TEST(EngineSettings, WhatCannotStartIsRefusedInASentence) {
  EXPECT_THAT(RefusalEngineSettings({.max_num_batched_tokens = 128}),
              HasSubstr("below max-num-seqs (256)"));
  EXPECT_THAT(RefusalEngineSettings({.chunks_prompts = false}),
              HasSubstr("has to fit into one step"));
  EXPECT_THAT(RefusalEngineSettings({.gpu_memory_utilization = 0.19}),
              HasSubstr("no memory is left"));
  EXPECT_THAT(RefusalEngineSettings({.gpu_memory_utilization = 1.1}), HasSubstr("at most 1"));
  EXPECT_THAT(RefusalEngineSettings({.kv_blocks = 511}), HasSubstr("room for 8176 tokens"));
  EXPECT_THAT(RefusalEngineSettings({.kv_blocks = 40'000}), HasSubstr("the device has 85.0 GB"));
  EXPECT_THAT(RefusalEngineSettings({.max_num_seqs = 0}), HasSubstr("from 1 to"));
  EXPECT_THAT(RefusalEngineSettings({.max_model_len = 10'000}), HasSubstr("from 2 to 8192"));
  EXPECT_EQ(RefusalEngineSettings({.kv_blocks = 512}), "");
}

// 85 GB * 0.03 = 2.55 GB beside the share; graphs and driver take 1.5 GB, a sequence 2 MB: up to
// 525.
TEST(EngineSettings, ABigShareDiesOfManyRequests) {
  const EngineSettings settings{.max_num_seqs = 1024, .gpu_memory_utilization = 0.97};
  EXPECT_FALSE(IsOutOfMemory(LlamaEngineSettings(), settings, 520));
  EXPECT_TRUE(IsOutOfMemory(LlamaEngineSettings(), settings, 530));
  EXPECT_FALSE(IsOutOfMemory(LlamaEngineSettings(), {.max_num_seqs = 1024}, 1024));
  EXPECT_FALSE(IsOutOfMemory(LlamaEngineSettings(),
                             {.gpu_memory_utilization = 0.97, .enforces_eager = true}, 900));
}

}  // namespace
}  // namespace rankscope::sim
