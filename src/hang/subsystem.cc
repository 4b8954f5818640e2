#include "hang/subsystem.h"

#include "hang/tables.h"

namespace rankscope {

const Subsystem& HangSubsystem() {
  static const Subsystem kSubsystem = {
      .name = "hang",
      .about = "why a job stands still, by the dumps of Flight Recorders",
      .topics = {{.title = "A job that stands still (rankscope hang)",
                  .about =
                      "[hang.md](hang.md) says how calls of ranks are matched and which wait for "
                      "which.",
                  .tables = {HangTableList().begin(), HangTableList().end()}}},
  };
  return kSubsystem;
}

}  // namespace rankscope
