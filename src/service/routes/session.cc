// A token once, a cookie afterwards: for browsers, whose event streams and downloads carry no
// token.
#include "api/request.h"
#include "service/requests/api.h"
#include "service/requests/reply.h"
#include "service/routes/routes.h"
#include "service/sign_in/cookies.h"
#include "service/sign_in/people.h"

namespace rankscope::service {
namespace {

std::string DescribeSession(const Principal& who, bool is_open) {
  return json::ToJson(api::Session{.name = who.name,
                                   .role = std::string(ToString(who.role)),
                                   .team = who.team,
                                   .needs_token = !is_open});
}

http::Reply Begin(Access& access, const Call& call) {
  call.on->is_nothing = access.is_open();
  if (access.is_open()) return JsonReply(201, DescribeSession(call.who, true));
  const auto asked = BodyOf<api::NewSession>(call);
  if (!asked.ok()) return ErrorReply(asked.status());
  const auto who = access.OfToken(asked->token);
  if (!who) return ErrorReply(401, "no_token", "the server does not know this token");
  call.on->who = who->name;
  call.on->detail = fmt::format("by a token: {} of team {}", ToString(who->role), who->team);
  const auto session = access.NewSession(*who);
  if (!session.ok()) return ErrorReply(session.status());
  http::Reply reply = JsonReply(201, DescribeSession(*who, false));
  reply.fields.emplace_back("Set-Cookie", SessionCookie(*session, call.head.is_secure));
  return reply;
}

http::Reply ShowSession(const Access& access, const Call& call) {
  return JsonReply(200, DescribeSession(call.who, access.is_open()));
}

http::Reply End(Access& access, const Call& call) {
  call.on->is_nothing = call.who.name.empty();
  if (const auto id = SessionOf(call.head)) {
    const Status ended = access.EndSession(*id);
    if (!ended.ok()) return ErrorReply(ended);
  }
  http::Reply reply;
  reply.status = 204;
  reply.fields.emplace_back("Set-Cookie", SessionCookie("", call.head.is_secure));
  return reply;
}

std::string Ways(const Access& access, const People* people, const Call& call) {
  api::SignInWays ways{
      .provider = std::nullopt, .token = access.has_tokens(), .name = std::nullopt};
  if (!call.who.name.empty() && SessionOf(call.head)) ways.name = call.who.name;
  if (people != nullptr)
    ways.provider = {.name = people->name(), .url = std::string(People::kBeginPath)};
  return json::ToJson(ways);
}

}  // namespace

std::vector<Route> SessionRoutes(Access& access, const People* people) {
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
       .most_body = 4096,
       .act = "session.begin"},
      {.method = "GET",
       .pattern = kPattern,
       .answer = With(ShowSession, access),
       .summary = "who the caller is",
       .gives = &json::FieldsOf<api::Session>()},
      {.method = "DELETE",
       .pattern = kPattern,
       .role = Role::kNone,
       .answer = With(End, access),
       .summary = "end the session",
       .statuses = "204",
       .act = "session.end"},
      {.method = "GET",
       .pattern = "/api/v1/session/ways",
       .role = Role::kNone,
       .answer = [&access,
                  people](const Call& call) { return JsonReply(200, Ways(access, people, call)); },
       .summary = "how a browser may be let in, and whose session it has",
       .gives = &json::FieldsOf<api::SignInWays>()},
  };
}

std::vector<Route> PeopleRoutes(People& people) {
  return {
      {.method = "GET",
       .pattern = People::kBeginPath,
       .role = Role::kNone,
       .answer = [&people](const Call& call) { return people.Begin(call); },
       .summary = "send a browser to the provider at which people sign in",
       .parameters = {{"to", "query", "string",
                       "the page that it comes back to: a path, / without"}},
       .statuses = "303"},
      {.method = "GET",
       .pattern = People::kFinishPath,
       .role = Role::kNone,
       .answer = [&people](const Call& call) { return people.Finish(call); },
       .summary =
           "where the provider sends a browser back to: a code in exchange for the cookie of "
           "a session",
       .parameters = {{"state", "query", "string", "of the sign-in, as it was sent"},
                      {"code", "query", "string", "of the provider"},
                      {"iss", "query", "string", "the provider"},
                      {"error", "query", "string", "why there is no code"},
                      {"error_description", "query", "string", "the same in words"}},
       .statuses = "303"},
  };
}

}  // namespace rankscope::service
