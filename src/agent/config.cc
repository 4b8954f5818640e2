#include "agent/config.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "agent/pods.h"
#include "agent/serving_pages.h"
#include "agent/telemetry/intervals.h"
#include "agent/telemetry/page.h"
#include "agent/triggers/rule_set.h"
#include "base/file.h"
#include "base/nearest_name.h"
#include "base/toml.h"
#include "http/client.h"

namespace rankscope::agent {

const std::vector<Setting>& Settings() {
  using C = AgentConfig;
  static const std::vector<Setting> kSettings = {
      {"kineto.enabled", &C::kineto_enabled, "answer training processes"},
      {"kineto.socket_dir", &C::kineto_socket_dir,
       "folder of the socket, as KINETO_IPC_SOCKET_DIR of the processes; empty: an abstract name"},
      {"kineto.name", &C::kineto_name, "name of the socket; processes know 'dynolog' alone"},
      {"kineto.forget_s", &C::kineto_forget_s, "a process that asks nothing for so long is gone"},
      {"rpc.listen", &C::rpc_listen,
       "address of requests, dynolog's among them; port 0 takes a free one; empty: none"},
      {"rpc.token_file", &C::rpc_token_file, "file of the token that every request has to carry"},
      {"rpc.insecure", &C::rpc_insecure,
       "listen on other addresses than loopback without a token, for dynolog's own clients on a "
       "closed network"},
      {"rpc.trust_loopback", &C::rpc_trust_loopback,
       "whoever asks from this host reaches the processes of all users, as with dynolog; without, "
       "his own, and root all"},
      {"metrics.listen", &C::metrics_listen, "address of /metrics and /api/v1; empty: none"},
      {"metrics.insecure", &C::metrics_insecure,
       "listen there on other addresses than loopback: anybody may read"},
      {"server.url", &C::server_url, "where traces go; empty: they stay where they were written"},
      {"server.token_file", &C::server_token_file, "file of the token for the server"},
      {"server.ca_file", &C::server_ca_file, "certificates to trust, beside the system's"},
      {"server.cert_file", &C::server_cert_file,
       "certificate to show in place of a token (rankscope certs); with server.key_file"},
      {"server.key_file", &C::server_key_file, "its key"},
      {"server.reports", &C::server_reports,
       "tell the server of this host's processes and devices, and capture when it asks"},
      {"server.interval_s", &C::server_interval_s,
       "seconds between reports; what the server asks for comes at once"},
      {"server.telemetry", &C::server_telemetry,
       "send the server what devices and the host do, for its page of hosts"},
      {"server.settings", &C::server_settings,
       "take settings of triggers that the server has for its hosts, below those given here"},
      {"device.nvml_library", &C::device_nvml_library,
       "NVIDIA's management library; empty: not asked"},
      {"device.amdsmi_library", &C::device_amdsmi_library,
       "AMD's management library; empty: not asked, amdgpu's files are read all the same"},
      {"device.dcgm_library", &C::device_dcgm_library,
       "DCGM's library; in place of libdcgm.so.4 libdcgm.so.3 is taken where it is alone"},
      {"device.dcgm_host", &C::device_dcgm_host,
       "DCGM's host engine (nv-hostengine), HOST:PORT such as 127.0.0.1:5555 or unix:///PATH, for "
       "what the driver does not tell; empty: not asked"},
      {"device.dcgm_exporter", &C::device_dcgm_exporter,
       "page of a dcgm-exporter, such as http://127.0.0.1:9400/metrics, for what the driver does "
       "not tell; empty: not asked"},
      {"device.probes", &C::device_probes,
       "list of specifications of devices (.probe files, docs/probes.md), told beside those of the "
       "libraries; only their owner may write to them"},
      {"device.interval_s", &C::device_interval_s, "seconds between readings of the devices"},
      {"drain.command", &C::drain_command,
       "list: a program and its arguments, run when a device has failed, to take this host out of "
       "service; empty: none"},
      {"drain.when_degraded", &C::drain_when_degraded, "run it for a degraded device, too"},
      {"drain.after_s", &C::drain_after_s, "seconds for which the device has to stay so"},
      {"drain.limit_s", &C::drain_limit_s, "seconds after which the command is ended"},
      {"telemetry.intervals", &C::telemetry_intervals,
       "list of SOURCE=SECONDS in place of a source's own, such as cpu=5; 0: not read"},
      {"telemetry.perf", &C::telemetry_perf,
       "count perf events over all of the host: one descriptor for each of six events and core, "
       "and "
       "the processor's counters are not anybody else's meanwhile"},
      {"serving.pages", &C::serving_pages,
       "list of pages of metrics of programs that serve requests here, NAME=URL or URL, such as "
       "chat=http://127.0.0.1:8000/metrics: captures bring what they said"},
      {"serving.interval_s", &C::serving_interval_s, "seconds between scrapes of these pages"},
      {"serving.most_mb", &C::serving_most_mb,
       "megabytes of scrapes that are kept in memory, of all pages; beyond, the oldest are lost"},
      {"sinks.interval_s", &C::sinks_interval_s,
       "seconds between rounds of sinks: what was read anew goes to each"},
      {"sinks.buffer_mb", &C::sinks_buffer_mb,
       "megabytes that wait for each sink that does not take them; beyond, the oldest are lost"},
      {"sinks.json_file", &C::sinks_json_file,
       "telemetry as JSON lines goes there; -: standard output; empty: nowhere"},
      {"sinks.json_most_mb", &C::sinks_json_most_mb, "megabytes of a file before it is rotated"},
      {"sinks.json_files", &C::sinks_json_files, "files that are kept, the one written among them"},
      {"sinks.otlp_url", &C::sinks_otlp_url,
       "telemetry by OTLP/HTTP goes there, such as http://127.0.0.1:4318; empty: nowhere"},
      {"sinks.otlp_token_file", &C::sinks_otlp_token_file, "file of a bearer token for it"},
      {"sinks.otlp_ca_file", &C::sinks_otlp_ca_file,
       "certificates to trust there, beside the system's"},
      {"kubernetes.pods", &C::kubernetes_pods,
       "names of pods and containers: the kubelet's page, such as http://127.0.0.1:10255/pods, or "
       "a "
       "file of the same JSON; empty: their ids alone"},
      {"host.root", &C::host_root, "stands before /proc and /sys: for fake trees and containers"},
      {"host.name", &C::host_name, "in place of the host's own name"},
      {"host.rack", &C::host_rack,
       "where it stands: hosts of a rack lie together in the server's map"},
      {"triggers.iteration", &C::triggers_iteration,
       "every process is profiled once, from this iteration on; 0: never"},
      {"triggers.iterations", &C::triggers_iterations, "so many"},
      {"triggers.settle_s", &C::triggers_settle_s,
       "a process is told that when it has been seen for so long: one that has not counted an "
       "iteration yet would record a time instead"},
      {"triggers.every_minutes", &C::triggers_every_minutes,
       "every job is profiled when the wall's clock is a multiple of so many minutes; 0: never"},
      {"triggers.round_up", &C::triggers_round_up,
       "captures by schedule, rules and events begin at a multiple of so many iterations, the same "
       "on all ranks"},
      {"triggers.rules", &C::triggers_rules,
       "list: a job is profiled when a number crosses a threshold for a time"},
      {"triggers.events", &C::triggers_events,
       "list: a job is profiled when it happens: oom_kill, xid, slow_steps"},
      {"triggers.most_per_hour", &C::triggers_most_per_hour,
       "captures by triggers on this host in an hour"},
      {"triggers.job_most_per_hour", &C::triggers_job_most_per_hour,
       "captures by triggers of a job on this host in an hour"},
      {"triggers.job_pause_s", &C::triggers_job_pause_s,
       "least time from any capture of a job to the next by schedule, rule or event"},
      {"capture.folder", &C::capture_folder, "where processes write traces of triggers"},
      {"capture.spool_dir", &C::capture_spool_dir,
       "for packed traces on their way to the server, the agent's own with mode 0700; empty: spool "
       "in STATE_DIRECTORY, which systemd sets, else a folder in /tmp"},
      {"capture.keep_files", &C::capture_keep_files, "leave traces in place that the server has"},
      {"capture.shapes", &C::capture_shapes, "record shapes in captures of triggers"},
      {"capture.stacks", &C::capture_stacks, "record Python stacks in captures of triggers"},
      {"capture.cpu", &C::capture_cpu,
       "sample the stacks of processes in captures of triggers, without a change of how they run"},
      {"capture.snoop_s", &C::capture_snoop_s,
       "seconds for which captures of triggers look at allocations, launches and waits of their "
       "processes from outside (docs/snoop.md), 1 to 600; 0: not"},
      {"capture.offcpu_s", &C::capture_offcpu_s,
       "the same of where their threads wait while they do not run"},
      {"snoop.socket", &C::snoop_socket,
       "where the helper of snoop listens (rankscope-snoop.service), which has the privileges for "
       "both; empty: there is none"},
  };
  return kSettings;
}

bool IsList(const Setting& setting) {
  return std::holds_alternative<std::vector<std::string> AgentConfig::*>(setting.place);
}

Status SetValues(std::string_view key, const std::vector<std::string>& texts, AgentConfig& config) {
  for (const Setting& setting : Settings()) {
    if (setting.key != key) continue;
    config.given.emplace(key);
    if (const auto* place = std::get_if<std::vector<std::string> AgentConfig::*>(&setting.place)) {
      config.*(*place) = texts;
      return OkStatus();
    }
    if (texts.size() != 1) return Error(StatusCode::kInvalidArgument, "{} is one value", key);
    const std::string& text = texts.front();
    if (const auto* place = std::get_if<std::string AgentConfig::*>(&setting.place)) {
      config.*(*place) = text;
      return OkStatus();
    }
    if (const auto* place = std::get_if<bool AgentConfig::*>(&setting.place)) {
      if (text != "true" && text != "false")
        return Error(StatusCode::kInvalidArgument, "{} is true or false, not '{}'", key, text);
      config.*(*place) = text == "true";
      return OkStatus();
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0)
      return Error(StatusCode::kInvalidArgument, "{} is a whole number of 0 or more, not '{}'", key,
                   text);
    config.*std::get<std::int64_t AgentConfig::*>(setting.place) = value;
    return OkStatus();
  }
  std::vector<std::string> names;
  for (const Setting& setting : Settings()) names.emplace_back(setting.key);
  const std::string_view nearest = NearestName(key, names);
  return Error(StatusCode::kInvalidArgument, "there is no setting '{}'{}", key,
               nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest));
}

namespace {

// The texts of a value, which is one text, one number, one word or a list.
Result<std::vector<std::string>> TextsOf(const std::string& key, const toml::node& node) {
  if (const auto* one = node.as_string()) return std::vector{one->get()};
  if (const auto* number = node.as_integer()) return std::vector{std::to_string(number->get())};
  if (const auto* flag = node.as_boolean())
    return std::vector<std::string>{flag->get() ? "true" : "false"};
  const auto* list = node.as_array();
  if (list == nullptr)
    return Error(StatusCode::kInvalidArgument,
                 "{} is to be a text, a whole number, true or false, or a list of texts", key);
  const auto setting = std::ranges::find(Settings(), key, &Setting::key);
  if (setting != Settings().end() && !IsList(*setting))
    return Error(StatusCode::kInvalidArgument, "{} is one value", key);
  std::vector<std::string> texts;
  for (const toml::node& item : *list) {
    if (!item.is_string())
      return Error(StatusCode::kInvalidArgument, "{} is to be a list of texts", key);
    texts.push_back(item.as_string()->get());
  }
  return texts;
}

// Values that are wrong are told, with their lines, and left out.
void TakeTable(const std::string& path, const std::string& prefix, const toml::table& table,
               AgentConfig& config, std::vector<Status>& problems) {
  for (const auto& [name, value] : table) {
    const toml::node& node = value;
    const std::string key = prefix + std::string(name.str());
    if (const toml::table* inner = node.as_table()) {
      TakeTable(path, key + ".", *inner, config, problems);
      continue;
    }
    const Result<std::vector<std::string>> texts = TextsOf(key, node);
    const Status set = texts.ok() ? SetValues(key, *texts, config) : texts.status();
    if (!set.ok())
      problems.push_back(Error(StatusCode::kInvalidArgument, "{}: line {}: {}", path,
                               node.source().begin.line, set.message()));
  }
}

}  // namespace

std::vector<Status> ReadConfigFile(const std::string& path, AgentConfig& config) {
  const Result<std::string> text = ReadFile(path);
  if (!text.ok()) return {text.status()};
  const Result<toml::table> table = ParseToml(*text, path);
  if (!table.ok()) return {table.status()};
  std::vector<Status> problems;
  TakeTable(path, "", *table, config, problems);
  return problems;
}

Result<HostPort> ParseHostPort(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  HostPort made;
  unsigned port = 0;
  const std::string_view digits = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() ||
      port > 65535)
    return Error(StatusCode::kInvalidArgument, "'{}' is no HOST:PORT", text);
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty()) return Error(StatusCode::kInvalidArgument, "'{}' is no HOST:PORT", text);
  made.host = host;
  made.port = static_cast<std::uint16_t>(port);
  return made;
}

bool IsLoopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

namespace {

Status With(std::string_view key, const Status& status) {
  return status.ok() ? status
                     : Error(StatusCode::kInvalidArgument, "{}: {}", key, status.message());
}

Status CheckListen(std::string_view key, const std::string& listen, bool may_be_open,
                   std::string_view remedy) {
  if (listen.empty()) return OkStatus();
  const Result<HostPort> address = ParseHostPort(listen);
  if (!address.ok()) return With(key, address.status());
  if (IsLoopback(address->host) || may_be_open) return OkStatus();
  return Error(StatusCode::kInvalidArgument, "{}: {} can be reached from elsewhere: {}", key,
               listen, remedy);
}

Status CheckDcgmHost(const AgentConfig& config) {
  const std::string& host = config.device_dcgm_host;
  if (host.empty()) return OkStatus();
  if (config.device_dcgm_library.empty())
    return Error(StatusCode::kInvalidArgument,
                 "device.dcgm_host: without device.dcgm_library it is not asked");
  const bool is_path = host.starts_with("unix:///");
  const bool has_port = host.find(':') != std::string::npos;
  if (is_path || (has_port && ParseHostPort(host).ok()) ||
      (!has_port && host.find('/') == std::string::npos))
    return OkStatus();
  return Error(StatusCode::kInvalidArgument,
               "device.dcgm_host: '{}' is no HOST, HOST:PORT or unix:///PATH", host);
}

}  // namespace

// Every setting that is wrong, or does not go with others.
std::vector<Status> ProblemsOf(const AgentConfig& config) {
  std::vector<Status> problems;
  const auto add = [&](Status status) {
    if (!status.ok()) problems.push_back(std::move(status));
  };
  const auto refuse = [&](bool is_wrong, std::string_view what) {
    if (is_wrong) problems.push_back(Error(StatusCode::kInvalidArgument, "{}", what));
  };
  const auto bounded = [&](std::string_view key, std::int64_t value, std::int64_t least,
                           std::int64_t most) {
    if (value < least || value > most)
      problems.push_back(
          Error(StatusCode::kInvalidArgument, "{} is {} to {}, not {}", key, least, most, value));
  };
  constexpr std::int64_t kMostIterations = 1'000'000'000;
  add(CheckListen("rpc.listen", config.rpc_listen,
                  !config.rpc_token_file.empty() || config.rpc_insecure,
                  "give rpc.token_file, or rpc.insecure = true on a closed network"));
  add(CheckListen("metrics.listen", config.metrics_listen, config.metrics_insecure,
                  "metrics.insecure = true if anybody may read"));
  refuse(config.kineto_name.empty() || config.kineto_name.find('/') != std::string::npos,
         fmt::format("kineto.name is the name of a file, not '{}'", config.kineto_name));
  refuse(config.kineto_forget_s < 1, "kineto.forget_s is 1 or more");
  refuse(config.device_interval_s < 1, "device.interval_s is 1 or more");
  refuse(!config.drain_command.empty() && !config.drain_command.front().starts_with('/'),
         "drain.command begins with the absolute path of a program");
  bounded("drain.after_s", config.drain_after_s, 0, 86'400);
  bounded("drain.limit_s", config.drain_limit_s, 1, 3600);
  const std::size_t before = problems.size();
  for (const std::string& page : config.serving_pages)
    add(With("serving.pages", ParseServingPages({page}).status()));
  if (problems.size() == before)
    add(With("serving.pages", ParseServingPages(config.serving_pages).status()));
  for (const auto& [key, name] :
       {std::pair<std::string_view, const std::string&>("host.name", config.host_name),
        {"host.rack", config.host_rack}})
    refuse(std::ranges::any_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7f; }),
           fmt::format("{} has characters that cannot be printed", key));
  bounded("serving.interval_s", config.serving_interval_s, 1, 3600);
  bounded("serving.most_mb", config.serving_most_mb, 1, 1024);
  bounded("sinks.interval_s", config.sinks_interval_s, 1, 3600);
  bounded("sinks.buffer_mb", config.sinks_buffer_mb, 1, 1024);
  bounded("sinks.json_most_mb", config.sinks_json_most_mb, 1, 1'000'000);
  bounded("sinks.json_files", config.sinks_json_files, 1, 1000);
  if (!config.sinks_otlp_url.empty())
    add(With("sinks.otlp_url", http::ParseAddress(config.sinks_otlp_url).status()));
  if (!config.server_url.empty())
    add(With("server.url", http::ParseAddress(config.server_url).status()));
  for (Status& one : ProblemsOfIntervals(config.telemetry_intervals)) add(std::move(one));
  add(CheckDcgmHost(config));
  if (!config.device_dcgm_exporter.empty())
    add(With("device.dcgm_exporter", ParsePage(config.device_dcgm_exporter).status()));
  add(With("kubernetes.pods", CheckPodsFrom(config.kubernetes_pods)));
  // The server holds no report back for longer.
  bounded("server.interval_s", config.server_interval_s, 1, 20);
  refuse(!config.capture_folder.starts_with('/'),
         fmt::format("capture.folder is to be absolute, not '{}'", config.capture_folder));
  refuse(config.server_cert_file.empty() != config.server_key_file.empty(),
         "server.cert_file and server.key_file are given both or not");
  // Kineto would cut it off there.
  refuse(config.capture_folder.find_first_of("=#\n") != std::string::npos,
         fmt::format("capture.folder can have none of '=', '#' and line ends, as '{}' has",
                     config.capture_folder));
  bounded("triggers.round_up", config.triggers_round_up, 1, 1'000'000);
  for (Status& one : ReadRules(config.triggers_rules, config.triggers_events).problems)
    add(std::move(one));
  bounded("capture.snoop_s", config.capture_snoop_s, 0, snoop_file::kMostWindowMs / 1000);
  bounded("capture.offcpu_s", config.capture_offcpu_s, 0, snoop_file::kMostWindowMs / 1000);
  bounded("triggers.iteration", config.triggers_iteration, 0, kMostIterations);
  bounded("triggers.iterations", config.triggers_iterations, 1, kMostIterations);
  return problems;
}

Status CheckConfig(const AgentConfig& config) {
  const std::vector<Status> problems = ProblemsOf(config);
  return problems.empty() ? OkStatus() : problems.front();
}

}  // namespace rankscope::agent
