#include "catalog/subsystems.h"

#include <array>

#include "compare/subsystem.h"
#include "fleet/subsystem.h"
#include "hang/subsystem.h"
#include "hta/subsystem.h"
#include "memory/subsystem.h"
#include "post_training/subsystem.h"
#include "serving/subsystem.h"
#include "sql/subsystem.h"
#include "training/subsystem.h"

namespace rankscope::catalog {

std::span<const Subsystem* const> AllSubsystems() {
  static const std::array kSubsystems = {
      &sql::SqlSubsystem(),        //
      &TrainingSubsystem(),        //
      &hta::HtaSubsystem(),        //
      &CompareSubsystem(),         //
      &memory::MemorySubsystem(),  //
      &HangSubsystem(),            //
      &ServingSubsystem(),         //
      &PostTrainingSubsystem(),    //
      &FleetSubsystem(),           //
  };
  return kSubsystems;
}

}  // namespace rankscope::catalog
