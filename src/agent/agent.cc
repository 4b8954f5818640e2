#include "agent/agent.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "agent/base/fields.h"
#include "agent/base/small_file.h"
#include "agent/capture_scrapes.h"
#include "agent/captures/captures_json.h"
#include "agent/captures/cpu_profiles.h"
#include "agent/captures/snoop_windows.h"
#include "agent/central_settings.h"
#include "agent/delivery.h"
#include "agent/devices_json.h"
#include "agent/health/host_health.h"
#include "agent/host_history.h"
#include "agent/local_pages.h"
#include "agent/loop.h"
#include "agent/own_readings.h"
#include "agent/own_state.h"
#include "agent/pods.h"
#include "agent/report_samples.h"
#include "agent/run_samples.h"
#include "agent/server_link.h"
#include "agent/serving_pages.h"
#include "agent/sinks/exporter.h"
#include "agent/sinks/json_lines.h"
#include "agent/sinks/otlp.h"
#include "agent/spool_folder.h"
#include "agent/telemetry/collector.h"
#include "agent/telemetry/device_source.h"
#include "agent/telemetry/ethtool_source.h"
#include "agent/telemetry/intervals.h"
#include "agent/telemetry/page.h"
#include "agent/telemetry/perf_source.h"
#include "agent/telemetry/power_sources.h"
#include "agent/telemetry/process_source.h"
#include "agent/telemetry/prometheus.h"
#include "agent/telemetry/query.h"
#include "agent/triggers/triggers.h"
#include "agent/watched_processes.h"
#include "api/state.h"
#include "base/caught.h"
#include "base/file.h"
#include "http/server.h"
#include "json/fields.h"
#include "json/reader.h"
#include "json/writer.h"
#include "quantity/agent_metrics.h"

namespace rankscope::agent {
namespace {

using std::chrono::milliseconds;

// A capture with its warm-up, and what was before it.
constexpr std::int64_t kTelemetryBeforeMs = 60'000;
constexpr milliseconds kBetweenLooks{250};
constexpr std::int64_t kBetweenHealthMs = 1000;
// One that hangs in a file system is not waited for: main.cc ends the process then.
constexpr milliseconds kLastRounds{2000};

std::string HostName(const AgentConfig& config) {
  if (!config.host_name.empty()) return config.host_name;
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "unknown";
}

// From when on the kernel counts.
std::optional<std::int64_t> BootUnixMs(const std::string& root) {
  const Result<std::string> stat = ReadSmallFile(root + "/proc/stat");
  std::optional<std::int64_t> boot;
  if (!stat.ok()) return boot;
  ForEachLine(*stat, [&](std::string_view line) {
    if (!line.starts_with("btime ")) return;
    const auto seconds = NumberOf(line.substr(6));
    if (seconds) boot = static_cast<std::int64_t>(*seconds) * 1000;
  });
  return boot;
}

Result<std::string> TokenIn(const std::string& file) {
  if (file.empty()) return std::string();
  RS_ASSIGN_OR_RETURN(std::string token, ReadFile(file));
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r' || token.back() == ' '))
    token.pop_back();
  if (token.empty()) return Error(StatusCode::kInvalidArgument, "{}: holds no token", file);
  return token;
}

TriggerOptions TriggersOf(const AgentConfig& config) {
  return {.iteration = config.triggers_iteration,
          .iterations = config.triggers_iterations,
          .settle_s = config.triggers_settle_s,
          .every_minutes = config.triggers_every_minutes,
          .round_up = config.triggers_round_up,
          .rules = config.triggers_rules,
          .events = config.triggers_events,
          .most_per_hour = config.triggers_most_per_hour,
          .job_most_per_hour = config.triggers_job_most_per_hour,
          .job_pause_s = config.triggers_job_pause_s,
          .folder = config.capture_folder,
          .shapes = config.capture_shapes,
          .stacks = config.capture_stacks,
          .samples_cpu = config.capture_cpu,
          .windows = {.snoop_ms = 1000 * config.capture_snoop_s,
                      .offcpu_ms = 1000 * config.capture_offcpu_s}};
}

class AgentOfHost final : public Agent {
 public:
  AgentOfHost(const AgentConfig& config, std::string version, std::string rpc_token,
              std::string server_token, std::string otlp_token, std::string spool_dir,
              std::function<void(std::string_view)> said)
      : config_(config),
        said_(std::move(said)),
        host_(HostName(config)),
        spool_dir_(std::move(spool_dir)),
        root_of_processes_(RootOfProcesses(config.host_root)),
        pods_(config.kubernetes_pods),
        captures_(root_of_processes_,
                  {.forget_ms = 1000 * config.kineto_forget_s,
                   .keeps_files = config.capture_keep_files,
                   .names = [this](const CgroupPlace& place) { return pods_.NamesOf(place); }}),
        version_(std::move(version)),
        rpc_(AnsweredFrom(), {version_, host_, std::move(rpc_token), said_}, NowOfHost),
        server_rpc_(AnsweredFrom(), {version_, host_, "", said_}, NowOfHost),
        server_{.url = config.server_url,
                .token = std::move(server_token),
                .ca_file = config.server_ca_file,
                .cert_file = config.server_cert_file,
                .key_file = config.server_key_file},
        otlp_token_(std::move(otlp_token)),
        central_(config, CentralFile(), said_),
        triggers_(TriggersOf(central_.Config()), captures_, decisions_,
                  {.host = host_,
                   .telemetry = [this] { return Telemetry(); },
                   .on_device = [this](int index) { return devices_.ProcessesOn(index); },
                   .said = said_,
                   .began_ticks = StartTicksOf("", getpid())}),
        cpu_profiles_(captures_),
        snoop_windows_(captures_, config.snoop_socket),
        exporter_page_(PageOf(config)),
        devices_({.nvml_library = config.device_nvml_library,
                  .amdsmi_library = config.device_amdsmi_library,
                  .probes = config.device_probes,
                  .probe_worker = {"/proc/self/exe", std::string(kProbeWorker)},
                  .dcgm = {.library = config.device_dcgm_library,
                           .host = config.device_dcgm_host,
                           .interval = DeviceInterval()},
                  .exporter_page = ExporterPage(),
                  .said = said_}),
        health_({.command = config.drain_command,
                 .when_degraded = config.drain_when_degraded,
                 .after_s = config.drain_after_s,
                 .limit_s = config.drain_limit_s},
                host_, DeviceInterval(), said_),
        collector_(
            config.host_root,
            WithIntervals(CollectedSources(), ParseIntervals(config.telemetry_intervals).value()),
            said_),
        device_collector_(config.host_root, {SourceOf(devices_, DeviceInterval())}, said_),
        pods_collector_(config.host_root, PodsSources(), said_),
        dcgm_collector_(config.host_root, {DcgmSourceOf(devices_, DeviceInterval())}, said_),
        exporter_collector_(config.host_root, ExporterSources(), said_),
        serving_(ParseServingPages(config.serving_pages).value(),
                 milliseconds(1000 * config.serving_interval_s),
                 static_cast<std::size_t>(config.serving_most_mb) << 20),
        serving_collector_(config.host_root, serving_.Sources(), said_),
        delivery_({.server = server_,
                   .spool_dir = spool_dir_,
                   .host = host_,
                   .keeps_files = config.capture_keep_files},
                  said_),
        exporter_(
            Outboxes(), [this] { return WithOwn(Telemetry()); },
            milliseconds(1000 * config.sinks_interval_s)) {}

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
      options.trusts_loopback = config_.rpc_trust_loopback;
    }
    RS_ASSIGN_OR_RETURN(loop_, Loop::Start(options, std::move(kineto), captures_, rpc_, NowOfHost,
                                           [this] { Try([this] { Tick(); }); }));
    files_ = std::jthread([this](const std::stop_token& stop) { LookNowAndThen(stop); });
    if (!config_.metrics_listen.empty()) {
      RS_ASSIGN_OR_RETURN(const HostPort metrics, ParseHostPort(config_.metrics_listen));
      RS_ASSIGN_OR_RETURN(http_, http::Server::Start({.host = metrics.host,
                                                      .port = metrics.port,
                                                      .io_threads = 1,
                                                      .blocking_threads = 1,
                                                      .most_connections = 400},
                                                     pages_));
    }
    collector_.Start();
    device_collector_.Start();
    if (pods_.is_asked()) pods_collector_.Start();
    if (devices_.has_dcgm()) dcgm_collector_.Start();
    if (exporter_page_) exporter_collector_.Start();
    if (!config_.serving_pages.empty()) serving_collector_.Start();
    exporter_.Start();
    if (!config_.server_url.empty() && config_.server_reports) {
      link_ = std::make_unique<ServerLink>(
          ServerLinkOptions{.server = server_,
                            .host = host_,
                            .rack = config_.host_rack,
                            .version = version_,
                            .interval_ms = 1000 * config_.server_interval_s},
          server_rpc_, [this](json::Writer& writer) { WriteState(writer); },
          [this](const json::Value& reply) { Arrived(reply); }, said_);
    }
    return OkStatus();
  }

  ~AgentOfHost() override {
    link_.reset();
    if (exporter_page_) exporter_page_->Abort();
    pods_.Abort();
    serving_.Abort();
    if (http_) http_->Stop(milliseconds(500));
    http_.reset();
    exporter_.Stop();
    loop_.reset();
    files_ = {};
  }

  std::string AddressesJson() const override {
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
    std::string json;
    json::Writer writer(json);
    writer.BeginObject().TextMember("rpc", loop_->rpc_address());
    writer.TextMember("metrics", metrics).TextMember("kineto", kineto).EndObject();
    return json;
  }

 private:
  // On the loop's thread.
  void Tick() {
    const Now now = NowOfHost();
    history_.See(collector_.Last());
    if (const auto changed = TakeChanged()) triggers_.Change(TriggersOf(*changed));
    triggers_.Tick(now);
    cpu_profiles_.Tick();
    snoop_windows_.Tick();
    captures_.Tick(now);
    if (now.steady_ms < next_health_ms_) return;
    next_health_ms_ = now.steady_ms + kBetweenHealthMs;
    health_.Look(devices_.LastThen(), now);
  }

  // On the link's thread.
  void Arrived(const json::Value& reply) {
    report_samples_.Arrived();
    if (!config_.server_settings || !reply["settings"].IsKnown()) return;
    auto changed = central_.Take(reply["settings"]);
    if (!changed) return;
    const std::scoped_lock lock(changed_mutex_);
    changed_ = std::move(changed);
  }
  std::optional<AgentConfig> TakeChanged() {
    const std::scoped_lock lock(changed_mutex_);
    return std::exchange(changed_, std::nullopt);
  }
  // Beside what waits for the server, so it is nobody else's.
  std::string CentralFile() const {
    const bool takes = !config_.server_url.empty() && config_.server_settings;
    return takes ? spool_dir_ + "/settings-of-the-server.json" : "";
  }

  void LookOnce() {
    Try([this] {
      const Now now = NowOfHost();
      for (const auto& [capture, member] : captures_.Look(now)) Bring(capture, member, now);
    });
  }

  // A round that fails costs itself.
  template <typename Round>
  void Try(Round round) {
    const Status done = Caught(round);
    if (!done.ok()) said_(fmt::format("what was to be done now failed: {}", done.message()));
  }

  // On a thread of its own: where processes write may be a file system that hangs.
  void LookNowAndThen(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
      LookOnce();
      wake.wait_for(lock, stop, kBetweenLooks, [] { return false; });
    }
    // At the end: the first round sees who ended meanwhile, the second takes away what they left.
    const std::int64_t deadline_ms = NowOfHost().steady_ms + kLastRounds.count();
    for (int round = 0; round < 2 && NowOfHost().steady_ms < deadline_ms; ++round) LookOnce();
  }

  // To the server, what a process has written.
  void Bring(const std::string& capture, const CaptureMember& member, Now now) {
    said_(fmt::format("capture {}: pid {} wrote {} ({} bytes)", capture, member.pid, member.path,
                      member.bytes));
    // From before it was told to what is after.
    const std::int64_t from_us = 1000 * (member.written_unix_ms - kTelemetryBeforeMs);
    std::string samples;
    if (!member.is_snapshot) {
      samples = RunSamplesJson(devices_.Between(from_us, now.unix_us),
                               history_.Between(from_us, now.unix_us), member,
                               captures_.Processes(), host_);
    }
    CaptureMember named = member;
    named.placed.names = pods_.NamesOf(member.placed.place);
    const std::optional<Capture> whole = captures_.Find(capture);
    const CaptureTerms terms = whole ? whole->terms : CaptureTerms();
    delivery_.Add(capture, named, terms.run, RunName(terms, member.pid), std::move(samples),
                  cpu_profiles_.SamplerOf(capture, member.pid),
                  snoop_windows_.WindowsOf(capture, member.pid),
                  member.is_snapshot ? std::vector<FileBeside>()
                                     : scrapes_.Of(capture, from_us, now.unix_us));
  }

  std::string DevicesJson() const {
    const std::vector<Process> known = captures_.Processes();
    return json::ToJson(Reported(devices_.Last(), known, places_.Of(known)));
  }

  // What the server is told of this host.
  void WriteState(json::Writer& writer) {
    const std::vector<Process> processes = captures_.Processes();
    json::FieldsOf<api::ReportedProcesses>().WriteInto(Reported(processes, NowOfHost()), writer);
    json::FieldsOf<api::ReportedDevices>().WriteInto(
        Reported(devices_.Last(), processes, places_.Of(processes)), writer);
    if (config_.server_settings) central_.WriteState(writer);
    if (config_.server_telemetry) writer.Key("samples").Raw(report_samples_.Next());
  }

  // What sets a capture apart makes a run of its own; the others of a job are one run.
  std::string RunName(const CaptureTerms& terms, pid_t pid) const {
    return JobName(pid) + (terms.occasion.empty() ? "" : ", " + terms.occasion);
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

  std::vector<std::unique_ptr<Outbox>> Outboxes() const {
    const OutboxOptions options{.most_bytes = static_cast<std::size_t>(config_.sinks_buffer_mb)
                                              << 20};
    std::vector<std::unique_ptr<Sink>> sinks;
    if (!config_.sinks_json_file.empty()) {
      sinks.push_back(std::make_unique<JsonLinesSink>(JsonLinesOptions{
          .path = config_.sinks_json_file,
          .host = host_,
          .most_bytes = static_cast<std::uint64_t>(config_.sinks_json_most_mb) << 20,
          .most_files = static_cast<int>(config_.sinks_json_files)}));
    }
    if (!config_.sinks_otlp_url.empty()) {
      const std::int64_t now = NowOfHost().unix_ms();
      sinks.push_back(std::make_unique<OtlpSink>(
          OtlpOptions{.url = config_.sinks_otlp_url,
                      .token = otlp_token_,
                      .ca_file = config_.sinks_otlp_ca_file,
                      .host = host_,
                      .version = version_,
                      .boot_unix_ms = BootUnixMs(config_.host_root).value_or(now),
                      .begin_unix_ms = now}));
    }
    std::vector<std::unique_ptr<Outbox>> outboxes;
    outboxes.reserve(sinks.size());
    for (std::unique_ptr<Sink>& sink : sinks)
      outboxes.push_back(std::make_unique<Outbox>(std::move(sink), options, said_));
    return outboxes;
  }

  // With what the agent tells of itself.
  Snapshots WithOwn(Snapshots all) const {
    all.push_back(MakeSnapshot("agent", OwnReadings(), NowOfHost()));
    return all;
  }

  RpcSources AnsweredFrom() {
    return {captures_, decisions_, values_, [this] { return Telemetry(); },
            [this](std::int64_t seconds) {
              return devices_.PauseCounters(milliseconds(1000 * seconds));
            }};
  }

  static std::unique_ptr<Page> PageOf(const AgentConfig& config) {
    if (config.device_dcgm_exporter.empty()) return nullptr;
    return std::make_unique<Page>(ParsePage(config.device_dcgm_exporter).value());
  }
  std::function<Result<std::string>()> ExporterPage() {
    if (!exporter_page_) return {};
    return [this] { return exporter_page_->Get(); };
  }
  std::vector<Source> ExporterSources() {
    if (!exporter_page_) return {};
    return {ExporterSourceOf(devices_, DeviceInterval())};
  }
  std::vector<Source> PodsSources() {
    return pods_.is_asked() ? std::vector<Source>{SourceOf(pods_)} : std::vector<Source>{};
  }
  milliseconds DeviceInterval() const { return milliseconds(1000 * config_.device_interval_s); }

  // A thread each: who hangs holds up none of the others.
  std::array<const Collector*, 5> OtherCollectors() const {
    return {&device_collector_, &dcgm_collector_, &exporter_collector_, &pods_collector_,
            &serving_collector_};
  }

  std::vector<Source> CollectedSources() {
    std::vector<Source> sources = HostSources();
    sources.push_back(SourceOf(values_));
    sources.push_back(PowercapSource());
    sources.push_back(ProcessSource(
        [this] { return ProcessesToWatch(captures_.Processes(), devices_.Last(), places_); }));
    // What the kernel is asked for is of this host, not of a tree of files.
    if (config_.host_root.empty()) sources.push_back(EthtoolSource(ReadEthtool));
    if (config_.telemetry_perf)
      sources.push_back(PerfSource(OpenPerfEvent, static_cast<int>(sysconf(_SC_NPROCESSORS_CONF))));
    return sources;
  }

  // As it was read last; safe for many threads.
  Snapshots Telemetry() const {
    Snapshots all = collector_.Last();
    for (const Collector* const collector : OtherCollectors()) {
      for (auto& one : collector->Last()) all.push_back(std::move(one));
    }
    return all;
  }

  std::vector<Reading> OwnReadings() const {
    namespace q = quantity;
    Readings own;
    own.Add(q::kAgentProcesses, {}, static_cast<double>(captures_.Processes().size()));
    AddLoop(loop_->numbers(), own);
    AddMembers(captures_.All(), own);
    std::vector<SourceState> sources = collector_.States();
    for (const Collector* const collector : OtherCollectors()) {
      for (SourceState& state : collector->States()) sources.push_back(std::move(state));
    }
    AddSources(sources, own);
    if (!config_.device_probes.empty()) AddSpecs(devices_.Specs(), own);
    AddSinks(exporter_.outboxes(), own);
    if (link_ && config_.server_telemetry) {
      own.Add(q::kAgentSinkSent, {{"sink", "server"}}, static_cast<double>(report_samples_.sent()));
      own.Add(q::kAgentSinkLost, {{"sink", "server"}}, static_cast<double>(report_samples_.lost()));
    }
    if (link_ && config_.server_settings) {
      const CentralNumbers settings = central_.numbers();
      own.Add(q::kAgentCentralSettings, {}, static_cast<double>(settings.in_force));
      own.Add(q::kAgentCentralRefused, {}, settings.are_refused ? 1 : 0);
    }
    own.Add(q::kAgentBuildInfo, {{"version", version_}}, 1);
    own.Add(q::kAgentStartTime, {}, static_cast<double>(began_unix_ms_) / 1000);
    AddDeliveries(delivery_.All(), own);
    AddOwnState(spool_dir_, own);
    return std::move(own.all);
  }

  std::string DeliveriesJson() const {
    std::string json;
    json::Writer writer(json);
    writer.BeginObject().Key("deliveries").BeginArray();
    for (const auto& [key, one] : delivery_.All()) {
      writer.BeginObject().Member("trace", key).Member("state", ToString(one.state));
      writer.Member("run", one.run).Member("problem", one.problem).EndObject();
    }
    writer.EndArray().EndObject();
    return json;
  }

  // ?name=device_busy_ratio&label=device=0, both or none, label more than once.
  http::Reply Metrics(const http::Fields& query) {
    std::string name;
    Labels labels;
    for (const auto& [key, value] : query) {
      if (key != "name" && key != "label")
        return RefusedReply(400, "there are the parameters name and label, not '" + key + "'");
      if (key == "name") {
        name = value;
        continue;
      }
      auto label = ParseLabel(value);
      if (!label.ok()) return RefusedReply(400, label.status().message());
      labels.push_back(*std::move(label));
    }
    return JsonReply(MetricsJson(Telemetry(), name, labels, NowOfHost()));
  }

  std::vector<LocalPage> Pages() {
    return {
        {"/metrics",
         [this](const http::Fields&) {
           return TextReply(200, "text/plain; version=0.0.4; charset=utf-8",
                            PrometheusText(WithOwn(Telemetry())));
         }},
        {"/healthz", [](const http::Fields&) { return JsonReply(json::ToJson(api::Health())); }},
        {"/api/v1/processes",
         [this](const http::Fields&) {
           return JsonReply(json::ToJson(Reported(captures_.Processes(), NowOfHost())));
         }},
        {"/api/v1/captures",
         [this](const http::Fields&) {
           return JsonReply(json::ToJson(Reported(captures_.All())));
         }},
        {"/api/v1/triggers",
         [this](const http::Fields&) { return JsonReply(ToJson(decisions_.All())); }},
        {"/api/v1/metrics", [this](const http::Fields& query) { return Metrics(query); }},
        {"/api/v1/devices", [this](const http::Fields&) { return JsonReply(DevicesJson()); }},
        {"/api/v1/load",
         [this](const http::Fields&) {
           const api::HostLoad load = health_.Load(devices_.LastThen(), NowOfHost());
           return JsonReply(json::ToJson(load), load.accepts_work ? 200 : 503);
         }},
        {"/api/v1/deliveries", [this](const http::Fields&) { return JsonReply(DeliveriesJson()); }},
    };
  }

  const AgentConfig config_;
  const std::function<void(std::string_view)> said_;
  const std::string host_;
  const std::string spool_dir_;
  const std::int64_t began_unix_ms_ = NowOfHost().unix_ms();
  const std::string root_of_processes_;
  Pods pods_;
  const ProcessPlaces places_{root_of_processes_, pods_};
  Captures captures_;
  Decisions decisions_;
  JobValues values_{NowOfHost};
  const std::string version_;
  const Rpc rpc_;
  const Rpc server_rpc_;
  const ServerAccess server_;
  const std::string otlp_token_;
  CentralSettings central_;
  std::mutex changed_mutex_;
  std::optional<AgentConfig> changed_;  // for the loop's thread
  Triggers triggers_;
  CpuProfiles cpu_profiles_;
  SnoopWindows snoop_windows_;
  HostHistory history_;
  const std::unique_ptr<Page> exporter_page_;  // null: none is asked
  Devices devices_;
  HostHealth health_;
  std::int64_t next_health_ms_ = 0;  // of the loop's thread
  ReportSamples report_samples_{devices_, history_};
  Collector collector_;  // its sources read captures_, devices_ and values_
  Collector device_collector_;
  Collector pods_collector_;
  Collector dcgm_collector_;
  Collector exporter_collector_;
  ServingPages serving_;
  CaptureScrapes scrapes_{serving_};
  Collector serving_collector_;
  Delivery delivery_;
  std::unique_ptr<Loop> loop_;
  LocalPages pages_{Pages()};
  std::unique_ptr<http::Server> http_;
  std::unique_ptr<ServerLink> link_;
  std::jthread files_;
  // Reads all of the above.
  Exporter exporter_;
};

}  // namespace

Result<std::unique_ptr<Agent>> Agent::Start(const AgentConfig& config, std::string version,
                                            std::function<void(std::string_view)> said) {
  RS_RETURN_IF_ERROR(CheckConfig(config));
  RS_ASSIGN_OR_RETURN(std::string rpc_token, TokenIn(config.rpc_token_file));
  RS_ASSIGN_OR_RETURN(std::string server_token, TokenIn(config.server_token_file));
  RS_ASSIGN_OR_RETURN(std::string otlp_token, TokenIn(config.sinks_otlp_token_file));
  RS_ASSIGN_OR_RETURN(std::string spool_dir, OwnSpoolFolder(config.capture_spool_dir));
  auto agent = std::make_unique<AgentOfHost>(config, std::move(version), std::move(rpc_token),
                                             std::move(server_token), std::move(otlp_token),
                                             std::move(spool_dir), std::move(said));
  RS_RETURN_IF_ERROR(agent->Begin());
  return std::unique_ptr<Agent>(std::move(agent));
}

}  // namespace rankscope::agent
