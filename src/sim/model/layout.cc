#include "sim/model/layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "sim/model/gpu.h"

namespace rankscope::sim {

std::string ListText(const std::vector<std::int64_t>& numbers) {
  constexpr std::size_t kShown = 30;
  std::string text = "[";
  for (std::size_t i = 0; i < std::min(numbers.size(), kShown); ++i) {
    fmt::format_to(std::back_inserter(text), "{}{}", i == 0 ? "" : ", ", numbers[i]);
  }
  return text + (numbers.size() > kShown ? ", ...]" : "]");
}

int Layout::AddGroup(std::string description, std::vector<std::int64_t> ranks) {
  std::string text = ListText(ranks);
  groups.push_back({.name = std::to_string(groups.size()),
                    .description = std::move(description),
                    .ranks = std::move(ranks),
                    .ranks_text = std::move(text)});
  return static_cast<int>(groups.size()) - 1;
}

int Layout::AddChannel(std::vector<int> members) {
  std::set<int> hosts;
  for (const int rank : members) hosts.insert(rank / kDevicesPerHost);
  const Reach reach{.members = static_cast<int>(members.size()),
                    .hosts = static_cast<int>(hosts.size())};
  channels.push_back({.members = std::move(members), .reach = reach});
  return static_cast<int>(channels.size()) - 1;
}

void Layout::AddCollectiveGroup(std::string description, const std::vector<std::int64_t>& ranks) {
  const int group = AddGroup(std::move(description), ranks);
  const int channel = AddChannel({ranks.begin(), ranks.end()});
  for (const std::int64_t rank : ranks) {
    place(static_cast<int>(rank)).groups.push_back(group);
    place(static_cast<int>(rank)).channels.push_back(channel);
  }
}

}  // namespace rankscope::sim
