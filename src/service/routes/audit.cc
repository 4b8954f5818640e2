// The audit log, for admins of all teams.
#include "api/audit.h"
#include "audit/read.h"
#include "service/requests/audit_trail.h"
#include "service/requests/page.h"
#include "service/requests/reply.h"
#include "service/routes/routes.h"

namespace rankscope::service {
namespace {

constexpr std::size_t kUsual = 100;
constexpr std::size_t kMost = 1000;

Result<std::string> PageFor(audit::Lines& lines, const Call& call) {
  RS_ASSIGN_OR_RETURN(const std::size_t limit, LimitOf(call.Query("limit"), kUsual, kMost));
  std::int64_t before = 0;
  if (const std::string_view cursor = call.Query("cursor"); !cursor.empty()) {
    RS_ASSIGN_OR_RETURN(const std::string place, FromCursor(cursor));
    const auto number = ParseInteger(place);
    if (!number || *number < 1)
      return Error(StatusCode::kInvalidArgument, "this is no cursor of the audit log");
    before = *number;
  }
  RS_ASSIGN_OR_RETURN(audit::Page page, audit::ReadPage(lines,
                                                        {.since = std::string(call.Query("since")),
                                                         .who = std::string(call.Query("who")),
                                                         .run = std::string(call.Query("run")),
                                                         .act = std::string(call.Query("act"))},
                                                        limit, before));
  return json::ToJson(
      api::AuditPage{.entries = std::move(page.entries),
                     .cursor = page.older > 0 ? ToCursor(std::to_string(page.older)) : ""});
}

http::Reply ShowAudit(AuditTrail& trail, const Call& call) {
  if (call.who.team != kAllTeams) {
    return ErrorReply(403, "not_allowed",
                      "the audit log is for admins of all teams: a token with --team '*'");
  }
  const auto page = PageFor(trail.log(), call);
  return page.ok() ? JsonReply(200, *page) : ErrorReply(page.status());
}

}  // namespace

std::vector<Route> AuditRoutes(AuditTrail& trail) {
  return {{.method = "GET",
           .pattern = "/api/v1/audit",
           .role = Role::kAdmin,
           .answer = With(ShowAudit, trail),
           .summary = "who did what, the newest first; for admins of all teams",
           .parameters = {{"since", "query", "string", "2026-11-28, or a longer begin of a time"},
                          {"who", "query", "string", "name of a token or person"},
                          {"run", "query", "string", "its id"},
                          {"act", "query", "string", "run.remove, or run. for all of runs"},
                          {"limit", "query", "integer", "up to 1000; 100 without"},
                          {"cursor", "query", "string", "of the page before"}},
           .gives = &json::FieldsOf<api::AuditPage>()}};
}

}  // namespace rankscope::service
