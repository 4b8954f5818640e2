#include "insight/evidence/communication/gatherings.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace rankscope {
namespace {

bool IsHalf(std::string_view dtype) {
  return Contains(dtype, "BFloat16") || Contains(dtype, "Half") || Contains(dtype, "bfloat16");
}

bool IsFloat(std::string_view dtype) { return dtype == "Float" || dtype == "float"; }

std::string_view DtypeOf(const RuleInput& input, const Exchange& exchange) {
  const JobCollectives& all = input.across().collectives();
  const std::uint32_t number = input.graph().meetings()[exchange.meeting].collective;
  const std::uint32_t member = all.MembersOf(all.collectives()[number]).front();
  return all.text(all.events()[member].dtype);
}

// By their time.
bool MostProductsAreInHalf(const RuleInput& input) {
  std::int64_t half_ns = 0, all_ns = 0;
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (kind.work != Work::kCompute || kind.kernel_class != KernelClass::kGemm) return;
    const std::int64_t ns = input.graph().nodes().DurationOf(node);
    all_ns += ns;
    half_ns += IsHalf(kind.dtype) ? ns : 0;
  });
  return 2 * half_ns > all_ns;
}

// How often gatherings of a step, in their order, are for a forward again behind a backward; and
// the first of all.
std::size_t ForwardsOf(const RuleInput& input, const std::vector<const Exchange*>& in_order) {
  std::size_t forwards = 0;
  bool is_backward = true;
  for (const Exchange* exchange : in_order) {
    const bool is_now = IsOfBackward(input, *exchange);
    forwards += is_backward && !is_now ? 1 : 0;
    is_backward = is_now;
  }
  return forwards;
}

// Whether gradients are scattered, or all parameters are gathered at once behind an optimizer that
// updates shards: features that ranks gather from each other for a loss are no parameters.
bool AreSharded(const RuleInput& input, const std::vector<HideableOfStep>& hideable) {
  const auto& exchanges = input.Shared<Exchanges>().all();
  return std::ranges::any_of(hideable,
                             [](const HideableOfStep& of_step) {
                               return of_step.gathers && of_step.giant != nullptr;
                             }) ||
         std::ranges::any_of(exchanges, [](const Exchange& exchange) {
           return exchange.op == CollectiveOp::kReduceScatter;
         });
}

}  // namespace

Gatherings::Gatherings(const RuleInput& input, const std::vector<HideableOfStep>& hideable) {
  std::int64_t of_shards_ns = 0, all_ns = 0;
  double bytes = 0, wide_bytes = 0, count = 0;
  std::set<std::pair<std::uint32_t, std::uint32_t>> where;  // groups and steps
  std::size_t least_forwards = SIZE_MAX;
  for (const HideableOfStep& of_step : hideable) {
    std::vector<const Exchange*> in_order = of_step.exchanges;
    if (of_step.first != nullptr && of_step.first != of_step.giant)
      in_order.insert(in_order.begin(), of_step.first);
    for (const Exchange* exchange : in_order) {
      if (!exchange->counts) continue;
      all_ns += exchange->transfer_ns;
      of_shards_ns += exchange->op == CollectiveOp::kAllReduce ? 0 : exchange->transfer_ns;
      if (!of_step.gathers || exchange->bytes <= 0) continue;
      const auto of_one = static_cast<double>(exchange->bytes);
      bytes += of_one;
      wide_bytes += IsFloat(DtypeOf(input, *exchange)) ? of_one : 0;
      ++count;
      where.emplace(exchange->group, exchange->step);
    }
    if (of_step.gathers && in_order.front()->counts)
      least_forwards = std::min(least_forwards, ForwardsOf(input, in_order));
  }
  are_of_shards = AreSharded(input, hideable) && 2 * of_shards_ns > all_ns;
  if (count == 0) return;
  are_too_wide = are_of_shards && 2 * wide_bytes > bytes && MostProductsAreInHalf(input);
  micro_batches = least_forwards == SIZE_MAX ? 1 : std::max<std::size_t>(1, least_forwards);
  per_step = count / static_cast<double>(where.size());
  mean_bytes = bytes / count;
}

}  // namespace rankscope
