// A lease: what a service ran with before a tuner changed it, on disk before the first change, so
// that whoever finds it can put it back.
//
//   FOLDER/lease.json     how to put it back, and how far things are
//   FOLDER/old-settings   the bytes of the file of settings, where there was one
//   FOLDER/applying       the process that is changing it just now
//   FOLDER/lock           locked by the process that may change the service
//
// A lease of settings that were kept moves to lease.json.1, old-settings.1, ...: what was there
// first is never lost.
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
  static constexpr std::string_view kTaken = "taken";        // nothing was changed yet
  static constexpr std::string_view kHeld = "held";          // changed, or about to be
  static constexpr std::string_view kRestored = "restored";  // as it was
  static constexpr std::string_view kKept = "kept";          // the new settings stay

  std::string state{kTaken};
  std::string adapter;
  std::int64_t tuner = 0;     // its process
  std::int64_t begun_ns = 0;  // since 1970
  std::string url;
  std::string ready_path;
  std::int64_t ready_within_s = 0;
  std::string ca_file;
  std::string folder;  // commands run there
  std::string file;    // of settings, without links in its path; "" none
  bool had_file = false;
  std::int64_t mode = 0, user = 0, group = 0;  // of that file
  std::vector<std::string> apply;              // the command with the old settings; {} none
  std::int64_t apply_within_s = 0;

  ReadyCheck ready_check() const {
    return {.url = url, .path = ready_path, .client = {.ca_file = ca_file}};
  }
};

// $XDG_STATE_HOME/rankscope/tune/NUMBER (~/.local/state): the same for all who tune one service.
Result<std::string> LeaseFolderOf(const std::string& url, const std::string& file);

// Durable when it returns, the old settings with it: the lease is taken, and nothing changed. A
// service whose lease is held is refused.
Status BeginLease(const std::string& folder, Lease lease);
// nullopt: there is none.
Result<std::optional<Lease>> ReadLease(const std::string& folder);
Status WriteLease(const std::string& folder, const Lease& lease);

// New settings: `content` for the file, where there is one, then the command; the lease is held
// from then on. An error says what of it could not be done; what was done stays done.
Status ChangeService(Lease& lease, const std::string& folder, const std::string& content,
                     const std::vector<std::string>& apply);
// Of a lease that is held: ends a change that somebody who was killed has left running, puts the
// old settings back, and waits until the service is ready with them; the lease is written as
// restored then. An error leaves it held.
Status RestoreService(const std::string& folder);

}  // namespace rankscope::tune

namespace rankscope::json {
template <>
const Fields<tune::Lease>& FieldsOf();
}
