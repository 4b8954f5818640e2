#include "insight/evidence/communication/hiding.h"

#include <algorithm>
#include <limits>
#include <set>

namespace rankscope {
namespace {

// Less computing between gatherings than this part of them: they come one after the other.
constexpr double kFewBetween = 0.1;

// Several buckets of which the first begins when so much of the backward is done: the gradients of
// the last layers were there long before.
constexpr std::size_t kSeveralBuckets = 4;
constexpr double kNearlyDone = 0.9;

// Behind the last forward of its stages several micro-batches run backward, of which the last one
// makes the gradients.
bool HasPipeline(const RuleInput& input) {
  return std::ranges::any_of(input.across().layout().roles, [](const RoleLayout& role) {
    return role.Of(Dimension::kPipeline).degree > 1;
  });
}

}  // namespace

Hiding::Hiding(const RuleInput& input, const std::vector<HideableOfStep>& hideable)
    : input_(input),
      compute_(input, hideable),
      without_(input.recorded()),
      sums_(input),
      is_beside_(input.graph().nodes().size(), false),
      is_on_stream_of_compute_(input.graph().nodes().size(), false) {
  const JobGraph& graph = input.graph();
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const NodeId before = graph.nodes().PreviousOf(node);
    if (before != kNoNode && graph.KindOf(node).work == Work::kCompute &&
        graph.KindOf(before).work == Work::kCommunication)
      is_on_stream_of_compute_[before] = true;
  }
  for (const HideableOfStep& of_step : hideable) {
    if (of_step.gathers) {
      HideGatherings(of_step);
    } else {
      HideReductions(of_step);
    }
  }
  LetBackwardGoOn();
}

const std::string& Hiding::Largest() const {
  return std::ranges::max_element(by_kind_, {}, [](const auto& one) { return one.second; })->first;
}

std::int64_t Hiding::BeginOf(const Exchange& exchange) const {
  return input_.now().BeginOf(Exchanges::MembersOf(input_.graph(), exchange).front());
}

std::int64_t Hiding::EndOf(const Exchange& exchange) const {
  return input_.now().EndOf(Exchanges::MembersOf(input_.graph(), exchange).front());
}

void Hiding::Count(const Exchange& exchange) {
  sums_.Add(exchange, exchange.transfer_ns);
  if (exchange.counts) by_kind_[Exchanges::Describe(input_, exchange)] += exchange.transfer_ns;
}

void Hiding::Leave(const Exchange& exchange, double needed) {
  Exchanges::SetTransfer(
      input_.graph(), exchange,
      static_cast<std::int64_t>(needed * static_cast<double>(exchange.transfer_ns)), without_);
  Count(exchange);
}

void Hiding::HideBehind(const std::vector<const Exchange*>& exchanges, std::int64_t room_ns,
                        const HideableOfStep& of_step) {
  std::int64_t transfers = 0;
  for (const Exchange* exchange : exchanges) transfers += exchange->transfer_ns;
  if (transfers == 0) return;
  const double hidden =
      std::clamp(static_cast<double>(room_ns) / static_cast<double>(transfers), 0.0, 1.0);
  for (const Exchange* exchange : exchanges)
    Leave(*exchange, std::max(1 - hidden, of_step.NeededPart(exchange)));
}

void Hiding::HideGatherings(const HideableOfStep& of_step) {
  std::vector<std::int64_t> rooms;
  std::int64_t room_ns = 0, transfers = 0;
  const Exchange* before = of_step.first;
  std::vector<const Exchange*> others;
  for (const Exchange* exchange : of_step.exchanges) {
    if (exchange != of_step.giant) others.push_back(exchange);
  }
  if (of_step.giant != nullptr)
    HideBehind({of_step.giant}, compute_.Forward(*of_step.giant), of_step);
  for (const Exchange* exchange : others) {
    rooms.push_back(compute_.Between(*exchange, EndOf(*before), BeginOf(*exchange)));
    room_ns += std::min(rooms.back(), exchange->transfer_ns);
    transfers += exchange->transfer_ns;
    before = exchange;
  }
  if (kFewBetween * static_cast<double>(transfers) > static_cast<double>(room_ns)) {
    HideBehind(others,
               compute_.Between(*of_step.first, std::numeric_limits<std::int64_t>::min(),
                                std::numeric_limits<std::int64_t>::max()),
               of_step);
    return;
  }
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    const Exchange& exchange = *others[i];
    if (exchange.transfer_ns == 0 || rooms[i] == 0) continue;
    Leave(exchange, 1 - std::min(1.0, static_cast<double>(rooms[i]) /
                                          static_cast<double>(exchange.transfer_ns)));
  }
}

void Hiding::HideReductions(const HideableOfStep& of_step) {
  std::vector<const Exchange*> late;
  std::int64_t beside_ns = 0;
  const bool begin_late = BeginLate(of_step);
  for (const Exchange* exchange : of_step.exchanges) {
    if (begin_late || exchange == of_step.giant || !IsBesideBackward(*exchange)) {
      late.push_back(exchange);
      continue;
    }
    beside_ns += exchange->transfer_ns;
    beside_.push_back(exchange);
    for (const NodeId node : Exchanges::MembersOf(input_.graph(), *exchange))
      is_beside_[node] = true;
  }
  if (late.empty()) return;
  const std::int64_t room_ns = compute_.BackwardBefore(*late.front(), BeginOf(*late.front()));
  HideBehind(late, room_ns - beside_ns, of_step);
}

bool Hiding::BeginLate(const HideableOfStep& of_step) const {
  if (of_step.exchanges.size() < kSeveralBuckets || HasPipeline(input_)) return false;
  const Exchange& first = *of_step.exchanges.front();
  const auto done = static_cast<double>(compute_.BackwardBefore(first, BeginOf(first)));
  const auto left = static_cast<double>(
      compute_.Between(first, BeginOf(first), EndOf(*of_step.exchanges.back())));
  return done > 0 && left <= (1 - kNearlyDone) * (done + left);
}

bool Hiding::IsBesideBackward(const Exchange& exchange) const {
  return IsOfBackward(input_, exchange) &&
         std::ranges::none_of(Exchanges::MembersOf(input_.graph(), exchange),
                              [&](NodeId node) { return is_on_stream_of_compute_[node]; });
}

void Hiding::LetBackwardGoOn() {
  const JobGraph& graph = input_.graph();
  std::set<NodeId> waited_for;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const NodeKind& kind = graph.KindOf(node);
    if (kind.work != Work::kCompute || kind.phase != Phase::kBackward) continue;
    const EdgesView edges = graph.EdgesOf(node);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (!is_beside_[edges[i].from]) continue;
      without_.Cut(graph.nodes()[node].first_edge + i);
      waited_for.insert(edges[i].from);
    }
  }
  for (const Exchange* exchange : beside_) {
    const auto members = Exchanges::MembersOf(graph, *exchange);
    if (std::ranges::any_of(members, [&](NodeId node) { return waited_for.contains(node); }))
      Count(*exchange);
  }
}

}  // namespace rankscope
