// The nodes of a recording, as its partials have them.
#include <algorithm>
#include <numeric>

#include "base/parallel.h"
#include "replay/job_graph/job_graph_builder.h"
#include "replay/recording/inferred_waits.h"
#include "table/int_cells.h"

namespace rankscope {
namespace {

constexpr std::size_t kRowsWorthAThread = std::size_t{1} << 16;

Status Damaged(const Capture& capture) {
  return Error(StatusCode::kBadData, "the stored nodes of rank {} contradict each other",
               capture.rank);
}

}  // namespace

Status JobGraph::Builder::Add(std::size_t capture, const std::vector<Table>& tables) {
  const Capture& of = job_.captures[capture];
  const auto rank = dense_.find(of.rank);
  if (rank == dense_.end()) return OkStatus();
  const std::vector<std::uint32_t> kinds = AddKinds(tables[0]);
  const std::vector<std::uint32_t> steps = AddSteps(tables[3], of, rank->second);
  const auto first = static_cast<NodeId>(graph_.nodes_.size());
  RS_RETURN_IF_ERROR(AddNodes(tables, capture, rank->second, kinds, steps));
  RS_RETURN_IF_ERROR(AddSites(tables, of, first));
  KeepLastSteps(first);
  return OkStatus();
}

std::vector<std::uint32_t> JobGraph::Builder::AddKinds(ViewOf<NodeKindPartial> table) {
  const auto& columns = SchemaOf<NodeKindPartial>();
  const auto text = [&](std::size_t row, auto column) {
    return table.IsNull(row, column) ? std::string() : std::string(table.String(row, column));
  };
  std::vector<std::uint32_t> numbers;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const auto work = static_cast<Work>(
        std::clamp<std::int64_t>(table.Int(row, columns.work), 0, kWorkCount - 1));
    const auto kernel_class = static_cast<KernelClass>(std::clamp<std::int64_t>(
        table.Known(row, columns.kernel_class).value_or(static_cast<int>(KernelClass::kOther)), 0,
        kKernelClassCount - 1));
    NodeKind kind;
    kind.work = work;
    kind.kernel_class = kernel_class;
    kind.phase = static_cast<Phase>(
        std::clamp<std::int64_t>(table.Known(row, columns.phase).value_or(0), 0, 3));
    kind.name = text(row, columns.name);
    kind.op = text(row, columns.op);
    kind.outer_op = text(row, columns.outer_op);
    kind.shapes = text(row, columns.shapes);
    kind.launch_shape = text(row, columns.launch_shape);
    kind.dtype = text(row, columns.dtype);
    kind.cost_family = text(row, columns.cost_family);
    kind.flops = table.Known(row, columns.flops).value_or(-1);
    kind.bytes = table.Known(row, columns.bytes).value_or(-1);
    kind.again = static_cast<Again>(
        std::clamp<std::int64_t>(table.Int(row, columns.again), 0, kAgainCount - 1));
    const auto key = std::tuple(work, kernel_class, kind.phase, kind.name, kind.op, kind.shapes,
                                kind.launch_shape, kind.flops, kind.again, kind.outer_op);
    const auto [found, is_new] =
        kinds_.try_emplace(key, static_cast<std::uint32_t>(graph_.kinds_.size()));
    if (is_new) graph_.kinds_.push_back(std::move(kind));
    numbers.push_back(found->second);
  }
  return numbers;
}

Status JobGraph::Builder::AddSites(const std::vector<Table>& tables, const Capture& capture,
                                   NodeId first) {
  const auto& columns = SchemaOf<NodeSitePartial>();
  const ViewOf<NodeSitePartial> table = tables[4];
  if (table.row_count() == 0 && graph_.sites_.empty()) return OkStatus();
  const auto text = [&](std::size_t row, auto column) {
    return table.IsNull(row, column) ? std::string() : std::string(table.String(row, column));
  };
  std::vector<std::uint32_t> numbers;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    CodeSite site{text(row, columns.module), text(row, columns.function)};
    const auto [found, is_new] = site_numbers_.try_emplace(
        std::pair(site.module, site.function), static_cast<std::uint32_t>(graph_.sites_.size()));
    if (is_new) graph_.sites_.push_back(std::move(site));
    graph_.has_frames_ = graph_.has_frames_ || !table.Bool(row, columns.is_sampled);
    numbers.push_back(found->second);
  }
  graph_.site_.resize(graph_.nodes_.size(), kNoSite);
  const IntCells sites(ViewOf<NodePartial>(tables[1]), SchemaOf<NodePartial>().site);
  for (NodeId node = first; node < graph_.nodes_.size(); ++node) {
    const auto site = sites.Known(node - first);
    if (!site) continue;
    if (*site < 0 || static_cast<std::uint64_t>(*site) >= numbers.size()) return Damaged(capture);
    graph_.site_[node] = numbers[static_cast<std::size_t>(*site)];
  }
  return OkStatus();
}

std::vector<std::uint32_t> JobGraph::Builder::AddSteps(ViewOf<NodeStepPartial> table,
                                                       const Capture& capture, std::uint32_t rank) {
  const auto& columns = SchemaOf<NodeStepPartial>();
  std::vector<std::uint32_t> numbers;
  rank_steps_.clear();
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const StepKey key{capture.group, table.Int(row, columns.number)};
    const auto [found, is_new] =
        step_numbers_.try_emplace(key, static_cast<std::uint32_t>(draft_steps_.size()));
    if (is_new) {
      Step step;
      step.group = key.first;
      step.number = key.second;
      step.complete = true;
      step.phase = table.Int(row, columns.phase);
      step.recorded_begin_ns = INT64_MIN;
      step.recorded_end_ns = INT64_MIN;
      draft_steps_.push_back(step);
    }
    const bool follows_host = table.Bool(row, columns.follows_host);
    const std::int64_t begin = table.Int(row, columns.begin_ns);
    const std::int64_t end = table.Int(row, columns.end_ns);
    const bool has_window = follows_host || end > begin;
    Step& step = draft_steps_[found->second];
    // Ranks of an engine that do different things in one step: it is like no other step.
    if (step.phase != table.Int(row, columns.phase)) step.phase = Step::kPhasesDiffer;
    step.complete = step.complete && (!has_window || table.Bool(row, columns.complete));
    if (has_window)
      windows_.push_back({found->second, rank, Relative(rank, begin), Relative(rank, end)});
    rank_steps_.push_back(
        {begin, end, table.Bool(row, columns.complete), follows_host, has_window});
    numbers.push_back(found->second);
  }
  return numbers;
}

// Ranks of a job do alike: as much as the first that has come, each, and a sixteenth more. One node
// too few would copy every column of the whole job; room that stays empty takes no memory.
void JobGraph::Builder::ReserveFor(std::size_t nodes, std::size_t edges) {
  const auto captures = static_cast<std::size_t>(
      std::count_if(job_.captures.begin(), job_.captures.end(),
                    [](const Capture& capture) { return capture.selected; }));
  const auto with_margin = [](std::size_t rows) { return rows + rows / 16; };
  const std::size_t all = std::min(with_margin(captures * nodes), limits_.most_nodes);
  graph_.nodes_.Reserve(all);
  graph_.nodes_.edges().Reserve(nodes == 0 ? 0 : all / nodes * edges);
  graph_.step_.Reserve(all);
  graph_.place_.Reserve(all);
  graph_.event_.reserve(all);
  graph_.flags_.reserve(all);
  begin_.reserve(all);
}

std::uint32_t JobGraph::Builder::NumberOfPlace(std::uint64_t place) {
  // Steps and ranks do alike: mostly it is the one that followed before.
  const std::uint32_t guess = last_place_ + 1;
  if (guess < graph_.places_.size() && graph_.places_[guess] == place) return last_place_ = guess;
  const auto [found, is_new] =
      place_numbers_.try_emplace(place, static_cast<std::uint32_t>(graph_.places_.size()));
  if (is_new) graph_.places_.push_back(place);
  return last_place_ = found->second;
}

Status JobGraph::Builder::AddNodes(const std::vector<Table>& tables, std::size_t capture,
                                   std::uint32_t rank, const std::vector<std::uint32_t>& kinds,
                                   const std::vector<std::uint32_t>& steps) {
  const auto& of_node = SchemaOf<NodePartial>();
  const auto& of_edge = SchemaOf<NodeEdgePartial>();
  const ViewOf<NodePartial> nodes = tables[1];
  const ViewOf<NodeEdgePartial> edges = tables[2];
  const IntCells kind_of(nodes, of_node.kind), previous_of(nodes, of_node.previous),
      step_of(nodes, of_node.step), begin_of(nodes, of_node.begin_ns),
      duration_of(nodes, of_node.duration_ns), event_of(nodes, of_node.event),
      place_of(nodes, of_node.place);
  const IntCells from_of(edges, of_edge.from), to_of(edges, of_edge.to),
      lag_of(edges, of_edge.lag_ns), dependency_of(edges, of_edge.kind);
  const auto first = static_cast<NodeId>(graph_.nodes_.size());
  const std::size_t count = nodes.row_count();
  const auto is_below = [](std::int64_t value, std::size_t limit) {
    return value >= 0 && static_cast<std::uint64_t>(value) < limit;
  };
  std::vector<Work> work(count);
  std::vector<std::uint32_t> of_host_threads;  // exchanges of gloo
  for (std::size_t row = 0; row < count; ++row) {
    const std::int64_t kind = kind_of.Int(row);
    const std::optional<std::int64_t> previous = previous_of.Known(row);
    const std::optional<std::int64_t> step = step_of.Known(row);
    if (!is_below(kind, kinds.size()) || (previous && !is_below(*previous, row)) ||
        (step && !is_below(*step, steps.size())))
      return Damaged(job_.captures[capture]);
    const NodeKind& of_row = graph_.kinds_[kinds[static_cast<std::size_t>(kind)]];
    work[row] = of_row.work;
    if (IsExchangeOfHosts(of_row)) of_host_threads.push_back(static_cast<std::uint32_t>(row));
  }
  std::vector<RowEdge> local;
  for (std::size_t row = 0; row < edges.row_count(); ++row) {
    const std::int64_t from = from_of.Int(row);
    const std::int64_t to = to_of.Int(row);
    if (!is_below(from, count) || !is_below(to, count)) return Damaged(job_.captures[capture]);
    if (from >= to) continue;
    local.push_back(
        {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to),
         static_cast<std::int32_t>(std::clamp<std::int64_t>(lag_of.Int(row), INT32_MIN, INT32_MAX)),
         static_cast<DependencyKind>(std::clamp<std::int64_t>(dependency_of.Int(row), 0, 5))});
  }
  const WaitedUntil waited_until = InferWaits(nodes, work, of_host_threads, local);
  std::vector<std::uint32_t> edge_count(count + 1, 0);
  for (const RowEdge& edge : local) ++edge_count[edge.to + 1];
  std::partial_sum(edge_count.begin(), edge_count.end(), edge_count.begin());
  if (graph_.captures_.empty()) ReserveFor(count, local.size());
  EdgeColumns& all_edges = graph_.nodes_.edges();
  const auto first_edge = static_cast<std::uint32_t>(all_edges.size());
  all_edges.Resize(first_edge + edge_count[count]);
  graph_.nodes_.Resize(first + count);
  const auto begin_at = [&](std::size_t row) {
    const auto waited = waited_until.find(row);
    return waited == waited_until.end() ? begin_of.Int(row) : waited->second;
  };
  const auto end_at = [&](std::size_t row) {
    return SaturatingAdd(begin_of.Int(row), duration_of.Int(row));
  };
  const auto add_edges_and_nodes = [&] {
    std::vector<std::uint32_t> next(edge_count.begin(), edge_count.end() - 1);
    for (const RowEdge& edge : local)
      all_edges.Set(first_edge + next[edge.to]++, {first + edge.from, edge.lag_ns, edge.kind});
    for (std::size_t row = 0; row < count; ++row) {
      const std::optional<std::int64_t> previous = previous_of.Known(row);
      const std::int64_t begin = Relative(rank, begin_at(row));
      Node node;
      node.previous = previous ? first + static_cast<NodeId>(*previous) : kNoNode;
      node.first_edge = first_edge + edge_count[row];
      node.kind = kinds[static_cast<std::size_t>(kind_of.Int(row))];
      node.duration_ns = std::max(begin, Relative(rank, end_at(row))) - begin;
      graph_.nodes_.Set(static_cast<NodeId>(first + row), node);
    }
  };
  const auto add_columns_beside = [&] {
    for (std::size_t row = 0; row < count; ++row) {
      const std::optional<std::int64_t> step = step_of.Known(row);
      std::uint8_t flags = 0;
      if (step) {
        const RankStep& window = rank_steps_[static_cast<std::size_t>(*step)];
        if (window.has_window && IsDevice(work[row]) != window.follows_host &&
            end_at(row) <= window.end)
          flags |= kEndsStep;
      }
      begin_.push_back(Relative(rank, begin_at(row)));
      graph_.step_.PushBack(step ? steps[static_cast<std::size_t>(*step)] + 1 : 0);
      graph_.place_.PushBack(NumberOfPlace(static_cast<std::uint64_t>(place_of.Int(row))));
      // Files have fewer events (RankTrace); a forged partial could say anything.
      const std::int64_t event = event_of.Known(row).value_or(-1);
      graph_.event_.push_back(is_below(event, JobGraph::kNoEvent)
                                  ? static_cast<std::uint32_t>(event)
                                  : JobGraph::kNoEvent);
      graph_.flags_.push_back(flags);
    }
  };
  // Of a small recording a thread would cost more than it brings.
  ParallelFor(2, count < kRowsWorthAThread ? 1 : job_.threads,
              [&](std::size_t i) { i == 0 ? add_edges_and_nodes() : add_columns_beside(); });
  for (std::size_t row = 0; row < count; ++row) {
    const auto event = work[row] == Work::kCommunication ? event_of.Known(row) : std::nullopt;
    if (event) communication_[{rank, *event, begin_at(row)}] = static_cast<NodeId>(first + row);
  }
  const NodeRange range{first, static_cast<NodeId>(graph_.nodes_.size())};
  graph_.captures_.push_back({capture, rank, {range}});
  return OkStatus();
}

}  // namespace rankscope
