#include "app/traces/info_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "formats/flight/reader.h"
#include "formats/format.h"
#include "json/writer.h"
#include "table/human_number.h"
#include "table/terminal_text.h"

namespace rankscope::app {
namespace {

// "" where the profiler marks them.
std::string MarkedBy(StepSource source) {
  switch (source) {
    case StepSource::kProfiler:
      return "";
    case StepSource::kPeriod:
      return ", inferred from the period";
    default:
      return fmt::format(", marked by {}", ToString(source));
  }
}

struct CategorySum {
  std::int64_t rows = 0;
  std::int64_t dur_ns = 0;
};

std::map<std::string, CategorySum> SumCategories(const RankTrace& trace) {
  std::map<std::string, CategorySum> sums;
  for (Row row = 0; row < trace.row_count(); ++row) {
    CategorySum& sum = sums[std::string(trace.strings.Get(trace.categories[trace.category[row]]))];
    ++sum.rows;
    if (trace.dur_ns[row] > 0) sum.dur_ns += trace.dur_ns[row];
  }
  return sums;
}

std::map<std::string_view, CategorySum> SumKernels(const RankTrace& trace) {
  std::map<std::string_view, CategorySum> sums;
  for (Row row = 0; row < trace.row_count(); ++row) {
    const std::string_view category = trace.strings.Get(trace.categories[trace.category[row]]);
    if (category != "kernel" && category != "Kernel") continue;
    CategorySum& sum = sums[trace.name_of(row)];
    ++sum.rows;
    if (trace.dur_ns[row] > 0) sum.dur_ns += trace.dur_ns[row];
  }
  return sums;
}

void WriteIfKnown(std::string_view name, std::int64_t value, json::Writer& writer) {
  writer.Key(name);
  if (value < 0) {
    writer.Null();
  } else {
    writer.WriteExact(value);
  }
}

void WriteQuality(const std::vector<QualityEntry>& quality, json::Writer& writer) {
  writer.BeginArray();
  for (const QualityEntry& entry : quality) {
    writer.BeginObject().Member("code", ToString(entry.code));
    WriteIfKnown("byte", entry.byte, writer);
    writer.Key("count").WriteExact(entry.count).Member("message", entry.message).EndObject();
  }
  writer.EndArray();
}

void WriteSteps(const RankTrace& trace, json::Writer& writer) {
  writer.BeginArray();
  for (const Step& step : trace.steps) {
    writer.BeginObject().Key("number").WriteExact(step.number);
    writer.Member("begin_ns", std::to_string(trace.meta.base_ns + step.begin_ns));
    writer.Member("end_ns", std::to_string(trace.meta.base_ns + step.end_ns));
    writer.Member("inferred", step.inferred != 0).Member("complete", step.complete != 0);
    writer.EndObject();
  }
  writer.EndArray();
}

std::string ProblemsText(const std::vector<QualityEntry>& quality) {
  std::string out = quality.empty() ? "" : "  problems\n";
  for (const QualityEntry& entry : quality) {
    const std::string place = entry.byte >= 0 ? fmt::format(", first at byte {}", entry.byte) : "";
    out += fmt::format("    {}: {} ({} times{})\n", ToString(entry.code), entry.message,
                       GroupedInteger(entry.count), place);
  }
  return out;
}

std::int64_t CallsIn(const flight::FlightDump& dump, flight::CallState state) {
  return std::count_if(dump.calls.begin(), dump.calls.end(),
                       [&](const flight::Call& call) { return call.state == state; });
}

std::int64_t OpsIn(const et::ExecutionTrace& trace) {
  return std::count_if(trace.nodes.begin(), trace.nodes.end(),
                       [](const et::Node& node) { return node.record_id > 0; });
}

std::string Line(std::string_view label, std::string_view value) {
  return fmt::format("  {:<12} {}\n", label, value);
}

}  // namespace

void AppendTraceInfoJson(const RankTrace& trace, std::string& out) {
  const TraceMeta& meta = trace.meta;
  json::Writer writer(out);
  const auto count = [&](std::string_view name, std::uint64_t number) {
    writer.Key(name).WriteExact(static_cast<std::int64_t>(number));
  };
  writer.BeginObject().Member("path", meta.path).Member("format", meta.format);
  WriteIfKnown("rank", meta.rank, writer);
  WriteIfKnown("world_size", meta.world_size, writer);
  count("events", meta.event_count);
  count("rows", trace.row_count());
  count("flows", meta.flow_count);
  count("metadata", meta.metadata_count);
  count("bad", meta.bad_event_count);
  WriteIfKnown("text_bytes", meta.text_bytes == 0 ? -1 : static_cast<std::int64_t>(meta.text_bytes),
               writer);
  writer.Member("begin_ns", std::to_string(meta.base_ns + trace.begin_ns));
  writer.Member("end_ns", std::to_string(meta.base_ns + trace.finish_ns));
  writer.Key("categories").BeginObject();
  for (const auto& [name, sum] : SumCategories(trace)) {
    writer.Key(name).BeginObject().Key("rows").WriteExact(sum.rows);
    writer.Key("dur_ns").WriteExact(sum.dur_ns).EndObject();
  }
  writer.EndObject().Key("kernels").BeginObject();
  for (const auto& [name, sum] : SumKernels(trace))
    writer.Key(name).BeginArray().Write(sum.rows).WriteExact(sum.dur_ns).EndArray();
  writer.EndObject();
  count("linked_device_work", trace.launch_kernels.size());
  count("forward_backward", trace.forward_backward.size());
  count("event_waits", trace.record_wait.size());
  count("collectives", trace.collectives.size());
  writer.Key("steps");
  WriteSteps(trace, writer);
  writer.Key("quality");
  WriteQuality(trace.meta.quality, writer);
  writer.EndObject();
}

void AppendDumpInfoJson(const flight::FlightDump& dump, std::string& out) {
  json::Writer writer(out);
  writer.BeginObject().Member("path", dump.path).Member("format", flight::kFormat);
  writer.Member("version", dump.version);
  WriteIfKnown("rank", dump.rank, writer);
  writer.Member("calls", dump.calls.size()).Key("states").BeginObject();
  for (const flight::CallState state : flight::kCallStates)
    writer.Member(ToString(state), CallsIn(dump, state));
  writer.EndObject().Member("process_groups", dump.groups.size());
  writer.Member("stacks", dump.has_stacks).Key("quality");
  WriteQuality(dump.quality.entries(), writer);
  writer.EndObject();
}

std::string DumpInfoText(const flight::FlightDump& dump) {
  std::string out = SafeForTerminal(dump.path) + "\n";
  out += Line("format",
              fmt::format("{}, version {}", flight::kFormat,
                          dump.version.empty() ? "not stated" : SafeForTerminal(dump.version)));
  out += Line("unknown", flight::kUnknown);
  out += Line("rank", dump.rank < 0 ? "not stated" : std::to_string(dump.rank));
  std::string calls = GroupedInteger(static_cast<std::int64_t>(dump.calls.size()));
  for (const flight::CallState state : flight::kCallStates) {
    if (const std::int64_t count = CallsIn(dump, state))
      calls += fmt::format(", {} {}", GroupedInteger(count), ToString(state));
  }
  out += Line("calls", calls);
  out += Line("groups", GroupedInteger(static_cast<std::int64_t>(dump.groups.size())));
  out += Line("stacks", dump.has_stacks ? "yes" : "none: lines of code are unknown");
  return out + ProblemsText(dump.quality.entries()) + "\n";
}

void AppendExecutionInfoJson(const et::ExecutionTrace& trace, std::string& out) {
  json::Writer writer(out);
  writer.BeginObject().Member("path", trace.path).Member("format", et::kFormat);
  writer.Member("version", trace.schema);
  WriteIfKnown("process", trace.pid, writer);
  writer.Member("ops", OpsIn(trace)).Member("collectives", trace.collectives.size());
  writer.Key("quality");
  WriteQuality(trace.quality.entries(), writer);
  writer.EndObject();
}

std::string ExecutionInfoText(const et::ExecutionTrace& trace) {
  std::string out = SafeForTerminal(trace.path) + "\n";
  out += Line("format", fmt::format("{}, schema {}", et::kFormat, SafeForTerminal(trace.schema)));
  out += Line("unknown", et::kUnknown);
  out += Line("process", trace.pid < 0 ? "not stated" : std::to_string(trace.pid));
  out += Line("ops", GroupedInteger(OpsIn(trace)));
  out += Line("collectives", GroupedInteger(static_cast<std::int64_t>(trace.collectives.size())));
  return out + ProblemsText(trace.quality.entries()) + "\n";
}

void AppendErrorJson(const std::string& path, const Status& status, std::string& out) {
  json::Writer writer(out);
  writer.BeginObject().Member("path", path).Member("error", status.message()).EndObject();
}

std::string TraceInfoText(const RankTrace& trace) {
  const TraceMeta& meta = trace.meta;
  std::string out = SafeForTerminal(meta.path) + "\n";
  const auto line = [&](std::string_view label, const std::string& value) {
    out += fmt::format("  {:<12}{}\n", label, value);
  };
  line("format", SafeForTerminal(meta.format));
  const TraceFormat* const format = FindTraceFormat(meta.format);
  if (format != nullptr && !format->unknown.empty()) line("unknown", std::string(format->unknown));
  line("rank", meta.rank < 0         ? "not stated"
               : meta.world_size < 0 ? std::to_string(meta.rank)
                                     : fmt::format("{} of {}", meta.rank, meta.world_size));
  for (const DeviceProperties& device : meta.devices) {
    line("device", fmt::format("{} {}", device.id, SafeForTerminal(device.name)));
  }
  line("duration", HumanDuration(static_cast<double>(trace.finish_ns - trace.begin_ns)));
  line("events", fmt::format("{}: {} on timelines, {} arrows, {} metadata, {} unusable",
                             GroupedInteger(static_cast<std::int64_t>(meta.event_count)),
                             GroupedInteger(static_cast<std::int64_t>(trace.row_count())),
                             GroupedInteger(static_cast<std::int64_t>(meta.flow_count)),
                             GroupedInteger(static_cast<std::int64_t>(meta.metadata_count)),
                             GroupedInteger(static_cast<std::int64_t>(meta.bad_event_count))));
  // A database has no text.
  const std::string text = meta.text_bytes == 0
                               ? std::string()
                               : HumanBytes(static_cast<double>(meta.text_bytes)) + " of text, ";
  line("size", text + HumanBytes(static_cast<double>(meta.file_bytes)) + " on disk");
  std::string steps = fmt::format("{}", trace.steps.size());
  if (!trace.steps.empty()) {
    steps += fmt::format(": {} to {}{}", trace.steps[0].number, trace.steps.back().number,
                         MarkedBy(trace.steps[0].source));
  }
  line("steps", steps);
  line("links",
       fmt::format(
           "{} kernels and copies to launches, {} forward to backward, {} waits to event records",
           GroupedInteger(static_cast<std::int64_t>(trace.launch_kernels.size())),
           GroupedInteger(static_cast<std::int64_t>(trace.forward_backward.size())),
           GroupedInteger(static_cast<std::int64_t>(trace.record_wait.size()))));
  out += "  categories\n";
  for (const auto& [name, sum] : SumCategories(trace)) {
    out +=
        fmt::format("    {:<22}{:>12}  {:>10}\n", name.empty() ? "(none)" : SafeForTerminal(name),
                    GroupedInteger(sum.rows), HumanDuration(static_cast<double>(sum.dur_ns)));
  }
  out += ProblemsText(meta.quality);
  return out + "\n";
}

}  // namespace rankscope::app
