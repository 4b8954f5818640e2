// Off-CPU findings as text, JSON and folded stacks.
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>

#include "json/writer.h"
#include "snoop/findings.h"
#include "snoop/offcpu.h"

namespace rankscope::snoop {
namespace {

std::string Seconds(std::int64_t ns) {
  return fmt::format("{:.3f} s", static_cast<double>(ns) / 1e9);
}

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
                                 Seconds(findings.window_ns), Seconds(findings.asked_ns));
  if (!findings.cut.empty()) text += fmt::format("the window was cut: {}\n", findings.cut);
  text += "\nthreads: on a core and the waits sum to the time that a thread lived\n";
  text += fmt::format("  {:>8} {:16} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "thread", "name",
                      "lived", "on a core", "sleeping", "disk", "no core", "stopped");
  for (std::size_t i = 0; i < std::min(most_rows, findings.threads.size()); ++i) {
    const ThreadTime& time = findings.threads[i];
    text +=
        fmt::format("  {:>8} {:16} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n", time.id, time.name,
                    Seconds(time.lived_ns), Seconds(time.on_cpu_ns), Seconds(time.sleeping_ns),
                    Seconds(time.disk_ns), Seconds(time.runnable_ns), Seconds(time.other_ns));
  }
  if (findings.threads.size() > most_rows)
    text += fmt::format("  and {} more threads: --top, --format json\n",
                        findings.threads.size() - most_rows);
  if (!findings.waits.empty()) text += "\nwaits, the longest in all by stack\n";
  for (std::size_t i = 0; i < std::min(most_rows, findings.waits.size()); ++i) {
    const WaitRow& row = findings.waits[i];
    text += fmt::format("  {} in {} waits of {} thread{} for {} ({}), the longest {}\n",
                        Seconds(row.total_ns), row.count, row.threads, row.threads == 1 ? "" : "s",
                        row.what, ToString(row.reason), Seconds(row.longest_ns));
    for (auto frame = row.frames.rbegin(); frame != row.frames.rend(); ++frame)
      text += fmt::format("    {}\n", ToText(*frame));
  }
  text += fmt::format("\nprobes: {} switches away, {} inside them ({:.2f}% of a core)\n",
                      findings.switches, Seconds(findings.spent_ns),
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
  std::string text;
  json::Writer writer(text);
  writer.BeginObject().Member("format", "rankscope-offcpu-1").Member("pid", findings.pid);
  writer.TextMember("command", findings.command);
  writer.ExactMember("begin_unix_ns", findings.begin_unix_ns);
  writer.Member("window_ns", findings.window_ns).Member("asked_ns", findings.asked_ns);
  writer.TextMember("cut", findings.cut);
  writer.Line().Key("probes").BeginObject().Member("switches", findings.switches);
  writer.Member("time_ns", findings.spent_ns).Member("lost_stacks", findings.lost_stacks);
  writer.Member("lost_sums", findings.lost_sums);
  writer.Member("unseen_switches", findings.unseen).EndObject();
  writer.Member("notes", findings.notes).Line().Key("threads").BeginArray();
  for (const ThreadTime& time : findings.threads) {
    writer.Line().BeginObject().Member("thread", time.id).TextMember("name", time.name);
    writer.Member("lived_ns", time.lived_ns).Member("on_cpu_ns", time.on_cpu_ns);
    writer.Member("sleeping_ns", time.sleeping_ns).Member("disk_ns", time.disk_ns);
    writer.Member("runnable_ns", time.runnable_ns).Member("other_ns", time.other_ns).EndObject();
  }
  writer.EndArray().Line().Key("waits").BeginArray();
  for (const WaitRow& row : findings.waits) {
    writer.Line().BeginObject().Member("reason", ToString(row.reason)).Member("for", row.what);
    writer.Member("count", row.count).Member("total_ns", row.total_ns);
    writer.Member("longest_ns", row.longest_ns).Member("threads", row.threads);
    writer.Key("stack").BeginArray();
    for (const StackFrame& frame : row.frames) {
      writer.BeginObject().Member("function", frame.function).TextMember("file", frame.file);
      writer.Member("line", frame.line > 0 ? std::optional(frame.line) : std::nullopt);
      writer.Member("language", frame.is_python ? "python" : "native").EndObject();
    }
    writer.EndArray().EndObject();
  }
  writer.EndArray().EndObject();
  text += "\n";
  return text;
}

std::string ToFolded(const OffCpuFindings& findings) {
  std::map<std::string, std::int64_t> lines;
  for (const WaitRow& row : findings.waits) lines[LineOf(row)] += row.total_ns;
  std::string text;
  for (const auto& [line, total_ns] : lines) text += fmt::format("{} {}\n", line, total_ns);
  return text;
}

}  // namespace rankscope::snoop
