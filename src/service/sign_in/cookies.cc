#include "service/sign_in/cookies.h"

#include "service/access/access.h"
#include "service/requests/api.h"

namespace rankscope::service {

std::string CookieText(const Cookie& cookie) {
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite={}; Max-Age={}{}", cookie.name,
                     cookie.value, cookie.site == SameSite::kStrict ? "Strict" : "Lax",
                     cookie.seconds, cookie.is_secure ? "; Secure" : "");
}

std::string SessionCookie(std::string_view id, bool is_secure) {
  return CookieText({.name = kSessionCookie,
                     .value = id,
                     .seconds = id.empty() ? 0 : Access::kSessionSeconds,
                     .is_secure = is_secure});
}

}  // namespace rankscope::service
