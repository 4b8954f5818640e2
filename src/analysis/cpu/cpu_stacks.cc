#include "analysis/cpu/analyses.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/saturating.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "schemas/rank_rows.h"
#include "stage/reduce.h"
#include "statistics/statistics.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

struct CpuStacks : Schema<CpuStacks, RankRows> {
  static constexpr std::string_view kName = "cpu_stacks";

  StringColumn thread =
      Text("thread", "cpu NUMBER NAME (python) or (native): the lane of its samples");
  StringColumn stack = Text(
      "stack", "functions, outermost first, with ; between; (others): beyond the option stacks");
  StringColumn frame = Text("frame", "the last of them");
  IntColumn self_ns =
      Int("self_ns", "ns",
          "time in the last function itself: samples that were in it, a period of sampling each");
  RealColumn share_pct =
      Real("share_pct", "%", "self_ns as a part of what was sampled of the thread");
};

// The stacks of a track and the time of each. Rows of a lane nest as calls do.
std::map<std::string, std::int64_t> TimeByStack(const RankTrace& trace, const Track& track,
                                                const Windows& windows, bool is_filtered) {
  struct Open {
    Row row = kNoRow;
    std::string stack;
    std::int64_t self_ns = 0;
  };
  // What is deeper counts with the frame around it.
  constexpr std::size_t kMostFrames = 256;
  std::map<std::string, std::int64_t> times;
  std::vector<Open> open;
  const auto close = [&] {
    const Open& last = open.back();
    if (last.self_ns > 0) AddSaturating(times[last.stack], last.self_ns);
    open.pop_back();
  };
  for (Row row = track.begin; row < track.end; ++row) {
    if (trace.kind[row] != EventKind::kCpuSample || trace.dur_ns[row] <= 0) continue;
    if (is_filtered && windows.At(trace.ts_ns[row]) == Windows::kNone) continue;
    while (!open.empty() && trace.end_ns(open.back().row) <= trace.ts_ns[row]) close();
    if (open.size() >= kMostFrames) continue;
    std::string stack = open.empty() ? "" : open.back().stack + ";";
    stack += trace.name_of(row);
    if (!open.empty()) open.back().self_ns -= trace.dur_ns[row];
    open.push_back({row, std::move(stack), trace.dur_ns[row]});
  }
  while (!open.empty()) close();
  return times;
}

std::vector<Table> MapCpuStacks(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  const auto& columns = SchemaOf<CpuStacks>();
  auto table = columns.NewPartial(std::string(CpuStacks::kName));
  const Windows windows = Windows::OfHost(facts, options.steps);
  const auto most = static_cast<std::size_t>(CountOption(options.values, "stacks"));
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kOther) continue;
    const std::map<std::string, std::int64_t> times =
        TimeByStack(trace, track, windows, options.steps.has_value());
    std::vector<std::pair<std::string, std::int64_t>> order(times.begin(), times.end());
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [](const auto& one) { return one.second; });
    std::int64_t all_ns = 0, others_ns = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      AddSaturating(all_ns, order[i].second);
      if (i >= most) AddSaturating(others_ns, order[i].second);
    }
    const auto add = [&](std::string_view stack, std::int64_t self_ns) {
      const std::size_t last = stack.rfind(';');
      table.Add({columns.thread = trace.strings.Get(track.name), columns.stack = stack,
                 columns.frame = last == std::string_view::npos ? stack : stack.substr(last + 1),
                 columns.self_ns = self_ns, columns.share_pct = Percent(self_ns, all_ns)});
    };
    order.resize(std::min(order.size(), most));
    for (const auto& [stack, self_ns] : order) add(stack, self_ns);
    if (others_ns > 0) add("(others)", others_ns);
  }
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& CpuStacksAnalysis() {
  static const Analysis kAnalysis = {
      .name = "cpu_stacks",
      .size = Size::kSummary,
      .summary = "where the host's threads were, by samples of their stacks",
      .definition =
          "Frames of category cpu_sample, which the agent puts into the trace when a capture asks "
          "for it (rankscope capture --cpu; docs/agent.md). Stacks of (python) are by wall clock: "
          "a thread that waits is there, too, with (sleeping) or (waiting for a disk) as its "
          "innermost frame; those of (native) by the time that it runs. self_ns "
          "= the time of the frame - that of the frames that it calls. Per thread the `stacks` "
          "with the most time are kept, and the others are one row, so that rows sum to what was "
          "sampled. Where a trace has no Python frames, they name the host's work in findings. "
          "Empty without them.",
      .example = "rankscope table cpu_stacks traces/ --ranks 0",
      .columns = SchemaOf<CpuStacks>().columns(),
      .mapper = {.name = "cpu_stacks",
                 .version = 1,
                 .options = {{"stacks", "100", "so many stacks per thread", OptionType::kCount}},
                 .tables = {SchemaOf<CpuStacks>().BareColumns()},
                 .map = MapCpuStacks},
      .reducer = JoinRows<CpuStacks>(SchemaOf<CpuStacks>().stack),
  };
  return kAnalysis;
}

}  // namespace rankscope
