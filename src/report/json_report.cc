#include "report/json_report.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "report/table_view.h"

#include "table/json_text.h"
#include "table/write_json.h"

namespace rankscope {
namespace {

void AppendList(std::string& out, const std::vector<std::int64_t>& values) {
  out += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out += ',';
    AppendJsonInteger(out, values[i]);
  }
  out += ']';
}

std::vector<std::int64_t> StepNumbers(const Report& report) {
  std::set<std::int64_t> numbers;
  if (const Table* steps = report.Find("step_times")) {
    for (std::size_t row = 0; row < steps->row_count(); ++row)
      numbers.insert(steps->Int(row, *steps->Find("step")));
  }
  return {numbers.begin(), numbers.end()};
}

// Degrees of the ranks that train, or of all when none does; null when nothing is known.
void AppendLayout(std::string& out, const Report& report) {
  const TableView layout(report, "layout");
  if (layout.empty()) {
    out += "null";
    return;
  }
  out += '{';
  double confidence = 1;
  for (std::size_t row = 0; row < layout.rows(); ++row) {
    if (layout.String(row, "role") != layout.String(0, "role")) break;
    AppendKey(out, layout.String(row, "dimension"));
    AppendJsonInteger(out, layout.Int(row, "degree").value_or(1));
    out += ',';
    confidence = std::min(confidence, layout.Number(row, "confidence").value_or(0));
  }
  AppendKey(out, "confidence");
  AppendJsonDouble(out, confidence);
  out += ',';
  AppendKey(out, "partial");
  out += layout.Flag(0, "partial") ? "true}" : "false}";
}

// Of the ranks whose clocks are known to each other.
void AppendClocks(std::string& out, const Report& report) {
  const TableView clocks(report, "clocks");
  out += '[';
  bool any = false;
  for (std::size_t row = 0; row < clocks.rows(); ++row) {
    if (!clocks.Flag(row, "aligned")) continue;
    out += any ? ",{" : "{";
    any = true;
    for (const char* key : {"rank", "offset_ns", "uncertainty_ns"}) {
      if (out.back() != '{') out += ',';
      AppendKey(out, key);
      AppendJsonInteger(
          out, static_cast<std::int64_t>(std::llround(clocks.Number(row, key).value_or(0))));
    }
    out += '}';
  }
  out += ']';
}

void AppendJob(std::string& out, const Report& report) {
  out += "{\"ranks\":";
  AppendList(out, report.ranks);
  out += ",\"world_size\":";
  out += report.world_size < 0 ? "null" : std::to_string(report.world_size);
  out += ",\"steps\":";
  AppendList(out, StepNumbers(report));
  out += ",\"devices\":[";
  for (std::size_t i = 0; i < report.devices.size(); ++i) {
    if (i != 0) out += ',';
    AppendJsonString(out, report.devices[i]);
  }
  out += "],\"origin_ns\":";
  AppendJsonString(out, std::to_string(report.origin_ns));
  out += ",\"layout\":";
  AppendLayout(out, report);
  out += ",\"clock\":";
  AppendClocks(out, report);
  // What later stages compute is unknown until they exist.
  out += ",\"bottleneck\":null,\"combined_gain_pct\":null,\"replay\":null}";
}

void AppendQuality(std::string& out, const Report& report) {
  out += '[';
  const Table* quality = report.Find("data_quality");
  for (std::size_t row = 0; quality != nullptr && row < quality->row_count(); ++row) {
    out += row == 0 ? "{" : ",{";
    AppendKey(out, "rank");
    out += quality->IsNull(row, 0) ? "null" : std::to_string(quality->Int(row, 0));
    out += ',';
    AppendKey(out, "file");
    AppendJsonString(out, quality->String(row, 1));
    out += ',';
    AppendKey(out, "byte");
    if (quality->IsNull(row, 3)) {
      out += "null";
    } else {
      AppendJsonInteger(out, quality->Int(row, 3));
    }
    out += ',';
    AppendKey(out, "code");
    AppendJsonString(out, quality->String(row, 2));
    out += ',';
    AppendKey(out, "count");
    AppendJsonInteger(out, quality->Int(row, 4));
    out += ',';
    AppendKey(out, "message");
    AppendJsonString(out, quality->String(row, 5));
    out += '}';
  }
  out += ']';
}

}  // namespace

std::string WriteJsonReport(const Report& report) {
  std::string out = "{\"schema\":\"rankscope.report/1\",\n\"job\":";
  AppendJob(out, report);
  out += ",\n\"quality\":";
  AppendQuality(out, report);
  out += ",\n\"findings\":[],\n\"not_evaluated\":[";
  for (std::size_t i = 0; i < report.not_evaluated.size(); ++i) {
    out += i == 0 ? "{" : ",{";
    AppendKey(out, "id");
    AppendJsonString(out, report.not_evaluated[i].first);
    out += ',';
    AppendKey(out, "reason");
    AppendJsonString(out, report.not_evaluated[i].second);
    out += '}';
  }
  out += "],\n\"tables\":{";
  for (std::size_t i = 0; i < report.tables.size(); ++i) {
    out += i == 0 ? "\n" : ",\n";
    AppendKey(out, report.tables[i].name());
    AppendTableJson(out, report.tables[i]);
  }
  out += "}}\n";
  return out;
}

}  // namespace rankscope
