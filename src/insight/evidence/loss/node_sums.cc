#include "insight/evidence/loss/node_sums.h"

#include "insight/base/cause_tools.h"

namespace rankscope {

void NodeSums::Add(NodeId node, double lost_ns) {
  AddAt(node, node, input_->graph().nodes()[node].duration_ns, lost_ns);
}

void NodeSums::AddShown(NodeId node, NodeId shown, double lost_ns) {
  AddAt(node, shown, static_cast<std::int64_t>(lost_ns), lost_ns);
}

void NodeSums::AddAt(NodeId node, NodeId shown, std::int64_t time_ns, double lost_ns) {
  if (!input_->Counts(node)) return;
  nodes_.push_back(shown);
  times_.push_back(time_ns);
  ranks_.insert(input_->RankOf(node));
  lost_ns_ += lost_ns;
  steps_.Add(node, static_cast<std::int64_t>(lost_ns));
}

double NodeSums::PerStep(double sum) const {
  return ranks_.empty() ? 0 : sum / static_cast<double>(ranks_.size() * input_->counted().size());
}

void NodeSums::TellIn(Cause& cause) const {
  cause.ranks.assign(ranks_.begin(), ranks_.end());
  cause.lost_ns = static_cast<std::int64_t>(LostPerStep());
  steps_.TellIn(cause);
  TellWhere(*input_, nodes_, times_, cause);
}

}  // namespace rankscope
