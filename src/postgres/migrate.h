// Migrates a program's tables in a database to the version that this program needs.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/status.h"
#include "postgres/database.h"

namespace rankscope::postgres {

// A step to the next version.
struct MigrationStep {
  const char* script;  // SQL of the program
  // Programs of the version before can go on beside it, reading and writing: it adds only what has
  // a value without them (a table, a column with a default, an index). So servers are upgraded one
  // after the other.
  bool keeps_older = false;
};

// Creates the schema `schema` (a name chosen by the program: letters and _) and migrates it from
// the version in its table `version`, 0 if there is none, to the last of `steps`; step 1 is the
// first of them. Only forwards. Each step is a transaction under a lock of the database, so that
// programs that start together do not conflict, and a killed one leaves a version between steps.
// A database of a newer version stays as it is: kBadData, unless all steps to it keep older
// programs.
Status Migrate(Database& database, const std::string& schema, std::span<const MigrationStep> steps);

}  // namespace rankscope::postgres
