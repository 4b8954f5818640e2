#include "formats/columnar/check.h"

#include <algorithm>

namespace rankscope::columnar {
namespace {

// Every value is below `limit` or equals `none`.
template <typename T>
bool AllBelow(const Column<T>& column, std::size_t limit, T none) {
  bool sound = true;
  for (const T value : column) sound &= value < limit || value == none;
  return sound;
}

bool StringsAreSound(const StringTable& strings) {
  const auto& ends = strings.ends();
  return !ends.empty() && ends[0] == 0 && std::is_sorted(ends.begin(), ends.end()) &&
         ends.back() <= strings.text().size();
}

bool TracksAreSound(const RankTrace& trace) {
  Row next = 0;
  for (const Track& track : trace.tracks) {
    if (track.begin != next || track.end < track.begin || track.name >= trace.strings.size() ||
        track.process >= trace.strings.size() || track.domain > Domain::kOther) {
      return false;
    }
    next = track.end;
  }
  return next == trace.row_count();
}

// A parent comes before its children, so that who walks up arrives.
bool ParentsAreSound(const RankTrace& trace) {
  bool sound = true;
  for (std::size_t row = 0; row < trace.parent.size(); ++row)
    sound &= trace.parent[row] < row || trace.parent[row] == kNoRow;
  return sound;
}

bool RowsAreSound(const RankTrace& trace) {
  const std::size_t rows = trace.row_count();
  const auto has_rows = [&](const auto& column) { return column.size() == rows; };
  if (!has_rows(trace.dur_ns) || !has_rows(trace.name) || !has_rows(trace.track) ||
      !has_rows(trace.kind) || !has_rows(trace.category) || !has_rows(trace.source) ||
      !has_rows(trace.correlation) || !has_rows(trace.external_id) || !has_rows(trace.aux) ||
      !has_rows(trace.parent) || !has_rows(trace.link)) {
    return false;
  }
  std::size_t side[kEventKindCount] = {};
  side[static_cast<int>(EventKind::kRuntime)] = trace.strings.size();
  side[static_cast<int>(EventKind::kKernel)] = trace.kernels.size();
  side[static_cast<int>(EventKind::kCpuOp)] = trace.ops.size();
  side[static_cast<int>(EventKind::kUserAnnotation)] = trace.ops.size();
  side[static_cast<int>(EventKind::kMemcpy)] = trace.copies.size();
  side[static_cast<int>(EventKind::kMemset)] = trace.copies.size();
  side[static_cast<int>(EventKind::kMemoryInstant)] = trace.memory.size();
  side[static_cast<int>(EventKind::kPythonFunction)] = trace.python.size();
  side[static_cast<int>(EventKind::kDeviceSync)] = trace.syncs.size();
  for (std::size_t row = 0; row < rows; ++row) {
    if (trace.kind[row] > EventKind::kOther) return false;
    if (trace.aux[row] != kNoAux && trace.aux[row] >= side[static_cast<int>(trace.kind[row])])
      return false;
    if (trace.category[row] >= trace.categories.size() || trace.track[row] >= trace.tracks.size())
      return false;
  }
  return AllBelow(trace.name, trace.strings.size(), StringId{0}) && ParentsAreSound(trace) &&
         AllBelow(trace.link, rows, kNoRow);
}

bool PairsAreSound(const Column<RowPair>& pairs, std::size_t rows) {
  return std::all_of(pairs.begin(), pairs.end(),
                     [&](const RowPair& p) { return p.from < rows && p.to < rows; });
}

bool SideTablesAreSound(const RankTrace& trace) {
  const std::size_t strings = trace.strings.size();
  const std::size_t rows = trace.row_count();
  const auto collective = [&](std::uint32_t index) {
    return index == kNoAux || index < trace.collectives.size();
  };
  for (const KernelArgs& args : trace.kernels) {
    if (!collective(args.collective)) return false;
  }
  for (const OpArgs& args : trace.ops) {
    if (!collective(args.collective) || args.input_dims >= strings || args.input_types >= strings ||
        args.input_strides >= strings || args.concrete_inputs >= strings) {
      return false;
    }
  }
  for (const CollectiveArgs& args : trace.collectives) {
    for (const StringId id : {args.name, args.dtype, args.group_name, args.group_desc,
                              args.group_ranks, args.in_split, args.out_split}) {
      if (id >= strings) return false;
    }
    if (args.row != kNoRow && args.row >= rows) return false;
  }
  if (!std::is_sorted(trace.row_ids.begin(), trace.row_ids.end(),
                      [](const RowIds& a, const RowIds& b) { return a.source < b.source; })) {
    return false;
  }
  for (const Step& step : trace.steps) {
    if (step.mark != kNoRow && step.mark >= rows) return false;
  }
  return std::all_of(trace.categories.begin(), trace.categories.end(),
                     [&](StringId id) { return id < strings; });
}

}  // namespace

bool IndexesAreSound(const RankTrace& trace) {
  return StringsAreSound(trace.strings) && TracksAreSound(trace) && RowsAreSound(trace) &&
         SideTablesAreSound(trace) && PairsAreSound(trace.launch_kernels, trace.row_count()) &&
         PairsAreSound(trace.forward_backward, trace.row_count()) &&
         PairsAreSound(trace.record_wait, trace.row_count());
}

}  // namespace rankscope::columnar
