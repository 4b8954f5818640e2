#include "sim/serving/engine_settings.h"

#include <cmath>

namespace rankscope::sim {
namespace {

constexpr std::int64_t kEngineSettingsMostSequences = 65'536;
constexpr std::int64_t kEngineSettingsMostTokens = 1 << 20;
constexpr std::int64_t kMostBlocks = 1 << 26;
constexpr double kGb = 1e9;

Status CheckRange(const char* name, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value >= least && value <= most) return OkStatus();
  return Error(StatusCode::kInvalidArgument, "{} is {}; it has to be from {} to {}", name, value,
               least, most);
}

Status CheckNumbers(const CostShape& shape, const EngineSettings& settings) {
  RS_RETURN_IF_ERROR(
      CheckRange("max-num-seqs", settings.max_num_seqs, 1, kEngineSettingsMostSequences));
  RS_RETURN_IF_ERROR(CheckRange("max-num-batched-tokens", settings.max_num_batched_tokens, 1,
                                kEngineSettingsMostTokens));
  RS_RETURN_IF_ERROR(CheckRange("max-model-len", settings.ModelLen(shape), 2, shape.model_len));
  RS_RETURN_IF_ERROR(CheckRange("long-prefill-token-threshold",
                                settings.long_prefill_token_threshold, 0,
                                kEngineSettingsMostTokens));
  if (settings.kv_blocks)
    RS_RETURN_IF_ERROR(CheckRange("kv-blocks", *settings.kv_blocks, 1, kMostBlocks));
  const double share = settings.gpu_memory_utilization;
  if (!(share > 0 && share <= 1)) {
    return Error(StatusCode::kInvalidArgument,
                 "gpu-memory-utilization is {}; it has to be above 0 and at most 1", share);
  }
  return OkStatus();
}

Status CheckBatch(const CostShape& shape, const EngineSettings& settings) {
  const std::int64_t tokens = settings.max_num_batched_tokens;
  if (tokens < settings.max_num_seqs) {
    return Error(StatusCode::kInvalidArgument,
                 "max-num-batched-tokens ({}) is below max-num-seqs ({}): a step could not hold a "
                 "token of each",
                 tokens, settings.max_num_seqs);
  }
  if (!settings.chunks_prompts && tokens < settings.ModelLen(shape)) {
    return Error(StatusCode::kInvalidArgument,
                 "max-num-batched-tokens ({}) is below max-model-len ({}), and without chunked "
                 "prefill a prompt has to fit into one step",
                 tokens, settings.ModelLen(shape));
  }
  return OkStatus();
}

double ProfiledBytes(const CostShape& shape, const EngineSettings& settings) {
  return shape.weight_bytes +
         shape.activation_token_bytes * static_cast<double>(settings.max_num_batched_tokens) +
         shape.sampler_sequence_bytes * static_cast<double>(settings.max_num_seqs);
}

double BlockBytes(const CostShape& shape) {
  return shape.kv_token_bytes * static_cast<double>(EngineSettings::kBlockTokens);
}

double ReservedBytes(const CostShape& shape, const EngineSettings& settings) {
  if (!settings.kv_blocks) return shape.device_bytes * settings.gpu_memory_utilization;
  return ProfiledBytes(shape, settings) +
         BlockBytes(shape) * static_cast<double>(*settings.kv_blocks);
}

}  // namespace

Result<std::int64_t> KvBlocks(const CostShape& shape, const EngineSettings& settings) {
  RS_RETURN_IF_ERROR(CheckNumbers(shape, settings));
  RS_RETURN_IF_ERROR(CheckBatch(shape, settings));
  if (shape.is_null()) return settings.kv_blocks.value_or(BlocksFor(settings.ModelLen(shape)));
  const double reserved = ReservedBytes(shape, settings);
  if (reserved > shape.device_bytes) {
    return Error(StatusCode::kInvalidArgument,
                 "kv-blocks ({}) need {:.1f} GB with the weights, and the device has {:.1f} GB",
                 *settings.kv_blocks, reserved / kGb, shape.device_bytes / kGb);
  }
  const double left = reserved - ProfiledBytes(shape, settings);
  if (left < BlockBytes(shape)) {
    return Error(StatusCode::kInvalidArgument,
                 "no memory is left for the KV cache: weights and the largest batch take {:.1f} GB "
                 "of the {:.1f} GB that gpu-memory-utilization {} gives",
                 ProfiledBytes(shape, settings) / kGb, reserved / kGb,
                 settings.gpu_memory_utilization);
  }
  const auto blocks = settings.kv_blocks.value_or(
      std::min(kMostBlocks, static_cast<std::int64_t>(std::floor(left / BlockBytes(shape)))));
  if (blocks * EngineSettings::kBlockTokens < settings.ModelLen(shape)) {
    return Error(StatusCode::kInvalidArgument,
                 "the KV cache has room for {} tokens, fewer than the longest request has "
                 "(max-model-len {})",
                 blocks * EngineSettings::kBlockTokens, settings.ModelLen(shape));
  }
  return blocks;
}

bool IsOutOfMemory(const CostShape& shape, const EngineSettings& settings, std::int64_t running) {
  const double outside = shape.driver_bytes + (settings.enforces_eager ? 0 : shape.graph_bytes) +
                         shape.sampler_sequence_bytes * static_cast<double>(running);
  return ReservedBytes(shape, settings) + outside > shape.device_bytes;
}

}  // namespace rankscope::sim
