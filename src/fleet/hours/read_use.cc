#include "fleet/hours/read_use.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "json/reader.h"

namespace rankscope::fleet {
namespace {

constexpr double kLatestS = 4e9;  // 2096
constexpr double kBeyond = 1.05;  // counters round up

// The first of these labels that there is.
template <std::size_t N>
std::string LabelOf(const json::Value& metric, const std::array<std::string_view, N>& names) {
  for (const std::string_view name : names) {
    std::string value = metric[name].TextOr("");
    if (!value.empty()) return value;
  }
  return "";
}

std::string NodeOf(const json::Value& metric) {
  constexpr std::array<std::string_view, 6> kNames = {"Hostname", "hostname",        "nodename",
                                                      "node",     "kubernetes_node", "host"};
  std::string node = LabelOf(metric, kNames);
  if (!node.empty()) return node;
  node = metric["instance"].TextOr("");
  const std::size_t colon = node.rfind(':');
  return colon == std::string::npos || node.ends_with(']') ? node : node.substr(0, colon);
}

std::optional<UseUnit> UnitOf(const std::string& metric) {
  if (metric.starts_with("DCGM_FI_PROF_") || metric.ends_with("_ratio")) return UseUnit::kRatio;
  if (metric.starts_with("DCGM_FI_DEV_") || metric.ends_with("_percent")) return UseUnit::kPercent;
  return std::nullopt;
}

// Prometheus writes numbers as text, and NaN and +Inf among them.
std::optional<double> NumberOf(const json::Value& value) {
  if (const auto number = value.Number()) return number;
  const std::string text = value.TextOr("");
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(number)) return std::nullopt;
  return number;
}

Status ReadSeries(const json::Value& result, UseUnit unit, std::vector<UseSeries>& series) {
  const json::Value metric = result["metric"];
  UseSeries one{.node = NodeOf(metric), .samples = {}};
  if (one.node.empty())
    return metric.Wrong("no label says the node: Hostname, node, host or instance");
  constexpr std::array<std::string_view, 5> kDevice = {"UUID", "uuid", "gpu", "device",
                                                       "minor_number"};
  one.is_of_node = LabelOf(metric, kDevice).empty();
  const std::string name = metric["__name__"].TextOr("");
  if (unit == UseUnit::kByName) {
    const auto known = UnitOf(name);
    if (!known)
      return metric.Wrong(name.empty()
                              ? "the metric has no name here: say --use-unit ratio or percent"
                              : "the unit of '" + name +
                                    "' is not known: say --use-unit ratio or percent");
    unit = *known;
  }
  const double whole = unit == UseUnit::kPercent ? 100 : 1;
  RS_ASSIGN_OR_RETURN(const std::vector<json::Value> values, result["values"].NeedItems());
  for (const json::Value& pair : values) {
    const auto at = pair.At(0).Number(), value = NumberOf(pair.At(1));
    if (!at || !(*at >= 0 && *at < kLatestS))
      return pair.Wrong("[seconds since 1970, \"value\"] is needed");
    if (!value) continue;
    if (*value < 0 || *value > kBeyond * whole)
      return pair.Wrong(unit == UseUnit::kPercent ? "it is no percentage: --use-unit ratio?"
                                                  : "it is no ratio: --use-unit percent?");
    one.samples.push_back(
        {static_cast<std::int64_t>(std::llround(*at * 1000)),
         std::min(kWhole, static_cast<std::int64_t>(std::llround(*value / whole * kWhole)))});
  }
  std::stable_sort(one.samples.begin(), one.samples.end(),
                   [](const auto& a, const auto& b) { return a.at_ms < b.at_ms; });
  series.push_back(std::move(one));
  return OkStatus();
}

}  // namespace

Status ReadUse(const std::string& name, std::string_view text, UseUnit unit,
               std::vector<UseSeries>& series) {
  const auto wrong = [&](std::string_view what) {
    return Error(StatusCode::kBadData, "{}: {}", name, what);
  };
  const auto reader = json::Reader::Parse(text);
  if (!reader.ok()) return wrong(reader.status().message());
  const json::Value root = reader->root();
  if (root["status"].TextOr("") == "error")
    return wrong("Prometheus answered: " + root["error"].TextOr("an error"));
  const json::Value data = root["data"];
  if (data["resultType"].TextOr("") != "matrix" || !data["result"].IsArray())
    return wrong("no matrix of Prometheus: ask GET /api/v1/query_range, and keep its body");
  for (const json::Value& result : data["result"].Items()) {
    const Status read = ReadSeries(result, unit, series);
    if (!read.ok()) return wrong(read.message());
  }
  return OkStatus();
}

}  // namespace rankscope::fleet
