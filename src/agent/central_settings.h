// CentralSettings: what the server says for all of its hosts (api/central_settings.h), below what
// this host's own file and options say: a key that stands there is never changed from afar.
//
// New ones are tried as --check-config tries a file; those that do not pass are refused as a whole,
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

// `local` with the values below what is given there; all that is wrong with it that is not wrong
// with `local` itself is an error.
Result<AgentConfig> WithCentral(const AgentConfig& local, const api::CentralValues& values);

struct CentralNumbers {
  bool are_refused = false;  // the last that came
  std::size_t in_force = 0;  // keys, those that the host's own settings hide not among them
};

// Safe for several threads.
class CentralSettings {
 public:
  // `file` keeps the last good ones of the server `local` names; empty: none does.
  CentralSettings(AgentConfig local, std::string file, std::function<void(std::string_view)> said);

  // What is in force: at first `local` with what the file kept.
  AgentConfig Config() const;
  // Of a reply of the server. What is in force from now on; nullopt: nothing changed.
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
