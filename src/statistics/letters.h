// Encodes bytes as text for any table, file and query: base64 (RFC 4648), without padding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

std::string ToLetters(std::string_view bytes);
// nullopt for anything that ToLetters cannot produce: another character, an impossible length,
// extra bits after the last byte.
std::optional<std::string> FromLetters(std::string_view letters);

}  // namespace rankscope
