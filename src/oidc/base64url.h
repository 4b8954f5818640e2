// base64url without padding (RFC 4648, section 5), as JOSE writes bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rankscope::oidc {

std::string ToBase64Url(std::string_view bytes);
// nullopt for what ToBase64Url does not give: padding, other signs, bits behind the last byte.
std::optional<std::string> FromBase64Url(std::string_view text);

}  // namespace rankscope::oidc
