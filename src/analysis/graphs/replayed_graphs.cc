#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <numeric>

#include "analysis/graphs/graph_nodes.h"
#include "analysis/graphs/node_order.h"
#include "base/hash.h"
#include "base/saturating.h"
#include "op_cost/batches.h"
#include "op_cost/device_name.h"
#include "trace/device_api.h"

namespace rankscope {
namespace {

// The work of one launch by begin.
struct Work {
  Row row;
  GraphNodeKind kind;
};

class Replays {
 public:
  Replays(const TraceFacts& facts, const Windows& windows)
      : trace_(facts.trace()),
        classes_(facts.classes()),
        windows_(windows),
        batches_(trace_),
        ids_(trace_) {}

  void Add(Row launch) {
    works_.clear();
    for (const RowPair& pair : trace_.KernelsOf(launch)) {
      if (IsDeviceWork(trace_.kind[pair.to]) && trace_.dur_ns[pair.to] >= 0)
        works_.push_back({pair.to, KindOfWork(trace_, pair.to)});
    }
    if (works_.empty()) return;
    std::sort(works_.begin(), works_.end(), [&](const Work& a, const Work& b) {
      return trace_.ts_ns[a.row] != trace_.ts_ns[b.row] ? trace_.ts_ns[a.row] < trace_.ts_ns[b.row]
                                                        : a.row < b.row;
    });
    const Sequence& sequence = SequenceOf();
    ReplayedGraph& graph = graphs_[sequence.graph];
    if (windows_.OfWork(works_.front().row) != Windows::kNone) {
      ++graph.launches;
      if (const auto batch = batches_.Around(launch)) {
        ++graph.batches;
        graph.batch += batches_.SumsOf(*batch);
      }
      graph.streams = std::max(graph.streams, CountStreams());
      std::int64_t end = trace_.ts_ns[works_.front().row];
      for (const Work& work : works_) {
        const std::int64_t from = std::max(end, trace_.ts_ns[work.row]);
        AddSaturating(graph.busy_ns, std::max<std::int64_t>(trace_.end_ns(work.row) - from, 0));
        end = std::max(end, trace_.end_ns(work.row));
      }
      AddSaturating(graph.span_ns, end - trace_.ts_ns[works_.front().row]);
    }
    for (std::size_t i = 0; i < works_.size(); ++i) {
      const Row row = works_[i].row;
      if (windows_.OfWork(row) == Windows::kNone) continue;
      ReplayedNode& node = graph.nodes[sequence.node_of[i]];
      ++node.count;
      node.max_ns = std::max(node.max_ns, trace_.dur_ns[row]);
      AddSaturating(node.device_ns, trace_.dur_ns[row]);
      AddSaturating(graph.device_ns, trace_.dur_ns[row]);
    }
  }

  std::vector<ReplayedGraph> Take() && {
    std::erase_if(graphs_, [](const ReplayedGraph& graph) {
      return graph.launches == 0 && graph.device_ns == 0;
    });
    std::sort(graphs_.begin(), graphs_.end(), [](const ReplayedGraph& a, const ReplayedGraph& b) {
      return a.device_ns != b.device_ns ? a.device_ns > b.device_ns : a.id < b.id;
    });
    return std::move(graphs_);
  }

 private:
  // Launches that ran the same kernels in the same order need no sorting.
  struct Sequence {
    std::size_t graph = 0;
    std::vector<std::uint32_t> node_of;  // by position
  };

  const Sequence& SequenceOf() {
    names_.clear();
    for (const Work& work : works_) {
      names_.push_back(static_cast<std::uint32_t>(work.kind));
      names_.push_back(trace_.name[work.row]);
    }
    const auto [place, is_new] = sequences_.try_emplace(
        Checksum64(names_.data(), names_.size() * sizeof(names_[0])) ^ works_.size());
    if (is_new) place->second = NewSequence();
    return place->second;
  }

  Sequence NewSequence() {
    std::vector<std::uint32_t> order(works_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return NodeBefore(works_[a].kind, NameOf(works_[a]), works_[b].kind, NameOf(works_[b]));
    });
    NodeIdentity identity;
    for (const Work& work : works_) identity.Add(work.kind, ids_.HashOf(trace_.name[work.row]));
    const auto [place, is_new] = known_.emplace(identity.Id(), graphs_.size());
    if (is_new) {
      ReplayedGraph& graph = graphs_.emplace_back();
      graph.id = identity.Id();
      graph.counts = identity.counts();
      graph.device = NameOfDevice(trace_, trace_.track_of(works_.front().row).first);
      std::vector<std::int64_t> nth(works_.size());
      NodeCounts next{};
      for (std::size_t i = 0; i < works_.size(); ++i)
        nth[i] = next[static_cast<std::size_t>(works_[i].kind)]++;
      graph.nodes.reserve(works_.size());
      for (const std::uint32_t i : order) {
        const Row row = works_[i].row;
        graph.nodes.push_back({.kind = works_[i].kind,
                               .name = trace_.name[row],
                               .is_compute = classes_.Of(row) == WorkClass::kCompute,
                               .nth = nth[i]});
      }
    }
    Sequence sequence{.graph = place->second, .node_of = std::vector<std::uint32_t>(order.size())};
    for (std::uint32_t node = 0; node < order.size(); ++node) sequence.node_of[order[node]] = node;
    return sequence;
  }

  // Copies are told by their number alone: their calls do not say what the device will name them.
  std::string_view NameOf(const Work& work) const {
    return work.kind == GraphNodeKind::kKernel ? trace_.name_of(work.row) : std::string_view();
  }

  std::int64_t CountStreams() {
    streams_.clear();
    for (const Work& work : works_) streams_.push_back(trace_.track[work.row]);
    std::sort(streams_.begin(), streams_.end());
    return std::unique(streams_.begin(), streams_.end()) - streams_.begin();
  }

  const RankTrace& trace_;
  const WorkClassifier& classes_;
  const Windows& windows_;
  Batches batches_;
  NameHashes ids_;
  std::vector<ReplayedGraph> graphs_;
  boost::unordered_flat_map<GraphId, std::size_t> known_;
  boost::unordered_flat_map<std::uint64_t, Sequence> sequences_;
  std::vector<Work> works_;
  std::vector<std::uint32_t> names_, streams_;
};

}  // namespace

std::vector<ReplayedGraph> ReplayedGraphsOf(const TraceFacts& facts, const Windows& windows) {
  const RankTrace& trace = facts.trace();
  std::vector<std::uint8_t> is_graph_launch(trace.strings.size());
  bool any = false;
  for (StringId id = 0; id < is_graph_launch.size(); ++id) {
    is_graph_launch[id] = IsGraphLaunchCall(trace.strings.Get(id));
    any |= is_graph_launch[id] != 0;
  }
  if (!any) return {};
  Replays replays(facts, windows);
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (trace.kind[row] == EventKind::kRuntime && is_graph_launch[trace.name[row]] != 0)
      replays.Add(row);
  }
  return std::move(replays).Take();
}

}  // namespace rankscope
