// redundant-collectives: the same data is moved in every step.
#include <fmt/core.h>

#include <algorithm>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/transfer_sums.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// From trainers to generators go weights that these do not have.
bool IsBetweenRoles(const RuleInput& input, const Exchange& exchange) {
  const auto role_of = [&](std::uint32_t rank) {
    return input.across().layout().places[rank].role;
  };
  return std::any_of(exchange.ranks.begin(), exchange.ranks.end(), [&](std::uint32_t rank) {
    return role_of(rank) != role_of(exchange.ranks.front());
  });
}

std::optional<Cause> Find(const RuleInput& input) {
  Scenario without = input.recorded();
  TransferSums sums(input);
  for (const Exchange& exchange : input.Shared<Exchanges>().all()) {
    if (exchange.op != CollectiveOp::kBroadcast || exchange.bytes < kBroadcastBytes ||
        IsBetweenRoles(input, exchange))
      continue;
    Exchanges::SetTransfer(input.graph(), exchange, 0, without);
    sums.Add(exchange, exchange.transfer_ns);
  }
  // Once is a start; in every step it is a habit.
  if (sums.count() == 0 || sums.steps().size() < input.counted().size()) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  cause.what = fmt::format("{:.3g} broadcasts a step move {:.3g} MB that the ranks had before",
                           sums.PerStep(static_cast<double>(sums.count())),
                           sums.PerStep(sums.bytes() / 1e6));
  return cause;
}

}  // namespace

const Rule& RedundantCollectivesRule() {
  static const Rule kRule{
      .id = "redundant-collectives",
      .summary = "the same data is moved in every step",
      .takes = Takes::kTransfer,
      .find = Find,
      .why = "broadcasts of the same sizes in every step of training",
      .recommendation =
          "DistributedDataParallel(..., broadcast_buffers=False), or broadcast buffers only when "
          "they change; cache what is gathered again.",
      .command = "rankscope table collective_sizes TRACES",
  };
  return kRule;
}

}  // namespace rankscope
