// Where the nodes of ranks meet: collectives, sends and receives.
#include <algorithm>
#include <cstdlib>

#include "base/median.h"
#include "replay/job_graph/job_graph_builder.h"

namespace rankscope {
namespace {

constexpr std::int64_t kSameEndNs = 50'000;

}  // namespace

NodeId JobGraph::Builder::NodeOf(const CollectiveEvent& event) const {
  const auto found = communication_.find({event.rank, event.source, event.start_ns});
  return found == communication_.end() ? kNoNode : found->second;
}

void JobGraph::Builder::Join() {
  const JobCollectives& all = across_.collectives();
  std::vector<NodeId> nodes;
  for (std::uint32_t i = 0; i < all.collectives().size(); ++i) {
    if (!across_.TimesOf(i).is_known || all.collectives()[i].count < 2) continue;
    nodes.clear();
    for (const std::uint32_t event : all.MembersOf(all.collectives()[i]))
      nodes.push_back(NodeOf(all.events()[event]));
    Meet(nodes, i);
  }
  for (const SendReceive& pair : all.pairs()) {
    const CollectiveEvent& send = all.events()[pair.send];
    const CollectiveEvent& receive = all.events()[pair.receive];
    if (!across_.clocks().Between(send.rank, receive.rank)) continue;
    nodes = {NodeOf(send), NodeOf(receive)};
    Meet(nodes, UINT32_MAX);
  }
  JoinCoalesced();
  for (std::uint32_t rank = 1; rank < all.ranks().size(); ++rank)
    graph_.is_aligned_ = graph_.is_aligned_ && across_.clocks().Between(0, rank).has_value();
}

std::optional<std::int64_t> JobGraph::Builder::ToleranceBetween(std::uint32_t a,
                                                                std::uint32_t b) const {
  const auto& places = across_.layout().places;
  if (a >= places.size() || b >= places.size() || places[a].role != places[b].role)
    return std::nullopt;
  for (const Dimension same :
       {Dimension::kTensor, Dimension::kContext, Dimension::kExpert, Dimension::kData}) {
    if (places[a].Of(same) != places[b].Of(same)) return std::nullopt;
  }
  const std::int32_t from = places[a].Of(Dimension::kPipeline);
  const std::int32_t to = places[b].Of(Dimension::kPipeline);
  const std::optional<double> open = across_.clocks().Between(a, b);
  if (from < 0 || to < 0 || from == to || !open) return std::nullopt;
  return kSameEndNs + static_cast<std::int64_t>(*open);
}

void JobGraph::Builder::JoinCoalesced() {
  struct End {
    std::int64_t t = 0;
    NodeId node = kNoNode;
  };
  const JobCollectives& all = across_.collectives();
  std::map<std::uint32_t, std::vector<End>> by_rank;
  for (const CollectiveEvent& event : all.events()) {
    const bool is_exchange = event.op == CollectiveOp::kSendReceive && event.peer < 0;
    const NodeId node = is_exchange ? NodeOf(event) : kNoNode;
    if (node != kNoNode && graph_.nodes_.RendezvousOf(node) == kNoRendezvous)
      by_rank[event.rank].push_back({EndOf(node), node});
  }
  for (auto& [rank, ends] : by_rank)
    std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.t < b.t; });
  // The closest on any neighbour.
  const auto partner_of = [&](std::uint32_t rank, NodeId node) {
    NodeId best = kNoNode;
    std::int64_t distance = INT64_MAX;
    for (const auto& [other, ends] : by_rank) {
      const std::optional<std::int64_t> most = ToleranceBetween(rank, other);
      if (other == rank || !most) continue;
      auto near = std::lower_bound(ends.begin(), ends.end(), EndOf(node) - *most,
                                   [](const End& end, std::int64_t t) { return end.t < t; });
      for (; near != ends.end() && near->t <= EndOf(node) + *most; ++near) {
        const bool overlap =
            begin_[near->node] < EndOf(node) + *most && begin_[node] < near->t + *most;
        const std::int64_t off = std::abs(near->t - EndOf(node));
        if (!overlap || off >= distance) continue;
        distance = off;
        best = near->node;
      }
    }
    return best;
  };
  std::map<NodeId, NodeId> partner;
  for (const auto& [rank, ends] : by_rank) {
    for (const End& end : ends) partner[end.node] = partner_of(rank, end.node);
  }
  std::vector<std::pair<NodeId, NodeId>> exchanges;
  for (const auto& [node, other] : partner) {
    if (other == kNoNode || node > other || partner[other] != node) continue;
    Meet({node, other}, UINT32_MAX);
    exchanges.emplace_back(node, other);
  }
  RefineClocks(exchanges);
}

std::uint32_t JobGraph::Builder::ComponentOf(std::uint32_t rank) const {
  const std::uint32_t component = across_.clocks().clocks()[rank].component;
  return component == RankClock::kNone ? rank : component;
}
std::int64_t JobGraph::Builder::ShiftOf(std::uint32_t rank) const {
  const auto found = shift_.find(ComponentOf(rank));
  return found == shift_.end() ? 0 : found->second;
}

void JobGraph::Builder::RefineClocks(const std::vector<std::pair<NodeId, NodeId>>& exchanges) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::int64_t>> differences;
  for (const auto& [a, b] : exchanges) {
    const std::uint32_t from = ComponentOf(graph_.RankOf(a));
    const std::uint32_t to = ComponentOf(graph_.RankOf(b));
    if (from == to) continue;
    differences[{from, to}].push_back(EndOf(a) - EndOf(b));
    differences[{to, from}].push_back(EndOf(b) - EndOf(a));
  }
  if (differences.empty()) return;
  std::vector<std::uint32_t> known = {differences.begin()->first.first};
  shift_[known.front()] = 0;
  for (std::size_t i = 0; i < known.size(); ++i) {
    for (auto& [between, values] : differences) {
      if (between.first != known[i] || shift_.contains(between.second)) continue;
      shift_[between.second] = shift_[known[i]] + MedianOf(values);
      known.push_back(between.second);
    }
  }
  for (const CaptureNodes& capture : graph_.captures_) {
    const std::int64_t shift = ShiftOf(capture.rank);
    for (const NodeId node : capture.nodes()) begin_[node] += shift;
  }
}

void JobGraph::Builder::Meet(const std::vector<NodeId>& nodes, std::uint32_t collective) {
  const bool is_whole = std::all_of(nodes.begin(), nodes.end(), [&](NodeId node) {
    return node != kNoNode && graph_.nodes_.RendezvousOf(node) == kNoRendezvous;
  });
  if (!is_whole) return;
  const auto number = static_cast<std::uint32_t>(graph_.meetings_.size());
  for (const NodeId node : nodes) graph_.nodes_.SetRendezvous(node, number);
  graph_.meetings_.push_back({static_cast<std::uint32_t>(graph_.members_.size()),
                              static_cast<std::uint32_t>(nodes.size()), collective});
  graph_.members_.insert(graph_.members_.end(), nodes.begin(), nodes.end());
}

}  // namespace rankscope
