// The passes of a pipeline's stage: the times of the forward and backward of its micro-batches.
#pragma once

#include <cstdint>
#include <vector>

#include "base/interval.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"

namespace rankscope {

// One micro-batch's forward or backward through one stage (or through one of its chunks of the
// model's layers, if it has several).
struct PipelinePass {
  bool is_backward = false;
  std::size_t window = 0;  // in which the host begins it
  std::int64_t lane = 0;   // of traces that show several stages: which one, from 0
  // The boundary to the pass before, if sends separate the passes: sends of one process group that
  // the trace names, or others (no group is named, or there are several).
  StringId cut_by = kEmptyString;
  bool is_cut_by_others = false;
  Interval span;                // from its first computing kernel's begin to the last one's end
  std::int64_t compute_ns = 0;  // united time of its kernels; of host lanes the span
};

// By begin of the host's work. Passes come from the first of these that a trace has:
//
//   annotations  ranges named after forward and after backward ("forward_step", "Backward 3"),
//                the outermost; kernels belong to the one during which they are launched, by
//                whatever thread
//   sends        computing kernels launched between two sends or receives are one pass, and those
//                launched in the backward (launch_parts.h) another one than those of the forward;
//                sends inside passes (rings of keys and values) cut these, too, which only who
//                knows the groups can tell
//   lanes        a trace without device work in which several processes have ranges "forward" and
//                "backward" shows a stage in each
//
// Without sends, receives and lanes there is no pipeline, and none are found. O(rows).
std::vector<PipelinePass> FindPipelinePasses(const TraceFacts& facts, const Windows& windows);

}  // namespace rankscope
