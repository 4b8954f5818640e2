// The output of `hang` about a hanging job, only from tables (schemas/hang.h).
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

// The first sentence of the reports: the hanging call, and the late ranks.
std::string HangHeadline(const HangReport& report);
// Next steps, a sentence each.
std::vector<std::string> HangAdvice(const HangReport& report);

// For a terminal, 80 columns.
std::string WriteHangText(const HangReport& report, const HangTextOptions& options = {});

// {"schema": "rankscope.hang/1", "verdict": "missing", "headline": "..", "advice": [..],
//  "tables": {..}}; the verdict is that of the first pending call, null when there is none.
std::string WriteHangJson(const HangReport& report);

}  // namespace rankscope
