// Agents: the hosts whose agents report here, and the way to send them requests. An agent reports
// its host's state and asks for work. That request waits until there is work, so the server never
// has to reach a host.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/host.h"
#include "capture/job_capture.h"
#include "http/message.h"
#include "service/access/access.h"
#include "service/access/quotas.h"
#include "service/hosts/agent_settings.h"
#include "service/hosts/host_metrics.h"

namespace rankscope::service {

struct AgentHost {
  std::string name;
  std::string team;  // of the token with which it reports
  std::string version;
  std::string rack;                         // "": it does not say
  std::int64_t seen_ms = 0;                 // by the server's steady clock
  std::int64_t silent_ms = 0;               // since then, when Hosts() was asked
  bool is_here = false;                     // it waits for something to do, or did a moment ago
  std::optional<std::int64_t> rtt_us;       // unknown before it has measured
  capture::HostClock clock;                 // against this server's
  std::vector<api::HostProcess> processes;  // that ask for work
  std::vector<api::HostDevice> devices;
  bool takes_settings = false;   // its agent told of those it has
  std::string settings;          // the id of what it was given and took; empty: none
  std::string settings_refused;  // of what it did not take
  std::string settings_problem;  // why not
};

// Safe for many threads.
class Agents {
 public:
  static constexpr std::chrono::milliseconds kLongestWait{25'000};
  static constexpr std::uint64_t kMostBody = 512 << 10;

  // `said` gets events that need attention. `settings`: the settings for hosts; empty: none.
  explicit Agents(
      std::function<void(std::string_view)> said = {},
      std::function<SettingsOfHost(std::string_view team, const std::string& host)> settings = {},
      std::size_t most_hosts = Quotas().hosts_of_team)
      : said_(std::move(said)), settings_(std::move(settings)), most_hosts_(most_hosts) {}
  ~Agents();

  // A host reports and waits for requests, which are in the reply. Hosts belong to teams; names are
  // unique within a team. 400 for an invalid report, 403 for a certificate of another host, 409 if
  // another agent of the team reports under the same name, 429 if the team has too many hosts.
  http::Reply Exchange(const Principal& who, std::string_view report);

  // By team and name; those that reported in the last ten minutes.
  std::vector<AgentHost> Hosts() const;

  // Waits up to `time` for the answer of an agent; an answer of another host does not count.
  // kNotFound if the agent does not report, kIo if it does not answer.
  Result<std::string> Call(const std::string& team, const std::string& host, std::string request,
                           std::chrono::milliseconds time);

  // Metrics of hosts and their devices, by MetricsKey.
  const HostMetrics& metrics() const { return metrics_; }
  static std::string MetricsKey(const AgentHost& host);

  // Waiting and later requests are answered at once.
  void Stop();

 private:
  using Key = std::pair<std::string, std::string>;  // team, name
  struct Request {
    std::int64_t id = 0;
    std::string text;
  };
  // Of a call that waits.
  struct Answer {
    Key from;
    std::optional<std::string> text;
  };
  class Waiting;
  struct Known {
    AgentHost host;
    std::string instance;              // tells its agent from another one of that name
    std::vector<Request> requests;     // that it has not been given yet
    std::shared_ptr<Waiting> waiting;  // null: it does not
  };
  bool IsHereLocked(const Known& known) const;
  // The refusal, if any.
  std::optional<http::Reply> TakeReportLocked(const Principal& who, std::string_view report,
                                              Key& key, std::chrono::milliseconds& wait);
  std::string RequestsOf(const Key& key, const std::shared_ptr<Waiting>& waiting,
                         std::int64_t received_us, std::string_view warning, const AgentHost& told);
  // The settings to send to the agent; empty: it has them, or wants none.
  std::string NewSettings(const AgentHost& told) const;

  const std::function<void(std::string_view)> said_;
  const std::function<SettingsOfHost(std::string_view, const std::string&)> settings_;
  const std::size_t most_hosts_;
  HostMetrics metrics_;
  mutable std::mutex mutex_;
  std::condition_variable answered_;
  std::map<Key, Known> hosts_;
  std::map<std::int64_t, Answer> answers_;
  bool is_stopped_ = false;
};

}  // namespace rankscope::service
