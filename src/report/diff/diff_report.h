// The output of `diff` about two jobs, only from tables (schemas/diff.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/base/report.h"

namespace rankscope {

struct DiffReport {
  Report base;  // with the data for headings: layout and findings
  Report test;
  std::vector<Table> tables;  // of the comparison

  // The table of that name, or null.
  const Table* Find(std::string_view name) const;
};

struct DiffTextOptions {
  bool colour = false;
  bool full = false;  // all tables, not only what changed by 1 % of a step or more
};

// For a terminal, 80 columns: slowdowns first. The first line does not name kernels, so a library
// with other names does not change it.
std::string WriteDiffText(const DiffReport& report, const DiffTextOptions& options = {});

// {"schema": "rankscope.diff/1", "job": {..}, "notes": [..],
//  "findings": {"appeared": [], "gone": [], "changed": []}, "tables": {..}}
std::string WriteDiffJson(const DiffReport& report);

// One file: both side by side, and their call trees as one flame graph.
std::string WriteDiffHtml(const DiffReport& report);

// The data of that page, as JSON, for pages that fetch it.
std::string WriteDiffView(const DiffReport& report);

// The first sentence of the reports.
std::string DiffHeadline(const DiffReport& report);
// What the change consists of, the largest first, and which findings appeared or went.
std::vector<std::string> DiffReasons(const DiffReport& report);

// The sentence that TEST is significantly slower by `percent` or more; nullopt if it is not.
// Unknown significance counts as a change: a build must not pass unchecked. An error if step times
// are unknown.
Result<std::optional<std::string>> DiffGateHit(double percent, const DiffReport& report);

}  // namespace rankscope
