// Sentences of the post-training report, shared by text and Markdown.
#pragma once

#include <string>
#include <vector>

#include "report/base/table_view.h"
#include "report/post_training/post_training_report.h"
#include "schemas/post_training.h"

namespace rankscope {

// What the report reads of the tables.
struct PostTrainingView {
  explicit PostTrainingView(const PostTrainingReport& report);

  RowsOf<PostFindings> findings;
  RowsOf<PostRoles> roles;
  RowsOf<PostPhases> phases;
  RowsOf<PostOverlap> overlap;
  RowsOf<PostTail> tail;
  RowsOf<PostReplicas> replicas;
  RowsOf<PostStaleness> staleness;
  RowsOf<PostPadding> padding;
  RowsOf<PostSteps> steps;
  RowsOf<PostSources> sources;
  RowsOf<PostNotes> notes;

  // Roles of post_phases, in their order, each once.
  std::vector<std::string> Roles() const;
  // The row of a role's phase in post_phases; -1 without.
  std::ptrdiff_t Phase(std::string_view role, std::string_view phase) const;
};

std::string PostTrainingHeadlineOf(const PostTrainingView& view);

// A line each; unknown ones are left out.
struct PostTrainingLine {
  std::string name;
  std::string text;
};
std::vector<PostTrainingLine> PostTrainingLines(const PostTrainingView& view);

// "gains at most 31.2% of the step: FORMULA", or why there is no gain.
std::string PostTrainingGain(const PostTrainingView& view, std::size_t finding);

}  // namespace rankscope
