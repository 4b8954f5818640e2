#include "replay/host_work.h"

#include <array>

#include "base/text.h"
#include "trace/device_api.h"

namespace rankscope {
namespace {

// Of torch.compile: ranges of dynamo_timed, and the frames of torch._dynamo and torch._inductor
// that compile ("torch/_dynamo/convert_frame.py(1013): compile_inner").
bool IsCompiling(std::string_view name) {
  if (Contains(name, "dynamo_timed")) return true;
  return Contains(name, "torch/_dynamo/convert_frame.py") || Contains(name, "compile_fx.py") ||
         Contains(name, "GraphLowering.compile") || Contains(name, "CachingAutotuner.compile");
}

// Writing a model: "save_checkpoint", "torch/serialization.py(850): save".
bool IsSaving(std::string_view name) {
  return Contains(name, "save_checkpoint") || Contains(name, "checkpoint_save") ||
         Contains(name, "save_state_dict") || Contains(name, "torch.save") ||
         (Contains(name, "torch/serialization.py") && Contains(name, ": save")) ||
         (Contains(name, "distributed/checkpoint") && Contains(name, "save"));
}

// "<built-in function collect>", "gc.collect", "Garbage collection"
bool IsCollectingGarbage(std::string_view name) {
  return Contains(name, "gc.collect") || Contains(name, "<built-in function collect>") ||
         Contains(name, "Garbage collect") || Contains(name, "garbage_collect");
}

}  // namespace

std::string_view ToString(Work work) {
  static constexpr std::array<std::string_view, kWorkCount> kNames = {
      "op",         "python",        "launch call", "synchronising call", "allocator call",
      "other call", "data loading",  "compiling",   "checkpoint",         "garbage collection",
      "compute",    "communication", "copy"};
  return kNames[static_cast<std::size_t>(work)];
}

Work WorkOfHostRow(EventKind kind, std::string_view name) {
  if (kind == EventKind::kRuntime) {
    if (IsSynchronizeCall(name)) return Work::kSyncCall;
    if (AllocatorAction(name)) return Work::kAllocator;
    return IsLaunchCall(name) ? Work::kLaunchCall : Work::kOtherCall;
  }
  if (IsCompiling(name)) return Work::kCompile;
  if (IsSaving(name)) return Work::kCheckpoint;
  if (IsCollectingGarbage(name)) return Work::kGarbage;
  return kind == EventKind::kCpuOp ? Work::kOp : Work::kPython;
}

HostWork::HostWork(const TraceFacts& facts) : facts_(facts) {
  const RankTrace& trace = facts.trace();
  by_row_.assign(trace.row_count(), Work::kPython);
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kHost) continue;
    for (Row row = track.begin; row < track.end; ++row) {
      Work work = WorkOfHostRow(trace.kind[row], trace.name_of(row));
      const Row around = trace.parent[row];
      // What runs inside a compilation or a checkpoint is part of it.
      const bool is_inside = around != kNoRow && (by_row_[around] == Work::kCompile ||
                                                  by_row_[around] == Work::kCheckpoint ||
                                                  by_row_[around] == Work::kGarbage);
      if (is_inside) work = by_row_[around];
      by_row_[row] = work;
    }
  }
}

void HostWork::Begin(std::uint32_t track) {
  track_ = track;
  next_ = 0;
}

}  // namespace rankscope
