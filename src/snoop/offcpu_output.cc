// Off-CPU findings as text, JSON and folded stacks.
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>

#include "json/fields.h"
#include "snoop/document.h"
#include "snoop/findings.h"
#include "snoop/offcpu.h"
#include "snoop/output.h"

namespace rankscope::snoop {
namespace {

double PartOf(std::int64_t ns, std::int64_t whole_ns) {
  return whole_ns > 0 ? 100.0 * static_cast<double>(ns) / static_cast<double>(whole_ns) : 0;
}

std::string LineOf(const WaitRow& row) {
  std::string line;
  for (const StackFrame& frame : row.frames) line += ToText(frame) + ";";
  line += fmt::format("[{}: {}]", ToString(row.reason), row.what);
  std::ranges::replace(line, '\n', ' ');
  return line;
}

}  // namespace

std::string ToText(const OffCpuFindings& findings, std::size_t most_rows) {
  std::string text = fmt::format("process {} ({}): {} of {}\n", findings.pid, findings.command,
                                 SecondsText(findings.window_ns), SecondsText(findings.asked_ns));
  if (!findings.cut.empty()) text += fmt::format("the window was cut: {}\n", findings.cut);
  text += "\nthreads: on a core and the waits sum to the time that a thread lived\n";
  text += fmt::format("  {:>8} {:16} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "thread", "name",
                      "lived", "on a core", "sleeping", "disk", "no core", "stopped");
  for (std::size_t i = 0; i < std::min(most_rows, findings.threads.size()); ++i) {
    const ThreadTime& time = findings.threads[i];
    text += fmt::format("  {:>8} {:16} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n", time.id,
                        time.name, SecondsText(time.lived_ns), SecondsText(time.on_cpu_ns),
                        SecondsText(time.sleeping_ns), SecondsText(time.disk_ns),
                        SecondsText(time.runnable_ns), SecondsText(time.other_ns));
  }
  if (findings.threads.size() > most_rows)
    text += fmt::format("  and {} more threads: --top, --format json\n",
                        findings.threads.size() - most_rows);
  if (!findings.waits.empty()) text += "\nwaits, the longest in all by stack\n";
  for (std::size_t i = 0; i < std::min(most_rows, findings.waits.size()); ++i) {
    const WaitRow& row = findings.waits[i];
    text +=
        fmt::format("  {} in {} waits of {} thread{} for {} ({}), the longest {}\n",
                    SecondsText(row.total_ns), row.count, row.threads, row.threads == 1 ? "" : "s",
                    row.what, ToString(row.reason), SecondsText(row.longest_ns));
    for (auto frame = row.frames.rbegin(); frame != row.frames.rend(); ++frame)
      text += fmt::format("    {}\n", ToText(*frame));
  }
  text += fmt::format("\nprobes: {} switches away, {} inside them ({:.2f}% of a core)\n",
                      findings.switches, SecondsText(findings.spent_ns),
                      PartOf(findings.spent_ns, findings.window_ns));
  if (findings.lost_stacks > 0)
    text += fmt::format("  {} stacks were lost: their waits are of no known stack\n",
                        findings.lost_stacks);
  if (findings.lost_sums > 0)
    text +=
        fmt::format("  {} waits are not in it: too many stacks or threads\n", findings.lost_sums);
  if (findings.unseen > 0)
    text += fmt::format("  {} switches to a core were not seen: what ran then is told as no core\n",
                        findings.unseen);
  for (const std::string& note : findings.notes) text += fmt::format("  {}\n", note);
  return text;
}

std::string ToJson(const OffCpuFindings& findings) {
  snoop_file::OffCpuWindow window;
  window.format = snoop_file::kOffCpuFormat;
  SetHead(findings, window);
  window.probes = {.switches = static_cast<std::int64_t>(findings.switches),
                   .time_ns = findings.spent_ns,
                   .lost_stacks = static_cast<std::int64_t>(findings.lost_stacks),
                   .lost_sums = static_cast<std::int64_t>(findings.lost_sums),
                   .unseen_switches = static_cast<std::int64_t>(findings.unseen)};
  for (const ThreadTime& time : findings.threads)
    window.threads.push_back({.thread = time.id,
                              .name = time.name,
                              .lived_ns = time.lived_ns,
                              .on_cpu_ns = time.on_cpu_ns,
                              .sleeping_ns = time.sleeping_ns,
                              .disk_ns = time.disk_ns,
                              .runnable_ns = time.runnable_ns,
                              .other_ns = time.other_ns});
  for (const WaitRow& row : findings.waits)
    window.waits.push_back({.reason = std::string(ToString(row.reason)),
                            .what = row.what,
                            .count = static_cast<std::int64_t>(row.count),
                            .total_ns = row.total_ns,
                            .longest_ns = row.longest_ns,
                            .threads = static_cast<std::int64_t>(row.threads),
                            .stack = StackOf(row.frames)});
  return json::ToJson(window) + "\n";
}

std::string ToFolded(const OffCpuFindings& findings) {
  std::map<std::string, std::int64_t> lines;
  for (const WaitRow& row : findings.waits) lines[LineOf(row)] += row.total_ns;
  std::string text;
  for (const auto& [line, total_ns] : lines) text += fmt::format("{} {}\n", line, total_ns);
  return text;
}

}  // namespace rankscope::snoop
