// The agent's settings: one TOML file, each key also an option (--kineto.socket_dir DIR), which
// goes before the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"

namespace rankscope::agent {

struct AgentConfig {
  bool kineto_enabled = true;
  std::string kineto_socket_dir;
  std::string kineto_name = "dynolog";
  std::int64_t kineto_forget_s = 60;

  std::string rpc_listen = "127.0.0.1:1778";
  std::string rpc_token_file;
  bool rpc_insecure = false;

  std::string metrics_listen = "127.0.0.1:8724";
  bool metrics_insecure = false;

  std::string server_url;
  std::string server_token_file;
  std::string server_ca_file;

  std::string device_nvml_library = "libnvidia-ml.so.1";
  std::int64_t device_interval_s = 5;

  std::string host_root;
  std::string host_name;

  std::int64_t triggers_iteration = 550;
  std::int64_t triggers_iterations = 3;
  std::int64_t triggers_settle_s = 10;
  std::int64_t triggers_most_per_hour = 4;

  std::string capture_folder = "/tmp";
  std::string capture_spool_dir;
  bool capture_keep_files = false;
  bool capture_shapes = true;
  bool capture_stacks = false;
};

// A key, where its value is, and what it means: for the file, the options and the documentation.
struct Setting {
  std::string_view key;
  std::variant<std::string AgentConfig::*, std::int64_t AgentConfig::*, bool AgentConfig::*> place;
  std::string_view doc;
};
const std::vector<Setting>& Settings();

// Reads a file over `config`. kInvalidArgument with the file, line and nearest key for what is
// wrong in it.
Status ReadConfigFile(const std::string& path, AgentConfig& config);
// One value, as text.
Status SetValue(std::string_view key, const std::string& text, AgentConfig& config);
// What cannot be together: addresses, numbers out of bounds, an open address without a token.
Status CheckConfig(const AgentConfig& config);

struct HostPort {
  std::string host;
  std::uint16_t port = 0;
};
// "127.0.0.1:1778", "[::1]:0", "localhost:0".
Result<HostPort> ParseHostPort(std::string_view text);
bool IsLoopback(std::string_view host);

}  // namespace rankscope::agent
