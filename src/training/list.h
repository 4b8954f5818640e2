// What is computed from the traces of a job: the topics of tables of training jobs, and the list of
// all analyses, including HTA's. The engine runs them, and SQL has them as views.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "stage/analysis.h"

namespace rankscope {

// Analyses that answer similar questions.
struct Topic {
  std::string_view title;
  std::vector<const Analysis*> analyses;
};

// In the usual order of questions; without those of hta/list.h.
std::span<const Topic> TrainingTopics();

// The analyses of all topics, followed by HTA's.
std::span<const Analysis* const> AllAnalyses();

// The analysis with that name; an error lists the existing ones.
Result<const Analysis*> FindAnalysis(std::string_view name);

}  // namespace rankscope
