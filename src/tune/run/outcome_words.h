// Sentences of a tuning run's outcome, for text and Markdown.
#pragma once

#include <string>
#include <vector>

#include "tune/run/outcome.h"

namespace rankscope::tune {

// "Good up to 9.82 requests a second within TTFT 1.00 s with other settings, 7.6 now: 28.5% more
// (80% sure: 21% to 34%)."
std::string Headline(const Outcome& outcome);

struct ChangeRow {
  std::string name, before, after;
};
std::vector<ChangeRow> Changes(const Outcome& outcome);

// The remaining sentences, one paragraph each.
std::vector<std::string> Paragraphs(const Outcome& outcome);

struct TrialCells {
  std::string number, stage, settings, good, note;
};
std::vector<TrialCells> TrialTable(const Outcome& outcome);

}  // namespace rankscope::tune
