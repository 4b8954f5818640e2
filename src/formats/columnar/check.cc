#include "formats/columnar/check.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>
#include <vector>

#include "formats/base/utf8.h"
#include "trace/nesting.h"

namespace rankscope::columnar {
namespace {

// More events than any file holds; sums of such counts over a job do not overflow.
constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 42;
constexpr std::size_t kMostCategories = 255;

bool StringsAreSound(const StringTable& strings) {
  const auto& ends = strings.ends();
  const auto& text = strings.text();
  if (ends.empty() || ends[0] != 0 || ends.back() != text.size() || ends.size() > kNoAux ||
      !std::is_sorted(ends.begin(), ends.end()) || !IsUtf8({text.data(), text.size()})) {
    return false;
  }
  // The text is UTF-8 as a whole; so is each string when none ends inside of a character.
  return std::all_of(ends.begin(), ends.end() - 1, [&](std::uint64_t end) {
    return end == text.size() || (static_cast<unsigned char>(text[end]) & 0xC0) != 0x80;
  });
}

bool MetaIsSound(const RankTrace& trace) {
  const TraceMeta& meta = trace.meta;
  if (meta.base_ns > kMaxTimeNs || meta.base_ns < -kMaxTimeNs) return false;
  // What is no row was a flow point, a metadata record, unusable, or the end (E) of a row.
  std::uint64_t known = trace.row_count();
  if (known > meta.event_count || meta.event_count > kMostCounted) return false;
  for (const std::uint64_t count : {meta.flow_count, meta.metadata_count, meta.bad_event_count}) {
    if (count > meta.event_count - known) return false;
    known += count;
  }
  const auto is_sound = [](const QualityEntry& entry) {
    return entry.code <= QualityCode::kOther && entry.byte >= -1 && entry.count >= 1 &&
           entry.count <= static_cast<std::int64_t>(kMostCounted) && IsUtf8(entry.message);
  };
  if (!std::all_of(meta.quality.begin(), meta.quality.end(), is_sound)) return false;
  for (const std::string* text :
       {&meta.format, &meta.backend, &meta.host_name, &meta.trace_id, &meta.distributed_info}) {
    if (!IsUtf8(*text)) return false;
  }
  return std::all_of(meta.devices.begin(), meta.devices.end(),
                     [](const DeviceProperties& device) { return IsUtf8(device.name); }) &&
         std::all_of(meta.process_groups.begin(), meta.process_groups.end(),
                     [](const ProcessGroup& group) {
                       return IsUtf8(group.name) && IsUtf8(group.description) &&
                              IsUtf8(group.backend);
                     }) &&
         trace.categories.size() <= kMostCategories &&
         std::all_of(trace.categories.begin(), trace.categories.end(),
                     [&](StringId id) { return id < trace.strings.size(); });
}

bool TracksAreSound(const RankTrace& trace) {
  Row next = 0;
  for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
    const Track& track = trace.tracks[i];
    if (track.begin != next || track.end < track.begin || track.name >= trace.strings.size() ||
        track.process >= trace.strings.size() || track.domain > Domain::kOther) {
      return false;
    }
    next = track.end;
    if (i == 0) continue;
    const Track& before = trace.tracks[i - 1];
    if (std::tie(before.domain, before.first, before.second) >
        std::tie(track.domain, track.first, track.second)) {
      return false;
    }
  }
  return next == trace.row_count();
}

bool ColumnsHaveOneLength(const RankTrace& trace) {
  const std::size_t rows = trace.row_count();
  const auto has_rows = [&](const auto& column) { return column.size() == rows; };
  return rows < kNoRow && trace.tracks.size() < kNoAux && has_rows(trace.dur_ns) &&
         has_rows(trace.name) && has_rows(trace.track) && has_rows(trace.kind) &&
         has_rows(trace.category) && has_rows(trace.source) && has_rows(trace.correlation) &&
         has_rows(trace.external_id) && has_rows(trace.aux) && has_rows(trace.parent) &&
         has_rows(trace.link);
}

// The columns that every row has, and what they say of parents, launches and bounds.
class RowCheck {
 public:
  explicit RowCheck(const RankTrace& trace) : trace_(trace) {
    const auto size = [&](EventKind kind) -> std::size_t& {
      return side_table_[static_cast<std::size_t>(kind)];
    };
    size(EventKind::kRuntime) = trace.strings.size();
    size(EventKind::kKernel) = trace.kernels.size();
    size(EventKind::kCpuOp) = trace.ops.size();
    size(EventKind::kUserAnnotation) = trace.ops.size();
    size(EventKind::kMemcpy) = trace.copies.size();
    size(EventKind::kMemset) = trace.copies.size();
    size(EventKind::kMemoryInstant) = trace.memory.size();
    size(EventKind::kPythonFunction) = trace.python.size();
    size(EventKind::kDeviceSync) = trace.syncs.size();
    size(EventKind::kProfilerRange) = trace.counters.size();
    size(EventKind::kCounter) = trace.counters.size();
    for (const StringId id : trace.categories)
      is_profiler_.push_back(trace.strings.Get(id) == "Trace");
  }

  bool Run() {
    for (std::uint32_t track = 0; track < trace_.tracks.size(); ++track) {
      if (!TrackIsSound(track)) return false;
    }
    return LaunchesAreSound() && StepsAreSound() && trace_.begin_ns == begin_ns_ &&
           trace_.finish_ns == finish_ns_;
  }

 private:
  bool TrackIsSound(std::uint32_t index) {
    const Track& track = trace_.tracks[index];
    const bool nests = track.domain == Domain::kHost || track.domain == Domain::kDeviceAnnotation;
    const bool is_launched = track.domain != Domain::kHost && track.domain != Domain::kOther;
    open_.clear();
    for (Row row = track.begin; row < track.end; ++row) {
      if (trace_.track[row] != index || !ValuesAreSound(row, track.domain) ||
          (row > track.begin && !InOrder(row - 1, row))) {
        return false;
      }
      if (trace_.parent[row] != (nests ? Enter(row) : kNoRow)) return false;
      if (trace_.link[row] == kNoRow) continue;
      if (!is_launched) {
        ++launching_calls_;  // LaunchesAreSound counts those that the pairs name
      } else if (!IsLaunchOf(trace_.link[row], row)) {
        return false;
      }
      launched_work_ += is_launched && IsDeviceWork(trace_.kind[row]);
    }
    return true;
  }

  bool ValuesAreSound(Row row, Domain domain) {
    const EventKind kind = trace_.kind[row];
    if (kind > EventKind::kOther) return false;
    const Domain natural = DomainOf(kind);
    const std::uint32_t aux = trace_.aux[row];
    if ((domain != natural && (natural != Domain::kHost || domain != Domain::kOther)) ||
        (aux != kNoAux && aux >= side_table_[static_cast<std::size_t>(kind)]) ||
        trace_.name[row] >= trace_.strings.size() ||
        trace_.category[row] >= trace_.categories.size() ||
        trace_.source[row] >= trace_.meta.event_count) {
      return false;
    }
    const std::int64_t begin = trace_.ts_ns[row];
    const std::int64_t duration = trace_.dur_ns[row];
    if (begin > kMaxTimeNs || begin < -kMaxTimeNs || duration < kNoDuration ||
        duration > kMaxTimeNs - begin) {
      return false;
    }
    if (duration == kNoDuration || is_profiler_[trace_.category[row]] != 0 ||
        !CountsForBounds(kind, domain))
      return true;
    begin_ns_ = any_ ? std::min(begin_ns_, begin) : begin;
    finish_ns_ = any_ ? std::max(finish_ns_, begin + duration) : begin + duration;
    any_ = true;
    return true;
  }

  bool InOrder(Row a, Row b) const {
    if (trace_.ts_ns[a] != trace_.ts_ns[b]) return trace_.ts_ns[a] < trace_.ts_ns[b];
    if (trace_.dur_ns[a] != trace_.dur_ns[b]) return trace_.dur_ns[a] > trace_.dur_ns[b];
    return trace_.source[a] < trace_.source[b];
  }

  // The row's parent, as link.h defines it.
  Row Enter(Row row) {
    const std::int64_t begin = trace_.ts_ns[row];
    while (!open_.empty() && IsOver(trace_.end_ns(open_.back()), begin, trace_.end_ns(row)))
      open_.pop_back();
    const Row parent = open_.empty() ? kNoRow : open_.back();
    if (trace_.dur_ns[row] > 0) open_.push_back(row);
    return parent;
  }

  bool IsCall(Row row) const {
    return row < trace_.row_count() &&
           (trace_.kind[row] == EventKind::kRuntime || trace_.kind[row] == EventKind::kCpuOp) &&
           trace_.track[row] < trace_.tracks.size() && trace_.track_of(row).domain == Domain::kHost;
  }
  bool IsLaunchOf(Row call, Row work) const {
    return IsCall(call) && trace_.correlation[work] > 0 &&
           trace_.correlation[work] == trace_.correlation[call];
  }

  // launch_kernels is the other side of `link`: all of it, in order.
  bool LaunchesAreSound() const {
    const Column<RowPair>& pairs = trace_.launch_kernels;
    const std::size_t rows = trace_.row_count();
    if (pairs.size() != launched_work_) return false;
    std::size_t calls = 0;
    for (std::size_t i = 0; i < pairs.size();) {
      const Row call = pairs[i].from;
      if (call >= rows) return false;
      Row first = kNoRow;
      for (Row before = 0; i < pairs.size() && pairs[i].from == call; before = pairs[i].to, ++i) {
        const Row work = pairs[i].to;
        if (work >= rows || (first != kNoRow && work <= before) ||
            !IsDeviceWork(trace_.kind[work]) || trace_.link[work] != call) {
          return false;
        }
        if (first == kNoRow || trace_.ts_ns[work] < trace_.ts_ns[first]) first = work;
      }
      if (trace_.link[call] != first || (i < pairs.size() && pairs[i].from < call)) return false;
      ++calls;
    }
    return calls == launching_calls_;
  }

  bool StepsAreSound() {
    for (std::size_t i = 0; i < trace_.steps.size(); ++i) {
      const Step& step = trace_.steps[i];
      if ((step.mark != kNoRow && (step.mark >= trace_.row_count() ||
                                   trace_.track_of(step.mark).domain != Domain::kHost)) ||
          step.begin_ns < -kMaxTimeNs || step.begin_ns > step.end_ns || step.end_ns > kMaxTimeNs ||
          step.inferred > 1 || step.complete > 1 ||
          static_cast<int>(step.source) >= kStepSourceCount ||
          static_cast<int>(step.phase) >= kStepPhaseCount ||
          (i > 0 && trace_.steps[i - 1].end_ns != step.begin_ns)) {
        return false;
      }
      begin_ns_ = std::min(begin_ns_, step.begin_ns);
      finish_ns_ = std::max(finish_ns_, step.end_ns);
    }
    return true;
  }

  const RankTrace& trace_;
  std::size_t side_table_[kEventKindCount] = {};
  std::vector<std::uint8_t> is_profiler_;  // by category
  std::vector<Row> open_;
  std::size_t launching_calls_ = 0;
  std::size_t launched_work_ = 0;
  bool any_ = false;
  std::int64_t begin_ns_ = 0;
  std::int64_t finish_ns_ = 0;
};

bool IsBefore(const RowPair& a, const RowPair& b) {
  return a.from != b.from ? a.from < b.from : a.to < b.to;
}

bool OtherLinksAreSound(const RankTrace& trace) {
  const std::size_t rows = trace.row_count();
  const Column<RowPair>& waits = trace.record_wait;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    const auto [record, wait] = waits[i];
    if (record >= rows || wait >= rows ||
        (trace.kind[record] != EventKind::kRuntime && trace.kind[record] != EventKind::kCpuOp) ||
        trace.track_of(record).domain != Domain::kHost ||
        trace.kind[wait] != EventKind::kDeviceSync || trace.aux[wait] == kNoAux ||
        trace.syncs[trace.aux[wait]].record_correlation != trace.correlation[record] ||
        (i > 0 && !IsBefore(waits[i - 1], waits[i]))) {
      return false;
    }
  }
  const Column<RowPair>& passes = trace.forward_backward;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const auto [forward, backward] = passes[i];
    if (forward >= rows || backward >= rows || trace.kind[forward] != EventKind::kCpuOp ||
        trace.kind[backward] != EventKind::kCpuOp ||
        (i > 0 && IsBefore(passes[i], passes[i - 1]))) {
      return false;
    }
  }
  return true;
}

// The collective that a row names; kNoAux when none.
std::uint32_t CollectiveOf(const RankTrace& trace, Row row) {
  if (trace.aux[row] == kNoAux) return kNoAux;
  switch (trace.kind[row]) {
    case EventKind::kKernel:
      return trace.kernels[trace.aux[row]].collective;
    case EventKind::kCpuOp:
    case EventKind::kUserAnnotation:
      return trace.ops[trace.aux[row]].collective;
    default:
      return kNoAux;
  }
}

bool SideTablesAreSound(const RankTrace& trace) {
  const std::size_t strings = trace.strings.size();
  const std::size_t collectives = trace.collectives.size();
  for (const KernelArgs& args : trace.kernels) {
    if ((args.collective != kNoAux && args.collective >= collectives) ||
        !std::isfinite(args.blocks_per_sm) || !std::isfinite(args.warps_per_sm) ||
        !std::isfinite(args.occupancy_pct)) {
      return false;
    }
  }
  for (const OpArgs& args : trace.ops) {
    if ((args.collective != kNoAux && args.collective >= collectives) ||
        args.input_dims >= strings || args.input_types >= strings ||
        args.input_strides >= strings || args.concrete_inputs >= strings) {
      return false;
    }
  }
  for (const CopyArgs& args : trace.copies) {
    if (!std::isfinite(args.bandwidth_gb_per_s)) return false;
  }
  for (std::uint32_t i = 0; i < collectives; ++i) {
    const CollectiveArgs& args = trace.collectives[i];
    for (const StringId id : {args.name, args.dtype, args.group_name, args.group_desc,
                              args.group_ranks, args.in_split, args.out_split}) {
      if (id >= strings) return false;
    }
    if (args.row != kNoRow &&
        (args.row >= trace.row_count() || CollectiveOf(trace, args.row) != i)) {
      return false;
    }
  }
  for (std::size_t i = 0; i < trace.nodes.size(); ++i) {
    const NodeOfRow& node = trace.nodes[i];
    if (node.row >= trace.row_count() || node.schema >= strings ||
        (i > 0 && node.row <= trace.nodes[i - 1].row))
      return false;
  }
  for (std::size_t i = 0; i < trace.cut_work.size(); ++i) {
    const CutWork& cut = trace.cut_work[i];
    if (cut.row >= trace.row_count() || trace.kind[cut.row] != EventKind::kKernel ||
        cut.stated_ns <= trace.dur_ns[cut.row] || cut.stated_ns > kMaxTimeNs ||
        (i > 0 && cut.row <= trace.cut_work[i - 1].row))
      return false;
  }
  for (const CounterArgs& args : trace.counters) {
    if (args.name >= strings || !std::isfinite(args.value)) return false;
  }
  if (!trace.counters.empty() && trace.counters.back().is_last == 0) return false;
  return std::is_sorted(trace.row_ids.begin(), trace.row_ids.end(),
                        [](const RowIds& a, const RowIds& b) { return a.source < b.source; });
}

}  // namespace

bool IsSound(const RankTrace& trace) {
  // In this order: what comes later relies on what was checked before.
  return StringsAreSound(trace.strings) && ColumnsHaveOneLength(trace) && MetaIsSound(trace) &&
         TracksAreSound(trace) && RowCheck(trace).Run() && OtherLinksAreSound(trace) &&
         SideTablesAreSound(trace);
}

}  // namespace rankscope::columnar
