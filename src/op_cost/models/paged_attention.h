// Attention over a paged KV cache, as in serving engines. The shapes of its inputs describe the
// cache, not the length of each sequence. Sums over the sequences of a batch are in the name of an
// annotation around the op:
//
//   execute_40_context_2(sq8sk24sqsq32sqsk96)_generation_32(sq32sk900sqsq32sqsk900)
//
// context: sequences in prefill, generation: in decode; sq = sum of new tokens Nq, sk = sum of the
// tokens attended to Nk, sqsq = sum of Nq^2, sqsk = sum of Nq Nk. (Engines that profile for
// rooflines write it; vLLM's own execute_context_2(8)_generation_32(32) lacks the lengths.)
//
//   FLOPs  prefill Hq (dqk + dv) (2 sqsk - sqsq), causal; decode 2 Hq (dqk + dv) sqsk
//   bytes  b (sq Hq (dqk + dv) + sk Hk (dqk + dv))
//
// These formulas are for full attention: a sliding window, which traces do not show, takes less.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "op_cost/base/cost.h"
#include "op_cost/base/op_inputs.h"

namespace rankscope {

// Of one batch, or summed over several.
struct BatchSums {
  double queries = 0;          // sq of both
  double keys = 0;             // sk of both
  double prefill_squares = 0;  // sqsq
  double prefill_pairs = 0;    // sqsk
  double decode_pairs = 0;     // sqsk

  BatchSums& operator+=(const BatchSums& other);
  BatchSums Per(double count) const;
};
// nullopt if it is not such an annotation.
std::optional<BatchSums> ParseBatchSums(std::string_view annotation);

// Numbers of heads of the queries and of the cache, and their dimensions.
struct PagedShape {
  double hq = 0, hk = 0, dqk = 0, dv = 0;
  friend bool operator==(const PagedShape&, const PagedShape&) = default;
};

bool IsPagedAttention(std::string_view op);
// nullopt if the inputs are not sufficient; `dtype` is that of the query.
std::optional<PagedShape> PagedShapeOf(std::string_view op, std::span<const OpInput> inputs,
                                       std::string_view& dtype);
OpCost PagedCost(const PagedShape& shape, std::string_view dtype, const BatchSums& batch);

}  // namespace rankscope
