#include "insight/evidence/peers/kind_speed.h"

#include <algorithm>

#include "base/median.h"
#include "insight/base/thresholds.h"

namespace rankscope {
namespace {

// Where there are two groups, either may be the one that is out of line.
constexpr double kSlowOfTwo = 1.1;

}  // namespace

KindSpeed::KindSpeed(const RuleInput& input)
    : group_of_rank_(input.peers().group_of), groups_(input.peers().of.size()) {
  constexpr std::size_t kEnoughGroups = 2;
  constexpr std::size_t kMostCells = 16'000'000;  // of 12 bytes
  const std::size_t kinds = input.graph().kinds().size();
  if (groups_ < kEnoughGroups || kinds > kMostCells / groups_) {
    groups_ = 0;
    return;
  }
  mean_ns_.assign(kinds * groups_, 0);
  usual_ns_.assign(kinds, -1);
  std::vector<std::uint32_t> counts(kinds * groups_, 0);
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    // Of kernels whose inputs and launch are not known, equal names are no equal work.
    if (kind.work != Work::kCompute || !kind.TellsWork()) return;
    const std::size_t cell =
        input.graph().nodes()[node].kind * groups_ + group_of_rank_[input.RankOf(node)];
    mean_ns_[cell] += static_cast<double>(input.graph().nodes()[node].duration_ns);
    ++counts[cell];
  });
  std::vector<double> means;
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    means.clear();
    for (std::size_t cell = kind * groups_; cell < (kind + 1) * groups_; ++cell) {
      mean_ns_[cell] = counts[cell] == 0 ? -1 : mean_ns_[cell] / counts[cell];
      if (counts[cell] > 0) means.push_back(mean_ns_[cell]);
    }
    // Of two the shorter: no device is faster than it can be.
    if (means.size() == 2)
      usual_ns_[kind] = std::min(means[0], means[1]);
    else if (means.size() > 2)
      usual_ns_[kind] = MedianOf(means);
  }
  tells_.assign(groups_, true);
  TellsNothingOfUsualGroups(input);
}

void KindSpeed::TellsNothingOfUsualGroups(const RuleInput& input) {
  struct Sum {
    double all_ns = 0, compared_ns = 0, usual_ns = 0, slower_ns = 0;
    bool IsSlow(double from) const {
      return compared_ns > from * usual_ns && slower_ns > kSlowDeviceShare * all_ns;
    }
  };
  std::vector<Sum> sums(input.ranks());
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    const std::uint32_t rank = input.RankOf(node);
    if (kind.work != Work::kCompute || (groups_ > 2 && input.peers().SizeFor(rank) < 2)) return;
    const auto ns = static_cast<double>(input.graph().nodes()[node].duration_ns);
    const double usual = usual_ns_[input.graph().nodes()[node].kind];
    Sum& sum = sums[rank];
    sum.all_ns += ns;
    if (usual <= 0 || !kind.TellsWork()) return;
    sum.compared_ns += ns;
    sum.usual_ns += usual;
    if (ns > usual * (1 + (kSlowDevice - 1) / 2)) sum.slower_ns += ns;
  });
  for (std::uint32_t rank = 0; rank < input.ranks(); ++rank) {
    const bool is_asked = groups_ == 2 || input.peers().SizeFor(rank) > 1;
    if (is_asked && !sums[rank].IsSlow(groups_ == 2 ? kSlowOfTwo : kSlowDevice))
      tells_[group_of_rank_[rank]] = false;
  }
}

std::optional<double> KindSpeed::UsualShare(std::uint32_t rank, std::uint32_t kind) const {
  if (groups_ == 0 || !tells_[group_of_rank_[rank]]) return std::nullopt;
  return ShareOfKind(rank, kind);
}

std::optional<double> KindSpeed::ShareOfKind(std::uint32_t rank, std::uint32_t kind) const {
  if (groups_ == 0) return std::nullopt;
  const double mean = mean_ns_[kind * groups_ + group_of_rank_[rank]];
  if (usual_ns_[kind] <= 0 || mean <= 0) return std::nullopt;
  return usual_ns_[kind] / mean;
}

}  // namespace rankscope
