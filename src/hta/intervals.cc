#include "hta/intervals.h"

#include <algorithm>

namespace rankscope::hta {

std::vector<Span> MergeSpans(std::vector<Span> spans) {
  std::stable_sort(spans.begin(), spans.end(),
                   [](const Span& a, const Span& b) { return a.begin < b.begin; });
  std::vector<Span> merged;
  std::int64_t last_end = 0;
  for (const Span& span : spans) {
    if (merged.empty() || span.begin > last_end) {
      last_end = merged.empty() ? span.end : std::max(last_end, span.end);
      merged.push_back(span);
    } else {
      last_end = std::max(last_end, span.end);
      merged.back().end = std::max(merged.back().end, span.end);
    }
  }
  return merged;
}

std::int64_t TotalOf(const std::vector<Span>& spans) {
  std::int64_t total = 0;
  for (const Span& span : spans) total += span.end - span.begin;
  return total;
}

void AppendChanges(const std::vector<Span>& spans, std::int64_t weight, std::vector<Change>& to) {
  to.reserve(to.size() + 2 * spans.size());
  for (const Span& span : spans) to.push_back({span.begin, weight});
  for (const Span& span : spans) to.push_back({span.end, -weight});
}

void SortChanges(std::vector<Change>& changes) {
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.time < b.time; });
}

}  // namespace rankscope::hta
