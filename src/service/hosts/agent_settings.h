// AgentSettings: the server's settings for the agents that report to it (api/central_settings.h).
// They are a TOML file of the server's operator, read again when it changes.
//
//   [triggers]                       # of all hosts
//   iteration = 0
//
//   [[only]]                         # of these, over the above and those before
//   hosts = ["gpu-*", "login1"]      # as the shell matches names
//   team = "search"                  # where it is given, of hosts of that team
//   triggers.every_minutes = 60
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "api/central_settings.h"
#include "base/status.h"

namespace rankscope::service {

struct SettingsForHosts {
  std::vector<std::string> hosts;  // patterns; empty: all
  std::string team;                // empty: every team
  api::CentralValues values;
};

// In their order. kInvalidArgument names the line if it is not TOML, not a setting that agents may
// be given, or not a value of one. Agents check whether the values make sense.
Result<std::vector<SettingsForHosts>> ParseAgentSettings(std::string_view text,
                                                         const std::string& name);

struct SettingsOfHost {
  std::string id;    // by content; empty: none
  std::string json;  // {"id","values"}
};
SettingsOfHost SettingsFor(const std::vector<SettingsForHosts>& all, std::string_view team,
                           const std::string& host);

// Safe for many threads.
class AgentSettings {
 public:
  // `said` is told if the file cannot be read any more; the last good one stays.
  static Result<std::unique_ptr<AgentSettings>> Open(std::string path,
                                                     std::function<void(std::string_view)> said);
  // Checks whether the file changed, which takes a microsecond.
  SettingsOfHost For(std::string_view team, const std::string& host);

 private:
  AgentSettings(std::string path, std::function<void(std::string_view)> said)
      : path_(std::move(path)), said_(std::move(said)) {}
  struct Stamp {
    std::uint64_t inode = 0;
    std::int64_t size = -1, modified_ns = 0;
    bool operator==(const Stamp&) const = default;
  };
  Stamp StampNow() const;
  Status ReadLocked(const Stamp& stamp);

  const std::string path_;
  const std::function<void(std::string_view)> said_;
  std::mutex mutex_;
  Stamp stamp_;
  std::vector<SettingsForHosts> settings_;
};

}  // namespace rankscope::service
