#include "insight/evidence/peers/rank_excess.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "base/median.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/host_work/allocator_calls.h"
#include "insight/evidence/kernels/preempted.h"
#include "insight/evidence/steps/few_steps.h"
#include "insight/evidence/steps/step_costs.h"
#include "replay/peers/excess.h"

namespace rankscope {
namespace {

// Some four standard deviations, of a scatter that is told by the middle one.
constexpr double kTimesScatter = 6;
constexpr std::size_t kManyPeers = 8;

std::optional<Beyond> BeyondOf(LateCause cause, bool has_allocators) {
  switch (cause) {
    case LateCause::kSlowerKernels:
    case LateCause::kKernels:
      return Beyond::kKernels;
    case LateCause::kMoreWork:
      return Beyond::kWork;
    case LateCause::kCopy:
      return Beyond::kCopies;
    case LateCause::kHost:
    case LateCause::kPause:
      return Beyond::kHost;
    case LateCause::kAllocator:
      return has_allocators ? std::optional(Beyond::kHost) : std::nullopt;
    default:
      return std::nullopt;
  }
}

bool IsOf(Beyond what, const NodeKind& kind, bool has_allocators) {
  const Work work = kind.work;
  switch (what) {
    case Beyond::kKernels:
      return work == Work::kCompute;
    case Beyond::kWork:
      return kind.Computes();
    case Beyond::kCopies:
      return work == Work::kCopy;
    case Beyond::kHost:
      return work == Work::kOp || work == Work::kPython || work == Work::kLaunchCall ||
             work == Work::kOtherCall || (has_allocators && work == Work::kAllocator);
  }
  return false;
}

// What nodes that are alike take on the other ranks.
class UsualOfOthers {
 public:
  UsualOfOthers(const RuleInput& input, const std::vector<std::uint32_t>& ranks)
      : input_(input), is_one_(input.ranks(), false) {
    for (const std::uint32_t rank : ranks) is_one_[rank] = true;
  }

  bool IsOne(NodeId node) const { return is_one_[input_.RankOf(node)]; }

  // Of nodes of one place or work; nullopt where no other rank may have them. `absent`: a step of
  // another rank without such a node counts as 0.
  std::optional<std::int64_t> Of(std::span<const NodeId> alike, bool absent) {
    durations_.clear();
    const std::uint32_t group = input_.peers().group_of[input_.RankOf(alike.front())];
    for (const NodeId node : alike) {
      if (!IsOne(node) && input_.Counts(node))
        durations_.push_back(input_.graph().nodes()[node].duration_ns);
    }
    if (absent) {
      std::size_t others = 0;
      for (const std::uint32_t rank : input_.peers().of[group]) others += is_one_[rank] ? 0 : 1;
      durations_.resize(std::max(durations_.size(), others * input_.counted().size()), 0);
    }
    if (durations_.empty()) return std::nullopt;
    return MedianOf(durations_);
  }

 private:
  const RuleInput& input_;
  std::vector<bool> is_one_;
  std::vector<std::int64_t> durations_;
};

// The mean of values and the sum of squares about it.
struct Spread {
  explicit Spread(std::span<const double> values) {
    for (const double value : values) mean += value / static_cast<double>(values.size());
    for (const double value : values) squares += (value - mean) * (value - mean);
  }
  double mean = 0;
  double squares = 0;
};

// How far the means of two sets lie apart, in standard deviations within them; 0 for too few.
double Apart(std::span<const double> low, std::span<const double> high) {
  const std::size_t freedom = low.size() + high.size() - 2;
  if (low.empty() || high.empty() || freedom < 2) return 0;
  const Spread of_low(low), of_high(high);
  const double within =
      std::sqrt((of_low.squares + of_high.squares) / static_cast<double>(freedom));
  const double apart = of_high.mean - of_low.mean;
  // Ranks of a simulator may be equal to the nanosecond.
  return apart / std::max(within, 1e-6 * std::abs(of_high.mean));
}

}  // namespace

double TimesApart(std::span<const double> fast, std::span<const double> slow) {
  return Apart(fast, slow);
}

namespace {

// All that rules may ask for, by one pass.
struct OwnTimesOfAll {
  explicit OwnTimesOfAll(const RuleInput& input) {
    for (std::vector<double>& of_what : ns) of_what.assign(input.ranks(), 0);
    const auto& preempted = input.Shared<Preempted>();
    const bool has_allocators = input.Shared<AllocatorTraffic>().IsOfOnlyStep();
    input.ForEach([&](NodeId node, const NodeKind& kind) {
      if (preempted.Has(node)) return;
      for (std::size_t what = 0; what < kBeyondCount; ++what) {
        if (IsOf(static_cast<Beyond>(what), kind, has_allocators))
          ns[what][input.RankOf(node)] +=
              static_cast<double>(input.graph().nodes().DurationOf(node));
      }
    });
  }

  std::array<std::vector<double>, kBeyondCount> ns;  // by Beyond and rank
};

}  // namespace

const std::vector<double>& OwnTimes(const RuleInput& input, Beyond what) {
  return input.Shared<OwnTimesOfAll>().ns[static_cast<std::size_t>(what)];
}

namespace {

// Where half of the ranks are slow, or nearly half, a middle one tells nothing. Then the ranks of
// the upper of two groups, where these lie far apart against how ranks scatter within them: of
// ranks that scatter alone, the two halves are some three standard deviations within them apart.
std::vector<std::uint32_t> UpperGroup(const RuleInput& input, Beyond what) {
  constexpr double kTimesOfMany = 5, kTimesOfFew = 8;
  const std::vector<double>& own = OwnTimes(input, what);
  const double steps = input.step_ns() * static_cast<double>(input.counted().size());
  std::vector<std::uint32_t> ranks;
  for (const std::vector<std::uint32_t>& peers : input.peers().of) {
    if (peers.size() < 4) continue;
    std::vector<std::uint32_t> sorted = peers;
    std::sort(sorted.begin(), sorted.end(),
              [&](std::uint32_t a, std::uint32_t b) { return own[a] < own[b]; });
    std::vector<double> times;
    for (const std::uint32_t rank : sorted) times.push_back(own[rank]);
    std::size_t split = 0;
    for (std::size_t at = (times.size() + 1) / 2; at < times.size(); ++at) {
      if (split == 0 || times[at] - times[at - 1] > times[split] - times[split - 1]) split = at;
    }
    const std::span<const double> low = std::span(times).first(split);
    const std::span<const double> high = std::span(times).subspan(split);
    const bool is_many = peers.size() >= kManyPeers;
    const double least = (is_many ? kLowGain : 2 * kLowGain) * steps;
    if (high.front() - low.back() < least / 2 || Spread(high).mean - Spread(low).mean < least ||
        Apart(low, high) < (is_many ? kTimesOfMany : kTimesOfFew))
      continue;
    ranks.insert(ranks.end(), sorted.begin() + static_cast<std::ptrdiff_t>(split), sorted.end());
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

}  // namespace

namespace {

// Less each peer's middle one (of two, the lower), for columns of `stride` values by rank.
void TakeOffUsual(const RuleInput& input, std::size_t stride, std::vector<std::int64_t>& values) {
  std::vector<std::int64_t> theirs;
  for (std::size_t at = 0; at < stride; ++at) {
    for (const std::vector<std::uint32_t>& peers : input.peers().of) {
      theirs.clear();
      for (const std::uint32_t rank : peers) theirs.push_back(values[rank * stride + at]);
      std::sort(theirs.begin(), theirs.end());
      const std::int64_t usual = theirs[(theirs.size() - 1) / 2];
      for (const std::uint32_t rank : peers) values[rank * stride + at] -= usual;
    }
  }
}

}  // namespace

RankExcess::RankExcess(const RuleInput& input) : steps(input.counted().size()) {
  const JobGraph& graph = input.graph();
  for (std::vector<std::int64_t>& of_rank : net_ns) of_rank.assign(input.ranks(), 0);
  for (std::vector<std::int64_t>& of_step : step_ns) of_step.assign(input.ranks() * steps, 0);
  const std::vector<std::size_t> index = IndexOfCounted(input);
  const Excess excess(graph, input.peers(), input.places());
  const auto& preempted = input.Shared<Preempted>();
  const bool has_allocators = input.Shared<AllocatorTraffic>().IsOfOnlyStep();
  input.ForEach([&](NodeId node, const NodeKind&) {
    if (preempted.Has(node)) return;
    excess.OfDuration(node, [&](LateCause cause, std::int64_t ns) {
      const auto what = BeyondOf(cause, has_allocators);
      if (!what) return;
      const std::uint32_t rank = input.RankOf(node);
      net_ns[static_cast<std::size_t>(*what)][rank] += ns;
      step_ns[static_cast<std::size_t>(*what)][rank * steps + index[graph.StepOf(node)]] += ns;
    });
  });
  for (std::vector<std::int64_t>& of_rank : net_ns) TakeOffUsual(input, 1, of_rank);
  for (std::vector<std::int64_t>& of_step : step_ns) TakeOffUsual(input, steps, of_step);
}

namespace {

// Those that are beyond their peers in most steps, where there are any.
std::vector<std::uint32_t> OfMostSteps(const RuleInput& input, Beyond what,
                                       std::vector<std::uint32_t> ranks) {
  if (ranks.size() < 2) return ranks;
  const auto& excess = input.Shared<RankExcess>();
  std::vector<std::uint32_t> steady;
  for (const std::uint32_t rank : ranks) {
    if (!IsOfFewSteps(excess.StepsOf(what, rank))) steady.push_back(rank);
  }
  return steady.empty() ? ranks : steady;
}

}  // namespace

std::vector<std::uint32_t> RanksBeyond(const RuleInput& input, Beyond what) {
  // Who waits for whom is not known, then, nor whether anybody does.
  if (!input.graph().is_aligned()) return {};
  const std::vector<std::int64_t>& net = input.Shared<RankExcess>().Of(what);
  std::vector<std::int64_t> least(input.ranks(), 0), apart;
  for (const std::vector<std::uint32_t>& peers : input.peers().of) {
    // Ranks scatter: by the middle one of how far they are apart from the middle one. Few do not
    // tell how far.
    apart.clear();
    for (const std::uint32_t rank : peers) apart.push_back(std::abs(net[rank]));
    std::sort(apart.begin(), apart.end());
    const auto scatter = static_cast<double>(apart[(apart.size() - 1) / 2]);
    const double gain = peers.size() < kManyPeers ? 2 * kLowGain : kLowGain;
    const double steps = input.step_ns() * static_cast<double>(input.counted().size());
    for (const std::uint32_t rank : peers)
      least[rank] = static_cast<std::int64_t>(std::max(gain * steps, kTimesScatter * scatter));
  }
  std::size_t with_peers = 0;
  std::vector<std::uint32_t> ranks = RanksThat(input, [&](std::uint32_t rank) {
    if (input.peers().SizeFor(rank) < 2) return false;
    ++with_peers;
    return net[rank] > 0 && net[rank] >= least[rank];
  });
  if (2 * ranks.size() > with_peers) ranks.clear();
  // Of a half that is slow the middle one may show some.
  std::vector<std::uint32_t> group = UpperGroup(input, what);
  const bool is_group = std::includes(group.begin(), group.end(), ranks.begin(), ranks.end());
  return OfMostSteps(input, what, is_group ? std::move(group) : std::move(ranks));
}

Cause CauseOfExcess(const RuleInput& input, Beyond what, std::vector<std::uint32_t> ranks) {
  const JobGraph& graph = input.graph();
  const Places& places = input.places();
  UsualOfOthers others(input, ranks);
  Scenario without = input.recorded();
  StepCosts steps(input);
  std::vector<NodeId> nodes;
  std::vector<std::int64_t> times;
  std::int64_t lost = 0;
  const auto& preempted = input.Shared<Preempted>();
  const bool has_allocators = input.Shared<AllocatorTraffic>().IsOfOnlyStep();
  const auto compare = [&](std::span<const NodeId> alike, bool absent) {
    if (!IsOf(what, graph.KindOf(alike.front()), has_allocators) ||
        std::none_of(alike.begin(), alike.end(), [&](NodeId node) { return others.IsOne(node); }))
      return;
    const std::optional<std::int64_t> usual = others.Of(alike, absent);
    if (!usual) return;
    for (const NodeId node : alike) {
      const std::int64_t beyond = graph.nodes()[node].duration_ns - *usual;
      if (!others.IsOne(node) || beyond <= 0 || preempted.Has(node)) continue;
      without.SetDuration(node, *usual);
      steps.Add(node, beyond);
      if (!input.Counts(node)) continue;
      nodes.push_back(node);
      times.push_back(beyond);
      lost += beyond;
    }
  };
  for (std::uint32_t place = 0; place < places.place_count(); ++place) {
    const NodeKind& kind = graph.KindOf(places.NodesOf(place).front());
    const bool computes_on_host = kind.work == Work::kOp && kind.Computes();
    const bool differs = places.HasSeveralWorks(place);
    // Ops on the host that have equal inputs are no more work, however long they take.
    if (what == Beyond::kWork && computes_on_host && !differs) continue;
    // Nor is it a matter of the host that inputs are larger.
    const bool by_work =
        what == Beyond::kKernels || (what == Beyond::kHost && computes_on_host && differs);
    if (!by_work) {
      compare(places.NodesOf(place), true);
      continue;
    }
    for (std::uint32_t work = places.FirstWork(place); work < places.FirstWork(place + 1); ++work)
      compare(places.NodesOfWork(work), false);
  }
  Cause cause;
  cause.ranks = std::move(ranks);
  TellWhere(input, nodes, times, cause);
  steps.TellIn(cause);
  cause.lost_ns =
      lost / static_cast<std::int64_t>(std::max<std::size_t>(1, cause.ranks.size()) *
                                       std::max<std::size_t>(1, input.counted().size()));
  cause.without = std::move(without);
  return cause;
}

}  // namespace rankscope
