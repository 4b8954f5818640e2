#include "sim/serving/cost_shape.h"

#include <fmt/format.h>

namespace rankscope::sim {
namespace {

constexpr double kGb = 1e9;
constexpr double kMb = 1e6;
constexpr double kMs = 1e6;

constexpr LinearTime kLlama8bA100[] = {{1, 9.7},    {32, 10.9},  {64, 11.2},
                                       {128, 13.2}, {256, 19.5}, {512, 34.6},
                                       {1024, 75},  {2048, 146}, {4096, 274}};
constexpr LinearTime kLlama70bH100[] = {{1, 8.4},    {32, 9.3},   {64, 9.0},
                                        {128, 10.0}, {256, 11.5}, {512, 17.7},
                                        {1024, 33},  {2048, 64},  {4096, 122}};
constexpr LinearTime kTiny[] = {{1, 0.4}, {64, 0.45}, {256, 0.7}, {1024, 2.2}, {4096, 8.0}};

constexpr CostShape kShapes[] = {
    {
        .name = "llama3-8b-a100",
        .about = "Llama-3-8B in bf16 on one A100 of 80 GB",
        .linear = kLlama8bA100,
        .context_ns = 80,     // 131,072 bytes at 0.8 * 2.04 TB/s
        .attention_ns = 3.4,  // 32 layers * 32 heads * 4 * 128 FLOP at 154 TFLOP/s
        .host_ns = 1.5 * kMs,
        .eager_ns = 8 * kMs,
        .device_bytes = 85 * kGb,
        .weight_bytes = 16.1 * kGb,
        .kv_token_bytes = 131'072,
        .activation_token_bytes = 150'000,
        .sampler_sequence_bytes = 2 * kMb,
        .graph_bytes = 0.9 * kGb,
        .driver_bytes = 0.6 * kGb,
        .model_len = 8192,
    },
    {
        .name = "llama2-70b-h100-tp8",
        .about = "Llama-2-70B in bf16 on eight H100 of 80 GB, tensor parallel",
        .linear = kLlama70bH100,
        .context_ns = 15.3,              // 40,960 bytes at 0.8 * 3.35 TB/s
        .attention_ns = 0.74,            // 80 layers * 8 heads * 4 * 128 FLOP at 445 TFLOP/s
        .collectives_ns = 1.6 * kMs,     // 160 of 10 us
        .collectives_token_ns = 13'100,  // 160 of 16 KiB at 200 GB/s
        .host_ns = 1.5 * kMs,
        .eager_ns = 8 * kMs,
        .device_bytes = 85 * kGb,
        .weight_bytes = 17.2 * kGb,
        .kv_token_bytes = 40'960,
        .activation_token_bytes = 100'000,
        .sampler_sequence_bytes = 1 * kMb,
        .graph_bytes = 1.5 * kGb,
        .driver_bytes = 1.2 * kGb,
        .model_len = 4096,
    },
    {
        .name = "tiny",
        .about = "a model of 125 million parameters on a share of a GPU, 4 GB: fast to try with",
        .linear = kTiny,
        .context_ns = 40,
        .attention_ns = 1,
        .host_ns = 0.3 * kMs,
        .eager_ns = 1.5 * kMs,
        .device_bytes = 4 * kGb,
        .weight_bytes = 0.25 * kGb,
        .kv_token_bytes = 36'864,
        .activation_token_bytes = 60'000,
        .sampler_sequence_bytes = 0.6 * kMb,
        .graph_bytes = 0.1 * kGb,
        .driver_bytes = 0.05 * kGb,
        .model_len = 2048,
    },
    {
        .name = "null",
        .about = "answers every request at once: how fast is what asks?",
        .model_len = 1 << 20,
    },
};

double LinearNs(std::span<const LinearTime> table, double tokens) {
  if (tokens <= table.front().tokens) return table.front().ms * kMs;
  std::size_t to = 1;
  while (to + 1 < table.size() && table[to].tokens < tokens) ++to;
  const LinearTime& low = table[to - 1];
  const LinearTime& high = table[to];
  return (low.ms + (high.ms - low.ms) * (tokens - low.tokens) / (high.tokens - low.tokens)) * kMs;
}

}  // namespace

double StepNs(const CostShape& shape, const StepWork& work, bool is_eager) {
  if (shape.is_null()) return 0;
  const auto tokens = static_cast<double>(work.tokens);
  return LinearNs(shape.linear, tokens) +
         shape.context_ns * static_cast<double>(work.decode_context) +
         shape.attention_ns * work.prompt_pairs + shape.collectives_ns +
         shape.collectives_token_ns * tokens + shape.host_ns + (is_eager ? shape.eager_ns : 0);
}

std::span<const CostShape> CostShapes() { return kShapes; }

std::vector<std::string_view> CostShapeNames() {
  std::vector<std::string_view> names;
  for (const CostShape& shape : kShapes) names.push_back(shape.name);
  return names;
}

Result<CostShape> CostShapeOf(std::string_view name) {
  for (const CostShape& shape : kShapes)
    if (shape.name == name) return shape;
  return Error(StatusCode::kInvalidArgument, "shape: there is no '{}'; there are: {}", name,
               fmt::join(CostShapeNames(), ", "));
}

}  // namespace rankscope::sim
