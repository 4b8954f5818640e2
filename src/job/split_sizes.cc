#include "job/split_sizes.h"

#include <algorithm>

#include "base/saturating.h"
#include "job/rank_list.h"

namespace rankscope {

std::vector<std::int64_t> SplitsOf(std::string_view text, std::int64_t elements,
                                   std::int64_t members) {
  if (members < 1 || members > kMostGroupRanks) return {};
  if (text.empty()) {
    if (elements < 0 || elements % members != 0) return {};
    return std::vector<std::int64_t>(static_cast<std::size_t>(members), elements / members);
  }
  std::vector<std::int64_t> splits = RanksOfText(text, -1);
  if (static_cast<std::int64_t>(splits.size()) != members) return {};
  return splits;
}

std::vector<double> BytesSent(const JobCollectives& all, const CollectiveEvent& event) {
  const JobGroup& group = all.groups()[event.group];
  const std::int64_t members = group.Members();
  const auto element = BytesOfCollectiveDtype(all.text(event.dtype));
  if (!element || event.in < 0) return {};
  const std::vector<std::int64_t> splits = SplitsOf(all.text(event.in_split), event.in, members);
  std::int64_t rows = 0;
  for (const std::int64_t split : splits) AddSaturating(rows, split);
  std::vector<double> bytes;
  bytes.reserve(splits.size());
  for (const std::int64_t split : splits) {
    const double share = rows > 0 ? static_cast<double>(split) / static_cast<double>(rows) : 0;
    bytes.push_back(share * static_cast<double>(event.in) * static_cast<double>(*element));
  }
  return bytes;
}

}  // namespace rankscope
