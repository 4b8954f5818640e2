// What is computed of the traces of a job: the topics of tables of training jobs, and the list of
// all analyses, HTA's among them, which the engine runs and SQL has as views.
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

// In the order in which people ask; without those of hta/list.h.
std::span<const Topic> TrainingTopics();

// The analyses of all topics, and behind them HTA's.
std::span<const Analysis* const> AllAnalyses();

// The analysis of that name; an error names those there are.
Result<const Analysis*> FindAnalysis(std::string_view name);

}  // namespace rankscope
