#include "agent/sinks/otlp.h"

#include <zlib.h>

#include <array>
#include <functional>
#include <iterator>

#include "http/client.h"
#include "json/json_text.h"

namespace rankscope::agent {
namespace {

constexpr std::chrono::seconds kNetworkTime{10};

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

void AppendAttribute(std::string& json, std::string_view key, std::string_view value) {
  json += "{\"key\":";
  AppendJsonString(json, key);
  json += ",\"value\":{\"stringValue\":";
  AppendJsonString(json, value);
  json += "}}";
}

Result<std::string> Packed(const std::string& text) {
  constexpr int kGzip = 15 + 16;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return Error(StatusCode::kResource, "no memory to pack it");
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int done = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (done != Z_STREAM_END) return Error(StatusCode::kInternal, "it could not be packed");
  packed.shrink_to_fit();
  return packed;
}

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
      name.starts_with("rankscope_agent_") || name == "rankscope_device_xid_errors_total";
  const auto [found, is_new] = counted_.try_emplace(key);
  Counted& counted = found->second;
  if (is_new) counted.start_unix_ms = is_own ? options_.begin_unix_ms : options_.boot_unix_ms;
  if (!is_new && reading.value < counted.value) counted.start_unix_ms = counted.read_unix_ms;
  counted.value = reading.value;
  counted.read_unix_ms = unix_ms;
  return counted.start_unix_ms;
}

void OtlpEncoder::AppendPoint(std::string& json, const Reading& reading, std::int64_t unix_ms) {
  json += "{\"attributes\":[";
  for (const auto& [key, value] : reading.labels) {
    if (json.back() != '[') json += ',';
    AppendAttribute(json, key, value);
  }
  json += ']';
  // 64-bit numbers are texts in this encoding.
  const auto out = std::back_inserter(json);
  if (reading.metric->kind == MetricKind::kCounter)
    fmt::format_to(out, ",\"startTimeUnixNano\":\"{}000000\"", StartOf(reading, unix_ms));
  fmt::format_to(out, ",\"timeUnixNano\":\"{}000000\",\"asDouble\":", unix_ms);
  AppendJsonDouble(json, reading.value);
  json += '}';
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
  json += "{\"resourceMetrics\":[{\"resource\":{\"attributes\":[";
  AppendAttribute(json, "service.name", "rankscope-agent");
  json += ',';
  AppendAttribute(json, "service.version", options_.version);
  json += ',';
  AppendAttribute(json, "host.name", options_.host);
  json += "]},\"scopeMetrics\":[{\"scope\":{\"name\":\"rankscope-agent\"},\"metrics\":[";
  for (const auto& snapshot : snapshots) {
    const Metric* before = nullptr;
    for (const Reading& reading : snapshot->readings) {
      const Metric& metric = *reading.metric;
      const bool is_counter = metric.kind == MetricKind::kCounter;
      if (before == nullptr || before->name != metric.name) {
        if (before != nullptr) json += "]}},";
        if (before == nullptr && json.back() == '}') json += ',';
        json += "{\"name\":";
        AppendJsonString(json, metric.name);
        json += ",\"description\":";
        AppendJsonString(json, metric.help);
        json += fmt::format(",\"unit\":\"{}\",", UnitOf(metric.name));
        json += is_counter ? "\"sum\":{\"aggregationTemporality\":2,\"isMonotonic\":true,"
                             "\"dataPoints\":["
                           : "\"gauge\":{\"dataPoints\":[";
        before = &metric;
      } else {
        json += ',';
      }
      AppendPoint(json, reading, snapshot->unix_ms);
    }
    if (before != nullptr) json += "]}}";
  }
  return json + "]}]}]}";
}

OtlpSink::OtlpSink(const OtlpOptions& options) : options_(options), encoder_(options) {}
OtlpSink::~OtlpSink() = default;

std::string OtlpSink::Encode(const Snapshots& fresh) {
  Result<std::string> packed = Packed(encoder_.Encode(fresh));
  return packed.ok() ? *std::move(packed) : std::string();
}

void OtlpSink::Abort() {
  const std::scoped_lock lock(mutex_);
  is_aborted_ = true;
  if (client_) client_->Abort();
}

Status OtlpSink::Send(const std::string& encoded) {
  if (encoded.empty()) return Error(StatusCode::kResource, "no memory to pack it");
  if (client_ == nullptr) {
    RS_ASSIGN_OR_RETURN(const http::Address address, http::ParseAddress(options_.url));
    http::ClientOptions options{.ca_file = options_.ca_file, .fields = {}, .time = kNetworkTime};
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
