#include "insight/evidence/communication/transfer_sums.h"

#include <algorithm>
#include <cstdint>

#include "insight/base/cause_tools.h"

namespace rankscope {

void TransferSums::Add(const Exchange& exchange, std::int64_t lost_ns) {
  if (!exchange.counts) return;
  const auto members = Exchanges::MembersOf(input_->graph(), exchange);
  nodes_.insert(nodes_.end(), members.begin(), members.end());
  Interval transfer{INT64_MAX, INT64_MIN};
  for (const NodeId node : members) {
    const std::int64_t end = input_->now().EndOf(node);
    transfer.begin = std::min(transfer.begin, end - input_->graph().nodes().DurationOf(node));
    transfer.end = std::max(transfer.end, end);
  }
  transfers_.push_back(transfer);
  ranks_.insert(exchange.ranks.begin(), exchange.ranks.end());
  steps_.insert(exchange.step);
  lost_ns_ += lost_ns;
  bytes_ += exchange.bytes;
  ++count_;
}

double TransferSums::MostGain() const {
  return PerStep(static_cast<double>(Total(Normalise(transfers_)))) / input_->step_ns();
}

void TransferSums::TellIn(Cause& cause) const {
  cause.ranks.assign(ranks_.begin(), ranks_.end());
  cause.lost_ns = static_cast<std::int64_t>(PerStep(lost_ns()));
  TellWhere(*input_, nodes_, cause);
}

}  // namespace rankscope
