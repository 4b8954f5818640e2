#include "service/requests/api.h"

#include <algorithm>

#include "base/letter_case.h"
#include "json/json_text.h"
#include "json/writer.h"
#include "service/base/hidden_folder.h"
#include "service/requests/audit_trail.h"
#include "service/requests/reply.h"
#include "service/requests/run_json.h"

namespace rankscope::service {
namespace {

// "Example.org:8723" and "[::1]:80": the name without the port, in small letters.
std::string NameOf(std::string_view host) {
  const std::size_t end = host.starts_with('[') ? host.find(']') + 1 : host.find(':');
  return LowerCase(host.substr(0, end));
}

bool IsSafe(std::string_view method) { return method == "GET" || method == "HEAD"; }

// Finishes the reply of another exchange.
class Finishing final : public http::Exchange {
 public:
  Finishing(const Api& api, std::string_view topic, std::unique_ptr<http::Exchange> inner)
      : api_(api), topic_(topic), inner_(std::move(inner)) {}
  std::string_view topic() const override { return topic_; }
  std::uint64_t MostBytes() const override { return inner_->MostBytes(); }
  Status Take(std::string_view piece) override { return inner_->Take(piece); }
  http::Reply Finish(bool is_whole) override {
    http::Reply reply = api_.Finished(inner_->Finish(is_whole));
    if (auto* pending = std::get_if<http::Pending>(&reply.body)) {
      pending->finish = [&api = api_, finish = std::move(pending->finish)] {
        return api.Finished(finish());
      };
    }
    return reply;
  }

 private:
  const Api& api_;
  const std::string_view topic_;
  std::unique_ptr<http::Exchange> inner_;
};

// A route whose body, if it takes any, is small.
class SmallBody final : public http::Exchange {
 public:
  SmallBody(const Api& api, const Route& route, Call call)
      : api_(api), route_(route), call_(std::move(call)) {}
  // Where none is wanted an empty object is no offence.
  std::uint64_t MostBytes() const override {
    return std::max<std::uint64_t>(route_.most_body, 1024);
  }
  Status Take(std::string_view piece) override {
    call_.body += piece;
    return OkStatus();
  }
  http::Reply Finish(bool is_whole) override {
    if (!is_whole) return ErrorReply(400, "cut_off", "the body did not come whole");
    return api_.Audited(route_, call_, route_.answer(call_));
  }

 private:
  const Api& api_;
  const Route& route_;
  Call call_;
};

// What the address of a request says of an act: its run, and what of that or else.
std::shared_ptr<ActedOn> OnArguments(const Route& route,
                                     const std::vector<std::string>& arguments) {
  auto on = std::make_shared<ActedOn>();
  const bool has_run = route.pattern.starts_with("/api/v1/runs/{id}");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string& text = has_run && i == 0 ? on->run : on->target;
    text = arguments[i];
  }
  return on;
}

void TellOf(AuditTrail& audit, const Route& route, const http::Head& head, const Principal& who,
            const ActedOn* on, int status) {
  if (on != nullptr) {
    if (!on->is_nothing) audit.Acted(head, who, route.act, *on, status);
  } else if (status == 401 || status == 403) {
    audit.Refused(head, who, status);
  }
}

}  // namespace

std::string AddressOf(const http::Head& head) {
  return fmt::format("{}://{}", head.is_secure ? "https" : "http",
                     http::Find(head.fields, "host").value_or(""));
}

std::optional<std::string_view> SessionOf(const http::Head& head) {
  return CookieOf(head, kSessionCookie);
}

std::optional<std::string_view> CookieOf(const http::Head& head, std::string_view name) {
  std::string_view cookies = http::Find(head.fields, "cookie").value_or("");
  while (!cookies.empty()) {
    std::string_view one = cookies.substr(0, cookies.find(';'));
    cookies.remove_prefix(std::min(one.size() + 1, cookies.size()));
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    const std::size_t equals = one.find('=');
    if (equals != std::string_view::npos && one.substr(0, equals) == name)
      return one.substr(equals + 1);
  }
  return std::nullopt;
}

Api::Api(FindRoute find, const Access& access, Numbers& numbers, ApiOptions options)
    : find_(std::move(find)), access_(access), numbers_(numbers), options_(std::move(options)) {
  // As it stands in JSON, without the quotes.
  if (options_.data_folder.empty()) return;
  AppendJsonString(hidden_, options_.data_folder);
  hidden_ = hidden_.substr(1, hidden_.size() - 2);
}

http::Reply Api::Finished(http::Reply reply) const {
  AddSecurityFields(reply);
  auto* const text = std::get_if<std::string>(&reply.body);
  if (reply.status >= 400 && text != nullptr) *text = WithoutFolder(*text, hidden_);
  return reply;
}

http::Reply Api::Audited(const Route& route, const Call& call, http::Reply reply) const {
  if (options_.audit == nullptr) return reply;
  auto* const pending = std::get_if<http::Pending>(&reply.body);
  if (pending == nullptr) {
    TellOf(*options_.audit, route, call.head, call.who, call.on.get(), reply.status);
    return reply;
  }
  // The request may have gone by then.
  pending->finish = [this, &route, head = std::make_shared<const http::Head>(call.head),
                     who = call.who, on = call.on, finish = std::move(pending->finish)] {
    const Call same{.head = *head, .who = who, .arguments = {}, .body = {}, .on = on};
    return Audited(route, same, finish());
  };
  return reply;
}

// A page of another site that a browser shows must neither read nor change anything here, by
// whatever name it reached this machine.
std::optional<http::Reply> Api::CheckOrigin(const http::Head& head) const {
  const auto host = http::Find(head.fields, "host");
  if (!host) return ErrorReply(400, "no_host", "the request says no Host");
  const bool is_known = options_.hosts.empty() ||
                        std::ranges::find(options_.hosts, NameOf(*host)) != options_.hosts.end();
  if (!is_known) {
    return ErrorReply(421, "unknown_host",
                      fmt::format("this server is not known as '{}'; start it with --allowed-host",
                                  NameOf(*host)));
  }
  if (IsSafe(head.method)) return std::nullopt;
  const auto site = http::Find(head.fields, "sec-fetch-site");
  const auto origin = http::Find(head.fields, "origin");
  const std::string_view scheme = head.is_secure ? "https://" : "http://";
  const bool is_foreign =
      origin && LowerCase(*origin) != LowerCase(fmt::format("{}{}", scheme, *host)) &&
      (options_.public_url.empty() || LowerCase(*origin) != LowerCase(options_.public_url));
  if (is_foreign || (site && (*site == "cross-site" || *site == "same-site")))
    return ErrorReply(403, "foreign_origin", "pages of other sites change nothing here");
  return std::nullopt;
}

Result<std::optional<Principal>> Api::PrincipalOf(const http::Head& head) const {
  const std::optional<Principal> nobody;
  if (access_.is_open() && !options_.takes_certificates_alone)
    return std::optional(
        Principal{.name = "", .role = Role::kAdmin, .team = std::string(kAllTeams)});
  if (const auto field = http::Find(head.fields, "authorization")) {
    constexpr std::string_view kBearer = "Bearer ";
    if (!field->starts_with(kBearer)) return nobody;
    return access_.OfToken(field->substr(kBearer.size()));
  }
  // Certificates are of agents: they report, and bring traces.
  if (head.client) {
    return std::optional(Principal{.name = head.client->name,
                                   .role = Role::kUpload,
                                   .team = head.client->unit,
                                   .host = head.client->name,
                                   .sees_nothing = head.client->unit.empty()});
  }
  if (const auto session = SessionOf(head)) return access_.OfSession(*session);
  return nobody;
}

std::variant<http::Reply, std::unique_ptr<http::Exchange>> Api::Begin(const http::Head& head) {
  Match match = find_(head.method, head.path);
  const std::string_view topic = match.route == nullptr ? "" : match.route->pattern;
  Begun begun = BeginMatched(head, std::move(match));
  if (auto* const exchange = std::get_if<std::unique_ptr<http::Exchange>>(&begun))
    return std::make_unique<Finishing>(*this, topic, std::move(*exchange));
  http::Reply reply = Finished(std::move(std::get<http::Reply>(begun)));
  reply.topic = topic;
  return reply;
}

Api::Begun Api::BeginMatched(const http::Head& head, Match match) const {
  const auto refuse = [&](const Principal& who, http::Reply reply) {
    if (options_.audit != nullptr && (reply.status == 401 || reply.status == 403))
      options_.audit->Refused(head, who, reply.status);
    return reply;
  };
  if (auto refused = CheckOrigin(head)) return refuse({}, std::move(*refused));
  if (match.route == nullptr && IsSafe(head.method) && options_.pages) {
    if (auto page = options_.pages(head)) return std::move(*page);
  }
  if (match.route == nullptr && match.allowed.empty())
    return ErrorReply(404, "not_found", "there is nothing at this address");
  if (match.route == nullptr) {
    http::Reply reply =
        ErrorReply(405, "wrong_method",
                   fmt::format("this address takes {}, not {}", match.allowed, head.method));
    reply.fields.emplace_back("Allow", match.allowed);
    return reply;
  }
  const Route& route = *match.route;
  const auto principal = PrincipalOf(head);
  if (!principal.ok() && route.role != Role::kNone) return ErrorReply(principal.status());
  const std::optional<Principal> who = principal.ok() ? *principal : std::nullopt;
  if (route.role != Role::kNone && !who) {
    http::Reply reply =
        ErrorReply(401, "no_token", "say who you are: Authorization: Bearer TOKEN, or a session");
    reply.fields.emplace_back("WWW-Authenticate", "Bearer");
    return refuse({}, std::move(reply));
  }
  if (who && who->role < route.role) {
    return refuse(*who, ErrorReply(403, "not_allowed",
                                   fmt::format("this needs the role {}; the token has {}",
                                               ToString(route.role), ToString(who->role))));
  }
  Call call{.head = head,
            .who = who.value_or(Principal{}),
            .arguments = std::move(match.arguments),
            .body = {},
            .on = nullptr};
  if (route.receive) return route.receive(call);
  if (!route.act.empty()) call.on = OnArguments(route, call.arguments);
  return std::make_unique<SmallBody>(*this, route, std::move(call));
}

http::Reply Api::Refuse(int status, std::string_view sentence) {
  return Finished(ErrorReply(status, status >= 500 ? "internal" : "bad_request", sentence));
}

void Api::OnServed(const http::Served& served) {
  numbers_.Count(served.topic.empty() ? "other" : served.topic, served);
  // What went wrong here is said also where requests are not.
  const auto& log = options_.log || served.note.empty() ? options_.log : options_.log_problems;
  if (!log || served.head == nullptr) return;
  std::string line;
  json::Writer writer(line);
  writer.BeginObject().Member("time", IsoTime(options_.now_s())).Member("event", "request");
  writer.Member("method", served.head->method).Member("path", served.head->path);
  writer.Member("status", served.status).Key("ms");
  writer.Raw(fmt::format("{:.3f}", static_cast<double>(served.duration_ns) / 1e6));
  writer.Member("received", served.received_bytes).Member("sent", served.sent_bytes);
  writer.Member("peer", served.head->peer);
  if (!served.note.empty()) writer.Member("note", served.note);
  writer.EndObject();
  log(line);
}

}  // namespace rankscope::service
