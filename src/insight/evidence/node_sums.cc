#include "insight/evidence/node_sums.h"

#include "insight/cause_tools.h"

namespace rankscope {

void NodeSums::AddShown(NodeId node, NodeId shown, double lost_ns) {
  if (!input_->Counts(node)) return;
  nodes_.push_back(shown);
  ranks_.insert(input_->RankOf(node));
  lost_ns_ += lost_ns;
}

double NodeSums::PerStep(double sum) const {
  return ranks_.empty() ? 0 : sum / static_cast<double>(ranks_.size() * input_->counted().size());
}

void NodeSums::TellIn(Cause& cause) const {
  cause.ranks.assign(ranks_.begin(), ranks_.end());
  cause.lost_ns = static_cast<std::int64_t>(LostPerStep());
  TellWhere(*input_, nodes_, cause);
}

}  // namespace rankscope
