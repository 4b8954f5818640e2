// A lease: the settings of a service before a tuner changes it. It is on disk before the first
// change, so that whoever finds it can restore them.
//
//   FOLDER/lease.json     how to restore it, and the state of the change
//   FOLDER/old-settings   the bytes of the settings file, if there was one
//   FOLDER/applying       the process that is changing it right now
//   FOLDER/lock           locked by the process that may change the service
//
// When the new settings are kept, the lease moves to lease.json.1, old-settings.1, ...: the
// original settings are never lost.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "json/fields.h"
#include "tune/subject/ready.h"

namespace rankscope::tune {

struct Lease {
  static constexpr std::string_view kTaken = "taken";        // nothing has been changed yet
  static constexpr std::string_view kHeld = "held";          // changed, or about to be
  static constexpr std::string_view kRestored = "restored";  // the old settings are back
  static constexpr std::string_view kKept = "kept";          // the new settings stay

  std::string state{kTaken};
  std::string adapter;
  std::int64_t tuner = 0;     // its process id
  std::int64_t begun_ns = 0;  // since 1970
  std::string url;
  std::string ready_path;
  std::int64_t ready_within_s = 0;
  std::string ca_file;
  std::string folder;  // working folder of commands
  std::string file;    // settings file, without links in its path; "" none
  bool had_file = false;
  std::int64_t mode = 0, user = 0, group = 0;  // of that file
  std::vector<std::string> apply;              // command that activates the settings; {} none
  std::int64_t apply_within_s = 0;

  ReadyCheck ready_check() const {
    return {.url = url, .path = ready_path, .client = {.ca_file = ca_file}};
  }
};

// $XDG_STATE_HOME/rankscope/tune/NUMBER (~/.local/state): the same for all tuners of one service.
Result<std::string> LeaseFolderOf(const std::string& url, const std::string& file);

// Durable when it returns, including the old settings; nothing has changed yet. Refuses a service
// whose lease is held.
Status BeginLease(const std::string& folder, Lease lease);
// nullopt: there is no lease.
Result<std::optional<Lease>> ReadLease(const std::string& folder);
Status WriteLease(const std::string& folder, const Lease& lease);

// Applies new settings: writes `content` to the file, if there is one, then runs the command. The
// lease is held from then on. An error says which part failed; completed parts stay in effect.
Status ChangeService(Lease& lease, const std::string& folder, const std::string& content,
                     const std::vector<std::string>& apply);
// For a lease that is held: stops a change that a killed process left running, restores the old
// settings, and waits until the service is ready with them. Then marks the lease as restored. An
// error leaves it held.
Status RestoreService(const std::string& folder);

}  // namespace rankscope::tune

namespace rankscope::json {
template <>
const Fields<tune::Lease>& FieldsOf();
}
