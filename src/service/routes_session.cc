// A token once, a cookie afterwards: for browsers, whose event streams and downloads carry no
// token.
#include "json/writer.h"
#include "service/api.h"
#include "service/reply.h"
#include "service/request_json.h"
#include "service/routes.h"

namespace rankscope::service {
namespace {

std::string Describe(const Principal& who, bool is_open) {
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Member("name", who.name).Member("role", ToString(who.role));
  writer.Member("team", who.team).Member("needs_token", !is_open).EndObject();
  return json;
}

std::string Cookie(const Call& call, std::string_view value, std::int64_t seconds) {
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{}", kSessionCookie,
                     value, seconds, call.head.is_secure ? "; Secure" : "");
}

http::Reply Begin(Access& access, const Call& call) {
  if (access.is_open()) return JsonReply(201, Describe(call.who, true));
  const Result<RequestJson> json = RequestJson::Parse(call.body, {"token"});
  if (!json.ok()) return ErrorReply(json.status());
  const Result<std::string> token = json->Text("token");
  if (!token.ok()) return ErrorReply(token.status());
  const auto who = access.OfToken(*token);
  if (!who) return ErrorReply(401, "no_token", "the server does not know this token");
  http::Reply reply = JsonReply(201, Describe(*who, false));
  reply.fields.emplace_back("Set-Cookie",
                            Cookie(call, access.NewSession(*who), Access::kSessionSeconds));
  return reply;
}

http::Reply Show(const Access& access, const Call& call) {
  return JsonReply(200, Describe(call.who, access.is_open()));
}

http::Reply End(Access& access, const Call& call) {
  if (const auto id = SessionOf(call.head)) access.EndSession(*id);
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
       .body = R"({"type":"object","properties":{"token":{"type":"string"}}})",
       .statuses = "201",
       .most_body = 4096},
      {.method = "GET",
       .pattern = kPattern,
       .answer = With(Show, access),
       .summary = "who the caller is"},
      {.method = "DELETE",
       .pattern = kPattern,
       .role = Role::kNone,
       .answer = With(End, access),
       .summary = "end the session",
       .statuses = "204"},
  };
}

}  // namespace rankscope::service
