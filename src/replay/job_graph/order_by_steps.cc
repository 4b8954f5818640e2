// The nodes of some steps of all recordings come to lie together.
//
// Ranks go through a step side by side, and so does a replay: in a large job it then works on the
// columns' part of those steps, and not on all of them. Each recording is cut where its first node
// of a later part stands; its nodes keep their order.
#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "base/parallel.h"
#include "replay/job_graph/job_graph_builder.h"

namespace rankscope {
namespace {

// Where nodes that were numbered recording by recording are now.
class Renumbering {
 public:
  // Ranges of old numbers in ascending order.
  void Add(NodeRange old, NodeId now) { moves_.push_back({old, now}); }
  NodeId operator()(NodeId old) const {
    if (old == kNoNode) return kNoNode;
    const Move* move = &moves_[last_];
    if (old < move->old.first || old >= move->old.last) {
      const auto found = std::partition_point(moves_.begin(), moves_.end(),
                                              [&](const Move& of) { return of.old.last <= old; });
      last_ = static_cast<std::size_t>(found - moves_.begin());
      move = &*found;
    }
    return move->now + (old - move->old.first);
  }

 private:
  struct Move {
    NodeRange old;
    NodeId now = 0;
  };

  std::vector<Move> moves_;
  mutable std::size_t last_ = 0;  // where the number asked for last was
};

}  // namespace

std::vector<std::uint32_t> JobGraph::Builder::PartsOfSteps() const {
  std::vector<std::uint32_t> parts(draft_steps_.size(), 0);
  std::uint32_t part = 0;
  std::size_t nodes = 0;
  for (const auto& [key, draft] : step_numbers_) {
    if (!IsKept(key)) continue;
    if (nodes >= limits_.nodes_together) {
      ++part;
      nodes = 0;
    }
    parts[draft] = part;
    const auto found = nodes_of_step_.find(key);
    nodes += found == nodes_of_step_.end() ? 0 : found->second;
  }
  return parts;
}

void JobGraph::Builder::OrderBySteps() {
  const std::vector<std::uint32_t> part_of_step = PartsOfSteps();
  const std::uint32_t parts =
      part_of_step.empty() ? 1 : *std::max_element(part_of_step.begin(), part_of_step.end()) + 1;
  // By part, in the order of recordings: the nodes by their old numbers.
  std::vector<std::vector<Block>> blocks(parts);
  for (std::uint32_t i = 0; i < graph_.captures_.size(); ++i) {
    std::uint32_t part = 0;
    NodeId first = graph_.captures_[i].ranges.front().first;
    const NodeId last = graph_.captures_[i].ranges.front().last;
    const auto end_at = [&](NodeId end) {
      if (end > first) blocks[part].push_back({{first, end}, i});
      first = end;
    };
    for (NodeId node = first; node < last; ++node) {
      const std::uint32_t step = graph_.StepOf(node);
      if (step == kNoStep || part_of_step[step] <= part) continue;
      end_at(node);
      part = part_of_step[step];
    }
    end_at(last);
    graph_.captures_[i].ranges.clear();
  }
  NodeId count = 0;
  std::map<NodeId, std::pair<NodeRange, NodeId>> moves;  // by old number
  for (const std::vector<Block>& of_part : blocks) {
    for (const Block& block : of_part) {
      const NodeRange now{count, count + (block.nodes.last - block.nodes.first)};
      moves[block.nodes.first] = {block.nodes, now.first};
      graph_.captures_[block.capture].ranges.push_back(now);
      graph_.blocks_.push_back({now, block.capture});
      count = now.last;
    }
  }
  if (parts == 1) return;
  Renumbering now;
  for (const auto& [first, move] : moves) now.Add(move.first, move.second);

  const auto for_each_block = [&](const auto& visit) {
    for (const std::vector<Block>& of_part : blocks) {
      for (const Block& block : of_part) visit(block.nodes);
    }
  };
  const auto for_each_node = [&](const auto& visit) {
    for_each_block([&](NodeRange range) {
      for (NodeId node = range.first; node < range.last; ++node) visit(node);
    });
  };
  // Each column by one thread: they do not touch each other.
  const auto move_nodes = [&, now] {
    NodeColumns nodes;
    nodes.Reserve(count);
    nodes.edges().Reserve(graph_.edge_count());
    std::uint32_t edges = 0;
    NodeId place = 0;
    for_each_block([&](NodeRange range) {
      // Block by block: what all rows at once were filled with would have left the processor's
      // cache, and in a large job the process, before the rows are set.
      nodes.Resize(place + (range.last - range.first));
      for (NodeId old = range.first; old < range.last; ++old) {
        Node node = graph_.nodes_[old];
        node.previous = now(node.previous);
        node.first_edge = edges;
        const EdgesView of_node = graph_.EdgesOf(old);
        nodes.edges().Resize(edges + of_node.size());
        for (NodeEdge edge : of_node) {
          edge.from = now(edge.from);
          nodes.edges().Set(edges++, edge);
        }
        nodes.Set(place++, node);
      }
    });
    graph_.nodes_ = std::move(nodes);
  };
  const auto move_numbers = [&](NarrowColumn& column) {
    NarrowColumn moved;
    moved.Reserve(count);
    for_each_node([&](NodeId old) { moved.PushBack(column[old]); });
    column = std::move(moved);
  };
  const auto move_values = [&](auto& column) {
    if (column.empty()) return;
    std::remove_reference_t<decltype(column)> moved;
    moved.reserve(count);
    for_each_node([&](NodeId old) { moved.push_back(column[old]); });
    column = std::move(moved);
  };
  const std::vector<std::function<void()>> columns = {
      move_nodes,
      [&] { move_values(begin_); },
      [&] { move_numbers(graph_.place_); },
      [&] { move_numbers(graph_.step_); },
      [&] { move_values(graph_.event_); },
      [&] { move_values(graph_.site_); },
      [&] { move_values(graph_.flags_); },
  };
  ParallelFor(columns.size(), job_.threads, [&](std::size_t i) { columns[i](); });
  for (auto& [event, node] : communication_) node = now(node);
}

}  // namespace rankscope
