#include "report/words/trace_of_finding.h"

#include <optional>
#include <vector>

#include "report/base/table_view.h"
#include "report/words/finding_words.h"
#include "schemas/captures.h"
#include "schemas/findings.h"

namespace rankscope {

std::string TraceOfFirstFinding(const Report& report) {
  const RowsOf<Findings> findings(report);
  std::vector<std::int64_t> ranks;
  if (!findings.empty()) ranks = ParseRanges(findings.String(0, findings->ranks));
  const RowsOf<Captures> captures(report);
  std::string first;
  for (std::size_t row = 0; row < captures.rows(); ++row) {
    if (!captures.Flag(row, captures->analysed)) continue;
    const std::string file(captures.String(row, captures->file));
    if (!ranks.empty() && captures.Int(row, captures->rank) == ranks.front()) return file;
    if (first.empty()) first = file;
  }
  return first;
}

}  // namespace rankscope
