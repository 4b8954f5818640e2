#include "report/words/exposed_words.h"

#include "report/base/table_view.h"
#include "schemas/across.h"

namespace rankscope {

std::vector<ExposedPart> ExposedParts(const Report& report) {
  const RowsOf<ExposedByRank> ranks(report);
  std::vector<ExposedPart> parts;
  for (std::size_t row = 0; row < ranks.rows(); ++row) {
    if (ranks.Int(row, ranks->rank)) continue;
    const auto add = [&](const auto& column, std::string_view label, std::string_view sentence) {
      const double share = ranks.Number(row, column).value_or(0);
      if (share > 0) parts.push_back({label, sentence, share});
    };
    add(ranks->wait_share_pct, "waiting for other ranks", "waiting for other ranks");
    add(ranks->transfer_share_pct, "transfer", "transfer");
    add(ranks->unknown_share_pct, "waiting or transfer", "waiting or transfer, not known which");
  }
  return parts;
}

}  // namespace rankscope
