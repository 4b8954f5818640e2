// Distinguishes and orders the nodes of graphs, both of those that ran and of those that were
// captured.
#pragma once

#include <string_view>
#include <vector>

#include "analysis/graphs/graph_nodes.h"
#include "base/hash.h"

namespace rankscope {

// HIP runs some copies and memsets as kernels of its runtime.
GraphNodeKind KindOfWork(const RankTrace& trace, Row work);
GraphNodeKind KindOfCall(std::string_view call);

// The order of nodes; nodes of one name stay in time order. Copies and memsets have no name.
inline bool NodeBefore(GraphNodeKind kind, std::string_view name, GraphNodeKind other_kind,
                       std::string_view other_name) {
  return kind != other_kind ? kind < other_kind : name < other_name;
}

// Hashes of names, each computed once.
class NameHashes {
 public:
  explicit NameHashes(const RankTrace& trace) : trace_(trace), hashes_(trace.strings.size()) {}
  std::uint64_t HashOf(StringId name) {
    std::uint64_t& hash = hashes_[name];
    if (hash == 0) hash = HashBytes(trace_.strings.Get(name)).low | 1;
    return hash;
  }

 private:
  const RankTrace& trace_;
  std::vector<std::uint64_t> hashes_;
};

// The id of a graph from its nodes, in any order.
class NodeIdentity {
 public:
  void Add(GraphNodeKind kind, std::uint64_t name_hash) {
    ++counts_[static_cast<std::size_t>(kind)];
    if (kind == GraphNodeKind::kKernel) names_ += name_hash;
  }
  const NodeCounts& counts() const { return counts_; }
  GraphId Id() const {
    const std::array<std::uint64_t, 1 + kNodeKindCount> parts = {
        names_, static_cast<std::uint64_t>(counts_[0]), static_cast<std::uint64_t>(counts_[1]),
        static_cast<std::uint64_t>(counts_[2])};
    return Checksum64(parts.data(), sizeof(parts));
  }

 private:
  std::uint64_t names_ = 0;
  NodeCounts counts_{};
};

}  // namespace rankscope
