// Findings as text for a terminal: first what grew, then what failed, then what was called.
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>

#include "snoop/findings.h"
#include "snoop/output.h"

namespace rankscope::snoop {
namespace {

std::string Bytes(std::uint64_t bytes) {
  constexpr std::string_view kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

double PerSecond(std::uint64_t count, std::int64_t ns) {
  return ns > 0 ? static_cast<double>(count) * 1e9 / static_cast<double>(ns) : 0;
}

void AddStack(const Frames& frames, std::string& text) {
  if (frames.empty()) text += "    (stack not known)\n";
  // Innermost first: that is where one looks.
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
    text += fmt::format("    {}\n", ToText(*frame));
}

std::string Of(const Allocations::Domain& domain) {
  return fmt::format("{}, {}", ToString(domain.level), ToString(domain.where));
}

void AddMemory(const Findings& findings, std::string& text) {
  if (findings.memory.empty()) return;
  text += "\nmemory of the window\n";
  text += fmt::format("  {:32} {:>12} {:>12} {:>12} {:>12} {:>10}\n", "", "allocated", "freed",
                      "never freed", "peak", "earlier's");
  for (const MemoryRow& row : findings.memory) {
    const MemoryTotals& totals = row.totals;
    text += fmt::format("  {:32} {:>12} {:>12} {:>12} {:>12} {:>10}\n", Of(row.domain),
                        Bytes(totals.allocated_bytes), Bytes(totals.freed_bytes),
                        Bytes(totals.live_bytes), Bytes(totals.peak_bytes), "");
    text += fmt::format("  {:32} {:>12} {:>12} {:>12} {:>12} {:>10}\n", "  calls", totals.allocated,
                        totals.freed, totals.allocated - totals.freed - totals.replaced, "",
                        totals.unknown_frees);
  }
  text += "  earlier's: frees of what was allocated before the window\n";
}

// Eight steps of height for up to 60 parts of the window.
void AddTimelines(const Findings& findings, std::string& text) {
  constexpr std::string_view kSteps[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::size_t kColumns = 60;
  for (const TimelineRow& row : findings.timelines) {
    if (row.parts.empty()) continue;
    std::vector<std::uint64_t> highest(std::min(kColumns, row.parts.size()), 0);
    for (std::size_t i = 0; i < row.parts.size(); ++i) {
      std::uint64_t& at = highest[i * highest.size() / row.parts.size()];
      at = std::max(at, row.parts[i].highest);
    }
    const std::uint64_t most = *std::ranges::max_element(highest);
    std::string line;
    for (const std::uint64_t value : highest)
      line += kSteps[most == 0 ? 0
                               : static_cast<std::size_t>(8.0 * static_cast<double>(value) /
                                                          static_cast<double>(most))];
    text += fmt::format("  {:32} |{}| up to {}\n", Of(row.domain), line, Bytes(most));
  }
}

void AddLeaks(const Findings& findings, std::size_t most, std::string& text) {
  std::size_t shown = 0;
  for (const LeakRow& row : findings.leaks) {
    if (row.is_inner) continue;
    if (shown == 0) text += "\nallocated in the window and never freed in it, by stack\n";
    if (++shown > most) continue;
    text += fmt::format("  {} in {} of {} by {} ({}), {} to {} old{}\n", Bytes(row.bytes),
                        row.count, row.allocated, row.call, Of(row.domain),
                        SecondsText(row.youngest_ns), SecondsText(row.oldest_ns),
                        row.grows ? "; in all four quarters of the window: it grows" : "");
    AddStack(row.frames, text);
  }
  if (shown > most)
    text += fmt::format("  and {} more stacks: --top, --format json\n", shown - most);
}

void AddFailures(const Findings& findings, std::size_t most, std::string& text) {
  std::size_t shown = 0;
  for (const FailureRow& row : findings.failures) {
    if (row.is_inner) continue;
    if (shown == 0) text += "\nallocations that failed\n";
    if (++shown > most) break;
    std::string errors;
    for (const auto& [status, count] : row.errors)
      errors += fmt::format("{}error {}", errors.empty() ? "" : ", ", status);
    text += fmt::format("  {} of {} ({} asked for): {}\n", row.count, row.call, Bytes(row.bytes),
                        errors);
    AddStack(row.frames, text);
  }
}

void AddCalls(const Findings& findings, std::string& text) {
  text += "\ncalls, exact; one of a level that calls another level is seen at both\n";
  text += fmt::format("  {:20} {:44} {:>10} {:>10} {:>8} {:>12}\n", "", "", "calls", "a second",
                      "failed", "total");
  for (const CallRow& row : findings.calls) {
    std::string total;
    if (row.has_total)
      total = row.call.kind() == kWait ? SecondsText(static_cast<std::int64_t>(row.total))
                                       : Bytes(row.total);
    text += fmt::format("  {:20} {:44} {:>10} {:>10.1f} {:>8} {:>12}\n", ToString(row.call.level),
                        row.call.name, row.calls, PerSecond(row.calls, findings.window_ns),
                        row.call.returns() ? std::to_string(row.failed) : "", total);
    if (row.unfinished > 0)
      text +=
          fmt::format("  {:20}   {} had not returned when the window ended\n", "", row.unfinished);
  }
}

void AddUses(const Findings& findings, CallKind kind, std::string_view title, std::size_t most,
             std::string& text) {
  std::size_t shown = 0;
  for (const UseRow& row : findings.uses) {
    if (row.kind != kind || row.is_inner) continue;
    if (shown == 0) text += fmt::format("\n{}, the most frequent by stack\n", title);
    if (++shown > most) break;
    std::string what = row.call;
    if (!row.function.empty()) what += " of " + row.function;
    if (kind == kWait)
      what += fmt::format(", {}", SecondsText(static_cast<std::int64_t>(row.total)));
    if (kind == kCopy || kind == kAllocateThrow) what += fmt::format(", {}", Bytes(row.total));
    text += fmt::format("  {} ({:.1f} a second) {} ({})\n", row.count,
                        PerSecond(row.count, findings.window_ns), what, ToString(row.level));
    AddStack(row.frames, text);
  }
}

void AddCosts(const Findings& findings, std::string& text) {
  const double of_core = findings.window_ns > 0 ? 100.0 * static_cast<double>(findings.spent_ns) /
                                                      static_cast<double>(findings.window_ns)
                                                : 0;
  text += fmt::format(
      "\nprobes: {} hits, {:.3f} s inside them ({:.2f}% of a core; the traps to them are not in "
      "it), {} stacks\n",
      findings.hits, static_cast<double>(findings.spent_ns) / 1e9, of_core, findings.stacks.stacks);
  const auto say = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) text += fmt::format("  {} {}\n", count, what);
  };
  say(findings.lost_events, "allocations or frees were lost: what is live is not exact, calls are");
  say(findings.lost_stacks, "stacks were lost: their calls are counted as of no known stack");
  say(findings.lost_sums, "launches, waits or copies are counted by call alone: too many stacks");
  say(findings.nested, "calls inside a call of the same level were not counted");
  say(findings.abandoned, "calls did not return: an exception or a jump passed them");
  say(findings.stacks.cut, "stacks are cut: they are deeper than what is copied, or have no rules");
  say(findings.stacks.no_names, "Python frames have no names: their code was gone");
  say(findings.stacks.unreadable, "stacks lack Python frames: their memory was not at hand");
  for (const std::string& note : findings.notes) text += fmt::format("  {}\n", note);
}

}  // namespace

std::string ToText(const Findings& findings, std::size_t most_rows) {
  std::string text = fmt::format("process {} ({}): {} of {}\n", findings.pid, findings.command,
                                 SecondsText(findings.window_ns), SecondsText(findings.asked_ns));
  if (!findings.cut.empty()) text += fmt::format("the window was cut: {}\n", findings.cut);
  AddMemory(findings, text);
  AddTimelines(findings, text);
  AddLeaks(findings, most_rows, text);
  AddFailures(findings, most_rows, text);
  if (findings.calls.empty()) {
    text += "\nnone of the calls that are looked at was made\n";
  } else {
    AddCalls(findings, text);
  }
  AddUses(findings, kLaunch, "launches", most_rows, text);
  AddUses(findings, kWait, "waits", most_rows, text);
  AddUses(findings, kCopy, "copies", most_rows, text);
  AddUses(findings, kAllocateThrow, "what the allocator was asked for", most_rows, text);
  AddCosts(findings, text);
  return text;
}

}  // namespace rankscope::snoop
