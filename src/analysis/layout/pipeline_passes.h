// The passes of a pipeline's stage: when it computes the forward and the backward of micro-batches.
#pragma once

#include <cstdint>
#include <vector>

#include "base/interval.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"

namespace rankscope {

// One micro-batch's forward or backward through one stage (through one chunk of the model's layers,
// of several that a stage may have).
struct PipelinePass {
  bool is_backward = false;
  std::size_t window = 0;  // in which the host begins it
  std::int64_t lane = 0;   // of traces that show several stages: which one, from 0
  // What lies between it and the pass before, where passes are told by sends: sends of one process
  // group that the trace names, or others (none that is named, or several groups).
  StringId cut_by = kEmptyString;
  bool is_cut_by_others = false;
  Interval span;                // from its first computing kernel's begin to the last one's end
  std::int64_t compute_ns = 0;  // united time of its kernels; of host lanes the span
};

// By begin of the host's work. What shows passes, the first that a trace has:
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
