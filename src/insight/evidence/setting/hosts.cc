#include "insight/evidence/setting/hosts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace rankscope {

Hosts::Hosts(const RuleInput& input) : of_rank(input.ranks(), 0), is_known(input.ranks(), false) {
  std::map<std::string, std::uint32_t> numbers;
  for (const JobGraph::CaptureNodes& nodes : input.graph().captures()) {
    const Capture& capture = input.job().captures[nodes.capture];
    std::string key = capture.host;
    // A world that fills its hosts, a rank to a device. Who lists one device may see its own alone
    // (a container for each, a profiler that lists no others).
    const bool fills = capture.host_devices > 1 && capture.world_size >= capture.host_devices &&
                       capture.world_size % capture.host_devices == 0;
    if (key.empty() && fills && capture.rank >= 0)
      key = "\n" + std::to_string(capture.rank / capture.host_devices);
    is_known[nodes.rank] = !key.empty();
    of_rank[nodes.rank] =
        numbers.try_emplace(std::move(key), static_cast<std::uint32_t>(numbers.size()))
            .first->second;
  }
}

std::size_t Hosts::Spanned(std::span<const std::uint32_t> ranks) const {
  std::set<std::uint32_t> hosts;
  for (const std::uint32_t rank : ranks) hosts.insert(of_rank[rank]);
  return hosts.size();
}

bool Hosts::AreOnOne(std::span<const std::uint32_t> ranks) const {
  return Spanned(ranks) == 1 &&
         std::ranges::all_of(ranks, [&](std::uint32_t rank) { return is_known[rank]; });
}

}  // namespace rankscope
