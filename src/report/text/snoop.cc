// Windows of snoop and offcpu: what they saw allocated and kept, called and waited for.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "report/base/table_view.h"
#include "report/base/text_lines.h"
#include "report/base/wording.h"
#include "report/text/sections.h"
#include "schemas/snoop.h"
#include "table/human_number.h"
#include "table/terminal_text.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostSnooped = 5;

std::string RankText(std::optional<std::int64_t> rank) {
  return rank ? fmt::format("rank {}", *rank) : "unknown rank";
}

// What is seen at a level is seen again below it: of each window and kind the highest level, which
// comes first.
class HighestLevels {
 public:
  bool Has(std::optional<std::int64_t> window, std::string_view kind, std::string_view level) {
    return level_of_.try_emplace({window.value_or(-1), kind}, level).first->second == level;
  }

 private:
  std::map<std::pair<std::int64_t, std::string_view>, std::string_view> level_of_;
};

void AppendMemory(std::string& out, const Report& report) {
  const RowsOf<SnoopMemory> memory(report);
  HighestLevels highest;
  std::size_t said = 0;
  for (std::size_t row = 0; row < memory.rows() && said < kMostSnooped; ++row) {
    if (!highest.Has(memory.Int(row, memory->window), memory.String(row, memory->memory),
                     memory.String(row, memory->level)))
      continue;
    ++said;
    AppendWrapped(out, "  - ",
                  fmt::format("{}, {} memory by {}: {} allocated, {} freed, {} kept, {} at most",
                              RankText(memory.Int(row, memory->rank)),
                              SafeForTerminal(memory.String(row, memory->memory)),
                              SafeForTerminal(memory.String(row, memory->level)),
                              HumanValue(memory.Number(row, memory->allocated_bytes), "bytes"),
                              HumanValue(memory.Number(row, memory->freed_bytes), "bytes"),
                              HumanValue(memory.Number(row, memory->live_bytes), "bytes"),
                              HumanValue(memory.Number(row, memory->peak_bytes), "bytes")));
  }
}

void AppendCalls(std::string& out, const Report& report) {
  const RowsOf<SnoopCalls> calls(report);
  HighestLevels highest;
  std::vector<std::size_t> order;
  for (std::size_t row = 0; row < calls.rows(); ++row) {
    if (highest.Has(calls.Int(row, calls->window), calls.String(row, calls->kind),
                    calls.String(row, calls->level)))
      order.push_back(row);
  }
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t row) {
    return calls.Int(row, calls->calls).value_or(0);
  });
  for (std::size_t i = 0; i < std::min(order.size(), kMostSnooped); ++i) {
    const std::size_t row = order[i];
    AppendWrapped(out, "  - ",
                  fmt::format("{}: {} a second of {}", RankText(calls.Int(row, calls->rank)),
                              HumanDecimal(calls.Number(row, calls->calls_per_s).value_or(0)),
                              SafeForTerminal(calls.String(row, calls->call))));
  }
}

void AppendThreads(std::string& out, const Report& report) {
  const RowsOf<SnoopThreads> threads(report);
  for (std::size_t row = 0; row < std::min(threads.rows(), kMostSnooped); ++row) {
    AppendWrapped(
        out, "  - ",
        fmt::format("{}, thread {}: {} on a core, {} asleep, {} without a core",
                    RankText(threads.Int(row, threads->rank)),
                    ShortenMiddle(SafeForTerminal(threads.String(row, threads->name)), 20),
                    HumanValue(threads.Number(row, threads->on_cpu_ns), "ns"),
                    HumanValue(threads.Number(row, threads->sleeping_ns), "ns"),
                    HumanValue(threads.Number(row, threads->runnable_ns), "ns")));
  }
}

}  // namespace

void AppendSnoop(std::string& out, const Report& report) {
  const RowsOf<SnoopWindows> windows(report);
  if (windows.empty()) return;
  AppendHeading(out,
                fmt::format("PROCESSES SEEN FROM OUTSIDE ({})", Plural(windows.rows(), "window")));
  AppendMemory(out, report);
  AppendCalls(out, report);
  AppendThreads(out, report);
  out += "  rankscope table snoop_allocations PATH has the stacks, snoop_waits the waits.\n";
}

}  // namespace rankscope
