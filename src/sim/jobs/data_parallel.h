// Passes of data-parallel training, which several jobs have: forward and backward of a transformer,
// gradients all-reduced in buckets, one per layer and two more, while the backward goes on.
#pragma once

#include <cstdint>

#include "sim/jobs/job.h"
#include "sim/jobs/program_builder.h"
#include "sim/jobs/transformer.h"
#include "sim/model/communications.h"

namespace rankscope::sim {

class DataParallelPasses {
 public:
  // `where` is the group that reduces gradients; with `is_alone` there is nothing to reduce.
  // Buckets take two event slots each from `first_event` on.
  DataParallelPasses(const StepSize& size, const ModelShape& model, const Where& where,
                     bool is_alone, std::uint32_t first_event, const StepRequest& request,
                     Library* library);

  // One micro-batch: `open_forward` begins its forward. The last one of a step synchronises.
  void AddPass(const Segment* open_forward, bool synchronises, ProgramBuilder* program);
  // Waits for the buckets and runs the optimizer; once, behind the last pass.
  const Segment* Finish() const { return finish_; }
  // The first event slot behind those of the buckets.
  std::uint32_t EventsEnd() const { return EventsOf(size_.layers + 2); }

 private:
  std::uint32_t EventsOf(int bucket) const {
    return first_event_ + 2 * static_cast<std::uint32_t>(bucket);
  }
  const Segment* Bucket(std::int64_t elements);
  const Segment* MakeFinish();
  void Forward(const Segment* open_forward, ProgramBuilder* program);
  void Backward(bool synchronises, ProgramBuilder* program);

  const StepSize& size_;
  Where where_;
  bool is_alone_;
  std::uint32_t first_event_;
  const StepRequest& request_;
  Library* library_;
  Transformer transformer_;
  ModelFrames frames_;
  const Segment *close_forward_, *to_main_, *inner_bucket_, *outer_bucket_, *finish_;
};

}  // namespace rankscope::sim
