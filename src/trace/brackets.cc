#include "trace/brackets.h"

#include <algorithm>
#include <tuple>

namespace rankscope {
namespace {

// An end looks no deeper for a begin of its name.
constexpr std::size_t kMostLooked = 1000;

struct Bracket {
  bool is_track = false;  // the thread is a track
  std::uint64_t thread = 0;
  std::int64_t ts_ns = 0;
  Row row = kNoRow;
};

bool IsSameThread(const Bracket& a, const Bracket& b) {
  return a.is_track == b.is_track && a.thread == b.thread;
}

std::vector<Bracket> BracketsByThread(const RankTrace& trace, const Column<EventPhase>& phase,
                                      std::span<const BracketThread> threads) {
  std::vector<Bracket> brackets;
  auto thread = threads.begin();
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (phase[row] != EventPhase::kBegin && phase[row] != EventPhase::kEnd) continue;
    while (thread != threads.end() && thread->source < trace.source[row]) ++thread;
    const bool is_stated = thread != threads.end() && thread->source == trace.source[row];
    brackets.push_back({.is_track = !is_stated,
                        .thread = is_stated ? thread->thread : trace.track[row],
                        .ts_ns = trace.ts_ns[row],
                        .row = row});
  }
  std::stable_sort(brackets.begin(), brackets.end(), [](const Bracket& a, const Bracket& b) {
    return std::tie(a.is_track, a.thread, a.ts_ns) < std::tie(b.is_track, b.thread, b.ts_ns);
  });
  return brackets;
}

// The open begin that an end of this name closes: an index into `open`, its size for none.
std::size_t BeginOf(const RankTrace& trace, const std::vector<Row>& open, StringId name) {
  if (open.empty()) return 0;
  if (name == kEmptyString) return open.size() - 1;
  const std::size_t looked = std::min(open.size(), kMostLooked);
  for (std::size_t i = 1; i <= looked; ++i) {
    if (trace.name[open[open.size() - i]] == name) return open.size() - i;
  }
  return open.size();
}

}  // namespace

std::vector<bool> MatchBrackets(RankTrace& trace, const Column<EventPhase>& phase,
                                std::span<const BracketThread> threads, QualityLog& quality) {
  std::vector<bool> is_end(trace.row_count());
  const std::vector<Bracket> brackets = BracketsByThread(trace, phase, threads);
  std::vector<Row> open;
  std::int64_t unmatched = 0;
  for (std::size_t i = 0; i < brackets.size(); ++i) {
    if (i > 0 && !IsSameThread(brackets[i - 1], brackets[i])) {
      unmatched += static_cast<std::int64_t>(open.size());
      open.clear();
    }
    const Bracket& bracket = brackets[i];
    if (phase[bracket.row] == EventPhase::kBegin) {
      open.push_back(bracket.row);
      continue;
    }
    is_end[bracket.row] = true;
    const std::size_t begin = BeginOf(trace, open, trace.name[bracket.row]);
    if (begin == open.size()) {
      ++unmatched;
      continue;
    }
    trace.dur_ns[open[begin]] = bracket.ts_ns - trace.ts_ns[open[begin]];
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  unmatched += static_cast<std::int64_t>(open.size());
  if (unmatched > 0) {
    quality.Add(QualityCode::kUnmatchedBegin, -1,
                "begin (B) events without an end (E) or the reverse; their duration is unknown",
                unmatched);
  }
  return is_end;
}

}  // namespace rankscope
