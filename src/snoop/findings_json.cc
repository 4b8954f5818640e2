// Findings as JSON: times in ns, memory in bytes, null for what is not known.
#include "json/writer.h"
#include "snoop/findings.h"

namespace rankscope::snoop {
namespace {

using json::Writer;

void Write(const Frames& frames, Writer& writer) {
  writer.Key("stack").BeginArray();
  for (const StackFrame& frame : frames) {
    writer.BeginObject().Member("function", frame.function).TextMember("file", frame.file);
    writer.Key("line");
    if (frame.line > 0) {
      writer.Write(frame.line);
    } else {
      writer.Null();
    }
    writer.Member("language", frame.is_python ? "python" : "native").EndObject();
  }
  writer.EndArray();
}

void Write(const Allocations::Domain& domain, Writer& writer) {
  writer.Member("level", ToString(domain.level)).Member("memory", ToString(domain.where));
}

void WriteCalls(const Findings& findings, Writer& writer) {
  writer.Line().Key("calls").BeginArray();
  for (const CallRow& row : findings.calls) {
    const bool returns = row.call.returns();
    writer.Line().BeginObject().Member("level", ToString(row.call.level));
    writer.Member("library", row.call.library).Member("call", row.call.name);
    writer.Member("kind", ToString(row.call.kind())).Member("calls", row.calls);
    writer.Member("failed", returns ? std::optional(row.failed) : std::nullopt);
    writer.Member("unfinished", returns ? std::optional(row.unfinished) : std::nullopt);
    const bool is_time = row.call.kind() == kWait;
    const auto total = [&](bool is_this) {
      return row.has_total && is_this ? std::optional(row.total) : std::nullopt;
    };
    writer.Member("bytes", total(!is_time)).Member("time_ns", total(is_time)).EndObject();
  }
  writer.EndArray();
}

void WriteMemory(const Findings& findings, Writer& writer) {
  writer.Line().Key("memory").BeginArray();
  for (const MemoryRow& row : findings.memory) {
    const MemoryTotals& totals = row.totals;
    writer.Line().BeginObject();
    Write(row.domain, writer);
    writer.Member("allocations", totals.allocated)
        .Member("allocated_bytes", totals.allocated_bytes);
    writer.Member("frees", totals.freed).Member("freed_bytes", totals.freed_bytes);
    writer.Member("frees_of_earlier", totals.unknown_frees);
    writer.Member("replaced", totals.replaced).Member("replaced_bytes", totals.replaced_bytes);
    writer.Member("live", totals.allocated - totals.freed - totals.replaced);
    writer.Member("live_bytes", totals.live_bytes).Member("peak_bytes", totals.peak_bytes);
    writer.EndObject();
  }
  writer.EndArray();
  writer.Line().Key("never_freed").BeginArray();
  for (const LeakRow& row : findings.leaks) {
    writer.Line().BeginObject();
    Write(row.domain, writer);
    writer.Member("call", row.call).Member("count", row.count).Member("bytes", row.bytes);
    writer.Member("allocations_of_the_stack", row.allocated);
    writer.Member("oldest_ns", row.oldest_ns).Member("youngest_ns", row.youngest_ns);
    writer.Member("in_all_quarters", row.grows);
    writer.Member("inside_a_level_above", row.is_inner);
    Write(row.frames, writer);
    writer.EndObject();
  }
  writer.EndArray();
  writer.Line().Key("failures").BeginArray();
  for (const FailureRow& row : findings.failures) {
    writer.Line().BeginObject().Member("call", row.call).Member("count", row.count);
    writer.Member("asked_bytes", row.bytes).Key("errors").BeginObject();
    for (const auto& [status, count] : row.errors) writer.Member(std::to_string(status), count);
    writer.EndObject();
    writer.Member("inside_a_level_above", row.is_inner);
    Write(row.frames, writer);
    writer.EndObject();
  }
  writer.EndArray();
  writer.Line().Key("timelines").BeginArray();
  for (const TimelineRow& row : findings.timelines) {
    writer.Line().BeginObject();
    Write(row.domain, writer);
    writer.Member("part_ns", row.part_ns).Key("highest_bytes").BeginArray();
    for (const Timeline::Part& part : row.parts) writer.Write(part.highest);
    writer.EndArray().Key("last_bytes").BeginArray();
    for (const Timeline::Part& part : row.parts) writer.Write(part.last);
    writer.EndArray().EndObject();
  }
  writer.EndArray();
}

void WriteUses(const Findings& findings, Writer& writer) {
  writer.Line().Key("uses").BeginArray();
  for (const UseRow& row : findings.uses) {
    writer.Line().BeginObject().Member("level", ToString(row.level));
    writer.Member("kind", ToString(row.kind)).Member("call", row.call);
    writer.TextMember("function", row.function).Member("count", row.count);
    const auto total = [&](bool is_this) {
      return is_this ? std::optional(row.total) : std::nullopt;
    };
    writer.Member("bytes", total(row.kind == kCopy || row.kind == kAllocateThrow));
    writer.Member("time_ns", total(row.kind == kWait));
    writer.Member("inside_a_level_above", row.is_inner);
    Write(row.frames, writer);
    writer.EndObject();
  }
  writer.EndArray();
  writer.Line().Key("rates").BeginArray();
  for (const RateRow& row : findings.rates) {
    writer.Line().BeginObject().Member("begin_ns", row.begin_ns).Member("end_ns", row.end_ns);
    writer.Member("level", ToString(row.level)).Member("kind", ToString(row.kind));
    writer.Member("calls", row.count).EndObject();
  }
  writer.EndArray();
}

}  // namespace

std::string ToJson(const Findings& findings) {
  std::string text;
  Writer writer(text);
  writer.BeginObject().Member("format", "rankscope-snoop-1").Member("pid", findings.pid);
  writer.TextMember("command", findings.command).Member("libraries", findings.libraries);
  writer.ExactMember("begin_unix_ns", findings.begin_unix_ns);
  writer.Member("window_ns", findings.window_ns).Member("asked_ns", findings.asked_ns);
  writer.TextMember("cut", findings.cut);
  writer.Line().Key("probes").BeginObject().Member("hits", findings.hits);
  writer.Member("time_ns", findings.spent_ns).Member("lost_events", findings.lost_events);
  writer.Member("lost_stacks", findings.lost_stacks).Member("lost_sums", findings.lost_sums);
  writer.Member("abandoned_calls", findings.abandoned).Member("nested_calls", findings.nested);
  writer.Member("stacks", findings.stacks.stacks).Member("stacks_cut", findings.stacks.cut);
  writer.Member("python_frames_without_names", findings.stacks.no_names);
  writer.Member("stacks_without_python", findings.stacks.unreadable).EndObject();
  writer.Member("notes", findings.notes);
  WriteCalls(findings, writer);
  WriteMemory(findings, writer);
  WriteUses(findings, writer);
  writer.EndObject();
  text += "\n";
  return text;
}

}  // namespace rankscope::snoop
