// The output of `serving` about a serving program, only from tables (schemas/serving.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "table/table.h"

namespace rankscope {

struct ServingReport {
  std::vector<Table> tables;
  std::string path;  // the first named path

  // The table of that name, or null.
  const Table* Find(std::string_view name) const;
};

struct ServingTextOptions {
  bool colour = false;
};

// For a terminal, 80 columns; at most 25 lines, the worst finding with its evidence and change.
std::string WriteServingText(const ServingReport& report, const ServingTextOptions& options = {});

// {"schema": "rankscope.serving/1", "headline": "..", "findings": [..], "not_evaluated": [..],
//  "tables": {..}}; tables whose rows follow requests or iterations are left to --table.
std::string WriteServingJson(const ServingReport& report);

// The same as the text, with every finding.
std::string WriteServingMarkdown(const ServingReport& report);

// What the page draws, as JSON that may stand in a script: headline, what the text says besides,
// and the tables, of requests the slowest and of steps those in which they ran.
std::string WriteServingView(const ServingReport& report);

// The page as one file.
std::string WriteServingHtml(const ServingReport& report);

// For a list of runs: like summary_report.h, with "subject":"serving" and no ranks. The headline
// begins with a capital; bottleneck is the stage with the greatest share.
std::string WriteServingSummary(const ServingReport& report);

}  // namespace rankscope
