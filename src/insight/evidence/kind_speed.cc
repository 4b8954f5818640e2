#include "insight/evidence/kind_speed.h"

#include "base/median.h"

namespace rankscope {

KindSpeed::KindSpeed(const RuleInput& input) : row_of_rank_(input.ranks(), UINT32_MAX) {
  constexpr std::size_t kEnoughRanks = 3;
  constexpr std::size_t kMostCells = 16'000'000;  // of 12 bytes
  for (std::uint32_t rank = 0; rank < input.ranks(); ++rank) {
    if (input.peers().SizeFor(rank) < 2) row_of_rank_[rank] = static_cast<std::uint32_t>(rows_++);
  }
  const std::size_t kinds = input.graph().kinds().size();
  if (rows_ < kEnoughRanks || kinds > kMostCells / rows_) {
    rows_ = 0;
    return;
  }
  mean_ns_.assign(kinds * rows_, 0);
  usual_ns_.assign(kinds, -1);
  std::vector<std::uint32_t> counts(kinds * rows_, 0);
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    const std::uint32_t row = row_of_rank_[input.RankOf(node)];
    // Of kernels whose inputs and launch are not known, equal names are no equal work.
    if (kind.work != Work::kCompute || row == UINT32_MAX || !kind.TellsWork()) return;
    const std::size_t cell = input.graph().nodes()[node].kind * rows_ + row;
    mean_ns_[cell] += static_cast<double>(input.graph().nodes()[node].duration_ns);
    ++counts[cell];
  });
  std::vector<double> means;
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    means.clear();
    for (std::size_t cell = kind * rows_; cell < (kind + 1) * rows_; ++cell) {
      mean_ns_[cell] = counts[cell] == 0 ? -1 : mean_ns_[cell] / counts[cell];
      if (counts[cell] > 0) means.push_back(mean_ns_[cell]);
    }
    if (means.size() >= kEnoughRanks) usual_ns_[kind] = MedianOf(means);
  }
}

std::optional<double> KindSpeed::UsualShare(std::uint32_t rank, std::uint32_t kind) const {
  if (rows_ == 0 || row_of_rank_[rank] == UINT32_MAX) return std::nullopt;
  const double mean = mean_ns_[kind * rows_ + row_of_rank_[rank]];
  if (usual_ns_[kind] <= 0 || mean <= 0) return std::nullopt;
  return usual_ns_[kind] / mean;
}

}  // namespace rankscope
