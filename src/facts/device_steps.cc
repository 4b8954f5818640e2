#include "facts/device_steps.h"

#include <algorithm>
#include <optional>

#include "base/median.h"
#include "base/saturating.h"
#include "facts/device_time.h"
#include "trace/device_api.h"
#include "trace/launch_time.h"

namespace rankscope {
namespace {

// Steps do about as much as each other.
bool IsAboutAll(std::size_t count, std::size_t most) {
  constexpr double kAboutAll = 0.98;
  return static_cast<double>(count) >= kAboutAll * static_cast<double>(most);
}

// Whether a file that ends too early has all ops of its last step, as far as others tell how many
// these are. In a file in order of time they are what is missing.
bool HasOpsOfLastStep(const RankTrace& trace) {
  std::vector<std::size_t> ops(trace.steps.size() + 1, 0);
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (trace.kind[row] != EventKind::kCpuOp) continue;
    const std::int32_t step = StepOfCall(trace, trace.ts_ns[row]);
    if (step >= 0) ++ops[static_cast<std::size_t>(step)];
  }
  ops.pop_back();
  return !ops.empty() && IsAboutAll(ops.back(), *std::max_element(ops.begin(), ops.end()));
}

bool EndsTooEarly(const RankTrace& trace) {
  return std::ranges::any_of(trace.meta.quality, [](const QualityEntry& entry) {
    return entry.code == QualityCode::kTruncated || entry.code == QualityCode::kCorruptGzip ||
           entry.code == QualityCode::kInflateLimit;
  });
}

bool IsLinked(const RankTrace& trace, Row row) { return trace.link[row] != kNoRow; }

std::vector<std::int32_t> StepsOfWork(const RankTrace& trace, const std::vector<Row>& work) {
  std::vector<std::int32_t> steps;
  steps.reserve(work.size());
  std::vector<std::optional<std::int32_t>> of_stream(trace.tracks.size());
  std::int32_t of_device = DeviceSteps::kBefore;
  for (const Row row : work) {
    std::optional<std::int32_t>& before = of_stream[trace.track[row]];
    if (IsLinked(trace, row)) {
      of_device = StepOfCall(trace, trace.ts_ns[trace.link[row]]);
      before = of_device;
    }
    steps.push_back(before.value_or(of_device));
  }
  return steps;
}

// What decides C: kernels, or all work where there are none.
std::vector<bool> Deciding(const RankTrace& trace, const std::vector<Row>& work) {
  std::vector<bool> decides;
  decides.reserve(work.size());
  for (const Row row : work) decides.push_back(trace.kind[row] == EventKind::kKernel);
  if (std::find(decides.begin(), decides.end(), true) == decides.end())
    decides.assign(work.size(), true);
  return decides;
}

// The stream that goes through the steps: of most of what decides, then of longest work.
std::uint32_t MainStream(const RankTrace& trace, const std::vector<Row>& work,
                         const std::vector<bool>& decides) {
  struct Share {
    std::size_t count = 0;
    std::int64_t time_ns = 0;
    auto operator<=>(const Share&) const = default;
  };
  std::vector<Share> shares(trace.tracks.size());
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (!decides[i]) continue;
    Share& share = shares[trace.track[work[i]]];
    ++share.count;
    share.time_ns = SaturatingAdd(share.time_ns, trace.dur_ns[work[i]]);
  }
  return static_cast<std::uint32_t>(std::max_element(shares.begin(), shares.end()) -
                                    shares.begin());
}

class StepCutter {
 public:
  StepCutter(const RankTrace& trace, const std::vector<Row>& work, const MissingWork& missing)
      : trace_(trace), work_(work), missing_(missing) {}

  DeviceSteps Cut() {
    result_.steps.resize(trace_.steps.size());
    if (std::none_of(work_.begin(), work_.end(), [&](Row row) { return IsLinked(trace_, row); })) {
      FollowHost();
      return std::move(result_);
    }
    result_.step_of_work = StepsOfWork(trace_, work_);
    if (trace_.steps.empty()) return std::move(result_);
    FindEnds();
    CutWindows();
    JudgeFirst();
    JudgeLast();
    if (missing_.ends_among_device_rows) JudgeByWork();
    return std::move(result_);
  }

 private:
  void FollowHost() {
    result_.follows_host = true;
    for (std::size_t i = 0; i < trace_.steps.size(); ++i) {
      const Step& step = trace_.steps[i];
      result_.steps[i] = {{step.begin_ns, step.end_ns},
                          step.complete != 0 && !missing_.ends_among_device_rows};
    }
    for (const Row row : work_)
      result_.step_of_work.push_back(StepOfCall(trace_, trace_.ts_ns[row]));
  }

  // Latest end of what was launched in each step, of what came before the first in ends_[0].
  void FindEnds() {
    const std::size_t steps = trace_.steps.size();
    const std::vector<bool> decides = Deciding(trace_, work_);
    const std::uint32_t main = MainStream(trace_, work_, decides);
    // First begin of what was launched in step i or later on that stream, by i.
    std::vector<std::int64_t> first(steps + 2, INT64_MAX);
    for (std::size_t i = 0; i < work_.size(); ++i) {
      const std::int32_t step = result_.step_of_work[i];
      if (!decides[i] || step < 0 || trace_.track[work_[i]] != main) continue;
      std::int64_t& begin = first[static_cast<std::size_t>(step)];
      begin = std::min(begin, trace_.ts_ns[work_[i]]);
    }
    for (std::size_t i = steps; i-- > 0;) first[i] = std::min(first[i], first[i + 1]);
    ends_.assign(steps + 1, INT64_MIN);
    has_work_.assign(steps, false);
    for (std::size_t i = 0; i < work_.size(); ++i) {
      const std::int32_t step = result_.step_of_work[i];
      if (!decides[i] || step >= static_cast<std::int32_t>(steps)) continue;
      if (step >= 0) has_work_[static_cast<std::size_t>(step)] = true;
      const std::int64_t end = trace_.end_ns(work_[i]);
      const std::size_t after_next = static_cast<std::size_t>(step + 2);
      if (after_next < first.size() && end > first[after_next]) {
        ++result_.overrunning;
        continue;
      }
      std::int64_t& latest = ends_[static_cast<std::size_t>(step + 1)];
      latest = std::max(latest, end);
    }
  }

  void CutWindows() {
    std::int64_t at = std::max(trace_.steps[0].begin_ns, ends_[0]);
    const IntervalSet hidden = NotObserved(trace_, work_, missing_);
    starts_unseen_ = !hidden.empty() && hidden.front().begin < trace_.ts_ns[work_.front()] &&
                     trace_.ts_ns[work_.front()] >= at;
    if (starts_unseen_) at = trace_.ts_ns[work_.front()];
    for (std::size_t i = 0; i < trace_.steps.size(); ++i) {
      const std::int64_t end = std::max(at, ends_[i + 1]);
      result_.steps[i].window = {at, has_work_[i] ? end : at};
      result_.steps[i].complete = has_work_[i] && end > at && trace_.steps[i].complete != 0;
      if (has_work_[i]) at = end;
    }
  }

  bool HasWindow(std::size_t i) const {
    return result_.steps[i].window.end > result_.steps[i].window.begin;
  }

  void JudgeFirst() {
    std::size_t first = 0;
    while (first < result_.steps.size() && !HasWindow(first)) ++first;
    if (first == result_.steps.size()) return;
    const bool others = std::any_of(result_.steps.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                                    result_.steps.end(),
                                    [](const DeviceSteps::Span& step) { return step.complete; });
    if (others && (starts_unseen_ || BeginsOutOfLine(first))) result_.steps[first].complete = false;
  }

  // Later steps begin where the device finished the one before, the first maybe at its mark.
  bool BeginsOutOfLine(std::size_t first) const {
    const auto lag = [&](std::size_t i) {
      return SaturatingSubtract(result_.steps[i].window.begin, trace_.steps[i].begin_ns);
    };
    std::vector<std::int64_t> lengths;
    std::int64_t nearest = INT64_MAX;
    for (std::size_t i = first + 1; i < result_.steps.size(); ++i) {
      if (!HasWindow(i)) continue;
      const Interval window = result_.steps[i].window;
      lengths.push_back(SaturatingSubtract(window.end, window.begin));
      if (!result_.steps[i].complete) continue;
      const auto [less, more] = std::minmax({lag(first), lag(i)});
      nearest = std::min(nearest, SaturatingSubtract(more, less));
    }
    return static_cast<double>(nearest) > kMostLagChange * static_cast<double>(MedianOf(lengths));
  }

  void JudgeLast() {
    const std::size_t last = trace_.steps.size() - 1;
    const std::size_t usual =
        last == 0 ? 0
                  : *std::max_element(missing_.of_step.begin(),
                                      missing_.of_step.begin() + static_cast<std::ptrdiff_t>(last));
    if (missing_.trailing_in_last > 0 && missing_.of_step[last] > usual)
      result_.steps[last].complete = false;
  }

  // A step has all of its work where it has about the most, and another step has, too. What lies
  // behind one that has not begins where nobody knows.
  void JudgeByWork() {
    std::vector<std::size_t> counts(trace_.steps.size(), 0);
    for (const std::int32_t step : result_.step_of_work) {
      if (step >= 0 && static_cast<std::size_t>(step) < counts.size())
        ++counts[static_cast<std::size_t>(step)];
    }
    const std::size_t most = *std::max_element(counts.begin(), counts.end());
    const auto is_whole = [&](std::size_t count) { return IsAboutAll(count, most); };
    const bool agree = std::count_if(counts.begin(), counts.end(), is_whole) > 1;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (!agree || !is_whole(counts[i]) || (i > 0 && !is_whole(counts[i - 1])))
        result_.steps[i].complete = false;
    }
  }

  const RankTrace& trace_;
  const std::vector<Row>& work_;
  const MissingWork& missing_;
  DeviceSteps result_;
  std::vector<std::int64_t> ends_;
  std::vector<bool> has_work_;
  bool starts_unseen_ = false;
};

}  // namespace

std::int64_t EndOfHostStep(const RankTrace& trace, std::size_t step) {
  const Step& of = trace.steps[step];
  const bool is_last = step + 1 == trace.steps.size();
  if (!is_last || of.mark == kNoRow || trace.dur_ns[of.mark] <= 0 || of.inferred != 0)
    return of.end_ns;
  return trace.end_ns(of.mark);
}

std::int32_t StepOfCall(const RankTrace& trace, std::int64_t t) {
  const auto next = std::partition_point(trace.steps.begin(), trace.steps.end(),
                                         [t](const Step& step) { return step.end_ns <= t; });
  const auto index = static_cast<std::int32_t>(next - trace.steps.begin());
  // Between two steps a call belongs to the earlier one.
  return next != trace.steps.end() && t < next->begin_ns ? index - 1 : index;
}

DeviceSteps StepsOfRank(const RankTrace& trace, std::span<const DeviceTime> devices) {
  DeviceSteps rank;
  rank.steps.resize(trace.steps.size());
  std::vector<const DeviceSteps*> cut;
  for (const DeviceTime& device : devices) {
    rank.overrunning += device.steps.overrunning;
    if (!device.steps.follows_host) cut.push_back(&device.steps);
  }
  rank.follows_host = cut.empty();
  bool has_begun = false;
  std::int64_t at = trace.steps.empty() ? 0 : trace.steps[0].begin_ns;
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const Step& host = trace.steps[i];
    DeviceSteps::Span& step = rank.steps[i];
    if (rank.follows_host) {
      step = {{host.begin_ns, host.end_ns}, host.complete != 0};
      continue;
    }
    bool any = false;
    bool complete = true;
    std::int64_t begin = INT64_MIN;
    std::int64_t end = INT64_MIN;
    for (const DeviceSteps* device : cut) {
      const DeviceSteps::Span& of_device = device->steps[i];
      if (of_device.window.end <= of_device.window.begin) continue;
      any = true;
      complete &= of_device.complete;
      begin = std::max(begin, of_device.window.begin);
      end = std::max(end, of_device.window.end);
    }
    // At the first mark or behind it, where work of before it ended.
    if (any && !has_begun) at = begin;
    has_begun |= any;
    step.window = {at, any ? std::max(at, end) : at};
    step.complete = complete && step.window.end > at;
    at = step.window.end;
  }
  return rank;
}

MissingWork FindMissingWork(const RankTrace& trace) {
  MissingWork missing;
  missing.of_step.assign(trace.steps.size() + 1, 0);
  std::int64_t last_linked = INT64_MIN;
  for (const RowPair& pair : trace.launch_kernels)
    last_linked = std::max(last_linked, trace.ts_ns[pair.from]);
  enum : std::uint8_t { kUnknown, kLaunch, kOther };
  std::vector<std::uint8_t> kinds(trace.strings.size(), kUnknown);
  const auto last_step = static_cast<std::int32_t>(trace.steps.size()) - 1;
  std::size_t launches = 0;
  std::size_t without_work = 0;  // but for those at the end
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kHost) continue;
    for (Row row = track.begin; row < track.end; ++row) {
      if (trace.kind[row] != EventKind::kRuntime) continue;
      std::uint8_t& kind = kinds[trace.name[row]];
      if (kind == kUnknown) kind = IsLaunchCall(trace.name_of(row)) ? kLaunch : kOther;
      if (kind != kLaunch) continue;
      ++launches;
      if (trace.link[row] != kNoRow) continue;
      const std::int64_t at = trace.ts_ns[row];
      missing.calls.push_back(at);
      if (at > last_linked) {
        missing.trailing_since = std::min(missing.trailing_since.value_or(at), at);
      } else {
        ++without_work;
      }
      const std::int32_t step = StepOfCall(trace, at);
      if (step == DeviceSteps::kBefore) continue;
      ++missing.of_step[static_cast<std::size_t>(step)];
      missing.trailing_in_last += step == last_step && at > last_linked;
    }
  }
  std::sort(missing.calls.begin(), missing.calls.end());
  if (static_cast<double>(without_work) > kMostMissing * static_cast<double>(launches))
    missing.trailing_since.reset();
  missing.ends_among_device_rows = EndsTooEarly(trace) && HasOpsOfLastStep(trace);
  return missing;
}

DeviceSteps StepsOfDevice(const RankTrace& trace, const std::vector<Row>& work,
                          const MissingWork& missing) {
  return StepCutter(trace, work, missing).Cut();
}

IntervalSet NotObserved(const RankTrace& trace, const std::vector<Row>& work,
                        const MissingWork& missing) {
  std::int64_t last_end = INT64_MIN;
  bool any_linked = false;
  for (const Row row : work) {
    last_end = std::max(last_end, trace.end_ns(row));
    any_linked |= IsLinked(trace, row);
  }
  const Row first = work.front();
  const std::int64_t begin = trace.ts_ns[first];
  if (!any_linked) return Normalise({{trace.begin_ns, begin}, {last_end, trace.finish_ns}});
  IntervalSet hidden;
  if (IsLinked(trace, first)) {
    if (IsHeldUp(trace, first)) hidden.push_back({HandedOverAt(trace, first), begin});
  } else if (begin > trace.begin_ns) {
    hidden.push_back({trace.begin_ns, begin});
  }
  if (missing.trailing_since) {
    const std::int64_t since = std::max(last_end, *missing.trailing_since);
    if (since < trace.finish_ns) hidden.push_back({since, trace.finish_ns});
  }
  return hidden;
}

}  // namespace rankscope
