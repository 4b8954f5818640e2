#include "sql/subsystem.h"

#include "sql/query.h"

namespace rankscope::sql {

const Subsystem& SqlSubsystem() {
  static const Subsystem kSubsystem = {
      .name = "sql",
      .about = "SQL over events and tables of all ranks",
      .topics = {{.title = "Views of SQL, besides every table of a job",
                  .about = "",
                  .tables = {Views().begin(), Views().end()}}},
  };
  return kSubsystem;
}

}  // namespace rankscope::sql
