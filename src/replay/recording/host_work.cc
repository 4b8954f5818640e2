#include "replay/recording/host_work.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/letter_case.h"
#include "base/text.h"
#include "trace/device_api.h"

namespace rankscope {
namespace {

constexpr std::uint8_t kUnasked = UINT8_MAX;

// Of torch.compile: ranges of dynamo_timed, and the frames of torch._dynamo and torch._inductor
// that compile ("torch/_dynamo/convert_frame.py(1013): compile_inner").
bool IsCompiling(std::string_view name) {
  if (Contains(name, "dynamo_timed")) return true;
  return Contains(name, "torch/_dynamo/convert_frame.py") || Contains(name, "compile_fx.py") ||
         Contains(name, "GraphLowering.compile") || Contains(name, "CachingAutotuner.compile");
}

// Writing a model: "save_checkpoint", "checkpoint.save", "write_ckpt",
// "torch/serialization.py(850): save". Not computing activations anew, which is called
// checkpointing, too.
bool IsSaving(std::string_view given) {
  const std::string text = LowerCase(given);
  std::string_view name = text;
  if (Contains(name, "torch/serialization.py")) return Contains(name, ": save");
  if (Contains(name, "distributed/checkpoint")) return Contains(name, "save");
  // Of a frame, "dir/file.py(12): function", folders say nothing.
  const std::size_t line = name.find(".py(");
  const std::size_t colon = line == std::string_view::npos ? line : name.find("): ", line);
  std::string_view function = name;
  if (colon != std::string_view::npos) {
    function = name.substr(colon + 3);
    const std::size_t folder = name.substr(0, line).rfind('/');
    if (folder != std::string_view::npos) name.remove_prefix(folder + 1);
  }
  // What autograd keeps for the backward, and what is computed anew in it.
  if (Contains(function, "for_backward") || Contains(function, "activation") ||
      Contains(function, "checkpointfunction"))
    return false;
  const bool writes =
      Contains(function, "save") || Contains(function, "write") || Contains(function, "dump");
  return writes && (Contains(name, "checkpoint") || Contains(name, "ckpt") ||
                    Contains(name, "state_dict") || Contains(name, "torch.save"));
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
  // By name, once for calls, ops and what is neither.
  std::array<std::vector<std::uint8_t>, 3> known;
  for (std::vector<std::uint8_t>& of_kind : known) of_kind.assign(trace.strings.size(), kUnasked);
  const auto work_of = [&](Row row) {
    const EventKind kind = trace.kind[row];
    const std::size_t of_kind = kind == EventKind::kRuntime ? 0 : kind == EventKind::kCpuOp ? 1 : 2;
    std::uint8_t& work = known[of_kind][trace.name[row]];
    if (work == kUnasked) work = static_cast<std::uint8_t>(WorkOfHostRow(kind, trace.name_of(row)));
    return static_cast<Work>(work);
  };
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kHost) continue;
    for (Row row = track.begin; row < track.end; ++row) {
      Work work = work_of(row);
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
