// The HTTP API as a handler: identity, rights, route, and the parts common to all answers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "service/access/access.h"
#include "service/base/numbers.h"
#include "service/base/wall_clock.h"
#include "service/requests/route.h"

namespace rankscope::service {

inline constexpr std::string_view kSessionCookie = "rankscope";
// The id in the cookie.
std::optional<std::string_view> SessionOf(const http::Head& head);
// The value of any cookie.
std::optional<std::string_view> CookieOf(const http::Head& head, std::string_view name);

class AuditTrail;

struct ApiOptions {
  // Names under which browsers may reach it: the Host of a request must be one of them, else 421.
  // Empty: any, for a server that refuses requests without tokens.
  std::vector<std::string> hosts;
  // "https://rankscope.example.org": pages of this origin are its own, too. Empty: there is none.
  std::string public_url = {};
  // Without tokens only clients with a certificate are admitted (ServerOptions).
  bool takes_certificates_alone = false;
  // Removed from every error sentence.
  std::string data_folder;
  // Pages and their parts; nullopt if there is none.
  std::function<std::optional<http::Reply>(const http::Head&)> pages;
  AuditTrail* audit = nullptr;  // may be null: none is kept
  // A line of the log: one JSON object, with the time by `now_s`.
  std::function<void(std::string_view)> log;
  // The same of requests alone whose reply has a note, where `log` is empty.
  std::function<void(std::string_view)> log_problems;
  WallClock now_s;
};

using FindRoute = std::function<Match(std::string_view method, std::string_view path)>;

// The address by which a request reached this server: "http://127.0.0.1:8723".
std::string AddressOf(const http::Head& head);

class Api final : public http::Handler {
 public:
  // `find`: RouteTable::Find of the server's routes, called once for each request. The others
  // outlive it.
  Api(FindRoute find, const Access& access, Numbers& numbers, ApiOptions options);

  // A reply with the common headers and, in errors, without paths of this machine.
  http::Reply Finished(http::Reply reply) const;
  // The same reply, which is also recorded in the audit log if there is one.
  http::Reply Audited(const Route& route, const Call& call, http::Reply reply) const;

  std::variant<http::Reply, std::unique_ptr<http::Exchange>> Begin(const http::Head& head) override;
  http::Reply Refuse(int status, std::string_view sentence) override;
  void OnServed(const http::Served& served) override;

 private:
  std::optional<http::Reply> CheckOrigin(const http::Head& head) const;
  Result<std::optional<Principal>> PrincipalOf(const http::Head& head) const;

  using Begun = std::variant<http::Reply, std::unique_ptr<http::Exchange>>;
  // Handles a request once its route is known.
  Begun BeginMatched(const http::Head& head, Match match) const;

  FindRoute find_;
  const Access& access_;
  Numbers& numbers_;
  ApiOptions options_;
  std::string hidden_;  // the data folder as it stands in JSON
};

}  // namespace rankscope::service
