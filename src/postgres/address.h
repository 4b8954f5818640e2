// A database address in the usual notation:
// postgresql://USER@HOST:PORT/DATABASE?sslmode=verify-full.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope::postgres {

// Whether the text means a database and not a folder.
bool IsAddress(std::string_view text);

// The address for messages: hosts and database, without user, password and options.
// kInvalidArgument if libpq cannot parse it; the sentence repeats none of it, since it may contain
// a password.
Result<std::string> ShownAddress(const std::string& address);

}  // namespace rankscope::postgres
