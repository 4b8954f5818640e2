// The tables of a program in a database, brought up to what this version of it needs.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/status.h"
#include "postgres/database.h"

namespace rankscope::postgres {

// Makes the schema `schema` (a name of the program: letters and _) and takes it from the version
// that its table `version` states, 0 where there is none, to the last of `steps`: step 1 is the
// first of them. Forwards only, each step a transaction under a lock of the database, so that
// programs that start together do not meet, and one that is killed leaves a version between steps.
// `steps` are scripts of SQL of the program itself. kBadData for a database of a newer version.
Status Migrate(Database& database, const std::string& schema, std::span<const char* const> steps);

}  // namespace rankscope::postgres
