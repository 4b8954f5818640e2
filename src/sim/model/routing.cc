#include "sim/model/routing.h"

#include <tuple>
#include <utility>

#include "sim/model/jitter.h"

namespace rankscope::sim {
namespace {

constexpr std::uint64_t kLoadDraws = 0x6C6F6164;
constexpr std::uint64_t kFavouriteDraws = 0x6661766F;
constexpr std::int64_t kEven = 1000;
constexpr std::uint64_t kNoise = 101;  // 5 % to either side

}  // namespace

void Router::Route(int step, std::uint32_t layer, int place, Routed* routed) const {
  const auto size = static_cast<std::size_t>(members);
  routed->sent.resize(size);
  routed->received.assign(size, 0);
  routed->total_received = 0;

  const std::uint64_t key = MixAll(seed ^ kLoadDraws, static_cast<std::uint64_t>(step), layer) ^
                            Mix(static_cast<std::uint64_t>(group));
  const auto favourite =
      static_cast<int>(MixAll(seed, kFavouriteDraws, layer) % static_cast<std::uint64_t>(members));
  std::int64_t before = 0, mine_begin = 0, mine_end = 0, total = 0;
  std::vector<std::int64_t>& ends = routed->sent;  // first the shares' ends, then the tokens
  for (int to = 0; to < members; ++to) {
    const std::uint64_t noise = Mix(key ^ static_cast<std::uint64_t>(to)) % kNoise;
    total += kEven - 50 + static_cast<std::int64_t>(noise) +
             (to == favourite ? kEven * extra_per_mille / 1000 : 0);
    ends[static_cast<std::size_t>(to)] = total;
    if (to == place) std::tie(mine_begin, mine_end) = std::pair(before, total);
    before = total;
  }
  // Shares are rounded otherwise for every sender, so that the sums hold exactly.
  const auto upto = [&](std::int64_t share, int from) {
    return (tokens * share + total * from / members) / total;
  };
  for (int from = 0; from < members; ++from) {
    const std::int64_t received = upto(mine_end, from) - upto(mine_begin, from);
    routed->received[static_cast<std::size_t>(from)] = received;
    routed->total_received += received;
  }
  std::int64_t sent = 0;
  for (std::int64_t& end : ends) {
    const std::int64_t until = upto(end, place);
    end = until - sent;
    sent = until;
  }
}

}  // namespace rankscope::sim
