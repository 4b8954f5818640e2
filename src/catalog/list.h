// The one list of analyses.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "stage/analysis.h"

namespace rankscope {

// Analyses that answer questions of one kind.
struct Topic {
  std::string_view title;
  std::vector<const Analysis*> analyses;
};

// In the order in which people ask.
std::span<const Topic> AllTopics();

// The analyses of all topics.
std::span<const Analysis* const> AllAnalyses();

// The analysis of that name; an error names those there are.
Result<const Analysis*> FindAnalysis(std::string_view name);

}  // namespace rankscope
