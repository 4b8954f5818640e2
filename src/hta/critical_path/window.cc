#include "hta/critical_path/window.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <limits>

#include "hta/intervals.h"

namespace rankscope::hta {
namespace {

std::optional<Span> SpanOfAll(const Frame& frame) {
  if (frame.events.empty()) return std::nullopt;
  const auto first = std::min_element(frame.events.begin(), frame.events.end(),
                                      [](const Event& a, const Event& b) { return a.ts < b.ts; });
  return Span{first->ts, std::numeric_limits<std::int64_t>::max()};
}

std::optional<Span> SpanOfInstances(const Frame& frame, std::string_view annotation,
                                    InstanceRange instances) {
  const NameSet names = NameSet::Holding(frame.trace->strings, annotation);
  std::optional<Span> span;
  std::int64_t instance = -1;
  for (const Event& event : frame.events) {
    if (!names.Contains(frame.trace->name[event.row])) continue;
    ++instance;
    if (instance < instances.first || instance > instances.last) continue;
    if (!span) span = Span{event.ts, event.end()};
    span->begin = std::min(span->begin, event.ts);
    span->end = std::max(span->end, event.end());
  }
  return span;
}

}  // namespace

std::optional<std::uint32_t> Window::Find(std::int64_t index) const {
  const auto found = std::lower_bound(
      events.begin(), events.end(), index,
      [&](const Event& event, std::int64_t wanted) { return frame->IndexOf(event) < wanted; });
  if (found == events.end() || frame->IndexOf(*found) != index) return std::nullopt;
  return static_cast<std::uint32_t>(found - events.begin());
}

std::optional<Window> ClipFrame(const Frame& frame, std::string_view annotation,
                                InstanceRange instances) {
  const std::optional<Span> span =
      annotation.empty() ? SpanOfAll(frame) : SpanOfInstances(frame, annotation, instances);
  if (!span) return std::nullopt;

  Window window{&frame, {}};
  boost::unordered_flat_set<std::int64_t> launched;  // indices in the file
  for (const Event& event : frame.events) {
    if (event.on_stream() || event.dur <= 0) continue;
    if (event.ts < span->begin || event.ts > span->end) continue;
    window.events.push_back(event);
    launched.insert(event.partner);
  }
  for (const Event& event : frame.events) {
    if (!event.on_stream()) continue;
    if (launched.contains(frame.IndexOf(event)) || frame.NameOf(event) == "Stream Wait Event")
      window.events.push_back(event);
  }
  const auto index_of = [&](const Event& event) { return frame.IndexOf(event); };
  std::sort(window.events.begin(), window.events.end(),
            [&](const Event& a, const Event& b) { return index_of(a) < index_of(b); });
  const auto last =
      std::unique(window.events.begin(), window.events.end(),
                  [&](const Event& a, const Event& b) { return index_of(a) == index_of(b); });
  window.events.erase(last, window.events.end());
  return window;
}

}  // namespace rankscope::hta
