// Loads of experts: the rows that each rank of an expert group receives to compute, exchange by
// exchange.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/trace_facts.h"
#include "stage/reducer.h"
#include "table/schema.h"

namespace rankscope {

// One dispatch of tokens to experts, over the ranks of a group.
struct ExpertExchange {
  struct Load {
    std::int64_t rank = 0;
    std::int64_t rows = 0;         // tokens (times experts per token) that it computes
    std::int64_t experts_ns = -1;  // from the dispatch's end to the combine's begin; -1: not known
  };
  std::int64_t group = 0;    // number of the process group, or of the set of ranks, from 0
  std::int64_t ordinal = 0;  // in the step: counts layers, and these again for every micro-batch
  std::int64_t step = 0;     // CollectiveEvent::kNoStep: outside of steps
  std::vector<Load> loads;   // by rank

  double Mean() const;
  const Load& Hottest() const;  // the most rows; there are loads
};

enum class LoadSource : std::uint8_t { kSplits, kGemms };
std::string_view ToString(LoadSource source);  // "all-to-all sizes", "shapes of grouped GEMMs"

struct ExpertLoads {
  LoadSource source = LoadSource::kSplits;
  std::vector<ExpertExchange> exchanges;  // by group, step and ordinal
};

// One row per grouped matrix product of a forward.
struct GroupedGemmPartial : Schema<GroupedGemmPartial> {
  IntColumn step = Int("step", "", "null: outside of steps");
  IntColumn ordinal = Int("ordinal", "", "in the step, from 0");
  IntColumn rows = Int("rows", "", "of its input");
};
extern template const GroupedGemmPartial& SchemaOf<GroupedGemmPartial>();

// Of the forward passes; the backward has the same loads. The loads come from the all-to-alls of
// the process groups of expert parallelism (layout), in pairs: a dispatch, then the combine that
// sends back as many rows as arrived. If these have no sizes (kernels of DeepEP, for one), the
// loads are the rows of the inputs of grouped matrix products, the k-th of a step on every rank.
ExpertLoads ExpertLoadsOf(const PerCapture<TableOf<GroupedGemmPartial>>& gemms,
                          const JobContext& job);

std::vector<Table> MapGroupedGemms(const TraceFacts& facts, const MapOptions& options);

}  // namespace rankscope
