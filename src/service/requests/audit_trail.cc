#include "service/requests/audit_trail.h"

#include <utility>

#include "service/requests/run_json.h"

namespace rankscope::service {
namespace {

constexpr std::int64_t kMinute = 60;

std::string_view OutcomeOf(int status) {
  if (status == 401 || status == 403) return "refused";
  return status < 400 ? "ok" : "failed";
}

bool SaysWho(const http::Head& head, const Principal& who) {
  return !who.name.empty() || http::Find(head.fields, "authorization") ||
         http::Find(head.fields, "cookie");
}

}  // namespace

void AuditTrail::Write(api::AuditEntry entry, audit::Log::Care care) {
  entry.time = IsoTime(now_s_());
  if (const Status written = log_->Add(entry, care); !written.ok()) problem_(written.message());
}

bool AuditTrail::MayWrite(Minute& minute, std::int64_t& untold) {
  const std::scoped_lock lock(mutex_);
  const std::int64_t now = now_s_() / kMinute;
  if (minute.number != now) minute = {.number = now, .count = 0};
  if (++minute.count > kMostRefused) {
    ++untold_;
    return false;
  }
  untold = std::exchange(untold_, 0);
  return true;
}

void AuditTrail::WriteRefused(api::AuditEntry entry) {
  std::int64_t untold = 0;
  if (!MayWrite(entry.who.empty() ? unknown_ : known_, untold)) return;
  if (untold > 0) {
    Write({.act = "refused.more",
           .outcome = "refused",
           .detail = fmt::format("{} more were refused before, at over {} a minute", untold,
                                 kMostRefused)},
          audit::Log::Care::kQuickly);
  }
  Write(std::move(entry), audit::Log::Care::kQuickly);
}

void AuditTrail::Acted(const http::Head& head, const Principal& who, std::string_view act,
                       const ActedOn& on, int status) {
  api::AuditEntry entry{.who = on.who.empty() ? who.name : on.who,
                        .role = who.role == Role::kNone ? "" : std::string(ToString(who.role)),
                        .team = who.team,
                        .from = head.peer,
                        .act = std::string(act),
                        .run = on.run,
                        .target = on.target,
                        .outcome = std::string(OutcomeOf(status)),
                        .status = status,
                        .detail = on.detail};
  if (entry.outcome == "refused") return WriteRefused(std::move(entry));
  Write(std::move(entry), audit::Log::Care::kOnDisk);
}

void AuditTrail::Refused(const http::Head& head, const Principal& who, int status) {
  api::AuditEntry entry{.who = who.name,
                        .role = who.role == Role::kNone ? "" : std::string(ToString(who.role)),
                        .team = who.team,
                        .from = head.peer,
                        .act = "request",
                        .target = fmt::format("{} {}", head.method, head.path),
                        .outcome = "refused",
                        .status = status};
  // A page that has no session yet is no attempt: it does not use up what is kept of these.
  if (entry.who.empty() && SaysWho(head, who)) entry.who = "(unknown)";
  WriteRefused(std::move(entry));
}

void AuditTrail::Note(std::string_view act, std::string_view detail) {
  Write({.act = std::string(act), .outcome = "ok", .detail = std::string(detail)},
        audit::Log::Care::kOnDisk);
}

void AuditTrail::SignedIn(const Principal& who, std::string_view from, std::string_view detail) {
  Write({.who = who.name,
         .role = std::string(ToString(who.role)),
         .team = who.team,
         .from = std::string(from),
         .act = "session.begin",
         .outcome = "ok",
         .detail = std::string(detail)},
        audit::Log::Care::kOnDisk);
}

void AuditTrail::SignInRefused(std::string_view from, std::string_view detail) {
  WriteRefused({.from = std::string(from),
                .act = "session.begin",
                .outcome = "refused",
                .detail = std::string(detail)});
}

}  // namespace rankscope::service
