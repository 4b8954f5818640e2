#include "replay/peers/late_arrivals.h"

#include <algorithm>
#include <boost/functional/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <span>
#include <utility>

#include "base/saturating.h"

namespace rankscope {
namespace {

// What a way consists of: the end of a node, or, numbered behind all nodes, the last arrival at a
// rendezvous. What leads from one to the next is the node with its gap, a member's transfer, or the
// last member's gap.
using State = std::uint32_t;
constexpr State kNoState = UINT32_MAX;

// Excess of one cause on one rank.
struct Sum {
  std::int64_t ns = 0;
  NodeId node = kNoNode;
  std::int64_t of_node = 0;

  void Add(const Sum& other) {
    AddSaturating(ns, other.ns);
    if (other.of_node <= of_node) return;
    of_node = other.of_node;
    node = other.node;
  }
};
struct Root {
  std::uint32_t who = 0;
  LateCause cause = LateCause::kUnexplained;
  // No excess, but what the host waited in a blocking call that peers do not make.
  bool is_held = false;

  friend bool operator==(const Root&, const Root&) = default;
  friend std::size_t hash_value(const Root& root) {
    return boost::hash<std::uint64_t>()((std::uint64_t{root.who} << 8) |
                                        (static_cast<std::uint64_t>(root.cause) << 1) |
                                        (root.is_held ? 1 : 0));
  }
};
using SumsOfRoots = boost::unordered_flat_map<Root, Sum>;

}  // namespace

class LateArrivals::Finder {
 public:
  Finder(const JobGraph& graph, const Replay& replay, const Peers& peers, const Places& places,
         LateArrivals& found)
      : graph_(graph), replay_(replay), excess_(graph, peers, places), found_(found) {
    for (std::uint32_t rank = 0; rank < peers.group_of.size(); ++rank)
      found_.who_.push_back({rank});
  }

  void Find(const Tolerance& tolerance) {
    FindSkews(tolerance);
    MarkWays();
    Compress();
    for (LateArrival& arrival : found_.all_) Charge(arrival);
  }

 private:
  // A stretch of a way up to where other ways join it.
  struct Piece {
    State top = kNoState;  // where it leads; kNoState: the way ends
    std::uint32_t depth = 0;
    std::uint32_t first = 0;  // of parts_
    std::uint32_t count = 0;
  };
  struct Part {
    Root root;
    Sum sum;
  };

  bool Joins(NodeId node) const {
    return graph_.nodes().RendezvousOf(node) != kNoRendezvous && !graph_.IsEager(node);
  }
  State ArrivalAt(std::uint32_t meeting) const {
    return static_cast<State>(graph_.nodes().size() + meeting);
  }
  // The node of which the state is the end, or the one that arrived.
  NodeId NodeOf(State state) const {
    return state < graph_.nodes().size() ? state : last_of_[state - graph_.nodes().size()];
  }
  State Before(State state) const {
    if (state < graph_.nodes().size() && Joins(state))
      return ArrivalAt(graph_.nodes().RendezvousOf(state));
    return BindingOf(graph_, replay_, NodeOf(state)).node;
  }
  // Where the way of the first member begins. What waits behind communication that others held up
  // would have begun when the rest of what it waits for on the device was done; that way says how
  // the others came to be late.
  Binding OwnWorkBefore(NodeId first) const {
    const Binding binding = BindingOf(graph_, replay_, first);
    if (binding.node == kNoNode || !Joins(binding.node)) return binding;
    Binding own;
    const auto look_at = [&](NodeId node, std::int64_t ready, DependencyKind kind) {
      const bool is_own = node != binding.node && IsDevice(graph_.KindOf(node).work);
      if (is_own && ready > own.ready_ns) own = {node, ready, kind};
    };
    for (const NodeEdge& edge : graph_.EdgesOf(first))
      look_at(edge.from, replay_.EndOf(edge.from) + edge.lag_ns, edge.kind);
    return own.node == kNoNode ? binding : own;
  }

  void FindSkews(const Tolerance& tolerance) {
    std::vector<bool> counted(graph_.steps().size(), false);
    for (const std::size_t step : CountedSteps(graph_)) counted[step] = true;
    last_of_.assign(graph_.meetings().size(), kNoNode);
    for (std::uint32_t i = 0; i < graph_.meetings().size(); ++i) {
      const JobGraph::Meeting& meeting = graph_.meetings()[i];
      if (meeting.count == 0) continue;
      const auto members = graph_.MembersOf(meeting);
      last_of_[i] = *std::max_element(members.begin(), members.end(), [&](NodeId a, NodeId b) {
        return replay_.BeginOf(a) < replay_.BeginOf(b);
      });
      LateArrival arrival;
      arrival.meeting = i;
      arrival.last = last_of_[i];
      arrival.step = graph_.StepOf(arrival.last);
      if (arrival.step == kNoStep || !counted[arrival.step]) continue;
      const std::int64_t end = replay_.BeginOf(arrival.last);
      std::int64_t first = end;
      std::int64_t before = INT64_MIN;
      for (const NodeId member : members) {
        if (graph_.IsEager(member) || member == arrival.last) continue;
        const std::int64_t begin = replay_.BeginOf(member);
        AddSaturating(arrival.wait_ns, SaturatingSubtract(end, begin));
        before = std::max(before, begin);
        if (arrival.first != kNoNode && begin >= first) continue;
        arrival.first = member;
        first = begin;
      }
      if (arrival.first == kNoNode) continue;
      const std::optional<std::int64_t> open =
          tolerance(graph_.RankOf(arrival.first), graph_.RankOf(arrival.last));
      arrival.skew_ns = end - first;
      arrival.lead_ns = end - before;
      if (open && arrival.skew_ns > *open) found_.all_.push_back(arrival);
    }
  }

  // Which states ways pass, and at which several join or one begins.
  void MarkWays() {
    const std::size_t states = graph_.nodes().size() + graph_.meetings().size();
    is_passed_.assign(states, false);
    is_joint_.assign(states, false);
    before_.assign(states, kNoState);
    const auto pass = [&](State state, bool begins) {
      if (state == kNoState) return;
      if (begins || is_passed_[state]) is_joint_[state] = true;
      is_passed_[state] = true;
    };
    const auto go_on = [&](State state) {
      if (!is_passed_[state]) return;
      before_[state] = Before(state);
      pass(before_[state], false);
    };
    for (const LateArrival& arrival : found_.all_) {
      pass(BindingOf(graph_, replay_, arrival.last).node, true);
      pass(OwnWorkBefore(arrival.first).node, true);
    }
    const std::span<const NodeId> order = graph_.order();
    for (std::size_t i = order.size(); i-- > 0;) {
      go_on(order[i]);
      const std::uint32_t meeting = graph_.nodes().RendezvousOf(order[i]);
      const bool is_first_member = meeting != kNoRendezvous &&
                                   (i == 0 || graph_.nodes().RendezvousOf(order[i - 1]) != meeting);
      if (is_first_member) go_on(ArrivalAt(meeting));
    }
  }

  // A rank, or the ranks that share a transfer.
  std::uint32_t WhoOf(NodeId node, LateCause cause) {
    if (cause != LateCause::kTransfer) return graph_.RankOf(node);
    const std::uint32_t meeting = graph_.nodes().RendezvousOf(node);
    const auto [known, is_new] = who_of_meeting_.try_emplace(meeting, 0);
    if (!is_new) return known->second;
    std::vector<std::uint32_t> ranks;
    for (const NodeId member : graph_.MembersOf(graph_.meetings()[meeting]))
      ranks.push_back(graph_.RankOf(member));
    std::sort(ranks.begin(), ranks.end());
    const auto [found, is_other] =
        who_of_ranks_.try_emplace(ranks, static_cast<std::uint32_t>(found_.who_.size()));
    if (is_other) found_.who_.push_back(std::move(ranks));
    known->second = found->second;
    return found->second;
  }

  void AddTo(SumsOfRoots& sums, NodeId node, LateCause cause, std::int64_t ns) {
    if (ns != 0)
      sums[{WhoOf(node, cause), cause, false}].Add({ns, node, std::max<std::int64_t>(ns, 0)});
  }
  void AddGap(SumsOfRoots& sums, NodeId node) {
    excess_.OfGap(node, BindingOf(graph_, replay_, node),
                  [&](LateCause cause, std::int64_t ns) { AddTo(sums, node, cause, ns); });
  }
  // How long the host was held by a call that peers do not make: without it the host would have
  // gone on while the device worked.
  void AddHeld(SumsOfRoots& sums, NodeId node) {
    const NodeId previous = graph_.nodes().PreviousOf(node);
    if (previous == kNoNode || !excess_.IsUnusual(node) ||
        BindingOf(graph_, replay_, node).kind != DependencyKind::kSync)
      return;
    const std::int64_t held = replay_.BeginOf(node) - replay_.EndOf(previous);
    const LateCause cause =
        graph_.KindOf(node).work == Work::kAllocator ? LateCause::kAllocator : LateCause::kSync;
    if (held > 0) sums[{graph_.RankOf(node), cause, true}].Add({held, node, held});
  }
  void AddState(SumsOfRoots& sums, State state) {
    const NodeId node = NodeOf(state);
    if (state < graph_.nodes().size()) {
      excess_.OfDuration(node,
                         [&](LateCause cause, std::int64_t ns) { AddTo(sums, node, cause, ns); });
      if (Joins(node)) return;
      AddHeld(sums, node);
    }
    AddGap(sums, node);
  }

  // Ways become pieces between joints, each with its sums.
  void Compress() {
    const auto add = [&](State state) {
      if (!is_joint_[state]) return;
      SumsOfRoots sums;
      Piece piece;
      AddState(sums, state);
      piece.top = before_[state];
      while (piece.top != kNoState && !is_joint_[piece.top]) {
        AddState(sums, piece.top);
        piece.top = before_[piece.top];
      }
      if (piece.top != kNoState) piece.depth = pieces_.at(piece.top).depth + 1;
      piece.first = static_cast<std::uint32_t>(parts_.size());
      piece.count = static_cast<std::uint32_t>(sums.size());
      for (const auto& [root, sum] : sums) parts_.push_back({root, sum});
      pieces_.emplace(state, piece);
    };
    // Joints above stand before those below.
    const std::span<const NodeId> order = graph_.order();
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint32_t meeting = graph_.nodes().RendezvousOf(order[i]);
      const bool is_first_member = meeting != kNoRendezvous &&
                                   (i == 0 || graph_.nodes().RendezvousOf(order[i - 1]) != meeting);
      if (is_first_member) add(ArrivalAt(meeting));
      add(order[i]);
    }
  }

  static std::int64_t ExcessOf(const SumsOfRoots& sums) {
    std::int64_t ns = 0;
    for (const auto& [root, sum] : sums) AddSaturating(ns, root.is_held ? 0 : sum.ns);
    return ns;
  }

  // Up to `left`, which becomes less by it.
  void ChargeTo(LateArrival& arrival, std::int64_t& left, LateRoot root) {
    root.blamed_ns = std::min(root.blamed_ns, left);
    if (root.blamed_ns <= 0) return;
    left -= root.blamed_ns;
    for (std::size_t i = arrival.first_root; i < found_.roots_.size(); ++i) {
      LateRoot& known = found_.roots_[i];
      if (known.who != root.who || known.cause != root.cause) continue;
      AddSaturating(known.blamed_ns, root.blamed_ns);
      return;
    }
    found_.roots_.push_back(root);
    ++arrival.root_count;
  }
  void ChargeLargest(LateArrival& arrival, std::int64_t& left, const SumsOfRoots& sums, bool held) {
    std::vector<LateRoot> roots;
    for (const auto& [root, sum] : sums) {
      if (root.is_held == held && sum.ns > 0 && root.cause != LateCause::kUnexplained)
        roots.push_back({root.who, root.cause, sum.ns, sum.node});
    }
    std::sort(roots.begin(), roots.end(), [](const LateRoot& a, const LateRoot& b) {
      if (a.blamed_ns != b.blamed_ns) return a.blamed_ns > b.blamed_ns;
      return std::pair(a.who, a.cause) < std::pair(b.who, b.cause);
    });
    for (const LateRoot& root : roots) ChargeTo(arrival, left, root);
  }

  void Charge(LateArrival& arrival) {
    const Binding first_held = BindingOf(graph_, replay_, arrival.first);
    const Binding first_own = OwnWorkBefore(arrival.first);
    State last = BindingOf(graph_, replay_, arrival.last).node;
    State first = first_own.node;
    SumsOfRoots late, early;
    AddGap(late, arrival.last);
    if (first == first_held.node) AddGap(early, arrival.first);
    const auto depth_of = [&](State state) {
      return state == kNoState ? -1 : static_cast<std::int64_t>(pieces_.at(state).depth);
    };
    for (std::size_t pieces = 0; last != first && pieces < kMostPieces; ++pieces) {
      const bool is_late = depth_of(last) >= depth_of(first);
      State& at = is_late ? last : first;
      const Piece& piece = pieces_.at(at);
      for (const Part& part : std::span(parts_).subspan(piece.first, piece.count))
        (is_late ? late : early)[part.root].Add(part.sum);
      at = piece.top;
    }
    // What both ways have, the transfer of one rendezvous for example, makes no difference.
    for (auto& [root, sum] : early) {
      const auto same = late.find(root);
      if (same == late.end()) continue;
      const std::int64_t common = std::max<std::int64_t>(0, std::min(sum.ns, same->second.ns));
      sum.ns = SaturatingSubtract(sum.ns, common);
      same->second.ns = SaturatingSubtract(same->second.ns, common);
    }
    arrival.first_root = static_cast<std::uint32_t>(found_.roots_.size());
    std::int64_t left = arrival.skew_ns;
    ChargeLargest(arrival, left, late, false);
    const std::uint32_t rank = graph_.RankOf(arrival.last);
    // Where the ways do not meet, what they would differ without their excess is not known.
    if (last == first && last != kNoState) {
      const std::int64_t held = SaturatingSubtract(first_held.ready_ns, first_own.ready_ns);
      const std::int64_t differ =
          SaturatingAdd(SaturatingSubtract(SaturatingAdd(arrival.skew_ns, held), ExcessOf(late)),
                        ExcessOf(early));
      std::int64_t usual = std::clamp<std::int64_t>(differ, 0, left);
      left -= usual;
      ChargeLargest(arrival, usual, late, true);
      ChargeTo(arrival, usual, {rank, LateCause::kUsualWork, usual, kNoNode});
    }
    ChargeTo(arrival, left, {rank, LateCause::kUnexplained, left, kNoNode});
  }

  const JobGraph& graph_;
  const Replay& replay_;
  Excess excess_;
  LateArrivals& found_;
  std::vector<NodeId> last_of_;  // by meeting: the member that came last
  std::vector<bool> is_passed_, is_joint_;
  SpilledVector<State> before_;
  boost::unordered_flat_map<State, Piece> pieces_;  // by the joint at which they begin
  std::vector<Part> parts_;
  boost::unordered_flat_map<std::uint32_t, std::uint32_t> who_of_meeting_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> who_of_ranks_;
};

LateArrivals::LateArrivals(const JobGraph& graph, const Replay& replay, const Peers& peers,
                           const Places& places, const Tolerance& tolerance) {
  Finder(graph, replay, peers, places, *this).Find(tolerance);
}

}  // namespace rankscope
