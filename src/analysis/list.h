// The one list of analyses.
#pragma once

#include <span>
#include <string_view>

#include "stage/analysis.h"

namespace rankscope {

// All analyses in the order in which reports show them.
std::span<const Analysis* const> AllAnalyses();

// The analysis of that name; an error names those there are.
Result<const Analysis*> FindAnalysis(std::string_view name);

}  // namespace rankscope
