// Bytes as letters that any table, file and query can hold: base64 (RFC 4648), without padding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

std::string ToLetters(std::string_view bytes);
// nullopt for what ToLetters does not give: another letter, a length that cannot be, bits behind
// the last byte.
std::optional<std::string> FromLetters(std::string_view letters);

}  // namespace rankscope
