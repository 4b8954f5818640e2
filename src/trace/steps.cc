#include "trace/steps.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/rising_numbers.h"
#include "trace/step_marks.h"
#include "trace/step_period.h"

namespace rankscope {
namespace {

// Rows of instants of this name on a track, in time order.
std::vector<Row> InstantsOf(const RankTrace& trace, const Track& track, StringId name) {
  std::vector<Row> rows;
  for (Row row = track.begin; row < track.end; ++row) {
    if (trace.name[row] == name && trace.kind[row] == EventKind::kInstant) rows.push_back(row);
  }
  return rows;
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
    step.source = StepSource::kIteration;
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

void FillSteps(RankTrace& trace, std::span<const StatedStep> stated) {
  const std::vector<StepMark> profiler = ProfilerMarks(trace);
  if (!stated.empty() && (profiler.empty() || trace.launch_kernels.empty()))
    return StepsFromStated(trace, stated);
  if (profiler.size() >= 2) return StepsFromMarks(trace, profiler, StepSource::kProfiler);
  const std::vector<StepMark> engine = EngineMarks(trace);
  if (engine.size() >= 2 || (profiler.empty() && !engine.empty()))
    return StepsFromMarks(trace, engine, StepSource::kEngine);
  if (!profiler.empty()) return StepsFromMarks(trace, profiler, StepSource::kProfiler);
  const std::vector<StepMark> numbered = NumberedMarks(trace);
  if (numbered.size() >= 2) {
    StepsFromMarks(trace, numbered, StepSource::kAnnotation);
    return LeaveOutStartUp(trace);
  }
  if (StepsFromHooks(trace)) return LeaveOutStartUp(trace);
  if (!IterationsFromInstants(trace)) StepsFromPeriod(trace);
}

}  // namespace

void FindSteps(RankTrace& trace, std::span<const StatedStep> stated, QualityLog& quality) {
  FillSteps(trace, stated);
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
