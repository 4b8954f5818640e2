// Partials of a job of any size, made up on the fly: what reducing needs of thousands of ranks,
// without their traces.
#pragma once

#include <cstdint>

#include "stage/analysis.h"
#include "trace/trace.h"

namespace rankscope::bench {

// Tensor parallel within 8 neighbours, 10 pipeline stages, data parallel across; every rank in
// `collectives` of them in each of `steps` steps: 80 % all-reduces of activations, 10 % of
// gradients, 8 % messages between stages, the rest over all ranks. Clocks are off by up to 50 ms.
struct SyntheticJob {
  std::int64_t ranks = 10'000;  // a multiple of 80
  std::int64_t steps = 3;
  std::int64_t collectives = 500;

  JobContext Context() const;
  // What CollectiveMembersAnalysis maps of a rank.
  std::vector<Table> PartialOf(std::int64_t rank) const;
};

// A rank's trace with so many names of kernels in each of its steps, each kernel launched five
// times.
RankTrace TraceWithNames(std::int64_t names, std::int64_t steps);

// Hands out the partials of all ranks, each made when it is asked for.
class SyntheticStream : public PartialStream {
 public:
  explicit SyntheticStream(const SyntheticJob& job) : job_(job) {}
  Result<bool> Next(Partial& partial) override;

 private:
  const SyntheticJob& job_;
  std::int64_t next_ = 0;
};

}  // namespace rankscope::bench
