// Windows of snoop and offcpu: what they saw allocated and kept, called and waited for.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "report/table_view.h"
#include "report/text_lines.h"
#include "report/text_sections.h"
#include "report/wording.h"
#include "schemas/snoop.h"
#include "table/human_number.h"
#include "table/terminal_text.h"

namespace rankscope {
namespace {

constexpr std::size_t kMost = 5;

std::string RankText(std::optional<std::int64_t> rank) {
  return rank ? fmt::format("rank {}", *rank) : "unknown rank";
}

// Levels see the same memory, the highest first in the file.
void AppendMemory(std::string& out, const Report& report) {
  const RowsOf<SnoopMemory> memory(report);
  for (std::size_t row = 0; row < std::min(memory.rows(), kMost); ++row) {
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
  std::vector<std::size_t> order(calls.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t row) {
    return calls.Int(row, calls->calls).value_or(0);
  });
  for (std::size_t i = 0; i < std::min(order.size(), kMost); ++i) {
    const std::size_t row = order[i];
    AppendWrapped(out, "  - ",
                  fmt::format("{}: {} a second of {}", RankText(calls.Int(row, calls->rank)),
                              HumanDecimal(calls.Number(row, calls->calls_per_s).value_or(0)),
                              SafeForTerminal(calls.String(row, calls->call))));
  }
}

void AppendThreads(std::string& out, const Report& report) {
  const RowsOf<SnoopThreads> threads(report);
  for (std::size_t row = 0; row < std::min(threads.rows(), kMost); ++row) {
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
