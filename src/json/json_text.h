// Pieces of JSON, appended to a string: for every writer that makes JSON by hand.
//
// What comes out is valid JSON in valid UTF-8 whatever goes in. It is not escaped for use inside an
// HTML <script>; whoever embeds it there does that.
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

// A number, or a string of its digits beyond 2^53, where readers that keep doubles would change it.
void AppendJsonInteger(std::string& out, std::int64_t value);

// The shortest text that reads back as the same double; null for NaN and infinities.
void AppendJsonDouble(std::string& out, double value);

}  // namespace rankscope
