// Migrates a program's tables in a database to the version that this program needs.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/status.h"
#include "postgres/database.h"

namespace rankscope::postgres {

// Creates the schema `schema` (a name chosen by the program: letters and _) and migrates it from
// the version in its table `version`, 0 if there is none, to the last of `steps`; step 1 is the
// first of them. Only forwards. Each step is a transaction under a lock of the database, so that
// programs that start together do not conflict, and a killed one leaves a version between steps.
// `steps` are SQL scripts of the program. kBadData for a database of a newer version.
Status Migrate(Database& database, const std::string& schema, std::span<const char* const> steps);

}  // namespace rankscope::postgres
