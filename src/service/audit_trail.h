// AuditTrail: what requests become in the audit log (audit/log.h): who did what from where to what,
// and what came of it. No secrets: names, ids and paths, never a header, a query or a body.
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
#include "service/access.h"
#include "service/acted_on.h"
#include "service/wall_clock.h"

namespace rankscope::service {

// Safe for many threads. That a line cannot be written ends no request: it is told to `problem`.
class AuditTrail {
 public:
  // Refusals a minute, of who says who he is and of who does not; the others are counted, and the
  // count is a line. Nobody fills the disk by being refused.
  static constexpr int kMostRefused = 60;

  AuditTrail(std::unique_ptr<audit::Log> log, std::function<void(std::string_view)> problem,
             WallClock now_s)
      : log_(std::move(log)), problem_(std::move(problem)), now_s_(std::move(now_s)) {}

  audit::Log& log() { return *log_; }

  // The outcome follows from the status. May wait for the disk, but for refusals.
  void Acted(const http::Head& head, const Principal& who, std::string_view act, const ActedOn& on,
             int status);
  // A request that was refused for want of rights. Waits for nothing but a database's lock.
  void Refused(const http::Head& head, const Principal& who, int status);
  // What no request did: the server itself, or a person who signed in.
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
  // Whether one more may be written, and how many before were not that are to be told now.
  bool MayWrite(Minute& minute, std::int64_t& untold);

  const std::unique_ptr<audit::Log> log_;
  const std::function<void(std::string_view)> problem_;
  const WallClock now_s_;
  std::mutex mutex_;
  Minute known_, unknown_;
  std::int64_t untold_ = 0;
};

}  // namespace rankscope::service
