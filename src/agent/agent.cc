#include "agent/agent.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "agent/captures_json.h"
#include "agent/delivery.h"
#include "agent/devices_json.h"
#include "agent/loop.h"
#include "agent/run_samples.h"
#include "agent/telemetry/collector.h"
#include "agent/telemetry/device_source.h"
#include "agent/telemetry/prometheus.h"
#include "agent/triggers.h"
#include "base/file.h"
#include "http/server.h"
#include "table/json_text.h"

namespace rankscope::agent {
namespace {

using std::chrono::milliseconds;

// A capture with its warm-up, and what was before it.
constexpr std::int64_t kTelemetryBeforeMs = 60'000;

Now NowOfHost() {
  using std::chrono::duration_cast;
  return {
      duration_cast<milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count(),
      duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count()};
}

std::string HostName(const AgentConfig& config) {
  if (!config.host_name.empty()) return config.host_name;
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "unknown";
}

Result<std::string> TokenIn(const std::string& file) {
  if (file.empty()) return std::string();
  RS_ASSIGN_OR_RETURN(std::string token, ReadFile(file));
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r' || token.back() == ' '))
    token.pop_back();
  if (token.empty()) return Error(StatusCode::kInvalidArgument, "{}: holds no token", file);
  return token;
}

class AgentOfHost final : public Agent, private http::Handler {
 public:
  AgentOfHost(const AgentConfig& config, std::string version, std::string rpc_token,
              std::string server_token, std::function<void(std::string_view)> said)
      : config_(config),
        said_(std::move(said)),
        host_(HostName(config)),
        captures_(config.host_root, {.forget_ms = 1000 * config.kineto_forget_s}),
        rpc_(captures_, {std::move(version), host_, std::move(rpc_token)}, NowOfHost),
        triggers_(config_, captures_, said_),
        collector_(config.host_root, HostSources(), said_),
        devices_({.nvml_library = config.device_nvml_library}),
        device_collector_(
            config.host_root,
            {SourceOf(devices_,
                      milliseconds(1000 * std::max<std::int64_t>(1, config.device_interval_s)))},
            said_),
        delivery_({.url = config.server_url,
                   .token = std::move(server_token),
                   .ca_file = config.server_ca_file,
                   .spool_dir = config.capture_spool_dir.empty()
                                    ? fmt::format("/tmp/rankscope-spool-{}", getuid())
                                    : config.capture_spool_dir,
                   .host = host_,
                   .keeps_files = config.capture_keep_files},
                  said_) {}

  Status Begin() {
    std::unique_ptr<wire::LocalSocket> kineto;
    if (config_.kineto_enabled) {
      RS_ASSIGN_OR_RETURN(wire::LocalSocket bound,
                          wire::LocalSocket::Bind(config_.kineto_socket_dir, config_.kineto_name));
      kineto = std::make_unique<wire::LocalSocket>(std::move(bound));
    }
    LoopOptions options;
    if (!config_.rpc_listen.empty()) {
      RS_ASSIGN_OR_RETURN(const HostPort rpc, ParseHostPort(config_.rpc_listen));
      options.rpc_host = rpc.host;
      options.rpc_port = rpc.port;
    }
    RS_ASSIGN_OR_RETURN(loop_, Loop::Start(options, std::move(kineto), captures_, rpc_, NowOfHost,
                                           [this] { Tick(); }));
    if (!config_.metrics_listen.empty()) {
      RS_ASSIGN_OR_RETURN(const HostPort metrics, ParseHostPort(config_.metrics_listen));
      RS_ASSIGN_OR_RETURN(
          http_,
          http::Server::Start(
              {.host = metrics.host, .port = metrics.port, .io_threads = 1, .blocking_threads = 1},
              *this));
    }
    collector_.Start();
    device_collector_.Start();
    return OkStatus();
  }

  ~AgentOfHost() override {
    if (http_) http_->Stop(milliseconds(500));
    http_.reset();
    loop_.reset();
  }

  std::string AddressesJson() const override {
    const auto text = [](const std::string& value) {
      if (value.empty()) return std::string("null");
      std::string json;
      AppendJsonString(json, value);
      return json;
    };
    const std::string kineto = !config_.kineto_enabled ? ""
                               : config_.kineto_socket_dir.empty()
                                   ? "@" + config_.kineto_name
                                   : config_.kineto_socket_dir + "/" + config_.kineto_name;
    std::string metrics;
    if (http_) {
      const std::string host = http_->host();
      const bool is_v6 = host.find(':') != std::string::npos;
      metrics = fmt::format("{}{}{}:{}", is_v6 ? "[" : "", host, is_v6 ? "]" : "", http_->port());
    }
    return fmt::format("{{\"rpc\":{},\"metrics\":{},\"kineto\":{}}}", text(loop_->rpc_address()),
                       text(metrics), text(kineto));
  }

 private:
  // On the loop's thread.
  void Tick() {
    const Now now = NowOfHost();
    triggers_.Tick(now);
    for (const auto& [capture, member] : captures_.Tick(now)) {
      said_(fmt::format("capture {}: pid {} wrote {} ({} bytes)", capture, member.pid, member.file,
                        member.bytes));
      // From before it was told to what is after.
      const std::vector<DevicesThen> history =
          devices_.Between(1000 * (member.written_unix_ms - kTelemetryBeforeMs), now.unix_us);
      delivery_.Add(capture, member, RunOf(capture), JobName(member.pid),
                    RunSamplesJson(history, member, captures_.Processes(), host_));
    }
  }

  // A capture whose id is "RUN:..." belongs to that run of the server.
  static std::string RunOf(const std::string& capture) {
    constexpr std::size_t kIdLength = 16;
    const bool has_run = capture.size() > kIdLength && capture[kIdLength] == ':' &&
                         capture.find_first_not_of("0123456789abcdef") == kIdLength;
    return has_run ? capture.substr(0, kIdLength) : "";
  }

  std::string JobName(pid_t pid) const {
    for (const Process& process : captures_.Processes()) {
      if (process.info.pid != pid) continue;
      if (!process.info.job_name.empty()) return process.info.job_name + " " + process.info.job_id;
      if (!process.info.job_id.empty()) return "job " + process.info.job_id;
      if (!process.info.user.empty()) return process.info.user + " on " + host_;
    }
    return "pid " + std::to_string(pid) + " on " + host_;
  }

  std::vector<Reading> OwnReadings() const {
    static constexpr Metric kProcesses = {"rankscope_agent_training_processes", MetricKind::kGauge,
                                          "that ask for work"};
    static constexpr Metric kDatagrams = {"rankscope_agent_datagrams_total", MetricKind::kCounter,
                                          "of Kineto's socket: taken, refused, not answered"};
    static constexpr Metric kRequests = {"rankscope_agent_requests_total", MetricKind::kCounter,
                                         "of RPC: answered, refused"};
    static constexpr Metric kMembers = {"rankscope_agent_capture_members", MetricKind::kGauge,
                                        "processes of captures that are kept, by state"};
    static constexpr Metric kUp = {"rankscope_agent_source_up", MetricKind::kGauge,
                                   "1: the source gave something when it was read last"};
    static constexpr Metric kErrors = {"rankscope_agent_source_errors_total", MetricKind::kCounter,
                                       "reads that failed"};
    static constexpr Metric kUnreadable = {"rankscope_agent_source_unreadable_total",
                                           MetricKind::kCounter, "fields that were no numbers"};
    Readings own;
    const LoopNumbers numbers = loop_->numbers();
    own.Add(kProcesses, {}, static_cast<double>(captures_.Processes().size()));
    own.Add(kDatagrams, {{"result", "taken"}}, static_cast<double>(numbers.datagrams));
    own.Add(kDatagrams, {{"result", "refused"}}, static_cast<double>(numbers.bad_datagrams));
    own.Add(kDatagrams, {{"result", "unanswered"}}, static_cast<double>(numbers.lost_replies));
    own.Add(kRequests, {{"result", "answered"}}, static_cast<double>(numbers.requests));
    own.Add(kRequests, {{"result", "refused"}}, static_cast<double>(numbers.bad_requests));
    std::map<std::string_view, int> states;
    for (const Capture& capture : captures_.All()) {
      for (const CaptureMember& member : capture.members) ++states[ToString(member.state)];
    }
    for (const auto& [state, count] : states)
      own.Add(kMembers, {{"state", std::string(state)}}, count);
    std::vector<SourceState> sources = collector_.States();
    for (SourceState& state : device_collector_.States()) sources.push_back(std::move(state));
    for (const SourceState& state : sources) {
      const Labels labels = {{"source", std::string(state.name)}};
      if (state.reads == 0) continue;
      own.Add(kUp, labels, state.is_up ? 1 : 0);
      own.Add(kErrors, labels, static_cast<double>(state.errors));
      own.Add(kUnreadable, labels, static_cast<double>(state.unreadable));
    }
    return std::move(own.all);
  }

  std::string DeliveriesJson() const {
    std::string json = "{\"deliveries\":[";
    for (const auto& [key, one] : delivery_.All()) {
      if (json.back() != '[') json += ',';
      json += "{\"trace\":";
      AppendJsonString(json, key);
      json += fmt::format(",\"state\":\"{}\",\"run\":",
                          one.state == Delivered::State::kSent     ? "sent"
                          : one.state == Delivered::State::kFailed ? "failed"
                                                                   : "queued");
      AppendJsonString(json, one.run);
      json += ",\"problem\":";
      AppendJsonString(json, one.problem);
      json += '}';
    }
    return json + "]}";
  }

  static http::Reply TextReply(int status, std::string_view type, std::string text) {
    http::Reply reply;
    reply.status = status;
    reply.fields = {{"Content-Type", std::string(type)}, {"Cache-Control", "no-store"}};
    reply.body = std::move(text);
    return reply;
  }

  // http::Handler: answers from memory.
  std::variant<http::Reply, std::unique_ptr<http::Exchange>> Begin(
      const http::Head& head) override {
    constexpr std::string_view kJson = "application/json";
    if (head.method != "GET" && head.method != "HEAD")
      return Refuse(405, "only GET is answered here");
    if (head.path == "/metrics") {
      std::vector<Reading> readings = OwnReadings();
      for (Reading& one : collector_.Last()) readings.push_back(std::move(one));
      for (Reading& one : device_collector_.Last()) readings.push_back(std::move(one));
      return TextReply(200, "text/plain; version=0.0.4; charset=utf-8",
                       PrometheusText(std::move(readings)));
    }
    if (head.path == "/healthz") return TextReply(200, kJson, "{\"status\":\"ok\"}");
    if (head.path == "/api/v1/processes")
      return TextReply(200, kJson, ToJson(captures_.Processes(), NowOfHost()));
    if (head.path == "/api/v1/devices")
      return TextReply(200, kJson, DevicesJson(devices_.Last(), captures_.Processes()));
    if (head.path == "/api/v1/deliveries") return TextReply(200, kJson, DeliveriesJson());
    if (head.path == "/api/v1/captures") {
      std::string json = "{\"captures\":[";
      for (const Capture& capture : captures_.All())
        json += (json.back() == '[' ? "" : ",") + ToJson(capture);
      return TextReply(200, kJson, json + "]}");
    }
    return Refuse(404,
                  "there is /metrics, /healthz, /api/v1/processes, /api/v1/captures, "
                  "/api/v1/devices and /api/v1/deliveries");
  }
  http::Reply Refuse(int status, std::string_view sentence) override {
    std::string json = "{\"error\":{\"code\":\"refused\",\"message\":";
    AppendJsonString(json, sentence);
    return TextReply(status, "application/json", json + "}}");
  }
  void OnServed(const http::Served&) override {}

  const AgentConfig config_;
  const std::function<void(std::string_view)> said_;
  const std::string host_;
  Captures captures_;
  const Rpc rpc_;
  Triggers triggers_;
  Collector collector_;
  Devices devices_;
  Collector device_collector_;
  Delivery delivery_;
  std::unique_ptr<Loop> loop_;
  std::unique_ptr<http::Server> http_;
};

}  // namespace

Result<std::unique_ptr<Agent>> Agent::Start(const AgentConfig& config, std::string version,
                                            std::function<void(std::string_view)> said) {
  RS_RETURN_IF_ERROR(CheckConfig(config));
  RS_ASSIGN_OR_RETURN(std::string rpc_token, TokenIn(config.rpc_token_file));
  RS_ASSIGN_OR_RETURN(std::string server_token, TokenIn(config.server_token_file));
  auto agent = std::make_unique<AgentOfHost>(config, std::move(version), std::move(rpc_token),
                                             std::move(server_token), std::move(said));
  RS_RETURN_IF_ERROR(agent->Begin());
  return std::unique_ptr<Agent>(std::move(agent));
}

}  // namespace rankscope::agent
