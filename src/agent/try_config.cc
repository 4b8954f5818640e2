#include "agent/try_config.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "agent/spool_folder.h"
#include "agent/telemetry/metric_of.h"
#include "agent/triggers/rule_set.h"
#include "base/file.h"
#include "base/nearest_name.h"
#include "http/asio.h"
#include "probe/backend/probe_backend.h"
#include "quantity/agent_metrics.h"
#include "quantity/quantity.h"

namespace rankscope::agent {
namespace {

namespace asio = http::asio;

class Trial {
 public:
  explicit Trial(const AgentConfig& config) : config_(config) {}

  ConfigTrial Run() {
    TryAddress("rpc.listen", config_.rpc_listen);
    TryAddress("metrics.listen", config_.metrics_listen);
    TryFile("rpc.token_file", config_.rpc_token_file);
    TryFile("server.token_file", config_.server_token_file);
    TryCertificates("server.ca_file", config_.server_ca_file);
    TryKeyPair();
    TryFile("sinks.otlp_token_file", config_.sinks_otlp_token_file);
    TryCertificates("sinks.otlp_ca_file", config_.sinks_otlp_ca_file);
    TryProgram("drain.command", config_.drain_command);
    if (config_.kubernetes_pods.starts_with('/'))
      TryFile("kubernetes.pods", config_.kubernetes_pods);
    TryLibrary("device.nvml_library", config_.device_nvml_library);
    TryLibrary("device.amdsmi_library", config_.device_amdsmi_library);
    TryLibrary("device.dcgm_library", config_.device_dcgm_library);
    for (const std::string& file : config_.device_probes) {
      const Status checked = probe::CheckSpecs({file});
      if (!checked.ok()) Add("device.probes", checked.message());
    }
    if (config_.kineto_enabled) TryFolder("kineto.socket_dir", config_.kineto_socket_dir, W_OK);
    TryFolder("capture.folder", config_.capture_folder, X_OK);
    TryFolder("host.root", config_.host_root, X_OK);
    if (config_.sinks_json_file != "-") {
      const std::size_t slash = config_.sinks_json_file.rfind('/');
      if (slash != std::string::npos && slash > 0)
        TryFolder("sinks.json_file", config_.sinks_json_file.substr(0, slash), W_OK);
    }
    const Status spool = CheckSpoolFolder(config_.capture_spool_dir);
    if (!spool.ok()) trial_.problems.push_back(spool.message());
    TryRules();
    return std::move(trial_);
  }

 private:
  void Add(std::string_view key, std::string_view what) {
    trial_.problems.push_back(fmt::format("{}: {}", key, what));
  }

  void TryAddress(std::string_view key, const std::string& listen) {
    const Result<HostPort> parsed = ParseHostPort(listen);
    if (listen.empty() || !parsed.ok()) return;
    http::error_code error;
    const std::string host = parsed->host == "localhost" ? "127.0.0.1" : parsed->host;
    const auto address = asio::ip::make_address(host, error);
    if (error) return Add(key, fmt::format("'{}' is no address", host));
    asio::io_context context{1};
    http::tcp::acceptor acceptor(context);
    const http::tcp::endpoint endpoint(address, parsed->port);
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(http::tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (error == asio::error::address_in_use) {
      trial_.notes.push_back(
          fmt::format("{}: {} is in use now; by the agent that runs, perhaps", key, listen));
    } else if (error) {
      Add(key, fmt::format("{}: cannot be listened on: {}", listen, error.message()));
    }
  }

  void TryFile(std::string_view key, const std::string& path) {
    if (path.empty()) return;
    const Result<std::string> text = ReadFile(path);
    if (!text.ok()) {
      Add(key, text.status().message());
    } else if (text->find_first_not_of(" \t\r\n") == std::string::npos) {
      Add(key, path + ": is empty");
    }
  }

  // True if it is there and not empty.
  bool IsReadable(std::string_view key, const std::string& path) {
    const std::size_t before = trial_.problems.size();
    TryFile(key, path);
    return !path.empty() && trial_.problems.size() == before;
  }

  void TryCertificates(std::string_view key, const std::string& path) {
    if (!IsReadable(key, path)) return;
    http::error_code error;
    asio::ssl::context context(asio::ssl::context::tls_client);
    context.load_verify_file(path, error);
    if (error) Add(key, path + ": has no certificates in PEM form");
  }

  void TryKeyPair() {
    const std::string &certificate = config_.server_cert_file, &key = config_.server_key_file;
    const bool has_certificate = IsReadable("server.cert_file", certificate);
    const bool has_key = IsReadable("server.key_file", key);
    http::error_code error;
    asio::ssl::context context(asio::ssl::context::tls_client);
    if (has_certificate) {
      context.use_certificate_chain_file(certificate, error);
      if (error) return Add("server.cert_file", certificate + ": has no certificate in PEM form");
    }
    if (!has_key) return;
    // Nobody is asked for one.
    context.set_password_callback([](std::size_t, auto) { return std::string(); }, error);
    context.use_private_key_file(key, asio::ssl::context::pem, error);
    if (error)
      Add("server.key_file",
          has_certificate
              ? fmt::format("{}: is not the private key of {}, in PEM form", key, certificate)
              : key + ": has no private key in PEM form");
  }

  void TryProgram(std::string_view key, const std::vector<std::string>& command) {
    if (command.empty() || !command.front().starts_with('/')) return;
    const std::string& path = command.front();
    struct stat status {};
    if (stat(path.c_str(), &status) != 0 || access(path.c_str(), X_OK) != 0) {
      Add(key, fmt::format("{}: {}", path, std::strerror(errno)));
    } else if (!S_ISREG(status.st_mode)) {
      Add(key, path + ": is no program");
    }
  }

  // A name alone is looked for by the loader, and may be missing: hosts differ.
  void TryLibrary(std::string_view key, const std::string& path) {
    if (path.starts_with('/') && access(path.c_str(), R_OK) != 0)
      Add(key, fmt::format("{}: {}", path, std::strerror(errno)));
  }

  void TryFolder(std::string_view key, const std::string& path, int right) {
    if (path.empty()) return;
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) {
      Add(key, fmt::format("{}: {}", path, std::strerror(errno)));
    } else if (!S_ISDIR(status.st_mode)) {
      Add(key, path + ": is no folder");
    } else if (access(path.c_str(), right) != 0) {
      Add(key, fmt::format("{}: {}", path, std::strerror(errno)));
    }
  }

  void TryRules() {
    const RuleSet set = ReadRules(config_.triggers_rules, config_.triggers_events);
    std::vector<std::string> names;
    for (const auto all : {quantity::All(), quantity::AgentMetrics()}) {
      for (const quantity::Quantity* const one : all) names.emplace_back(MetricOf(*one).name);
    }
    for (const Rule& rule : set.rules) {
      if (std::ranges::find(names, rule.selector.name) != names.end()) continue;
      const std::string_view nearest = NearestName(rule.selector.name, names);
      Add("triggers.rules",
          fmt::format("'{}': there is no metric {}{}", rule.text, rule.selector.name,
                      nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest)));
    }
  }

  const AgentConfig& config_;
  ConfigTrial trial_;
};

}  // namespace

ConfigTrial TryConfig(const AgentConfig& config) { return Trial(config).Run(); }

}  // namespace rankscope::agent
