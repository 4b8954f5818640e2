// EngineSettings: what a serving engine is told at its start, under vLLM's names and with its
// defaults; which of that it refuses, and the memory that is left for the KV cache.
//
//   pool = device * gpu_memory_utilization - weights - activations of max_num_batched_tokens
//          - logits of max_num_seqs
//
// as an engine finds it by one step of the largest batch. CUDA graphs, the driver, and sampling of
// what runs lie outside of that share; where they do not fit beside it, the engine dies
// (IsOutOfMemory), as soon as so many requests run.
#pragma once

#include <cstdint>
#include <optional>

#include "base/status.h"
#include "sim/serving/cost_shape.h"

namespace rankscope::sim {

struct EngineSettings {
  static constexpr std::int64_t kBlockTokens = 16;

  std::int64_t max_num_seqs = 256;
  std::int64_t max_num_batched_tokens = 2048;
  std::optional<std::int64_t> max_model_len;      // default: the model's
  std::int64_t long_prefill_token_threshold = 0;  // most tokens of one prompt in a step; 0: all
  double gpu_memory_utilization = 0.9;
  std::optional<std::int64_t> kv_blocks;  // in place of what the memory leaves
  bool enforces_eager = false;
  bool caches_prefixes = true;
  bool chunks_prompts = true;

  std::int64_t ModelLen(const CostShape& shape) const {
    return max_model_len.value_or(shape.model_len);
  }
};

inline std::int64_t BlocksFor(std::int64_t tokens) {
  return (tokens + EngineSettings::kBlockTokens - 1) / EngineSettings::kBlockTokens;
}

// The blocks of the KV cache. kInvalidArgument for settings with which no engine starts: numbers
// out of range, a batch that holds fewer tokens than sequences, whole prompts that do not fit into
// a batch, a pool without room for one longest request.
Result<std::int64_t> KvBlocks(const CostShape& shape, const EngineSettings& settings);

// Whether `running` requests at once need more memory than the device has. `settings` are such that
// KvBlocks takes.
bool IsOutOfMemory(const CostShape& shape, const EngineSettings& settings, std::int64_t running);

}  // namespace rankscope::sim
