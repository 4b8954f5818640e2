#include "compare/subsystem.h"

#include "compare/tables.h"

namespace rankscope {

const Subsystem& CompareSubsystem() {
  static const Subsystem kSubsystem = {
      .name = "compare",
      .about = "what changed between two jobs",
      .topics = {{.title = "Two jobs compared (rankscope diff)",
                  .about = "[diff.md](diff.md) says how jobs are compared. Times are means of a "
                           "device's window in a counted step, rounded so that they add up.",
                  .tables = {DiffTables().begin(), DiffTables().end()}}},
  };
  return kSubsystem;
}

}  // namespace rankscope
