#include "fleet/subsystem.h"

#include "fleet/tables.h"

namespace rankscope {

const Subsystem& FleetSubsystem() {
  static const Subsystem kSubsystem = {
      .name = "fleet",
      .about = "questions over all runs of a store",
      .topics = {{.title = "All runs of a store",
                  .about =
                      "What `rankscope fleet` answers (docs/fleet.md), and the rows of runs that "
                      "`rankscope fleet query` reads.",
                  .tables = {fleet::FleetTableList().begin(), fleet::FleetTableList().end()}}}};
  return kSubsystem;
}

}  // namespace rankscope
