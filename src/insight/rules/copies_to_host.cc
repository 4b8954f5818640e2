// copies-to-host: tensors are copied into memory of the host that is not pinned, and the host
// waits.
#include <fmt/core.h>

#include <cstdint>
#include <utility>

#include "insight/base/cause_tools.h"
#include "insight/evidence/kernels/freed_copies.h"
#include "insight/evidence/loss/selection.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> FindCopiesToHost(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  const Selection copies =
      Select(input, [&](NodeId node, const NodeKind&) { return IsToPageable(graph, node); });
  if (copies.sums().empty()) return std::nullopt;
  FreedCopies freed(input, copies);
  Cause cause;
  copies.sums().TellIn(cause);
  const CountWords count = CountAStep(copies.sums().CountPerStep(), "copy");
  const std::string_view them = count.verb_ending.empty() ? "them" : "it";
  cause.what = fmt::format(
      "{} to pageable memory of the host take{} {}; the host waits {} for {} and what runs before "
      "{}",
      count.text, count.verb_ending, TimeText(copies.sums().LostPerStep()),
      TimeText(copies.sums().PerStep(static_cast<double>(freed.waited_ns()))), them, them);
  cause.without = std::move(freed).Take();
  return cause;
}

}  // namespace

const Rule& CopiesToHostRule() {
  static const Rule kRule{
      .id = "copies-to-host",
      .summary = "tensors are copied to pageable memory, and the host waits",
      .takes = Takes::kCopies,
      .needs = RuleNeeds::kDevice,
      .find = FindCopiesToHost,
      .why =
          "Memcpy DtoH (Device -> Pageable) of 50 us and more: the driver copies through a buffer "
          "of "
          "its own, pages that are new are made on the way, and the call returns when it is over; "
          "replayed without these copies and waits",
      .recommendation =
          "Reduce on the device first and bring the result alone (mean, torch.histc, topk), every "
          "hundredth step; keep on the device what comes back to it. What must leave goes into a "
          "pinned buffer that stays allocated: buffer.copy_(x, non_blocking=True), read a step "
          "later.",
      .command = "rankscope table copies TRACES",
  };
  return kRule;
}

}  // namespace rankscope
