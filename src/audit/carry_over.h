// Copies the audit log of a folder, when its runs become those of a cluster.
#pragma once

#include <cstdint>
#include <string>

#include "audit/log.h"
#include "base/status.h"

namespace rankscope::postgres {
class Database;
}

namespace rankscope::audit {

struct CarriedLog {
  std::int64_t lines = 0;  // new in the database
  std::string why_not;     // a sentence, if the log stays in the folder alone; else ""
};

// Copies all lines as they are, with their numbers and hashes, so that the chain continues in the
// database and heads noted elsewhere stay valid. Nothing is copied from a damaged log, or to a
// database that has other lines. It can be repeated, and copies all lines or none.
Result<CarriedLog> CarryOver(Lines& from, postgres::Database& to);

}  // namespace rankscope::audit
