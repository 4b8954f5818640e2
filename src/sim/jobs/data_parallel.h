// Passes of data-parallel training, shared by several jobs: forward and backward of a transformer.
// Gradients are all-reduced during the backward in buckets: one per layer and two more.
#pragma once

#include <cstdint>

#include "sim/jobs/job.h"
#include "sim/jobs/program_builder.h"
#include "sim/jobs/transformer.h"
#include "sim/model/communications.h"

namespace rankscope::sim {

class DataParallelPasses {
 public:
  // `where` is the group that reduces gradients; with `is_alone` nothing is reduced. Each bucket
  // takes two event slots, starting at `first_event`.
  DataParallelPasses(const StepSize& size, const ModelShape& model, const Where& where,
                     bool is_alone, std::uint32_t first_event, const StepRequest& request,
                     Library* library);

  // One micro-batch: `open_forward` begins its forward. The last one of a step synchronises
  // gradients.
  void AddPass(const Segment* open_forward, bool synchronises, ProgramBuilder* program);
  // Waits for the buckets and runs the optimizer; call once, after the last pass.
  const Segment* Finish() const { return finish_; }
  // The first event slot after those of the buckets.
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
