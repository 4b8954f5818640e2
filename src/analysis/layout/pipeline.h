// The use of a step's time by the stages of a pipeline, from the passes of all ranks.
//
// The window of a pipeline's step reaches from the first pass's begin to the last one's end over
// the stages of one replica, in aligned time. Each stage's window is divided exactly:
//
//   compute    computing kernels of passes
//   inside     the rest of passes: tensor parallel communication, gaps between kernels
//   warm-up    before the stage's first pass
//   steady     between passes
//   cool-down  behind its last pass
//
// The last three are the bubble. Optimizer and reduction of gradients lie outside. A schedule with
// one forward, one backward (1F1B) on equal stages leaves (p - 1) / (m v + p - 1) of the window
// empty, with p stages, m micro-batches and v chunks of layers per stage (Narayanan et al. 2021,
// Efficient Large-Scale Language Model Training on GPU Clusters; there as a share of the ideal
// time).
//
// m v is the number of forward passes on most stages. Passes found by sends may be cut by sends of
// groups other than the pipeline's (rings of keys and values); these are joined again. v comes from
// messages that name their peers, from the last stage back to the first. Otherwise it comes from
// the number of forwards that each stage has before its first backward, which in the interleaved
// schedule of Megatron-LM is 2 (p - 1 - s) + (v - 1) p + 1 on stage s.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stage/reducer.h"
#include "table/schema.h"

namespace rankscope {

struct PipelineStep {
  struct Pass {
    bool is_backward = false;
    std::int64_t chunk = 0;     // of the stage's layers, below virtual_stages
    std::int64_t begin_ns = 0;  // aligned, since the epoch
    std::int64_t end_ns = 0;
    std::int64_t compute_ns = 0;
  };

  std::int64_t rank = 0;
  std::int64_t replica = 0;  // counts pipelines from 0
  std::int64_t stage = 0;
  std::int64_t stages = 0;       // of the pipeline
  std::int64_t stages_seen = 0;  // in the recordings, in this step
  std::int64_t step = 0;         // CollectiveEvent::kNoStep: outside of steps
  bool complete = true;          // the recording did not cut the step off
  bool is_aligned = true;        // else the window is the stage's own
  std::int64_t micro_batches = 0;
  std::int64_t virtual_stages = 1;
  std::int64_t begin_ns = 0;  // of the window
  std::int64_t window_ns = 0;
  std::int64_t compute_ns = 0;
  std::int64_t inside_ns = 0;
  std::int64_t warm_up_ns = 0;
  std::int64_t steady_ns = 0;
  std::int64_t cool_down_ns = 0;
  std::vector<Pass> passes;  // by begin of the host's work

  std::int64_t bubble_ns() const { return warm_up_ns + steady_ns + cool_down_ns; }
  // Share of the window, 0 to 1.
  double IdealBubble() const;
};

// The partial: the passes of a rank.
struct PassPartial : Schema<PassPartial> {
  IntColumn step = Int("step", "", "null: outside of steps");
  FlagColumn complete = Flag("complete", "of the step");
  IntColumn lane = Int("lane", "", "stage, in traces of host lanes; else -1");
  FlagColumn is_backward = Flag("is_backward");
  StringColumn cut_by =
      Text("cut_by", "the process group of the sends before it; null: not one that is named");
  FlagColumn is_cut_by_others = Flag("is_cut_by_others", "there are sends of other groups, too");
  IntColumn begin_ns = Int("begin_ns", "ns", "since the epoch, by the rank's own clock");
  IntColumn end_ns = Int("end_ns", "ns");
  IntColumn compute_ns = Int("compute_ns", "ns");
};
extern template const PassPartial& SchemaOf<PassPartial>();

// By replica, step and stage. `passes` are of PassPartial.
std::vector<PipelineStep> PipelineStepsOf(const PerCapture<TableOf<PassPartial>>& passes,
                                          const JobContext& job);

}  // namespace rankscope
