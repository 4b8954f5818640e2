#include "trace/steps.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <charconv>
#include <map>
#include <vector>

#include "base/median.h"
#include "base/saturating.h"

namespace rankscope {
namespace {

constexpr std::int64_t kNoNumber = INT64_MIN;

struct Mark {
  std::int64_t number = 0;
  Row row = kNoRow;
};

// Whether `mark`, the next one of the track, says the same as the one before: it begins with it, or
// has its number and begins inside of it, or nobody knows where that one ends.
bool IsSameMark(const RankTrace& trace, const Mark& before, const Mark& mark) {
  const std::int64_t begin = trace.ts_ns[mark.row];
  if (begin == trace.ts_ns[before.row]) return true;
  if (mark.number != before.number) return false;
  return trace.dur_ns[before.row] == kNoDuration || begin < trace.end_ns(before.row);
}

// The marks of the track that has most of them, in time order.
std::vector<Mark> FindMarks(const RankTrace& trace) {
  boost::unordered_flat_map<StringId, std::int64_t> numbers;
  for (StringId id = 0; id < trace.strings.size(); ++id) {
    if (const auto number = ProfilerStepNumber(trace.strings.Get(id))) numbers.emplace(id, *number);
  }
  std::vector<Mark> best;
  if (numbers.empty()) return best;
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kHost) continue;
    std::vector<Mark> marks;
    for (Row row = track.begin; row < track.end; ++row) {
      if (trace.kind[row] != EventKind::kUserAnnotation && trace.kind[row] != EventKind::kCpuOp)
        continue;
      const auto found = numbers.find(trace.name[row]);
      if (found == numbers.end()) continue;
      if (!marks.empty() && IsSameMark(trace, marks.back(), {found->second, row})) continue;
      marks.push_back({found->second, row});
    }
    if (marks.size() > best.size()) best = std::move(marks);
  }
  return best;
}

// End of the last device work launched by calls that begin inside [begin, end), at least `end`.
std::int64_t EndOfLaunchedWork(const RankTrace& trace, std::int64_t begin, std::int64_t end) {
  std::int64_t last = end;
  for (const RowPair& pair : trace.launch_kernels) {
    const std::int64_t launched = trace.ts_ns[pair.from];
    if (launched >= begin && launched < end) last = std::max(last, trace.end_ns(pair.to));
  }
  return last;
}

// Where the last step ends: with its mark and the work launched inside it; without an end of the
// mark, with the recording.
std::int64_t EndOfLastStep(const RankTrace& trace, Row mark) {
  const std::int64_t begin = trace.ts_ns[mark];
  if (trace.dur_ns[mark] == kNoDuration) return std::max(begin, trace.finish_ns);
  return EndOfLaunchedWork(trace, begin, trace.end_ns(mark));
}

void StepsFromMarks(RankTrace& trace, const std::vector<Mark>& marks) {
  for (std::size_t i = 0; i < marks.size(); ++i) {
    Step step;
    step.number = marks[i].number;
    step.mark = marks[i].row;
    step.begin_ns = trace.ts_ns[step.mark];
    step.end_ns =
        i + 1 < marks.size() ? trace.ts_ns[marks[i + 1].row] : EndOfLastStep(trace, step.mark);
    trace.steps.push_back(step);
  }
  // The first and the last may be cut off by the recording: then they are shorter than half of what
  // is usual between them. That is the lower quartile, since in some jobs most steps stall.
  std::vector<std::int64_t> between;
  for (std::size_t i = 1; i + 1 < marks.size(); ++i) {
    if (trace.dur_ns[marks[i].row] > 0) between.push_back(trace.dur_ns[marks[i].row]);
  }
  std::sort(between.begin(), between.end());
  const std::size_t last = marks.size() - 1;
  for (const std::size_t i : {std::size_t{0}, last}) {
    const std::int64_t usual =
        between.empty() ? trace.dur_ns[marks[last - i].row] : between[between.size() / 4];
    const std::int64_t duration = trace.dur_ns[marks[i].row];
    trace.steps[i].complete = duration > 0 && duration >= usual / 2;
  }
}

bool HasDeviceWork(const RankTrace& trace) {
  return std::any_of(trace.tracks.begin(), trace.tracks.end(),
                     [](const Track& track) { return track.domain == Domain::kDevice; });
}

// The host track whose calls launched most device work; without device work, the one with most
// rows. None where there is device work that no recorded call launched.
const Track* MainTrack(const RankTrace& trace) {
  const Track* main = nullptr;
  std::pair<std::size_t, std::size_t> most{0, 0};
  if (trace.launch_kernels.empty() && HasDeviceWork(trace)) return nullptr;
  std::vector<std::size_t> launches(trace.tracks.size(), 0);
  for (const RowPair& pair : trace.launch_kernels) ++launches[trace.track[pair.from]];
  for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
    const Track& track = trace.tracks[i];
    if (track.domain != Domain::kHost) continue;
    const std::pair<std::size_t, std::size_t> size{launches[i], track.end - track.begin};
    if (size > most) {
      most = size;
      main = &track;
    }
  }
  return main;
}

bool IsRegular(const RankTrace& trace, const std::vector<Row>& rows, std::int64_t span) {
  if (rows.size() < 3 || trace.ts_ns[rows.back()] - trace.ts_ns[rows.front()] < span / 2)
    return false;
  std::vector<std::int64_t> gaps;
  for (std::size_t i = 1; i < rows.size(); ++i)
    gaps.push_back(trace.ts_ns[rows[i]] - trace.ts_ns[rows[i - 1]]);
  const std::int64_t median = MedianOf(gaps);
  for (std::int64_t& gap : gaps) gap = std::abs(gap - median);
  return median > 0 && MedianOf(gaps) <= median / 4;
}

void InferSteps(RankTrace& trace) {
  const Track* main = MainTrack(trace);
  if (main == nullptr) return;
  boost::unordered_flat_map<StringId, std::vector<Row>> by_name;
  std::size_t rows = 0;
  std::int64_t end = INT64_MIN;
  for (Row row = main->begin; row < main->end; ++row) {
    if (trace.kind[row] != EventKind::kCpuOp && trace.kind[row] != EventKind::kUserAnnotation)
      continue;
    by_name[trace.name[row]].push_back(row);
    end = std::max(end, trace.end_ns(row));
    ++rows;
  }
  if (rows == 0) return;
  const std::int64_t span = end - trace.ts_ns[main->begin];
  // Names by how often they occur: the rows of all of them, and the earliest that is regular.
  struct Occurring {
    std::size_t rows = 0;
    const std::vector<Row>* first = nullptr;
  };
  std::map<std::size_t, Occurring> by_count;
  for (const auto& [name, name_rows] : by_name) {
    Occurring& occurring = by_count[name_rows.size()];
    occurring.rows += name_rows.size();
    const bool is_earlier =
        occurring.first == nullptr || name_rows.front() < occurring.first->front();
    if (is_earlier && IsRegular(trace, name_rows, span)) occurring.first = &name_rows;
  }
  for (const auto& [count, occurring] : by_count) {
    if (occurring.first == nullptr) continue;
    std::size_t covered = 0;
    for (const auto& [other, others] : by_count) covered += other % count == 0 ? others.rows : 0;
    if (covered * 2 < rows) continue;
    const std::vector<Row>* first = occurring.first;
    for (std::size_t i = 0; i < count; ++i) {
      Step step;
      step.number = static_cast<std::int64_t>(i);
      step.mark = (*first)[i];
      step.begin_ns = trace.ts_ns[step.mark];
      step.inferred = 1;
      step.complete = i + 1 < count;
      step.end_ns = i + 1 < count ? trace.ts_ns[(*first)[i + 1]]
                                  : EndOfLaunchedWork(trace, step.begin_ns, end);
      trace.steps.push_back(step);
    }
    return;
  }
}

// Rows of instants of this name on a track, in time order.
std::vector<Row> InstantsOf(const RankTrace& trace, const Track& track, StringId name) {
  std::vector<Row> rows;
  for (Row row = track.begin; row < track.end; ++row) {
    if (trace.name[row] == name && trace.kind[row] == EventKind::kInstant) rows.push_back(row);
  }
  return rows;
}

// Tables tell steps apart by their numbers.
void NumberOn(RankTrace& trace, QualityLog& quality) {
  RisingNumbers numbers;
  std::int64_t changed = 0;
  for (Step& step : trace.steps) {
    const std::int64_t stated = step.number;
    step.number = numbers.Of(stated);
    changed += step.number != stated ? 1 : 0;
  }
  if (changed == 0) return;
  quality.Add(QualityCode::kOther, -1,
              "steps whose number had been there before are numbered on, so that none is taken for "
              "another: of marks 0, 1, 0, 1 the last two are steps 2 and 3",
              changed);
}

std::optional<StringId> FindString(const RankTrace& trace, std::string_view text) {
  for (StringId id = 0; id < trace.strings.size(); ++id) {
    if (trace.strings.Get(id) == text) return id;
  }
  return std::nullopt;
}

bool IterationsFromInstants(RankTrace& trace) {
  const std::optional<StringId> begin = FindString(trace, "iteration begin");
  const std::optional<StringId> end = FindString(trace, "iteration end");
  if (!begin) return false;
  std::vector<Row> begins;
  std::vector<Row> ends;
  const auto merge = [&](const std::vector<Row>& rows, bool earliest, std::vector<Row>* merged) {
    if (rows.size() > merged->size()) *merged = rows;
    if (rows.size() != merged->size()) return;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool is_earlier = trace.ts_ns[rows[i]] < trace.ts_ns[(*merged)[i]];
      if (is_earlier == earliest) (*merged)[i] = rows[i];
    }
  };
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kHost) continue;
    merge(InstantsOf(trace, track, *begin), true, &begins);
    if (end) merge(InstantsOf(trace, track, *end), false, &ends);
  }
  for (std::size_t i = 0; i < begins.size(); ++i) {
    Step step;
    step.number = static_cast<std::int64_t>(i);
    step.mark = begins[i];
    step.begin_ns = trace.ts_ns[step.mark];
    const bool is_ended = ends.size() == begins.size();
    if (i + 1 < begins.size()) {
      step.end_ns = trace.ts_ns[begins[i + 1]];
    } else {
      step.end_ns = std::max(step.begin_ns, is_ended ? trace.ts_ns[ends[i]] : trace.finish_ns);
      step.complete = is_ended;
    }
    trace.steps.push_back(step);
  }
  return !begins.empty();
}

}  // namespace

std::int64_t RisingNumbers::Of(std::int64_t stated) {
  std::int64_t number = SaturatingAdd(stated, offset_);
  if (last_ && number <= *last_) {
    number = SaturatingAdd(*last_, 1);
    offset_ = SaturatingSubtract(number, stated);
  }
  last_ = number;
  return number;
}

std::optional<std::int64_t> ProfilerStepNumber(std::string_view name) {
  constexpr std::string_view kPrefix = "ProfilerStep";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  const auto skip_spaces = [&] {
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
  };
  skip_spaces();
  if (!name.starts_with('#')) return std::nullopt;
  name.remove_prefix(1);
  skip_spaces();
  std::int64_t number = kNoNumber;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

void FindSteps(RankTrace& trace, std::span<const StatedStep> stated, QualityLog& quality) {
  const std::vector<Mark> marks = FindMarks(trace);
  if (!stated.empty() && (marks.empty() || trace.launch_kernels.empty())) {
    StepsFromStated(trace, stated);
  } else if (!marks.empty()) {
    StepsFromMarks(trace, marks);
  } else if (!IterationsFromInstants(trace)) {
    InferSteps(trace);
  }
  NumberOn(trace, quality);
  // The recording is at least as long as its steps, so that windows partition it.
  for (const Step& step : trace.steps) {
    trace.begin_ns = std::min(trace.begin_ns, step.begin_ns);
    trace.finish_ns = std::max(trace.finish_ns, step.end_ns);
  }
  if (trace.steps.size() <= kMostSteps) return;
  quality.Add(
      QualityCode::kTooLarge, -1,
      "steps beyond the first 100,000 are not told apart: no table has them, and their time "
      "counts as outside of steps",
      static_cast<std::int64_t>(trace.steps.size() - kMostSteps));
  trace.steps.truncate(kMostSteps);
}

}  // namespace rankscope
