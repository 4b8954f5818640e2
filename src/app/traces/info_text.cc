#include "app/traces/info_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "formats/flight/reader.h"
#include "formats/format.h"
#include "json/json_text.h"
#include "table/human_number.h"
#include "table/terminal_text.h"

namespace rankscope::app {
namespace {

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

class JsonObject {
 public:
  explicit JsonObject(std::string& out) : out_(out) { out_ += '{'; }
  void Key(std::string_view key) {
    if (!first_) out_ += ',';
    first_ = false;
    AppendJsonString(out_, key);
    out_ += ':';
  }
  void Int(std::string_view key, std::int64_t value) {
    Key(key);
    AppendJsonInteger(out_, value);
  }
  void IntOrNull(std::string_view key, std::int64_t value) {
    Key(key);
    if (value < 0) {
      out_ += "null";
    } else {
      AppendJsonInteger(out_, value);
    }
  }
  void Text(std::string_view key, std::string_view value) {
    Key(key);
    AppendJsonString(out_, value);
  }
  void Close() { out_ += '}'; }

 private:
  std::string& out_;
  bool first_ = true;
};

void AppendQuality(const std::vector<QualityEntry>& quality, std::string& out) {
  out += '[';
  for (const QualityEntry& entry : quality) {
    if (out.back() != '[') out += ',';
    JsonObject object(out);
    object.Text("code", ToString(entry.code));
    object.IntOrNull("byte", entry.byte);
    object.Int("count", entry.count);
    object.Text("message", entry.message);
    object.Close();
  }
  out += ']';
}

void AppendSteps(const RankTrace& trace, std::string& out) {
  out += '[';
  for (const Step& step : trace.steps) {
    if (out.back() != '[') out += ',';
    JsonObject object(out);
    object.Int("number", step.number);
    object.Text("begin_ns", std::to_string(trace.meta.base_ns + step.begin_ns));
    object.Text("end_ns", std::to_string(trace.meta.base_ns + step.end_ns));
    object.Key("inferred");
    out += step.inferred != 0 ? "true" : "false";
    object.Key("complete");
    out += step.complete != 0 ? "true" : "false";
    object.Close();
  }
  out += ']';
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
  JsonObject object(out);
  object.Text("path", meta.path);
  object.Text("format", meta.format);
  object.IntOrNull("rank", meta.rank);
  object.IntOrNull("world_size", meta.world_size);
  object.Int("events", static_cast<std::int64_t>(meta.event_count));
  object.Int("rows", static_cast<std::int64_t>(trace.row_count()));
  object.Int("flows", static_cast<std::int64_t>(meta.flow_count));
  object.Int("metadata", static_cast<std::int64_t>(meta.metadata_count));
  object.Int("bad", static_cast<std::int64_t>(meta.bad_event_count));
  object.IntOrNull("text_bytes",
                   meta.text_bytes == 0 ? -1 : static_cast<std::int64_t>(meta.text_bytes));
  object.Text("begin_ns", std::to_string(meta.base_ns + trace.begin_ns));
  object.Text("end_ns", std::to_string(meta.base_ns + trace.finish_ns));
  object.Key("categories");
  JsonObject categories(out);
  for (const auto& [name, sum] : SumCategories(trace)) {
    categories.Key(name);
    JsonObject category(out);
    category.Int("rows", sum.rows);
    category.Int("dur_ns", sum.dur_ns);
    category.Close();
  }
  categories.Close();
  object.Key("kernels");
  JsonObject kernels(out);
  for (const auto& [name, sum] : SumKernels(trace)) {
    kernels.Key(name);
    out += fmt::format("[{},", sum.rows);
    AppendJsonInteger(out, sum.dur_ns);
    out += ']';
  }
  kernels.Close();
  object.Int("linked_device_work", static_cast<std::int64_t>(trace.launch_kernels.size()));
  object.Int("forward_backward", static_cast<std::int64_t>(trace.forward_backward.size()));
  object.Int("event_waits", static_cast<std::int64_t>(trace.record_wait.size()));
  object.Int("collectives", static_cast<std::int64_t>(trace.collectives.size()));
  object.Key("steps");
  AppendSteps(trace, out);
  object.Key("quality");
  AppendQuality(trace.meta.quality, out);
  object.Close();
}

void AppendDumpInfoJson(const flight::FlightDump& dump, std::string& out) {
  JsonObject object(out);
  object.Text("path", dump.path);
  object.Text("format", flight::kFormat);
  object.Text("version", dump.version);
  object.IntOrNull("rank", dump.rank);
  object.Int("calls", static_cast<std::int64_t>(dump.calls.size()));
  object.Key("states");
  JsonObject states(out);
  for (const flight::CallState state : flight::kCallStates)
    states.Int(ToString(state), CallsIn(dump, state));
  states.Close();
  object.Int("process_groups", static_cast<std::int64_t>(dump.groups.size()));
  object.Key("stacks");
  out += dump.has_stacks ? "true" : "false";
  object.Key("quality");
  AppendQuality(dump.quality.entries(), out);
  object.Close();
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
  JsonObject object(out);
  object.Text("path", trace.path);
  object.Text("format", et::kFormat);
  object.Text("version", trace.schema);
  object.IntOrNull("process", trace.pid);
  object.Int("ops", OpsIn(trace));
  object.Int("collectives", static_cast<std::int64_t>(trace.collectives.size()));
  object.Key("quality");
  AppendQuality(trace.quality.entries(), out);
  object.Close();
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
  JsonObject object(out);
  object.Text("path", path);
  object.Text("error", status.message());
  object.Close();
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
                         trace.steps[0].inferred != 0 ? ", inferred from the period" : "");
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
