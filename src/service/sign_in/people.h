// People: sign-in at a provider of OpenID Connect. A browser returns with a code and gets a session
// for it (docs/sign-in.md).
//
// A returned code is valid only for the browser that began the sign-in (a cookie), once, within ten
// minutes, and with the token that was issued for it (state, nonce, PKCE).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "fetch/transport.h"
#include "oidc/provider.h"
#include "oidc/rules.h"
#include "service/access/access.h"
#include "service/base/wall_clock.h"
#include "service/requests/route.h"
#include "service/requests/waiting_work.h"
#include "service/sign_in/people_options.h"
#include "service/sign_in/sign_ins.h"

namespace rankscope::service {

// Whether it is a path of this server's own pages.
bool IsPagePath(std::string_view path);

// Safe for many threads.
class People {
 public:
  // Somebody signed in, or was refused (`person` is null then, `why` is for the log).
  struct Told {
    const Principal* person = nullptr;
    std::string_view subject;  // of the provider, "" where it is not known
    std::string_view why;
    std::string_view peer;
  };
  using OnSignIn = std::function<void(const Told& told)>;

  // Reads files, but sends no requests. The others outlive it; `access` admits people from then on.
  static Result<std::unique_ptr<People>> Open(const PeopleOptions& options, Access& access,
                                              std::unique_ptr<SignIns> sign_ins, OnSignIn told,
                                              WallClock now_s);

  const std::string& name() const { return name_; }

  // Both answer a browser. They ask the provider on a thread that may block.
  http::Reply Begin(const Call& call);
  http::Reply Finish(const Call& call);

  static constexpr std::string_view kBeginPath = "/api/v1/session/oidc";
  static constexpr std::string_view kFinishPath = "/api/v1/session/oidc/callback";

 private:
  struct Came;  // what a browser came back with
  People(const PeopleOptions& options, oidc::Rules rules, oidc::ProviderOptions provider,
         std::unique_ptr<fetch::Transport> transport, std::unique_ptr<SignIns> sign_ins,
         Access& access, OnSignIn told);

  std::string AddressFor(const http::Head& head) const;
  http::Reply SendAway(const std::string& redirect, const std::string& to,
                       const std::string& browser, const std::string& peer, bool is_secure);
  http::Reply TakeBack(const Came& came);
  Result<Principal> PersonOf(const Came& came, const SignIn& begun, std::string& subject);
  Result<SignIn> BegunBy(const Came& came);

  const std::string name_;
  const std::string public_url_;
  const std::string source_;
  const oidc::Rules rules_;
  const std::unique_ptr<fetch::Transport> transport_;
  oidc::Provider provider_;
  const std::unique_ptr<SignIns> sign_ins_;
  Access& access_;
  const OnSignIn told_;
  const std::string scopes_;
  WaitingWork work_;  // last: it uses the others
};

}  // namespace rankscope::service
