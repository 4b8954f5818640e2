#include "trace/graph_captures.h"

#include <algorithm>

#include "trace/device_api.h"

namespace rankscope {
namespace {

enum class CaptureRole : std::uint8_t { kNone, kBegin, kEnd, kLaunch };

CaptureRole CaptureRoleOf(std::string_view call) {
  if (call.find("StreamBeginCapture") != std::string_view::npos) return CaptureRole::kBegin;
  if (call.find("StreamEndCapture") != std::string_view::npos) return CaptureRole::kEnd;
  return IsLaunchCall(call) && !IsGraphLaunchCall(call) ? CaptureRole::kLaunch : CaptureRole::kNone;
}

}  // namespace

std::vector<GraphCapture> FindGraphCaptures(const RankTrace& trace) {
  std::vector<CaptureRole> roles(trace.strings.size());
  bool any = false;
  for (StringId id = 0; id < roles.size(); ++id) {
    roles[id] = CaptureRoleOf(trace.strings.Get(id));
    any |= roles[id] == CaptureRole::kBegin;
  }
  if (!any) return {};

  std::vector<Row> calls;
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (trace.kind[row] != EventKind::kRuntime || trace.track_of(row).domain != Domain::kHost)
      continue;
    const CaptureRole role = roles[trace.name[row]];
    const bool counts =
        role == CaptureRole::kLaunch ? trace.link[row] == kNoRow : role != CaptureRole::kNone;
    if (counts) calls.push_back(row);
  }
  std::stable_sort(calls.begin(), calls.end(),
                   [&](Row a, Row b) { return trace.ts_ns[a] < trace.ts_ns[b]; });

  constexpr std::size_t kNone = SIZE_MAX;
  std::vector<GraphCapture> captures;
  std::vector<std::size_t> open_of(trace.tracks.size(), kNone);
  std::vector<std::size_t> open;  // some have ended since
  for (const Row row : calls) {
    std::size_t& own = open_of[trace.track[row]];
    switch (roles[trace.name[row]]) {
      case CaptureRole::kBegin:
        own = captures.size();
        open.push_back(own);
        captures.push_back({.begin = row});
        break;
      case CaptureRole::kEnd:
        if (own != kNone) captures[own].end = row;
        own = kNone;
        break;
      default: {
        while (!open.empty() && captures[open.back()].end != kNoRow) open.pop_back();
        if (own != kNone) {
          captures[own].nodes.push_back(row);
        } else if (!open.empty()) {
          captures[open.back()].nodes.push_back(row);
        }
      }
    }
  }
  std::erase_if(captures, [](const GraphCapture& capture) { return capture.end == kNoRow; });
  return captures;
}

}  // namespace rankscope
