// EngineSettings: start options of a serving engine, with vLLM's names and defaults. Also: which
// settings the engine refuses, and the memory that is left for the KV cache.
//
//   pool = device * gpu_memory_utilization - weights - activations of max_num_batched_tokens
//          - logits of max_num_seqs
//
// An engine measures this by one step of the largest batch. CUDA graphs, the driver, and the
// sampling of running requests lie outside of that share. If they do not fit beside it, the engine
// dies (IsOutOfMemory) as soon as that many requests run.
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
  std::optional<std::int64_t> max_model_len;      // default: the model's own
  std::int64_t long_prefill_token_threshold = 0;  // most tokens of one prompt per step; 0: all
  double gpu_memory_utilization = 0.9;
  std::optional<std::int64_t> kv_blocks;  // overrides what the memory allows
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

// The number of KV cache blocks. kInvalidArgument for settings that an engine refuses: numbers out
// of range, a batch with fewer tokens than sequences, whole prompts that do not fit into a batch, a
// pool too small for one request of the longest length.
Result<std::int64_t> KvBlocks(const CostShape& shape, const EngineSettings& settings);

// Whether `running` concurrent requests need more memory than the device has. KvBlocks must accept
// `settings`.
bool IsOutOfMemory(const CostShape& shape, const EngineSettings& settings, std::int64_t running);

}  // namespace rankscope::sim
