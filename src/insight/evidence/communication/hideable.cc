#include "insight/evidence/communication/hideable.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/median.h"

namespace rankscope {
namespace {

// A reduction of less than this part of the largest one of its group and step is of no gradients.
constexpr std::int64_t kTinyOfLargest = 50;

// One reduction of nearly all gradients of the step, far larger than a bucket: all but a bucket of
// it could have begun during the backward.
constexpr double kNearlyAllExposed = 0.8;
constexpr std::int64_t kBucket = 25'000'000;
constexpr std::int64_t kManyBuckets = 4;

bool IsGiantBucket(const std::vector<const Exchange*>& of_step) {
  std::int64_t all = 0;
  for (const Exchange* exchange : of_step) all += exchange->bytes;
  return of_step.back()->bytes >= kManyBuckets * kBucket &&
         static_cast<double>(of_step.back()->bytes) >= kNearlyAllExposed * static_cast<double>(all);
}

// What the first gathering of a step has to bring before computing begins: a bucket, where all
// parameters come at once, or as much as the others bring, where it is far larger; 0: all of it.
std::int64_t BucketOfFirst(const std::vector<const Exchange*>& of_step) {
  constexpr std::int64_t kFarLarger = 3;
  const std::int64_t first = of_step.front()->bytes;
  if (first < kManyBuckets * kBucket) return 0;
  if (of_step.size() == 1) return kBucket;
  std::vector<std::int64_t> others;
  for (std::size_t i = 1; i < of_step.size(); ++i) others.push_back(of_step[i]->bytes);
  const std::int64_t usual = std::max<std::int64_t>(MedianOf(others), kBucket);
  return first >= kFarLarger * usual ? usual : 0;
}

}  // namespace

double HideableOfStep::NeededPart(const Exchange* exchange) const {
  return exchange == giant
             ? static_cast<double>(bucket_bytes) / static_cast<double>(exchange->bytes)
             : 0;
}

std::vector<HideableOfStep> Hideable(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  const std::set<std::uint32_t> groups = DataParallelGroups(input);
  std::vector<HideableOfStep> hideable;
  if (groups.empty()) return hideable;
  const auto begin_of = [&](const Exchange& exchange) {
    return input.now().BeginOf(Exchanges::MembersOf(graph, exchange).front());
  };
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::vector<const Exchange*>> by_step;
  for (const Exchange& exchange : input.Shared<Exchanges>().all()) {
    const bool gathers = exchange.op == CollectiveOp::kAllGather;
    if (groups.contains(exchange.group) && (gathers || IsOfGradients(exchange.op)) &&
        graph.meetings()[exchange.meeting].collective != UINT32_MAX)
      by_step[{exchange.group, exchange.step, gathers}].push_back(&exchange);
  }
  for (auto& [where, of_step] : by_step) {
    // A loss or a norm that is reduced is no bucket: it neither counts as the last one nor hides.
    std::int64_t most = 0;
    for (const Exchange* exchange : of_step) most = std::max(most, exchange->bytes);
    std::erase_if(of_step, [&](const Exchange* exchange) {
      return exchange->bytes >= 0 && kTinyOfLargest * exchange->bytes < most;
    });
    if (of_step.empty()) continue;
    std::sort(of_step.begin(), of_step.end(),
              [&](const Exchange* a, const Exchange* b) { return begin_of(*a) < begin_of(*b); });
    HideableOfStep one{.gathers = std::get<2>(where)};
    if (one.gathers) {
      one.first = of_step.front();
      one.bucket_bytes = BucketOfFirst(of_step);
      if (one.bucket_bytes > 0) one.giant = one.first;
    } else if (IsGiantBucket(of_step)) {
      one.bucket_bytes = kBucket;
      one.giant = of_step.back();
    }
    if (one.giant == nullptr) of_step.erase(one.gathers ? of_step.begin() : of_step.end() - 1);
    one.exchanges = std::move(of_step);
    if (!one.exchanges.empty()) hideable.push_back(std::move(one));
  }
  return hideable;
}

bool IsOfBackward(const RuleInput& input, const Exchange& exchange) {
  return std::ranges::all_of(Exchanges::MembersOf(input.graph(), exchange), [&](NodeId node) {
    return input.graph().KindOf(node).phase == Phase::kBackward;
  });
}

}  // namespace rankscope
