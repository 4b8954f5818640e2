#include "trace/step_marks.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/median.h"
#include "trace/step_names.h"

namespace rankscope {
namespace {

using NamesById = boost::unordered_flat_map<StringId, StepName>;

template <typename Parse>
NamesById NamesThat(const RankTrace& trace, Parse parse) {
  NamesById names;
  for (StringId id = 0; id < trace.strings.size(); ++id) {
    if (const std::optional<StepName> name = parse(trace.strings.Get(id))) names.emplace(id, *name);
  }
  return names;
}

bool IsMarkKind(EventKind kind) {
  return kind == EventKind::kUserAnnotation || kind == EventKind::kCpuOp;
}

StepMark MarkOf(const RankTrace& trace, Row row, const StepName& name) {
  StepMark mark{.row = row, .begin_ns = trace.ts_ns[row], .phase = name.phase};
  if (trace.dur_ns[row] != kNoDuration) mark.end_ns = trace.end_ns(row);
  mark.number = name.number;
  mark.outer = name.outer;
  return mark;
}

// Of two marks of the profiler that follow each other on a track.
bool IsSameMark(const StepMark& before, const StepMark& mark) {
  if (mark.begin_ns == before.begin_ns) return true;
  if (mark.number != before.number) return false;
  return !before.end_ns || mark.begin_ns < *before.end_ns;
}

std::int64_t DurationOf(const StepMark& mark) {
  return mark.end_ns ? *mark.end_ns - mark.begin_ns : 0;
}

// A name without its numbers: "step 12" and "step 13" are one kind.
std::string WithoutDigits(std::string_view name) {
  std::string text;
  for (const char letter : name) {
    if (letter < '0' || letter > '9') text.push_back(letter);
  }
  return text;
}

bool Overlap(const std::vector<StepMark>& marks) {
  for (std::size_t i = 1; i < marks.size(); ++i) {
    if (marks[i].begin_ns < marks[i - 1].end_ns.value_or(marks[i].begin_ns)) return true;
  }
  return false;
}

bool Rise(const std::vector<StepMark>& marks) {
  for (std::size_t i = 1; i < marks.size(); ++i) {
    if (std::pair(marks[i].outer, marks[i].number) <=
        std::pair(marks[i - 1].outer, marks[i - 1].number))
      return false;
  }
  return true;
}

// By track: whether it launches recorded work, or has ops whose backward is on one that does; all
// host tracks where none does.
std::vector<bool> DrivingTracks(const RankTrace& trace) {
  std::vector<bool> launches(trace.tracks.size(), false);
  for (const RowPair& pair : trace.launch_kernels) launches[trace.track[pair.from]] = true;
  std::vector<bool> drives = launches;
  for (const RowPair& pair : trace.forward_backward) {
    if (launches[trace.track[pair.to]]) drives[trace.track[pair.from]] = true;
  }
  const bool any = std::any_of(drives.begin(), drives.end(), [](bool does) { return does; });
  for (std::size_t i = 0; i < trace.tracks.size(); ++i)
    drives[i] = (drives[i] || !any) && trace.tracks[i].domain == Domain::kHost;
  return drives;
}

// Rows of a track that PyTorch's hooks name, the outermost of each.
struct Hooks {
  const Track* track = nullptr;
  std::vector<Row> optimizers, loaders;
  std::size_t size() const { return optimizers.size() + loaders.size(); }
};

enum class Hook : std::uint8_t { kOptimizer, kLoader };
using HookNames = boost::unordered_flat_map<StringId, Hook>;

Hooks HooksOf(const RankTrace& trace, const Track& track, const HookNames& names) {
  Hooks hooks{.track = &track};
  for (Row row = track.begin; row < track.end; ++row) {
    if (!IsMarkKind(trace.kind[row]) || trace.dur_ns[row] == kNoDuration) continue;
    const auto found = names.find(trace.name[row]);
    if (found == names.end()) continue;
    std::vector<Row>& rows = found->second == Hook::kOptimizer ? hooks.optimizers : hooks.loaders;
    if (rows.empty() || trace.ts_ns[row] >= trace.end_ns(rows.back())) rows.push_back(row);
  }
  return hooks;
}

Step& LastStep(RankTrace& trace) { return trace.steps[trace.steps.size() - 1]; }

void AddStep(RankTrace& trace, std::int64_t begin, Row mark, StepSource source, bool complete) {
  if (!trace.steps.empty()) LastStep(trace).end_ns = begin;
  Step step;
  step.number = static_cast<std::int64_t>(trace.steps.size());
  step.begin_ns = begin;
  step.end_ns = begin;
  step.mark = mark;
  step.inferred = 1;
  step.complete = complete ? 1 : 0;
  step.source = source;
  trace.steps.push_back(step);
}

// A step for each of the loader's calls. Complete where an optimizer step is in it; without
// optimizer steps, all but the last, whose end nothing shows.
void StepsOfLoader(RankTrace& trace, const Hooks& hooks, std::int64_t track_end) {
  const bool trains = !hooks.optimizers.empty();
  std::size_t optimizer = 0;
  for (std::size_t i = 0; i < hooks.loaders.size(); ++i) {
    const std::int64_t begin = trace.ts_ns[hooks.loaders[i]];
    const bool is_last = i + 1 == hooks.loaders.size();
    const std::int64_t end = is_last ? track_end : trace.ts_ns[hooks.loaders[i + 1]];
    std::size_t in_step = 0;
    for (; optimizer < hooks.optimizers.size() && trace.ts_ns[hooks.optimizers[optimizer]] < end;
         ++optimizer)
      in_step += trace.ts_ns[hooks.optimizers[optimizer]] >= begin ? 1 : 0;
    AddStep(trace, begin, hooks.loaders[i], trains ? StepSource::kOptimizer : StepSource::kLoader,
            trains ? in_step > 0 : !is_last);
  }
  Step& last = LastStep(trace);
  last.end_ns = EndOfLaunchedWork(trace, last.begin_ns, track_end);
}

void StepsOfOptimizer(RankTrace& trace, const Hooks& hooks, std::int64_t track_begin) {
  std::size_t loader = 0;
  std::int64_t from = track_begin;
  for (const Row optimizer : hooks.optimizers) {
    const std::int64_t begins = trace.ts_ns[optimizer];
    while (loader < hooks.loaders.size() && trace.ts_ns[hooks.loaders[loader]] < from) ++loader;
    const bool is_fed =
        loader < hooks.loaders.size() && trace.ts_ns[hooks.loaders[loader]] < begins;
    const bool is_first = trace.steps.empty();
    AddStep(trace, is_fed ? trace.ts_ns[hooks.loaders[loader]] : from,
            is_fed ? hooks.loaders[loader] : optimizer, StepSource::kOptimizer,
            !is_first || is_fed);
    from = trace.end_ns(optimizer);
  }
  Step& last = LastStep(trace);
  last.end_ns = EndOfLaunchedWork(trace, last.begin_ns, from);
}

// Where one iteration updates several times (it plays, then learns from that in some epochs) calls
// come in groups of equally many, two at least, and from group to group it takes over five times as
// long as from call to call, and longer than a group, in which the program does something else: it
// does more than from call to call. A stall between two calls is none of that. The last call of
// each group ends a step then; a group that the recording cuts ends none, but for the first. Empty:
// there are no such groups.
std::vector<Row> LastOfGroups(const RankTrace& trace, const std::vector<Row>& calls) {
  constexpr std::int64_t kTimesLonger = 5;
  constexpr std::int64_t kMoreRowsPct = 150;
  std::vector<std::int64_t> apart, rows;  // from call to call: time, rows of their track
  for (std::size_t i = 1; i < calls.size(); ++i) {
    apart.push_back(trace.ts_ns[calls[i]] - trace.ts_ns[calls[i - 1]]);
    rows.push_back(std::int64_t{calls[i]} - calls[i - 1]);
  }
  if (apart.size() < 3) return {};
  const auto usual_of = [](std::vector<std::int64_t> values) {
    std::sort(values.begin(), values.end());
    return values[(values.size() - 1) / 2];
  };
  const std::int64_t usual = usual_of(apart), usual_rows = usual_of(rows);
  std::vector<Row> last;
  std::vector<std::size_t> sizes = {1};
  std::int64_t group_ns = 0;
  for (std::size_t i = 0; i < apart.size(); ++i) {
    if (apart[i] <= kTimesLonger * usual) {
      ++sizes.back();
      group_ns += apart[i];
      continue;
    }
    if (apart[i] <= group_ns || 100 * rows[i] < kMoreRowsPct * usual_rows) return {};
    last.push_back(calls[i]);
    sizes.push_back(1);
    group_ns = 0;
  }
  const std::size_t most = *std::max_element(sizes.begin(), sizes.end());
  const bool are_two = sizes.size() == 2;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const bool is_edge = i == 0 || i + 1 == sizes.size();
    if (sizes[i] != most && (!is_edge || are_two)) return {};
  }
  if (sizes.back() == most) last.push_back(calls.back());
  return most >= 2 && last.size() >= 2 ? last : std::vector<Row>();
}

}  // namespace

std::vector<StepMark> ProfilerMarks(const RankTrace& trace) {
  const NamesById names = NamesThat(trace, [](std::string_view name) -> std::optional<StepName> {
    const auto number = ProfilerStepNumber(name);
    if (!number) return std::nullopt;
    return StepName{.number = number};
  });
  std::vector<StepMark> best;
  if (names.empty()) return best;
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kHost) continue;
    std::vector<StepMark> marks;
    for (Row row = track.begin; row < track.end; ++row) {
      if (!IsMarkKind(trace.kind[row])) continue;
      const auto found = names.find(trace.name[row]);
      if (found == names.end()) continue;
      const StepMark mark = MarkOf(trace, row, found->second);
      if (!marks.empty() && IsSameMark(marks.back(), mark)) continue;
      marks.push_back(mark);
    }
    if (marks.size() > best.size()) best = std::move(marks);
  }
  return best;
}

std::vector<StepMark> EngineMarks(const RankTrace& trace) {
  const NamesById names = NamesThat(trace, EngineStepOf);
  std::vector<StepMark> best;
  if (names.empty()) return best;
  const std::vector<bool> drives = DrivingTracks(trace);
  for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
    const Track& track = trace.tracks[i];
    if (!drives[i]) continue;
    std::vector<StepMark> marks;
    for (Row row = track.begin; row < track.end; ++row) {
      if (trace.kind[row] != EventKind::kUserAnnotation) continue;
      const auto found = names.find(trace.name[row]);
      if (found == names.end()) continue;
      if (!marks.empty() && (trace.ts_ns[row] < marks.back().end_ns.value_or(INT64_MIN) ||
                             marks.back().begin_ns == trace.ts_ns[row]))
        continue;
      marks.push_back(MarkOf(trace, row, found->second));
    }
    if (!Rise(marks)) {
      for (StepMark& mark : marks) mark.number.reset();
    }
    if (marks.size() > best.size()) best = std::move(marks);
  }
  return best;
}

std::vector<StepMark> NumberedMarks(const RankTrace& trace) {
  const NamesById names = NamesThat(trace, NumberedStepOf);
  std::vector<StepMark> best;
  if (names.empty()) return best;
  std::int64_t covers = 0;
  const std::vector<bool> drives = DrivingTracks(trace);
  for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
    const Track& track = trace.tracks[i];
    if (!drives[i]) continue;
    std::map<std::string, std::vector<StepMark>> by_kind;
    for (Row row = track.begin; row < track.end; ++row) {
      if (trace.kind[row] != EventKind::kUserAnnotation) continue;
      const auto found = names.find(trace.name[row]);
      if (found == names.end()) continue;
      by_kind[WithoutDigits(trace.name_of(row))].push_back(MarkOf(trace, row, found->second));
    }
    for (auto& [kind, marks] : by_kind) {
      if (Overlap(marks) || !Rise(marks)) continue;
      std::int64_t covered = 0;
      for (const StepMark& mark : marks) covered += DurationOf(mark);
      if (covered <= covers) continue;
      covers = covered;
      best = std::move(marks);
    }
  }
  return best;
}

void StepsFromMarks(RankTrace& trace, const std::vector<StepMark>& marks, StepSource source) {
  const bool is_numbered = std::all_of(
      marks.begin(), marks.end(), [](const StepMark& mark) { return mark.number.has_value(); });
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const StepMark& mark = marks[i];
    Step step;
    step.number = is_numbered ? *mark.number : static_cast<std::int64_t>(i);
    step.mark = mark.row;
    step.begin_ns = mark.begin_ns;
    if (i + 1 < marks.size()) {
      step.end_ns = marks[i + 1].begin_ns;
    } else {
      step.end_ns = mark.end_ns ? EndOfLaunchedWork(trace, mark.begin_ns, *mark.end_ns)
                                : std::max(mark.begin_ns, trace.finish_ns);
    }
    step.inferred = is_numbered ? 0 : 1;
    step.source = source;
    step.phase = mark.phase;
    trace.steps.push_back(step);
  }
  const std::size_t last = marks.size() - 1;
  for (const std::size_t i : {std::size_t{0}, last}) {
    std::vector<std::int64_t> between;
    for (std::size_t j = 1; j < last; ++j) {
      if (marks[j].phase == marks[i].phase && DurationOf(marks[j]) > 0)
        between.push_back(DurationOf(marks[j]));
    }
    std::sort(between.begin(), between.end());
    const StepMark& other = marks[last - i];
    std::int64_t usual = 0;
    if (!between.empty()) {
      usual = between[between.size() / 4];
    } else if (other.phase == marks[i].phase) {
      usual = DurationOf(other);
    }
    const std::int64_t duration = DurationOf(marks[i]);
    trace.steps[i].complete = duration > 0 && duration >= usual / 2;
  }
}

bool StepsFromHooks(RankTrace& trace) {
  HookNames names;
  for (StringId id = 0; id < trace.strings.size(); ++id) {
    const std::string_view name = trace.strings.Get(id);
    if (IsOptimizerStep(name)) names.emplace(id, Hook::kOptimizer);
    if (IsLoaderNext(name)) names.emplace(id, Hook::kLoader);
  }
  Hooks hooks;
  if (names.empty()) return false;
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kHost) continue;
    Hooks of_track = HooksOf(trace, track, names);
    if (of_track.size() > hooks.size()) hooks = std::move(of_track);
  }
  if (hooks.track == nullptr) return false;
  const Track* track = hooks.track;
  if (hooks.optimizers.size() >= 2 && hooks.loaders.size() * 4 >= hooks.optimizers.size() * 3) {
    StepsOfOptimizer(trace, hooks, trace.ts_ns[track->begin]);
    return true;
  }
  std::int64_t track_end = trace.ts_ns[track->begin];
  for (Row row = track->begin; row < track->end; ++row)
    track_end = std::max(track_end, trace.end_ns(row));
  if (hooks.loaders.size() >= 3) {
    StepsOfLoader(trace, hooks, track_end);
    return true;
  }
  if (hooks.optimizers.size() < 2) return false;
  if (std::vector<Row> last = LastOfGroups(trace, hooks.optimizers); !last.empty())
    hooks.optimizers = std::move(last);
  StepsOfOptimizer(trace, hooks, trace.ts_ns[track->begin]);
  return true;
}

void LeaveOutStartUp(RankTrace& trace) {
  if (trace.steps.size() < 3) return;
  std::vector<std::int64_t> others;
  for (std::size_t i = 1; i < trace.steps.size(); ++i)
    others.push_back(trace.steps[i].end_ns - trace.steps[i].begin_ns);
  const std::int64_t usual = MedianOf(others);
  const std::int64_t first = trace.steps[0].end_ns - trace.steps[0].begin_ns;
  if (first - usual > usual / 2) trace.steps[0].complete = 0;
}

std::int64_t EndOfLaunchedWork(const RankTrace& trace, std::int64_t begin, std::int64_t end) {
  std::int64_t last = end;
  for (const RowPair& pair : trace.launch_kernels) {
    const std::int64_t launched = trace.ts_ns[pair.from];
    if (launched >= begin && launched < end) last = std::max(last, trace.end_ns(pair.to));
  }
  return last;
}

const Track* LaunchingTrack(const RankTrace& trace) {
  const Track* launching = nullptr;
  std::pair<std::size_t, std::size_t> most{0, 0};
  std::vector<std::size_t> launches(trace.tracks.size(), 0);
  for (const RowPair& pair : trace.launch_kernels) ++launches[trace.track[pair.from]];
  for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
    const Track& track = trace.tracks[i];
    if (track.domain != Domain::kHost) continue;
    const std::pair<std::size_t, std::size_t> size{launches[i], track.end - track.begin};
    if (size > most) {
      most = size;
      launching = &track;
    }
  }
  const bool has_device_work =
      std::any_of(trace.tracks.begin(), trace.tracks.end(), [](const Track& track) {
        return track.domain == Domain::kDevice && track.end > track.begin;
      });
  return has_device_work && most.first == 0 ? nullptr : launching;
}

}  // namespace rankscope
