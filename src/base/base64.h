// Bytes as letters, four for three (RFC 4648).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

// With "+", "/" and padding (section 4).
std::string ToBase64(std::string_view bytes);

// With "-", "_" and without padding (section 5), as JOSE writes bytes.
std::string ToBase64Url(std::string_view bytes);
// nullopt for what ToBase64Url does not give: padding, other signs, bits behind the last byte.
std::optional<std::string> FromBase64Url(std::string_view text);

}  // namespace rankscope
