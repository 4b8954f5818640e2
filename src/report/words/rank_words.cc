#include "report/words/rank_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/base/table_view.h"
#include "report/base/wording.h"
#include "schemas/layout.h"

namespace rankscope {
namespace {

// The stages whose ranks these are; none unless they are all ranks of each, and there are others.
std::vector<std::int64_t> StagesOf(const Report& report, const std::vector<std::int64_t>& ranks) {
  const RowsOf<LayoutRanks> layout(report);
  std::map<std::int64_t, std::set<std::int64_t>> ranks_of;
  for (std::size_t row = 0; row < layout.rows(); ++row) {
    const auto rank = layout.Int(row, layout->rank);
    const auto stage = layout.Int(row, layout->pp);
    if (rank && stage) ranks_of[*stage].insert(*rank);
  }
  std::vector<std::int64_t> stages;
  std::size_t in_stages = 0;
  for (const auto& [stage, members] : ranks_of) {
    if (!std::includes(ranks.begin(), ranks.end(), members.begin(), members.end())) continue;
    stages.push_back(stage);
    in_stages += members.size();
  }
  if (in_stages != ranks.size() || stages.size() == ranks_of.size()) return {};
  return stages;
}

}  // namespace

std::string RanksInWords(const Report& report, std::vector<std::int64_t> ranks) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  if (ranks.empty()) return "no rank";
  std::string text = fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", Ranges(ranks));
  const std::vector<std::int64_t> stages = StagesOf(report, ranks);
  if (!stages.empty())
    text += fmt::format(" (pipeline stage{} {})", stages.size() == 1 ? "" : "s", Ranges(stages));
  return text;
}

}  // namespace rankscope
