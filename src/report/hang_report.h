// What `hang` says about a job that stands still, built from tables alone (schemas/hang.h).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "table/table.h"

namespace rankscope {

struct HangReport {
  std::vector<Table> tables;

  // The table of that name, or null.
  const Table* Find(std::string_view name) const;
};

struct HangTextOptions {
  bool colour = false;
};

// The sentence that the reports begin with: which call hangs, and who is late.
std::string HangHeadline(const HangReport& report);
// What to look at next, a sentence each.
std::vector<std::string> HangAdvice(const HangReport& report);

// For a terminal, 80 columns.
std::string WriteHangText(const HangReport& report, const HangTextOptions& options = {});

// {"schema": "rankscope.hang/1", "verdict": "missing", "headline": "..", "advice": [..],
//  "tables": {..}}; the verdict is that of the first pending call, null when there is none.
std::string WriteHangJson(const HangReport& report);

}  // namespace rankscope
