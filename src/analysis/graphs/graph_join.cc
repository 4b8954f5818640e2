#include "analysis/graphs/graph_join.h"

#include <algorithm>

#include "base/saturating.h"

namespace rankscope {
namespace {

void Merge(std::string& into, const std::string& other) {
  if (into != other) into = kCapturesDiffer;
}

void Merge(NodeOwner& into, const NodeOwner& other) {
  Merge(into.op, other.op);
  Merge(into.module, other.module);
  Merge(into.module_class, other.module_class);
  Merge(into.function, other.function);
  Merge(into.shapes, other.shapes);
  Merge(into.dtypes, other.dtypes);
  if (into.cost != other.cost || into.begins_run != other.begins_run || into.paged != other.paged)
    into.cost.reset();
}

NodeCounts CountsAt(const Table& table, std::size_t row) {
  return {table.Int(row, 1), table.Int(row, 2), table.Int(row, 3)};
}

Status Damaged() {
  return Error(StatusCode::kIo,
               "a stored result about graphs does not fit together; run again with "
               "--no-cache");
}

// Calls visit(row of `graphs`, rows of its nodes [begin, end)).
template <typename Visit>
Status ForEachGraph(const Table& graphs, const Table& nodes, const Visit& visit) {
  std::size_t begin = 0;
  for (std::size_t row = 0; row < graphs.row_count(); ++row) {
    std::size_t end = begin;
    while (end < nodes.row_count() && nodes.Int(end, 0) == static_cast<std::int64_t>(row)) ++end;
    RS_RETURN_IF_ERROR(visit(row, begin, end));
    begin = end;
  }
  return begin == nodes.row_count() ? OkStatus() : Damaged();
}

}  // namespace

std::string_view ToString(OwnedBy by) {
  static constexpr std::array<std::string_view, 4> kNames = {"names", "order", "no capture",
                                                             "order unknown"};
  return kNames[static_cast<std::size_t>(by)];
}

Result<GraphsOfJob> GraphsOfJob::Read(PartialStream& partials, const JobContext& job) {
  GraphsOfJob found;
  Partial partial;
  while (true) {
    RS_ASSIGN_OR_RETURN(const bool more, partials.Next(partial));
    if (!more) break;
    RS_RETURN_IF_ERROR(found.Add(job.captures[partial.capture], partial.tables));
  }
  found.Join();
  return found;
}

Status GraphsOfJob::Add(const Capture& capture, std::span<const Table> tables) {
  if (tables.size() != 4) return Damaged();
  if (capture.selected) RS_RETURN_IF_ERROR(AddReplayed(capture, tables[0], tables[1]));
  return AddCaptured(tables[2], tables[3]);
}

Status GraphsOfJob::AddReplayed(const Capture& capture, const Table& graphs, const Table& nodes) {
  return ForEachGraph(graphs, nodes, [&](std::size_t row, std::size_t begin, std::size_t end) {
    JobGraph& graph = graphs_[std::string(graphs.String(row, 0))];
    graph.counts = CountsAt(graphs, row);
    graph.streams = std::max(graph.streams, graphs.Int(row, 4));
    graph.launches += graphs.Int(row, 5);
    AddSaturating(graph.device_ns, graphs.Int(row, 6));
    AddSaturating(graph.span_ns, graphs.Int(row, 7));
    AddSaturating(graph.busy_ns, graphs.Int(row, 8));
    graph.batches += graphs.Int(row, 10);
    graph.batch += {graphs.Double(row, 11), graphs.Double(row, 12), graphs.Double(row, 13),
                    graphs.Double(row, 14), graphs.Double(row, 15)};
    graph.ranks.insert(capture.rank);
    const std::pair seen = {capture.rank, capture.index};
    const bool is_first = graph.nodes.empty() || seen < graph.first_seen;
    if (is_first) {
      graph.first_seen = seen;
      graph.device = graphs.String(row, 9);
    }
    if (graph.nodes.empty()) graph.nodes.resize(end - begin);
    if (graph.nodes.size() != end - begin) return Damaged();
    for (std::size_t i = begin; i < end; ++i) {
      JobGraph::Node& node = graph.nodes[i - begin];
      if (is_first) {
        node.kind = static_cast<NodeKind>(nodes.Int(i, 1));
        node.name = nodes.String(i, 2);
        node.is_compute = nodes.Bool(i, 3);
        node.nth = nodes.Int(i, 4);
      }
      node.count += nodes.Int(i, 5);
      AddSaturating(node.device_ns, nodes.Int(i, 6));
      node.max_ns = std::max(node.max_ns, nodes.Int(i, 7));
    }
    return OkStatus();
  });
}

Status GraphsOfJob::AddCaptured(const Table& graphs, const Table& nodes) {
  return ForEachGraph(graphs, nodes, [&](std::size_t row, std::size_t begin, std::size_t end) {
    Captured& captured = graphs.IsNull(row, 0) ? unnamed_[CountsAt(graphs, row)]
                                               : named_[std::string(graphs.String(row, 0))];
    captured.captures += graphs.Int(row, 4);
    const bool is_new = captured.nodes.empty();
    if (is_new) captured.nodes.resize(end - begin);
    if (captured.nodes.size() != end - begin) return Damaged();
    for (std::size_t i = begin; i < end; ++i) {
      const auto text = [&](std::size_t column) { return std::string(nodes.String(i, column)); };
      NodeOwner owner = {text(1), text(2), text(3), text(4), text(5), text(6)};
      if (!nodes.IsNull(i, 7)) {
        owner.cost = {.op = text(7),
                      .family = text(8),
                      .shapes = text(9),
                      .dtype = text(10),
                      .flops = nodes.Double(i, 11),
                      .bytes = nodes.Double(i, 12),
                      .fits_matrix_cores = nodes.Bool(i, 13),
                      .is_lower_bound = nodes.Bool(i, 14)};
        owner.begins_run = nodes.Bool(i, 15);
        if (!nodes.IsNull(i, 16)) {
          owner.paged = {nodes.Double(i, 16), nodes.Double(i, 17), nodes.Double(i, 18),
                         nodes.Double(i, 19)};
        }
      }
      NodeOwner& known = captured.nodes[i - begin];
      if (is_new) {
        known = std::move(owner);
      } else {
        Merge(known, owner);
      }
    }
    return OkStatus();
  });
}

void GraphsOfJob::Join() {
  for (auto& [id, graph] : graphs_) {
    const auto named = named_.find(id);
    if (named != named_.end() && named->second.nodes.size() == graph.nodes.size()) {
      graph.by = OwnedBy::kNames;
      graph.captures = named->second.captures;
      for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        graph.nodes[i].owner = &named->second.nodes[i];
      continue;
    }
    const auto unnamed = unnamed_.find(graph.counts);
    if (unnamed == unnamed_.end()) continue;
    graph.captures = unnamed->second.captures;
    graph.by = graph.streams > 1 ? OwnedBy::kNoOrder : OwnedBy::kOrder;
    if (graph.by == OwnedBy::kNoOrder) continue;
    for (JobGraph::Node& node : graph.nodes) {
      // Captured nodes are in order of their kinds.
      auto place = static_cast<std::size_t>(node.nth);
      for (std::size_t kind = 0; kind < static_cast<std::size_t>(node.kind); ++kind)
        place += static_cast<std::size_t>(graph.counts[kind]);
      node.owner = &unnamed->second.nodes[place];
    }
  }
}

std::optional<RooflineKey> CostOfNode(const JobGraph& graph, const JobGraph::Node& node) {
  if (node.owner == nullptr || !node.owner->cost) return std::nullopt;
  RooflineKey key = *node.owner->cost;
  key.device = graph.device;
  if (!node.owner->paged) return key;
  if (graph.batches == 0 || graph.batches != graph.launches) return std::nullopt;
  const OpCost cost =
      PagedCost(*node.owner->paged, key.dtype, graph.batch.Per(static_cast<double>(graph.batches)));
  key.flops = cost.flops;
  key.bytes = cost.bytes;
  return key;
}

std::int64_t GraphsOfJob::device_ns() const {
  std::int64_t sum = 0;
  for (const auto& [id, graph] : graphs_) AddSaturating(sum, graph.device_ns);
  return sum;
}

}  // namespace rankscope
