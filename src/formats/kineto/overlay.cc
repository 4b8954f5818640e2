#include "formats/kineto/overlay.h"

#include <fmt/core.h>

#include <boost/unordered/unordered_flat_map.hpp>
#include <iterator>

#include "formats/kineto/rewrite.h"
#include "formats/kineto/tokens/writer_text.h"

namespace rankscope::kineto {
namespace {

constexpr std::string_view kProcess = "Critical path";
constexpr int kCauseLine = 0;
constexpr int kPartLine = 1;
constexpr std::size_t kFlushBytes = std::size_t{1} << 16;

using Sink = std::function<Status(std::string_view)>;

std::string Micros(std::int64_t ns) {
  TextBuffer text(32);
  text.Micros(ns);
  return std::string(text.text());
}

// Events, handed on in blocks.
class OverlayText {
 public:
  explicit OverlayText(const Sink& sink) : sink_(sink) {}

  template <typename... Args>
  Status Add(fmt::format_string<Args...> format, Args&&... args) {
    if (!text_.empty()) text_ += ",\n";
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    return text_.size() < kFlushBytes ? OkStatus() : Flush();
  }
  Status Flush() {
    if (text_.empty()) return OkStatus();
    const Status status = sink_(text_);
    text_.clear();
    return status;
  }

 private:
  const Sink& sink_;
  std::string text_;
};

Status WriteNames(std::int64_t ts_ns, OverlayText& events) {
  const std::string ts = Micros(ts_ns);
  RS_RETURN_IF_ERROR(events.Add(
      R"({{"ph": "M", "name": "process_name", "pid": "{}", "tid": 0, "ts": {}, "args": {{"name": "{}"}}}})",
      kProcess, ts, kProcess));
  RS_RETURN_IF_ERROR(events.Add(
      R"({{"ph": "M", "name": "process_sort_index", "pid": "{}", "tid": 0, "ts": {}, "args": {{"sort_index": -1}}}})",
      kProcess, ts));
  for (const auto& [line, name] : {std::pair(kCauseLine, "cause"), std::pair(kPartLine, "what")}) {
    RS_RETURN_IF_ERROR(events.Add(
        R"({{"ph": "M", "name": "thread_name", "pid": "{}", "tid": {}, "ts": {}, "args": {{"name": "{}"}}}})",
        kProcess, line, ts, name));
  }
  return OkStatus();
}

Status WriteSlice(int line, std::string_view name, std::int64_t begin, std::int64_t end,
                  std::string_view args, OverlayText& events) {
  return events.Add(
      R"({{"ph": "X", "cat": "critical_path", "name": "{}", "pid": "{}", "tid": {}, "ts": {}, "dur": {}, "args": {{{}}}}})",
      Escaped(name), kProcess, line, Micros(begin), Micros(end - begin), args);
}

Status WriteLines(const RankTrace& trace, const Overlay& overlay, OverlayText& events) {
  for (std::size_t i = 0; i < overlay.parts.size();) {
    std::size_t next = i + 1;
    while (next < overlay.parts.size() && overlay.parts[next].cause == overlay.parts[i].cause)
      ++next;
    RS_RETURN_IF_ERROR(WriteSlice(kCauseLine, overlay.parts[i].cause, overlay.parts[i].begin_ns,
                                  overlay.parts[next - 1].end_ns, "", events));
    i = next;
  }
  for (const OverlayPart& part : overlay.parts) {
    std::string args = fmt::format(R"("cause": "{}")", part.cause);
    if (part.row != kNoRow) args += fmt::format(R"(, "event": {})", trace.source[part.row]);
    RS_RETURN_IF_ERROR(WriteSlice(kPartLine, part.name.empty() ? part.cause : part.name,
                                  part.begin_ns, part.end_ns, args, events));
  }
  return OkStatus();
}

// The process and thread of an event as the file writes them, by the event's index.
using Places = boost::unordered_flat_map<std::uint32_t, std::pair<std::string, std::string>>;

Places PlacesOfArrows(const RankTrace& trace, const Overlay& overlay) {
  Places places;
  for (const OverlayArrow& arrow : overlay.arrows) {
    places[trace.source[arrow.from_row]];
    places[trace.source[arrow.to_row]];
  }
  return places;
}

Status WriteArrows(const RankTrace& trace, const Overlay& overlay, const Places& places,
                   OverlayText& events) {
  std::size_t id = 0;
  for (const OverlayArrow& arrow : overlay.arrows) {
    ++id;
    const auto& [from_pid, from_tid] = places.at(trace.source[arrow.from_row]);
    const auto& [to_pid, to_tid] = places.at(trace.source[arrow.to_row]);
    if (from_pid.empty() || from_tid.empty() || to_pid.empty() || to_tid.empty()) continue;
    RS_RETURN_IF_ERROR(events.Add(
        R"({{"ph": "s", "id": "critical {}", "cat": "critical_path", "name": "{}", "pid": {}, "tid": {}, "ts": {}}})",
        id, arrow.name, from_pid, from_tid, Micros(arrow.from_ns)));
    RS_RETURN_IF_ERROR(events.Add(
        R"({{"ph": "f", "bp": "e", "id": "critical {}", "cat": "critical_path", "name": "{}", "pid": {}, "tid": {}, "ts": {}}})",
        id, arrow.name, to_pid, to_tid, Micros(arrow.to_ns)));
  }
  return OkStatus();
}

// Of an overlay from before.
bool IsOfOverlay(std::string_view text) {
  if (text.find("ritical") == std::string_view::npos) return false;
  return MemberOf(text, "cat") == R"("critical_path")" ||
         MemberOf(text, "pid") == R"("Critical path")";
}

}  // namespace

Status WriteOverlay(const RankTrace& trace, const Overlay& overlay, const std::string& to) {
  std::vector<bool> is_marked;  // by event; those behind its end are not
  for (const OverlayPart& part : overlay.parts) {
    if (part.row == kNoRow) continue;
    const std::size_t event = trace.source[part.row];
    if (event >= is_marked.size()) is_marked.resize(event + 1, false);
    is_marked[event] = true;
  }
  Places places = PlacesOfArrows(trace, overlay);
  TraceEdit edit;
  edit.keeps = [&](std::uint32_t event, std::string_view text) {
    if (IsOfOverlay(text)) return false;
    if (!overlay.only_path || (event < is_marked.size() && is_marked[event])) return true;
    const std::string_view phase = MemberOf(text, "ph");
    return phase == R"("M")" || phase == R"("B")" || phase == R"("E")" || places.contains(event);
  };
  edit.args = [&](std::uint32_t event, std::string_view text) -> std::string_view {
    if (const auto place = places.find(event); place != places.end())
      place->second = {std::string(MemberOf(text, "pid")), std::string(MemberOf(text, "tid"))};
    const bool marks = event < is_marked.size() && is_marked[event] &&
                       text.find("\"critical\"") == std::string_view::npos;
    return marks ? R"("critical": 1)" : "";
  };
  edit.append = [&](const Sink& sink) {
    OverlayText events(sink);
    RS_RETURN_IF_ERROR(WriteNames(trace.begin_ns, events));
    RS_RETURN_IF_ERROR(WriteLines(trace, overlay, events));
    RS_RETURN_IF_ERROR(WriteArrows(trace, overlay, places, events));
    return events.Flush();
  };
  return RewriteTrace(trace.meta.path, to, edit);
}

}  // namespace rankscope::kineto
