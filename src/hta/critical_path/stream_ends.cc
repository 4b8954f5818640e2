#include "hta/critical_path/stream_ends.h"

#include <algorithm>
#include <bit>

namespace rankscope::hta {
namespace {

constexpr NodeId kNoEnd = 0xFFFFFFFF;

}  // namespace

StreamEnds::StreamEnds(std::size_t stream_count, Graph& graph)
    : graph_(graph),
      width_(std::bit_ceil(std::max<std::size_t>(stream_count, 1))),
      tree_(2 * width_, kNoEnd) {}

std::optional<NodeId> StreamEnds::Of(std::int64_t stream) const {
  const auto found = leaves_.find(stream);
  if (found == leaves_.end()) return std::nullopt;
  return tree_[found->second];
}

void StreamEnds::Set(std::int64_t stream, NodeId end) {
  const auto [place, is_new] = leaves_.emplace(stream, width_ + leaves_.size());
  tree_[place->second] = end;
  changed_.push_back(place->second);
}

std::span<const NodeId> StreamEnds::All() {
  if (width_ <= kMostDirectStreams) return std::span(tree_).subspan(width_, leaves_.size());
  Refresh();
  return std::span(tree_).subspan(1, leaves_.empty() ? 0 : 1);
}

void StreamEnds::Refresh() {
  // Level by level towards the root, each node once.
  for (std::vector<std::size_t>& nodes = changed_; !nodes.empty();) {
    for (std::size_t& node : nodes) node /= 2;
    if (nodes.front() == 0) break;
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    for (const std::size_t node : nodes) {
      const NodeId left = tree_[2 * node];
      const NodeId right = tree_[2 * node + 1];
      if (right == kNoEnd) {
        tree_[node] = left;
        continue;
      }
      tree_[node] = graph_.AddJoin();
      for (const NodeId child : {left, right}) graph_.AddOrder(child, tree_[node], EdgeType::kSync);
    }
  }
  changed_.clear();
}

}  // namespace rankscope::hta
