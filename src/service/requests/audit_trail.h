// AuditTrail: writes requests to the audit log (audit/log.h): who did what from where to what, and
// the outcome. No secrets: names, ids and paths, never a header, a query or a body.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "api/audit.h"
#include "audit/log.h"
#include "http/message.h"
#include "service/access/access.h"
#include "service/base/wall_clock.h"
#include "service/requests/acted_on.h"

namespace rankscope::service {

// Safe for many threads. If a line cannot be written, the request goes on and `problem` is told.
class AuditTrail {
 public:
  // Refusals a minute that are written, for identified and unidentified clients. Further ones are
  // only counted, and the count is one line. So refused requests cannot fill the disk.
  static constexpr int kMostRefused = 60;

  AuditTrail(std::unique_ptr<audit::Log> log, std::function<void(std::string_view)> problem,
             WallClock now_s)
      : log_(std::move(log)), problem_(std::move(problem)), now_s_(std::move(now_s)) {}

  audit::Log& log() { return *log_; }

  // The outcome follows from the status. May wait for the disk, but for refusals.
  void Acted(const http::Head& head, const Principal& who, std::string_view act, const ActedOn& on,
             int status);
  // A request that was refused for lack of rights. Waits only for a database's lock.
  void Refused(const http::Head& head, const Principal& who, int status);
  // Acts without a request: of the server itself, or of a person who signed in.
  void Note(std::string_view act, std::string_view detail);
  void SignedIn(const Principal& who, std::string_view from, std::string_view detail);
  void SignInRefused(std::string_view from, std::string_view detail);

 private:
  struct Minute {
    std::int64_t number = -1;
    int count = 0;
  };
  void Write(api::AuditEntry entry, audit::Log::Care care);
  void WriteRefused(api::AuditEntry entry);
  // Whether one more may be written, and the number of earlier unwritten ones to report now.
  bool MayWrite(Minute& minute, std::int64_t& untold);

  const std::unique_ptr<audit::Log> log_;
  const std::function<void(std::string_view)> problem_;
  const WallClock now_s_;
  std::mutex mutex_;
  Minute known_, unknown_;
  std::int64_t untold_ = 0;
};

}  // namespace rankscope::service
