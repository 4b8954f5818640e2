#include "report/words/at_fault.h"

#include <set>

#include "report/base/table_view.h"
#include "report/words/finding_words.h"
#include "schemas/captures.h"
#include "schemas/findings.h"

namespace rankscope {

std::optional<AtFault> RanksAtFault(const Report& report) {
  std::set<std::int64_t> recorded;
  const RowsOf<Captures> captures(report);
  for (std::size_t row = 0; row < captures.rows(); ++row) {
    if (const auto rank = captures.Int(row, captures->rank)) recorded.insert(*rank);
  }
  const RowsOf<Findings> findings(report);
  for (std::size_t row = 0; row < findings.rows(); ++row) {
    if (findings.String(row, findings->severity) == "low") continue;
    std::vector<std::int64_t> ranks = ParseRanges(findings.String(row, findings->ranks));
    if (ranks.empty() || ranks.size() >= recorded.size()) continue;
    return AtFault{.ranks = std::move(ranks),
                   .who = std::string(findings.String(row, findings->who)),
                   .finding = std::string(findings.String(row, findings->id)),
                   .what = std::string(findings.String(row, findings->what))};
  }
  return std::nullopt;
}

}  // namespace rankscope
