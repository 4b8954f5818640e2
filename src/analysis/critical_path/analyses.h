// The chain of work that determines how long the program runs. docs/critical-path.md explains the
// tables.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& JobCriticalPathAnalysis();      // of the job, by cause
const Analysis& CriticalPathAnalysis();         // by step and cause
const Analysis& CriticalPathOpsAnalysis();      // by cause and op
const Analysis& CriticalPathModulesAnalysis();  // by cause and module
const Analysis& CriticalPathEventsAnalysis();   // the path itself
const Analysis& SlackAnalysis();                // of every segment

// The definition of the path, for all of them.
extern const std::string_view kPathDefinition;

}  // namespace rankscope
