// The agent's settings: one TOML file. Each key is also an option (--kineto.socket_dir DIR), which
// overrides the file.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"
#include "snoop_file/request.h"

namespace rankscope::agent {

struct AgentConfig {
  bool kineto_enabled = true;
  std::string kineto_socket_dir;
  std::string kineto_name = "dynolog";
  std::int64_t kineto_forget_s = 60;

  std::string rpc_listen = "127.0.0.1:1778";
  std::string rpc_token_file;
  bool rpc_insecure = false;
  bool rpc_trust_loopback = false;

  std::string metrics_listen = "127.0.0.1:8724";
  bool metrics_insecure = false;

  std::string server_url;
  std::string server_token_file;
  std::string server_ca_file;
  std::string server_cert_file;
  std::string server_key_file;
  bool server_reports = true;
  std::int64_t server_interval_s = 5;
  bool server_telemetry = true;
  bool server_settings = true;

  std::string device_nvml_library = "libnvidia-ml.so.1";
  std::string device_amdsmi_library = "libamd_smi.so";
  std::string device_dcgm_library = "libdcgm.so.4";
  std::string device_dcgm_host;
  std::string device_dcgm_exporter;
  std::vector<std::string> device_probes;
  std::int64_t device_interval_s = 5;

  std::vector<std::string> drain_command;
  bool drain_when_degraded = false;
  std::int64_t drain_after_s = 60;
  std::int64_t drain_limit_s = 60;

  std::vector<std::string> telemetry_intervals;
  bool telemetry_perf = false;

  std::vector<std::string> serving_pages;
  std::int64_t serving_interval_s = 5;
  std::int64_t serving_most_mb = 64;

  std::int64_t sinks_interval_s = 10;
  std::int64_t sinks_buffer_mb = 4;
  std::string sinks_json_file;
  std::int64_t sinks_json_most_mb = 64;
  std::int64_t sinks_json_files = 3;
  std::string sinks_otlp_url;
  std::string sinks_otlp_token_file;
  std::string sinks_otlp_ca_file;

  std::string kubernetes_pods;

  std::string host_root;
  std::string host_name;
  std::string host_rack;

  std::int64_t triggers_iteration = 550;
  std::int64_t triggers_iterations = 3;
  std::int64_t triggers_settle_s = 10;
  std::int64_t triggers_every_minutes = 0;
  std::int64_t triggers_round_up = 10;
  std::vector<std::string> triggers_rules;
  std::vector<std::string> triggers_events;
  std::int64_t triggers_most_per_hour = 4;
  std::int64_t triggers_job_most_per_hour = 3;
  std::int64_t triggers_job_pause_s = 300;

  std::string capture_folder = "/tmp";
  std::string capture_spool_dir;
  bool capture_keep_files = false;
  bool capture_shapes = true;
  bool capture_stacks = false;
  bool capture_cpu = false;
  std::int64_t capture_snoop_s = 0;
  std::int64_t capture_offcpu_s = 0;

  std::string snoop_socket{snoop_file::kServiceSocket};

  // Keys set by a file or an option, which cannot be changed remotely.
  std::set<std::string, std::less<>> given;
};

// A key, the place of its value and its meaning: for the file, the options and the documentation.
struct Setting {
  std::string_view key;
  std::variant<std::string AgentConfig::*, std::int64_t AgentConfig::*, bool AgentConfig::*,
               std::vector<std::string> AgentConfig::*>
      place;
  std::string_view doc;
};
const std::vector<Setting>& Settings();
bool IsList(const Setting& setting);

// Reads a file over `config`. Returns all problems, each with the file, line and nearest key. Wrong
// values stay as they were.
std::vector<Status> ReadConfigFile(const std::string& path, AgentConfig& config);
// As texts: one value, except for lists, which are replaced.
Status SetValues(std::string_view key, const std::vector<std::string>& texts, AgentConfig& config);
// Invalid values and invalid combinations: addresses, numbers out of bounds, an open address
// without a token. Each names its key. Uses the settings only.
std::vector<Status> ProblemsOf(const AgentConfig& config);
Status CheckConfig(const AgentConfig& config);  // the first of them

struct HostPort {
  std::string host;
  std::uint16_t port = 0;
};
// "127.0.0.1:1778", "[::1]:0", "localhost:0".
Result<HostPort> ParseHostPort(std::string_view text);
bool IsLoopback(std::string_view host);

}  // namespace rankscope::agent
