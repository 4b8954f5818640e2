// What `diff` says about two jobs, built from tables alone (schemas/diff.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/report.h"

namespace rankscope {

struct DiffReport {
  Report base;  // with what a heading needs of it: layout and findings
  Report test;
  std::vector<Table> tables;  // of the comparison

  // The table of that name, or null.
  const Table* Find(std::string_view name) const;
};

struct DiffTextOptions {
  bool colour = false;
  bool full = false;  // all tables, not only what changed by 1 % of a step or more
};

// For a terminal, 80 columns: what got slower first. Kernels are not named in the first line, so
// that a library with other names changes nothing of it.
std::string WriteDiffText(const DiffReport& report, const DiffTextOptions& options = {});

// {"schema": "rankscope.diff/1", "job": {..}, "notes": [..],
//  "findings": {"appeared": [], "gone": [], "changed": []}, "tables": {..}}
std::string WriteDiffJson(const DiffReport& report);

// One file: both side by side, and their call trees as one flame graph.
std::string WriteDiffHtml(const DiffReport& report);

// What that page draws, as JSON: for pages that fetch it.
std::string WriteDiffView(const DiffReport& report);

// The sentence that the reports begin with.
std::string DiffHeadline(const DiffReport& report);
// What the change consists of, the largest first, and which findings appeared or went.
std::vector<std::string> DiffReasons(const DiffReport& report);

// The sentence that says that TEST is slower by `percent` or more, and not by chance; none when it
// is not. An unknown chance counts as a change: a build must not pass unchecked. An error where
// step times are unknown.
Result<std::optional<std::string>> DiffGateHit(double percent, const DiffReport& report);

}  // namespace rankscope
