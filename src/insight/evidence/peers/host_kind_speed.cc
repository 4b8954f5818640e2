#include "insight/evidence/peers/host_kind_speed.h"

#include <algorithm>
#include <cstddef>

#include "insight/evidence/host_work/host_stretches.h"

namespace rankscope {
namespace {

constexpr std::size_t kEnoughRanks = 2;
constexpr std::size_t kMostHostCells = 16'000'000;  // of 12 bytes

}  // namespace

bool TellsHostSpeed(const NodeKind& kind) {
  return kind.work == Work::kOp || kind.work == Work::kLaunchCall;
}

HostKindSpeed::HostKindSpeed(const RuleInput& input) {
  const std::size_t ranks = input.ranks();
  const std::size_t kinds = input.graph().kinds().size();
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    has_peers_.push_back(input.peers().SizeFor(rank) > 1);
  if (std::ranges::all_of(has_peers_, [](bool has) { return has; }) || ranks < kEnoughRanks ||
      kinds > kMostHostCells / ranks)
    return;
  ranks_ = ranks;
  mean_ns_.assign(kinds * ranks, 0);
  usual_ns_.assign(kinds, -1);
  std::vector<std::uint32_t> counts(kinds * ranks, 0);
  const auto& stretches = input.Shared<HostStretches>();
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (!TellsHostSpeed(kind) || stretches.Has(node)) return;
    const std::size_t cell = input.graph().nodes()[node].kind * ranks + input.RankOf(node);
    mean_ns_[cell] += static_cast<double>(input.graph().nodes()[node].duration_ns);
    ++counts[cell];
  });
  std::vector<double> means;
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    means.clear();
    for (std::size_t cell = kind * ranks; cell < (kind + 1) * ranks; ++cell) {
      mean_ns_[cell] = counts[cell] == 0 ? -1 : mean_ns_[cell] / counts[cell];
      if (counts[cell] > 0) means.push_back(mean_ns_[cell]);
    }
    if (means.size() < kEnoughRanks) continue;
    // Of an even number the faster of the two in the middle: half of the hosts may be slow, and
    // none is faster than it can be.
    const auto middle = means.begin() + static_cast<std::ptrdiff_t>((means.size() - 1) / 2);
    std::nth_element(means.begin(), middle, means.end());
    usual_ns_[kind] = *middle;
  }
  SetTimesOfCalls(input);
}

void HostKindSpeed::SetTimesOfCalls(const RuleInput& input) {
  std::vector<double> own(ranks_, 0), usual(ranks_, 0);
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    const std::uint32_t rank = input.RankOf(node);
    if (kind.work != Work::kLaunchCall) return;
    const auto share = UsualShare(rank, input.graph().nodes().KindOf(node));
    if (!share) return;
    const auto ns = static_cast<double>(input.graph().nodes().DurationOf(node));
    own[rank] += ns;
    usual[rank] += ns * *share;
  });
  for (std::uint32_t rank = 0; rank < ranks_; ++rank)
    times_of_calls_.push_back(usual[rank] > 0 ? own[rank] / usual[rank] : 1);
}

std::optional<double> HostKindSpeed::UsualShare(std::uint32_t rank, std::uint32_t kind) const {
  if (ranks_ == 0 || has_peers_[rank]) return std::nullopt;
  const double mean = mean_ns_[kind * ranks_ + rank];
  if (usual_ns_[kind] <= 0 || mean <= 0) return std::nullopt;
  return usual_ns_[kind] / mean;
}

}  // namespace rankscope
