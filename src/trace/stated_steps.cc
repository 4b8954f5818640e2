#include "trace/stated_steps.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/median.h"

namespace rankscope {
namespace {

struct Span {
  std::int64_t number = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// Over devices, in the order of their begins.
std::vector<Span> Unite(std::span<const StatedStep> stated) {
  std::vector<StatedStep> sorted(stated.begin(), stated.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const StatedStep& a, const StatedStep& b) {
    return a.device != b.device ? a.device < b.device : a.begin_ns < b.begin_ns;
  });
  using NumberOfDevice = std::pair<std::int64_t, std::int64_t>;
  std::map<NumberOfDevice, std::int64_t> seen;
  std::map<std::pair<std::int64_t, std::int64_t>, Span> spans;  // by number and how often it was
  for (const StatedStep& step : sorted) {
    const std::int64_t before = seen[{step.number, step.device}]++;
    const auto [place, is_new] = spans.emplace(std::pair(step.number, before),
                                               Span{step.number, step.begin_ns, step.end_ns});
    if (is_new) continue;
    place->second.begin = std::min(place->second.begin, step.begin_ns);
    place->second.end = std::max(place->second.end, step.end_ns);
  }
  std::vector<Span> united;
  for (const auto& [key, span] : spans) united.push_back(span);
  std::sort(united.begin(), united.end(), [](const Span& a, const Span& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.number < b.number;
  });
  std::size_t kept = 0;
  for (const Span& span : united) {
    if (kept > 0 && united[kept - 1].begin == span.begin) {
      united[kept - 1].end = std::max(united[kept - 1].end, span.end);
    } else {
      united[kept++] = span;
    }
  }
  united.resize(kept);
  return united;
}

// Begins of the steps on the host: the first call that launched work of each, if that is earlier.
// Work is of the step that its own device states for its time.
std::vector<std::int64_t> HostBegins(const RankTrace& trace, std::span<const StatedStep> stated,
                                     const std::vector<Span>& spans) {
  std::vector<std::int64_t> begins;
  for (const Span& span : spans) begins.push_back(span.begin);
  const auto span_at = [&](std::int64_t at) {
    const auto next = std::partition_point(spans.begin(), spans.end(),
                                           [at](const Span& span) { return span.begin <= at; });
    return static_cast<std::size_t>(next - spans.begin());
  };
  std::vector<StatedStep> by_device(stated.begin(), stated.end());
  std::stable_sort(by_device.begin(), by_device.end(),
                   [](const StatedStep& a, const StatedStep& b) {
                     return std::pair(a.device, a.begin_ns) < std::pair(b.device, b.begin_ns);
                   });
  for (const RowPair& pair : trace.launch_kernels) {
    const std::int64_t at = trace.ts_ns[pair.to];
    const std::pair<std::int64_t, std::int64_t> when{trace.track_of(pair.to).first, at};
    const auto next = std::partition_point(
        by_device.begin(), by_device.end(),
        [&](const StatedStep& step) { return std::pair(step.device, step.begin_ns) <= when; });
    if (next == by_device.begin()) continue;
    const StatedStep& of = *(next - 1);
    if (of.device != when.first || at >= of.end_ns) continue;
    // The united step of its number that holds its begin.
    std::size_t span = span_at(of.begin_ns);
    while (span > 0 && spans[span - 1].number != of.number && spans[span - 1].end > of.begin_ns)
      --span;
    if (span == 0 || spans[span - 1].number != of.number) continue;
    begins[span - 1] = std::min(begins[span - 1], trace.ts_ns[pair.from]);
  }
  for (std::size_t i = begins.size(); i-- > 1;) begins[i - 1] = std::min(begins[i - 1], begins[i]);
  return begins;
}

bool IsCut(const std::vector<Span>& spans, std::size_t step) {
  std::vector<std::int64_t> between;
  for (std::size_t i = 1; i + 1 < spans.size(); ++i)
    between.push_back(spans[i].end - spans[i].begin);
  std::sort(between.begin(), between.end());
  const Span& other = spans[spans.size() - 1 - step];
  const std::int64_t usual =
      between.empty() ? other.end - other.begin : between[between.size() / 4];
  const std::int64_t duration = spans[step].end - spans[step].begin;
  return duration <= 0 || duration < usual / 2;
}

bool LeavesTimeBetween(const std::vector<Span>& spans) {
  if (spans.size() < 2) return false;
  std::vector<std::int64_t> gaps, periods;
  for (std::size_t i = 1; i < spans.size(); ++i) {
    gaps.push_back(spans[i].begin - spans[i - 1].end);
    periods.push_back(spans[i].begin - spans[i - 1].begin);
  }
  return static_cast<double>(MedianOf(gaps)) >
         kMostUnstated * static_cast<double>(MedianOf(periods));
}

}  // namespace

void StepsFromStated(RankTrace& trace, std::span<const StatedStep> stated) {
  const std::vector<Span> spans = Unite(stated);
  if (spans.empty()) return;
  const std::vector<std::int64_t> begins = HostBegins(trace, stated, spans);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    Step step;
    step.number = spans[i].number;
    step.begin_ns = begins[i];
    step.end_ns = i + 1 < spans.size() ? begins[i + 1] : std::max(begins[i], spans[i].end);
    step.source = StepSource::kDevice;
    trace.steps.push_back(step);
  }
  const std::size_t last = spans.size() - 1;
  for (const std::size_t i : {std::size_t{0}, last}) trace.steps[i].complete = !IsCut(spans, i);
  if (trace.launch_kernels.empty() && LeavesTimeBetween(spans)) trace.steps[last].complete = 0;
}

}  // namespace rankscope
