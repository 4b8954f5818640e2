#include "replay/peers/peers.h"

#include <array>
#include <map>

namespace rankscope {

Peers PeersOf(const JobLayout& layout, std::size_t ranks) {
  // Which dimensions must agree, the strictest first. The stage always must.
  static constexpr std::array<std::array<bool, kDimensionCount>, 4> kMustAgree = [] {
    std::array<std::array<bool, kDimensionCount>, 4> rules{};
    for (auto& rule : rules) rule.fill(true);
    for (auto& rule : rules) rule[static_cast<std::size_t>(Dimension::kData)] = false;
    for (std::size_t i = 1; i < rules.size(); ++i)
      rules[i][static_cast<std::size_t>(Dimension::kContext)] = false;
    for (std::size_t i = 2; i < rules.size(); ++i)
      rules[i][static_cast<std::size_t>(Dimension::kExpert)] = false;
    rules[3][static_cast<std::size_t>(Dimension::kTensor)] = false;
    return rules;
  }();
  using Key = std::array<std::int32_t, kDimensionCount + 1>;
  // All ranks of a stage and role are asked for the same rule, so that peers are a partition.
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::uint32_t>> stages;
  const auto place_of = [&](std::uint32_t rank) {
    return rank < layout.places.size() ? layout.places[rank] : RankPlace{};
  };
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const RankPlace place = place_of(rank);
    stages[{static_cast<std::int32_t>(place.role), place.Of(Dimension::kPipeline)}].push_back(rank);
  }
  Peers peers;
  peers.group_of.resize(ranks);
  for (const auto& [stage, members] : stages) {
    std::map<Key, std::vector<std::uint32_t>> groups;
    for (const auto& rule : kMustAgree) {
      groups.clear();
      for (const std::uint32_t rank : members) {
        Key key{};
        const RankPlace place = place_of(rank);
        for (std::size_t i = 0; i < kDimensionCount; ++i) key[i] = rule[i] ? place.at[i] : 0;
        groups[key].push_back(rank);
      }
      std::size_t least = members.size();
      for (const auto& [key, group] : groups) least = std::min(least, group.size());
      if (least >= kEnoughPeers) break;
    }
    for (const auto& [key, group] : groups) {
      for (const std::uint32_t rank : group)
        peers.group_of[rank] = static_cast<std::uint32_t>(peers.of.size());
      peers.of.push_back(group);
    }
  }
  return peers;
}

}  // namespace rankscope
