// Cookies that the server sets. Scripts cannot read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rankscope::service {

enum class SameSite : std::uint8_t { kStrict, kLax };

struct Cookie {
  std::string_view name;
  std::string_view value;  // "" with 0 seconds takes it away
  std::int64_t seconds = 0;
  SameSite site = SameSite::kStrict;
  bool is_secure = false;
};

// The value of Set-Cookie.
std::string CookieText(const Cookie& cookie);

// The cookie of a session (access.h); an empty id ends it.
std::string SessionCookie(std::string_view id, bool is_secure);

}  // namespace rankscope::service
