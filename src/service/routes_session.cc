// A token once, a cookie afterwards: for browsers, whose event streams and downloads carry no
// token.
#include "api/request.h"
#include "service/api.h"
#include "service/reply.h"
#include "service/routes.h"

namespace rankscope::service {
namespace {

std::string Describe(const Principal& who, bool is_open) {
  return json::ToJson(api::Session{.name = who.name,
                                   .role = std::string(ToString(who.role)),
                                   .team = who.team,
                                   .needs_token = !is_open});
}

std::string Cookie(const Call& call, std::string_view value, std::int64_t seconds) {
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{}", kSessionCookie,
                     value, seconds, call.head.is_secure ? "; Secure" : "");
}

http::Reply Begin(Access& access, const Call& call) {
  if (access.is_open()) return JsonReply(201, Describe(call.who, true));
  const auto asked = BodyOf<api::NewSession>(call);
  if (!asked.ok()) return ErrorReply(asked.status());
  const auto who = access.OfToken(asked->token);
  if (!who) return ErrorReply(401, "no_token", "the server does not know this token");
  const auto session = access.NewSession(*who);
  if (!session.ok()) return ErrorReply(session.status());
  http::Reply reply = JsonReply(201, Describe(*who, false));
  reply.fields.emplace_back("Set-Cookie", Cookie(call, *session, Access::kSessionSeconds));
  return reply;
}

http::Reply Show(const Access& access, const Call& call) {
  return JsonReply(200, Describe(call.who, access.is_open()));
}

http::Reply End(Access& access, const Call& call) {
  if (const auto id = SessionOf(call.head)) {
    const Status ended = access.EndSession(*id);
    if (!ended.ok()) return ErrorReply(ended);
  }
  http::Reply reply;
  reply.status = 204;
  reply.fields.emplace_back("Set-Cookie", Cookie(call, "", 0));
  return reply;
}

}  // namespace

std::vector<Route> SessionRoutes(Access& access) {
  constexpr std::string_view kPattern = "/api/v1/session";
  return {
      {.method = "POST",
       .pattern = kPattern,
       .role = Role::kNone,
       .answer = With(Begin, access),
       .summary = "a token in exchange for the cookie of a session",
       .takes = &json::FieldsOf<api::NewSession>(),
       .gives = &json::FieldsOf<api::Session>(),
       .statuses = "201",
       .most_body = 4096},
      {.method = "GET",
       .pattern = kPattern,
       .answer = With(Show, access),
       .summary = "who the caller is",
       .gives = &json::FieldsOf<api::Session>()},
      {.method = "DELETE",
       .pattern = kPattern,
       .role = Role::kNone,
       .answer = With(End, access),
       .summary = "end the session",
       .statuses = "204"},
  };
}

}  // namespace rankscope::service
