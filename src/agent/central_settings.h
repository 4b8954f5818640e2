// CentralSettings: the server's settings for all of its hosts (api/central_settings.h). This host's
// own file and options go before them: a key set there is never changed remotely.
//
// New settings are checked as --check-config checks a file. Invalid ones are refused as a whole,
// and the last good ones stay. These are kept in a file, for a start without the server.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "agent/config.h"
#include "api/central_settings.h"

namespace rankscope::json {
class Value;
class Writer;
}  // namespace rankscope::json

namespace rankscope::agent {

// {"id": "...", "values": {"triggers.iteration": ["0"]}}: keys that may be central, within bounds.
struct GivenSettings {
  std::string id;
  api::CentralValues values;
};
// kBadData or kInvalidArgument with the key.
Result<GivenSettings> ReadGivenSettings(const json::Value& value);

// `local` with the values added where `local` does not set them. Every problem of the result that
// `local` alone does not have is an error.
Result<AgentConfig> WithCentral(const AgentConfig& local, const api::CentralValues& values);

struct CentralNumbers {
  bool are_refused = false;  // the last that came
  std::size_t in_force = 0;  // keys, those that the host's own settings hide not among them
};

// Safe for several threads.
class CentralSettings {
 public:
  // `file` keeps the last good settings of the server that `local` names; empty: they are not kept.
  CentralSettings(AgentConfig local, std::string file, std::function<void(std::string_view)> said);

  // The settings in force: at first `local` with those in the file.
  AgentConfig Config() const;
  // Takes a reply of the server. Returns the settings in force from now on; nullopt: nothing
  // changed.
  std::optional<AgentConfig> Take(const json::Value& given);
  // The member `settings` of a report.
  void WriteState(json::Writer& writer) const;
  CentralNumbers numbers() const;

 private:
  void TakeKept();
  void Keep(const GivenSettings& given, std::string_view text) const;
  void Refuse(const std::string& id, const Status& why);

  const AgentConfig local_;
  const std::string file_;
  const std::function<void(std::string_view)> said_;
  mutable std::mutex mutex_;
  AgentConfig config_;
  GivenSettings given_;  // in force
  std::string refused_;  // the id of what was refused last
  std::string problem_;  // why
};

}  // namespace rankscope::agent
