// Agents: the hosts whose agents report here, and the way back to them. An agent tells how its host
// is and asks what there is to do; that request waits until there is something. So nothing of a
// host has to be reached from here.
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
#include "service/access.h"
#include "service/agent_settings.h"
#include "service/host_metrics.h"
#include "service/quotas.h"

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

  // `said` hears of what somebody should look after. `settings`: what hosts are given; empty: none.
  explicit Agents(
      std::function<void(std::string_view)> said = {},
      std::function<SettingsOfHost(std::string_view team, const std::string& host)> settings = {},
      std::size_t most_hosts = Quotas().hosts_of_team)
      : said_(std::move(said)), settings_(std::move(settings)), most_hosts_(most_hosts) {}
  ~Agents();

  // A host reports, and waits for requests; the reply has them. Hosts are their teams': each has
  // its own of a name. 400 for what is no report, 403 for a certificate of another host, 409 when
  // another agent of the team that reports is called the same, 429 for more hosts of a team than it
  // may have.
  http::Reply Exchange(const Principal& who, std::string_view report);

  // By team and name; those that were heard of in the last ten minutes.
  std::vector<AgentHost> Hosts() const;

  // Waits up to `time` for the answer of an agent; that of another host is none. kNotFound when it
  // does not report, kIo when it does not answer.
  Result<std::string> Call(const std::string& team, const std::string& host, std::string request,
                           std::chrono::milliseconds time);

  // What they and their devices did, by MetricsKey.
  const HostMetrics& metrics() const { return metrics_; }
  static std::string MetricsKey(const AgentHost& host);

  // What waits, and will wait, is answered at once.
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
  // What refuses it, if anything does.
  std::optional<http::Reply> TakeReportLocked(const Principal& who, std::string_view report,
                                              Key& key, std::chrono::milliseconds& wait);
  std::string RequestsOf(const Key& key, const std::shared_ptr<Waiting>& waiting,
                         std::int64_t received_us, std::string_view warning, const AgentHost& told);
  // What the agent is to be given beside what it told of; empty: it has it, or wants none.
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
