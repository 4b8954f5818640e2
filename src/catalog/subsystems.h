// The single list of subsystems, the source of `list`, `explain`, completion, docs/tables.md and
// the server's definitions of tables.
#pragma once

#include <span>

#include "contract/subsystem.h"

namespace rankscope::catalog {

// In the order of `rankscope list`. They live as long as the program.
std::span<const Subsystem* const> AllSubsystems();

}  // namespace rankscope::catalog
