// CostShape: the cost of a model on a device: the time of an engine's step and the memory that the
// model needs.
//
//   step = linear(tokens) + context * c1 + pairs * c2 + collectives(tokens) + host
//
//   linear       projections, MLP, norms of all layers, by the tokens of the batch: a table,
//                interpolated linearly between its points and extrapolated beyond the last; a batch
//                of a few tokens takes the time to read the weights
//   c1           per token of KV cache that a decoding sequence reads: its bytes at 80 % of the HBM
//                bandwidth
//   c2           per pair of a prompt's query and a key before it, q * (k + q/2) in a chunk of q
//                tokens behind k: FLOPs of attention at half of the device's peak
//   collectives  2 per layer, each latency + bytes / bandwidth; 0 without tensor parallelism
//   host         scheduling, inputs, sampling, with CUDA graphs; without graphs the time to launch
//                every kernel is added
//
// The linear part comes from Vidur's public profiles (microsoft/vidur, MIT); the rest is computed
// from the devices' datasheets and the models' shapes. Times and memory are those of one device of
// the tensor-parallel group.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::sim {

struct LinearTime {
  double tokens = 0;
  double ms = 0;
};

struct CostShape {
  std::string_view name;
  std::string_view about;
  std::span<const LinearTime> linear;  // ascending tokens, at least two points; none: takes no time
  double context_ns = 0;               // c1, per token
  double attention_ns = 0;             // c2, per pair
  double collectives_ns = 0;           // per step
  double collectives_token_ns = 0;     // and per token of the step
  double host_ns = 0;
  double eager_ns = 0;  // added to host_ns without CUDA graphs
  // Per device.
  double device_bytes = 0;
  double weight_bytes = 0;
  double kv_token_bytes = 0;
  double activation_token_bytes = 0;  // at the peak, per token of the batch
  double sampler_sequence_bytes = 0;  // logits and temporary buffers of sampling
  double graph_bytes = 0;
  double driver_bytes = 0;  // CUDA context and communication buffers
  std::int64_t model_len = 0;

  // Answers at once, without an engine.
  bool is_null() const { return linear.empty(); }
};

// The work of one step.
struct StepWork {
  std::int64_t tokens = 0;
  std::int64_t decode_context = 0;  // tokens before the new one, summed over decoding sequences
  double prompt_pairs = 0;          // sum of q * (k + q/2) over chunks of prompts
};

// Without noise. O(points of the table).
double StepNs(const CostShape& shape, const StepWork& work, bool is_eager);

// llama3-8b-a100, llama2-70b-h100-tp8, tiny, null.
std::span<const CostShape> CostShapes();
std::vector<std::string_view> CostShapeNames();
// kInvalidArgument with the list of valid names.
Result<CostShape> CostShapeOf(std::string_view name);

}  // namespace rankscope::sim
