#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <numeric>
#include <optional>
#include <string>

#include "analysis/graphs/graph_nodes.h"
#include "analysis/graphs/node_order.h"
#include "analysis/op_models/modelled_ops.h"
#include "facts/places/code_places.h"
#include "facts/places/forward_ops.h"
#include "facts/places/module_paths.h"
#include "trace/call_tree.h"
#include "trace/graph_captures.h"

namespace rankscope {
namespace {

// Looks up where launches lie.
class Places {
 public:
  explicit Places(const RankTrace& trace)
      : trace_(trace),
        ops_(trace, [&](Row row) { return trace.kind[row] == EventKind::kCpuOp; }),
        modules_(trace, [&](Row row) { return IsModule(trace, row); }),
        functions_(trace, [&](Row row) { return IsUsersFunction(trace, row); }),
        paths_(ModulePathsOf(trace, modules_)),
        forward_(ForwardOpsOf(trace)),
        models_(trace, ModelledOps::Paged::kWithoutBatch),
        cost_of_model_(models_.size(), CapturedNode::kNone) {}

  CapturedNode NodeOf(Row launch, CapturedGraphs& found) {
    CapturedNode node;
    node.kind = KindOfCall(trace_.name_of(launch));
    if (node.kind == GraphNodeKind::kKernel && trace_.aux[launch] != kNoAux)
      node.name = trace_.aux[launch];
    if (const std::uint32_t op = ops_.at(launch); op != FrameTree::kNone) {
      const Row row = ops_.row(op);
      node.op = trace_.name[row];
      if (trace_.aux[row] != kNoAux) {
        const OpArgs& args = trace_.ops[trace_.aux[row]];
        if (args.input_dims != kEmptyString) node.shapes = args.input_dims;
        if (args.input_types != kEmptyString) node.dtypes = args.input_types;
      }
    }
    if (const std::uint32_t at = functions_.at(launch); at != FrameTree::kNone)
      node.function = trace_.name[functions_.row(at)];
    std::uint32_t module = modules_.at(launch);
    if (module == FrameTree::kNone && !forward_.empty() && forward_[launch] != kNoRow)
      module = modules_.at(forward_[launch]);
    if (module != FrameTree::kNone) {
      const Module known = ModuleOf(paths_.groups.of_frame[module], found);
      node.module = known.path;
      node.module_class = known.path_of_classes;
    }
    if (const Row op = models_.OwnerOfCall(launch); op != kNoRow) {
      node.cost = CostIn(found, op);
      node.begins_run = node.kind == GraphNodeKind::kKernel && op != last_run_;
      if (node.begins_run) last_run_ = op;
    }
    return node;
  }

 private:
  struct Module {
    std::uint32_t path;
    std::uint32_t path_of_classes;
  };

  Module ModuleOf(std::uint32_t path, CapturedGraphs& found) {
    const auto [place, is_new] = known_.try_emplace(path);
    if (is_new) {
      found.modules.push_back(ModulePathText(trace_, paths_, path));
      std::string classes = WithoutInstances(found.modules.back());
      const auto [of_class, is_new_class] =
          classes_.emplace(classes, static_cast<std::uint32_t>(found.module_classes.size()));
      if (is_new_class) found.module_classes.push_back(std::move(classes));
      place->second = {static_cast<std::uint32_t>(found.modules.size() - 1), of_class->second};
    }
    return place->second;
  }

  std::uint32_t CostIn(CapturedGraphs& found, Row op) {
    std::uint32_t& cost = cost_of_model_[models_.IndexOfOwner(op)];
    if (cost == CapturedNode::kNone) {
      cost = static_cast<std::uint32_t>(found.costs.size());
      found.costs.push_back({.op = trace_.name[op],
                             .shapes = trace_.ops[trace_.aux[op]].input_dims,
                             .cost = models_.CostOfOwner(op),
                             .paged = models_.ShapeOfOwner(op)});
    }
    return cost;
  }

  const RankTrace& trace_;
  FrameTree ops_, modules_, functions_;
  ModulePaths paths_;
  std::vector<Row> forward_;
  ModelledOps models_;
  std::vector<std::uint32_t> cost_of_model_;
  Row last_run_ = kNoRow;  // the modelled op of the last kernel
  boost::unordered_flat_map<std::uint32_t, Module> known_;
  boost::unordered_flat_map<std::string, std::uint32_t> classes_;
};

void Merge(std::uint32_t& into, std::uint32_t other) {
  if (into != other) into = CapturedNode::kUnknown;
}

void Merge(CapturedNode& into, const CapturedNode& other) {
  Merge(into.op, other.op);
  Merge(into.module, other.module);
  Merge(into.module_class, other.module_class);
  Merge(into.function, other.function);
  Merge(into.shapes, other.shapes);
  Merge(into.dtypes, other.dtypes);
  Merge(into.cost, other.cost);
  if (into.begins_run != other.begins_run) into.cost = CapturedNode::kUnknown;
}

// A capture's nodes in order, and what tells it from others.
CapturedGraph GraphOf(const RankTrace& trace, std::vector<CapturedNode> nodes, NameHashes& hashes) {
  CapturedGraph graph;
  graph.captures = 1;
  graph.is_named = std::all_of(nodes.begin(), nodes.end(), [](const CapturedNode& node) {
    return node.kind != GraphNodeKind::kKernel || node.name != kEmptyString;
  });
  NodeIdentity identity;
  for (const CapturedNode& node : nodes) identity.Add(node.kind, hashes.HashOf(node.name));
  graph.counts = identity.counts();
  graph.id = graph.is_named ? identity.Id() : 0;
  std::stable_sort(nodes.begin(), nodes.end(), [&](const CapturedNode& a, const CapturedNode& b) {
    if (!graph.is_named) return a.kind < b.kind;
    return NodeBefore(a.kind, trace.strings.Get(a.name), b.kind, trace.strings.Get(b.name));
  });
  graph.nodes = std::move(nodes);
  return graph;
}

}  // namespace

CapturedGraphs CapturedGraphsOf(const RankTrace& trace) {
  const std::vector<GraphCapture> captures = FindGraphCaptures(trace);
  CapturedGraphs found;
  if (captures.empty()) return found;
  Places places(trace);
  NameHashes hashes(trace);
  boost::unordered_flat_map<std::pair<GraphId, NodeCounts>, std::size_t> known;
  for (const GraphCapture& capture : captures) {
    if (capture.nodes.empty()) continue;
    std::vector<CapturedNode> nodes;
    nodes.reserve(capture.nodes.size());
    for (const Row launch : capture.nodes) nodes.push_back(places.NodeOf(launch, found));
    CapturedGraph graph = GraphOf(trace, std::move(nodes), hashes);
    const auto [place, is_new] =
        known.emplace(std::pair(graph.id, graph.counts), found.graphs.size());
    if (is_new) {
      found.graphs.push_back(std::move(graph));
      continue;
    }
    CapturedGraph& same = found.graphs[place->second];
    ++same.captures;
    for (std::size_t i = 0; i < same.nodes.size(); ++i) Merge(same.nodes[i], graph.nodes[i]);
  }
  return found;
}

}  // namespace rankscope
