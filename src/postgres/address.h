// Where a database is, as people write it:
// postgresql://USER@HOST:PORT/DATABASE?sslmode=verify-full.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope::postgres {

// Whether somebody means a database and not a folder.
bool IsAddress(std::string_view text);

// The address as messages show it: hosts and database, neither user nor password nor options.
// kInvalidArgument for what libpq cannot read; the sentence repeats none of it, since a password
// may stand in it.
Result<std::string> ShownAddress(const std::string& address);

}  // namespace rankscope::postgres
