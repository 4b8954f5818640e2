#include "agent/sinks/otlp.h"

#include <array>
#include <functional>
#include <iterator>

#include "agent/telemetry/metric_of.h"
#include "base/gzip.h"
#include "http/client.h"
#include "json/writer.h"

namespace rankscope::agent {
namespace {

constexpr std::chrono::seconds kOtlpNetworkTime{10};

// UCUM, by how a name ends; `_total` does not count.
std::string_view UnitOf(std::string_view name) {
  constexpr std::string_view kTotal = "_total";
  if (name.ends_with(kTotal)) name.remove_suffix(kTotal.size());
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kUnits = {{
      {"_bytes_per_second", "By/s"},
      {"_flops_per_second_estimate", "{flop}/s"},
      {"_bytes", "By"},
      {"_seconds", "s"},
      {"_celsius", "Cel"},
      {"_watts", "W"},
      {"_joules", "J"},
      {"_hertz", "Hz"},
      {"_ratio", "1"},
  }};
  for (const auto& [end, unit] : kUnits) {
    if (name.ends_with(end)) return unit;
  }
  return "";
}

void WriteAttribute(std::string_view key, std::string_view value, json::Writer& writer) {
  writer.BeginObject().Member("key", key).Key("value").BeginObject();
  writer.Member("stringValue", value).EndObject().EndObject();
}

// A family's points follow, in an array that is still open.
void BeginMetric(const Metric& metric, json::Writer& writer) {
  writer.BeginObject().Member("name", metric.name).Member("description", metric.help);
  writer.Member("unit", UnitOf(metric.name));
  const bool is_counter = metric.kind == quantity::Kind::kCounter;
  writer.Key(is_counter ? "sum" : "gauge").BeginObject();
  if (is_counter) writer.Member("aggregationTemporality", 2).Member("isMonotonic", true);
  writer.Key("dataPoints").BeginArray();
}

void EndMetric(json::Writer& writer) { writer.EndArray().EndObject().EndObject(); }

}  // namespace

std::int64_t OtlpEncoder::StartOf(const Reading& reading, std::int64_t unix_ms) {
  const std::string_view name = reading.metric->name;
  const std::hash<std::string_view> hash_of;
  std::uint64_t key = hash_of(name);
  for (const auto& [label, value] : reading.labels) {
    constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;
    key = (key ^ hash_of(label)) * kMix;
    key = ((key >> 32) ^ key ^ hash_of(value)) * kMix;
  }
  const bool is_own =
      name.starts_with("rankscope_agent_") || name == MetricOf(quantity::kDeviceXidErrors).name;
  const auto [found, is_new] = counted_.try_emplace(key);
  Counted& counted = found->second;
  if (is_new) counted.start_unix_ms = is_own ? options_.begin_unix_ms : options_.boot_unix_ms;
  if (!is_new && reading.value < counted.value) counted.start_unix_ms = counted.read_unix_ms;
  counted.value = reading.value;
  counted.read_unix_ms = unix_ms;
  return counted.start_unix_ms;
}

void OtlpEncoder::WritePoint(const Reading& reading, std::int64_t unix_ms, json::Writer& writer) {
  writer.BeginObject().Key("attributes").BeginArray();
  for (const auto& [key, value] : reading.labels) WriteAttribute(key, value, writer);
  writer.EndArray();
  // 64-bit numbers are texts in this encoding.
  const auto nanoseconds = [](std::int64_t ms) { return fmt::format("{}000000", ms); };
  if (reading.metric->kind == quantity::Kind::kCounter)
    writer.Member("startTimeUnixNano", nanoseconds(StartOf(reading, unix_ms)));
  writer.Member("timeUnixNano", nanoseconds(unix_ms)).Member("asDouble", reading.value);
  writer.EndObject();
}

std::string OtlpEncoder::Encode(const Snapshots& snapshots) {
  // Processes come and go for months.
  constexpr std::size_t kMostCounted = 100'000;
  if (counted_.size() > kMostCounted) counted_.clear();
  std::size_t readings = 0;
  for (const auto& snapshot : snapshots) readings += snapshot->readings.size();
  constexpr std::size_t kBytesOfPoint = 300;
  std::string json;
  json.reserve(readings * kBytesOfPoint);
  json::Writer writer(json);
  writer.BeginObject().Key("resourceMetrics").BeginArray().BeginObject();
  writer.Key("resource").BeginObject().Key("attributes").BeginArray();
  WriteAttribute("service.name", "rankscope-agent", writer);
  WriteAttribute("service.version", options_.version, writer);
  WriteAttribute("host.name", options_.host, writer);
  writer.EndArray().EndObject().Key("scopeMetrics").BeginArray().BeginObject();
  writer.Key("scope").BeginObject().Member("name", "rankscope-agent").EndObject();
  writer.Key("metrics").BeginArray();
  for (const auto& snapshot : snapshots) {
    const Metric* before = nullptr;
    for (const Reading& reading : snapshot->readings) {
      if (before == nullptr || before->name != reading.metric->name) {
        if (before != nullptr) EndMetric(writer);
        BeginMetric(*reading.metric, writer);
        before = reading.metric;
      }
      WritePoint(reading, snapshot->unix_ms, writer);
    }
    if (before != nullptr) EndMetric(writer);
  }
  writer.EndArray().EndObject().EndArray().EndObject().EndArray().EndObject();
  return json;
}

OtlpSink::OtlpSink(const OtlpOptions& options) : options_(options), encoder_(options) {}
OtlpSink::~OtlpSink() = default;

std::string OtlpSink::Encode(const Snapshots& fresh) {
  return PackGzip(encoder_.Encode(fresh), GzipEffort::kFast);
}

void OtlpSink::Abort() {
  const std::scoped_lock lock(mutex_);
  is_aborted_ = true;
  if (client_) client_->Abort();
}

Status OtlpSink::Send(const std::string& encoded) {
  if (client_ == nullptr) {
    RS_ASSIGN_OR_RETURN(const http::Address address, http::ParseAddress(options_.url));
    http::ClientOptions options{
        .ca_file = options_.ca_file, .fields = {}, .time = kOtlpNetworkTime};
    options.fields = {{"Content-Type", "application/json"}, {"Content-Encoding", "gzip"}};
    if (!options_.token.empty())
      options.fields.emplace_back("Authorization", "Bearer " + options_.token);
    const std::scoped_lock lock(mutex_);
    client_ = http::MakeClient(address, options);
    if (is_aborted_) client_->Abort();
  }
  const Result<http::ClientReply> reply =
      client_->Send({.method = "POST", .target = "/v1/metrics", .fields = {}, .text = encoded});
  if (!reply.ok()) return reply.status();
  if (reply->status >= 200 && reply->status < 300) return OkStatus();
  const bool is_for_now =
      reply->status == 429 || reply->status == 502 || reply->status == 503 || reply->status == 504;
  return Error(is_for_now ? StatusCode::kIo : StatusCode::kBadData, "{} answers {}: {}",
               options_.url, reply->status, reply->body.substr(0, 200));
}

}  // namespace rankscope::agent
