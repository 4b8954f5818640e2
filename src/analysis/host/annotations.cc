#include "analysis/host/analyses.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/saturating.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "schemas/host.h"
#include "stage/reduce.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

using Side = Domain;  // kHost or kDeviceAnnotation

// The annotations of one name on one track.
struct Occurrences {
  std::uint32_t track = 0;
  std::vector<Row> rows;
  std::int64_t inside_ns = 0;  // time of annotations directly inside these
};

// What a thread launched or a stream ran, in the order of the time that decides where it belongs:
// the begin of the launching call, or that of the work itself.
struct WorkOfTrack {
  std::vector<std::int64_t> times;
  std::vector<Row> works;
};

bool IsStepMark(std::string_view name) { return name.starts_with("ProfilerStep"); }

bool IsAnnotation(const RankTrace& trace, Row row) {
  return (trace.kind[row] == EventKind::kUserAnnotation ||
          trace.kind[row] == EventKind::kDeviceAnnotation) &&
         trace.dur_ns[row] >= 0;
}

class AnnotatedTrace {
 public:
  explicit AnnotatedTrace(const RankTrace& trace) : trace_(trace) {
    // Per launching thread the work of its calls, per stream its own work.
    for (std::uint32_t index = 0; index < trace.tracks.size(); ++index) {
      const Track& track = trace.tracks[index];
      if (track.domain == Domain::kDevice) {
        WorkOfTrack& on_stream = of_stream_[{track.first, track.second}];
        for (Row row = track.begin; row < track.end; ++row) {
          if (!IsDeviceWork(trace.kind[row]) || trace.dur_ns[row] < 0) continue;
          on_stream.times.push_back(trace.ts_ns[row]);
          on_stream.works.push_back(row);
        }
      } else if (track.domain == Domain::kHost) {
        WorkOfTrack& by_thread = of_thread_[index];
        for (Row row = track.begin; row < track.end; ++row) {
          if (trace.kind[row] != EventKind::kRuntime) continue;
          for (const RowPair& pair : trace.KernelsOf(row)) {
            if (!IsDeviceWork(trace.kind[pair.to]) || trace.dur_ns[pair.to] < 0) continue;
            by_thread.times.push_back(trace.ts_ns[row]);
            by_thread.works.push_back(pair.to);
          }
        }
      }
    }
  }

  // Appends the work that belongs to the annotations of one name on one track.
  void AppendWork(const Occurrences& annotations, std::vector<Row>& works) const {
    const WorkOfTrack* source = SourceOf(annotations.track);
    if (source == nullptr) return;
    std::vector<Interval> extents;
    extents.reserve(annotations.rows.size());
    for (const Row row : annotations.rows)
      extents.push_back({trace_.ts_ns[row], trace_.end_ns(row)});
    for (const Interval& extent : Normalise(std::move(extents))) {
      auto at = std::lower_bound(source->times.begin(), source->times.end(), extent.begin);
      for (; at != source->times.end() && *at < extent.end; ++at)
        works.push_back(source->works[static_cast<std::size_t>(at - source->times.begin())]);
    }
  }

 private:
  const WorkOfTrack* SourceOf(std::uint32_t index) const {
    const Track& track = trace_.tracks[index];
    if (track.domain == Domain::kHost) {
      const auto found = of_thread_.find(index);
      return found == of_thread_.end() ? nullptr : &found->second;
    }
    const auto found = of_stream_.find({track.first, track.second});
    return found == of_stream_.end() ? nullptr : &found->second;
  }

  const RankTrace& trace_;
  std::map<std::pair<std::int64_t, std::int64_t>, WorkOfTrack> of_stream_;
  std::map<std::uint32_t, WorkOfTrack> of_thread_;
};

// Names in use, those with the largest totals of each side; the rest become one.
class Names {
 public:
  Names(const RankTrace& trace, std::int64_t most) : keep_(trace.strings.size()) {
    std::map<std::pair<Side, StringId>, std::int64_t> totals;
    for (const Track& track : trace.tracks) {
      for (Row row = track.begin; row < track.end; ++row) {
        if (IsAnnotation(trace, row) && !IsStepMark(trace.name_of(row)))
          AddSaturating(totals[{track.domain, trace.name[row]}], trace.dur_ns[row]);
      }
    }
    std::map<Side, std::vector<std::pair<std::int64_t, StringId>>> order;
    for (const auto& [key, total] : totals) order[key.first].emplace_back(-total, key.second);
    for (auto& [side, names] : order) {
      std::sort(names.begin(), names.end());
      if (names.size() > static_cast<std::size_t>(most))
        names.resize(static_cast<std::size_t>(most));
      for (const auto& [total, name] : names) keep_[name] |= BitOf(side);
    }
  }
  bool Keeps(Side side, StringId name) const { return (keep_[name] & BitOf(side)) != 0; }

 private:
  static std::uint8_t BitOf(Side side) { return side == Domain::kHost ? 1 : 2; }
  std::vector<std::uint8_t> keep_;
};

std::int64_t UnitedTime(const RankTrace& trace, std::vector<Row>& works) {
  std::sort(works.begin(), works.end());
  works.erase(std::unique(works.begin(), works.end()), works.end());
  std::map<std::int64_t, std::vector<Interval>> by_device;
  for (const Row row : works)
    by_device[trace.track_of(row).first].push_back({trace.ts_ns[row], trace.end_ns(row)});
  std::int64_t total = 0;
  for (auto& [device, intervals] : by_device)
    AddSaturating(total, Total(Normalise(std::move(intervals))));
  return total;
}

// For each row of a track the annotation around it, the step's marks aside; kNoRow when there is
// none. Indexed from the track's begin.
std::vector<Row> Enclosing(const RankTrace& trace, const Track& track) {
  std::vector<Row> enclosing(track.end - track.begin, kNoRow);
  for (Row row = track.begin; row < track.end; ++row) {
    const Row parent = trace.parent[row];
    if (parent == kNoRow) continue;
    const bool is_one = IsAnnotation(trace, parent) && !IsStepMark(trace.name_of(parent));
    enclosing[row - track.begin] = is_one ? parent : enclosing[parent - track.begin];
  }
  return enclosing;
}

constexpr StringId kOthers = UINT32_MAX;

using AnnotationsKey = std::tuple<std::size_t, Side, StringId>;  // window, side, name
using Groups = std::map<AnnotationsKey, std::vector<Occurrences>>;

void GroupAnnotations(const RankTrace& trace, std::uint32_t index, const Windows& windows,
                      const Names& names, Groups& groups) {
  const Track& track = trace.tracks[index];
  const std::vector<Row> enclosing = Enclosing(trace, track);
  const auto group_of = [&](Row row) -> Occurrences* {
    const std::size_t window = windows.At(trace.ts_ns[row]);
    if (window == Windows::kNone) return nullptr;
    const StringId name = names.Keeps(track.domain, trace.name[row]) ? trace.name[row] : kOthers;
    std::vector<Occurrences>& tracks = groups[{window, track.domain, name}];
    if (tracks.empty() || tracks.back().track != index) tracks.push_back({index, {}, 0});
    return &tracks.back();
  };
  for (Row row = track.begin; row < track.end; ++row) {
    if (!IsAnnotation(trace, row) || IsStepMark(trace.name_of(row))) continue;
    if (Occurrences* group = group_of(row)) group->rows.push_back(row);
    const Row outer = enclosing[row - track.begin];
    if (outer == kNoRow) continue;
    if (Occurrences* group = group_of(outer)) {
      const std::int64_t end = std::min(trace.end_ns(row), trace.end_ns(outer));
      AddSaturating(group->inside_ns,
                    std::max<std::int64_t>(0, SaturatingSubtract(end, trace.ts_ns[row])));
    }
  }
}

std::vector<Table> MapAnnotations(const TraceFacts& facts, const MapOptions& options) {
  const auto& columns = SchemaOf<Annotations>();
  auto table = columns.NewPartial("annotations");
  const RankTrace& trace = facts.trace();
  const Windows windows = Windows::OfHost(facts, options.steps);
  const Names names(trace, CountOption(options.values, "names"));
  Groups groups;
  for (std::uint32_t index = 0; index < trace.tracks.size(); ++index) {
    const Domain domain = trace.tracks[index].domain;
    if (domain == Domain::kHost || domain == Domain::kDeviceAnnotation)
      GroupAnnotations(trace, index, windows, names, groups);
  }
  const AnnotatedTrace annotated(trace);
  for (const auto& [key, tracks] : groups) {
    const auto& [window, side, name] = key;
    std::int64_t count = 0;
    std::int64_t total = 0;
    std::int64_t inside = 0;
    std::int64_t shortest = INT64_MAX;
    std::int64_t longest = 0;
    std::vector<Row> works;
    for (const Occurrences& annotations : tracks) {
      for (const Row row : annotations.rows) {
        ++count;
        AddSaturating(total, trace.dur_ns[row]);
        shortest = std::min(shortest, trace.dur_ns[row]);
        longest = std::max(longest, trace.dur_ns[row]);
      }
      AddSaturating(inside, annotations.inside_ns);
      annotated.AppendWork(annotations, works);
    }
    const std::int64_t device_ns = UnitedTime(trace, works);
    table.Add({columns.step = windows[window].StepValue(),
               columns.side = side == Domain::kHost ? "host" : "device",
               columns.name = name == kOthers ? "(others)" : trace.strings.Get(name),
               columns.count = count, columns.total_ns = total,
               columns.self_ns = SaturatingSubtract(total, inside),
               columns.mean_ns = static_cast<double>(total) / static_cast<double>(count),
               columns.min_ns = shortest, columns.max_ns = longest,
               columns.works = std::ssize(works), columns.device_ns = device_ns,
               columns.complete = windows[window].complete});
  }
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& AnnotationsAnalysis() {
  static const Analysis kAnalysis = {
      .name = "annotations",
      .summary = "user annotations on host and device, with the device time that belongs to them",
      .definition =
          "record_function ranges other than the steps' marks, by name. host: works are those "
          "whose launching call begins inside the range on the same thread, wherever and whenever "
          "they run; what the autograd thread launches belongs to none of the main thread's. "
          "device: the range as the profiler drew it on the stream; works are those that begin "
          "inside it on that stream. device_ns is the union of their intervals, summed over "
          "devices. self_ns leaves out what annotations directly inside take on the same track. "
          "Per rank and side the `names` with the largest totals are kept.",
      .example = "rankscope table annotations traces/ --ranks 0",
      .columns = SchemaOf<Annotations>().columns(),
      .mapper = {.name = "annotations",
                 .version = 3,
                 .options = {{"names", "200", "so many names per rank and side",
                              OptionType::kCount}},
                 .tables = {SchemaOf<Annotations>().BareColumns()},
                 .map = MapAnnotations},
      .reducer = JoinRows<Annotations>(SchemaOf<Annotations>().name),
  };
  return kAnalysis;
}

}  // namespace rankscope
