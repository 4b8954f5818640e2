// Exchanges: the collectives and sends of all ranks, for comparison by rules.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

struct Exchange {
  std::uint32_t meeting = 0;  // of the graph
  std::uint32_t group = 0;    // of JobCollectives
  std::uint32_t step = kNoStep;
  CollectiveOp op = CollectiveOp::kUnknown;
  std::int64_t bytes = -1;       // -1: not known
  std::int64_t transfer_ns = 0;  // median of its members'
  // Shared by exchanges of one op and similar size, in groups of the same kind and size over the
  // same number of hosts: links within a host and between hosts differ.
  std::uint32_t like = 0;
  std::vector<std::uint32_t> ranks;  // members, dense, ascending
  bool counts = false;               // in a counted step
  bool is_whole = true;              // all members of its group were recorded
};

// All-reduce and reduce-scatter: how gradients of data parallelism are summed.
bool IsOfGradients(CollectiveOp op);

// The process groups of JobCollectives along which only the data differs.
std::set<std::uint32_t> DataParallelGroups(const RuleInput& input);

// Those that are of layers (tensor, context, expert) by their names: traffic alone may look like
// that of layers.
std::set<std::uint32_t> NamedGroupsOfLayers(const RuleInput& input);

class Exchanges {
 public:
  explicit Exchanges(const RuleInput& input);

  const std::vector<Exchange>& all() const { return all_; }
  // Counted exchanges by `like`.
  const std::vector<std::vector<std::uint32_t>>& alike() const { return alike_; }
  // Median transfer of these.
  std::int64_t MedianTransfer(const std::vector<std::uint32_t>& exchanges) const;
  static std::span<const NodeId> MembersOf(const JobGraph& graph, const Exchange& exchange) {
    return graph.MembersOf(graph.meetings()[exchange.meeting]);
  }
  // Sets the time of an exchange's transfer, with each member in proportion.
  static void SetTransfer(const JobGraph& graph, const Exchange& exchange, std::int64_t ns,
                          Scenario& scenario);
  // "all_reduce of 25.2 MB in tensor (2 ranks)"
  static std::string Describe(const RuleInput& input, const Exchange& exchange);

 private:
  std::vector<Exchange> all_;
  std::vector<std::vector<std::uint32_t>> alike_;
};

}  // namespace rankscope
