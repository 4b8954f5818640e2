// What SQL adds to the list of subsystems: its views over traces. Every analysis is also a view; it
// is declared where it is computed.
#pragma once

#include "contract/subsystem.h"

namespace rankscope::sql {

const Subsystem& SqlSubsystem();

}  // namespace rankscope::sql
