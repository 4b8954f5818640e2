// The output of `post-training` about a run, only from tables (schemas/post_training.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "table/table.h"

namespace rankscope {

struct PostTrainingReport {
  std::vector<Table> tables;

  // The table of that name, or null.
  const Table* Find(std::string_view name) const;
};

struct PostTrainingTextOptions {
  bool colour = false;
};

// For a terminal, 80 columns: phases of up to two roles, facts in a line each, the worst finding
// with its evidence, change and gain.
std::string WritePostTrainingText(const PostTrainingReport& report,
                                  const PostTrainingTextOptions& options = {});

// {"schema": "rankscope.post-training/1", "headline": "..", "findings": [..], "not_evaluated":
// [..],
//  "tables": {..}}; tables whose rows follow steps or rollouts are left to --table.
std::string WritePostTrainingJson(const PostTrainingReport& report);

// The same as the text, with every role, finding and note.
std::string WritePostTrainingMarkdown(const PostTrainingReport& report);

}  // namespace rankscope
