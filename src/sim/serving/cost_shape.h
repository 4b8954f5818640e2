// CostShape: what a model costs on a device: the time of an engine's step and the memory that it
// takes.
//
//   step = linear(tokens) + context * c1 + pairs * c2 + collectives(tokens) + host
//
//   linear       projections, MLP, norms of all layers, by the tokens of the batch: a table, linear
//                between its points and beyond the last; a batch of a few tokens takes the time of
//                reading the weights
//   c1           of a token of KV cache that a decoding sequence reads: its bytes by 80% of the
//   HBM's
//                rate
//   c2           of a pair of a prompt's query with a key before it, q * (k + q/2) in a chunk of q
//                tokens behind k: FLOPs of attention by half of the device's peak
//   collectives  2 per layer, each latency + bytes / bandwidth; 0 without tensor parallelism
//   host         scheduling, inputs, sampling, with CUDA graphs; launching every kernel comes on
//   top
//                where there are none
//
// Linear parts are those of Vidur's public profiles (microsoft/vidur, MIT); the rest is computed
// from the devices' datasheets and the models' shapes. Times are of one device of the
// tensor-parallel group, memory too.
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
  std::span<const LinearTime> linear;  // by rising tokens, two points at least; none: takes no time
  double context_ns = 0;               // c1, a token
  double attention_ns = 0;             // c2, a pair
  double collectives_ns = 0;           // of a step
  double collectives_token_ns = 0;     // and of each of its tokens
  double host_ns = 0;
  double eager_ns = 0;  // on top of host_ns without CUDA graphs
  // Of a device.
  double device_bytes = 0;
  double weight_bytes = 0;
  double kv_token_bytes = 0;
  double activation_token_bytes = 0;  // at its peak, a token of the batch
  double sampler_sequence_bytes = 0;  // logits and what sampling makes of them
  double graph_bytes = 0;
  double driver_bytes = 0;  // its context, collectives' buffers
  std::int64_t model_len = 0;

  // Answers at once, and has no engine.
  bool is_null() const { return linear.empty(); }
};

// What a step works on.
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
// kInvalidArgument with the names that there are.
Result<CostShape> CostShapeOf(std::string_view name);

}  // namespace rankscope::sim
