#include "replay/job_graph.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "base/median.h"
#include "base/saturating.h"
#include "replay/inferred_waits.h"

namespace rankscope {

class JobGraph::Builder {
 public:
  Builder(const JobContext& job, const AcrossFacts& across, std::size_t most_nodes)
      : job_(job), across_(across), most_nodes_(most_nodes) {
    graph_.origin_ns_ = job.origin_ns;
    const auto& ranks = across.collectives().ranks();
    for (std::uint32_t i = 0; i < ranks.size(); ++i) dense_.emplace(ranks[i].rank, i);
  }

  Result<std::shared_ptr<const JobGraph>> Build(PartialStream& partials) {
    // Nodes are numbered in the order of captures; those that come early wait for their turn.
    std::map<std::size_t, std::vector<Table>> early;
    std::size_t turn = NextSelected(0);
    Partial partial;
    while (true) {
      RS_ASSIGN_OR_RETURN(const bool more, partials.Next(partial));
      if (!more) break;
      early.emplace(partial.capture, std::move(partial.tables));
      while (!early.empty() && early.begin()->first <= turn) {
        RS_RETURN_IF_ERROR(Add(early.begin()->first, early.begin()->second));
        turn = NextSelected(early.begin()->first + 1);
        early.erase(early.begin());
      }
    }
    for (const auto& [capture, tables] : early) RS_RETURN_IF_ERROR(Add(capture, tables));
    Join();
    NumberSteps();
    SetGaps();
    graph_.Order(begin_, end_);
    graph_.AssignSlots();
    graph_.CountSteps();
    return std::shared_ptr<const JobGraph>(std::make_shared<JobGraph>(std::move(graph_)));
  }

 private:
  using StepKey = std::pair<std::int64_t, std::int64_t>;  // group, number

  std::size_t NextSelected(std::size_t capture) const {
    while (capture < job_.captures.size() && !job_.captures[capture].selected) ++capture;
    return capture;
  }

  static Status Damaged(const Capture& capture) {
    return Error(StatusCode::kBadData, "the stored nodes of rank {} contradict each other",
                 capture.rank);
  }

  Status Add(std::size_t capture, const std::vector<Table>& tables) {
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

  // Leaves out the first steps of what has come until the rest fits; `first` is the first node that
  // came since. Counts only grow, so the order of captures makes no difference.
  void KeepLastSteps(NodeId first) {
    std::size_t all = 0;
    for (NodeId node = first; node < graph_.nodes_.size(); ++node)
      ++nodes_of_step_[KeyOf(graph_.step_[node])];
    for (const auto& [key, count] : nodes_of_step_) all += IsKept(key) ? count : 0;
    const bool were_some_left_out = last_left_out_.has_value();
    bool are_more = false;
    for (const auto& [key, count] : nodes_of_step_) {
      if (all <= most_nodes_) break;
      if (!IsKept(key)) continue;
      all -= count;
      last_left_out_ = key;
      are_more = true;
    }
    if (are_more) {
      LeaveOut(0);
    } else if (were_some_left_out) {
      LeaveOut(first);
    }
  }

  // What is outside of all steps is left out first.
  StepKey KeyOf(std::uint32_t draft) const {
    if (draft == kNoStep) return {INT64_MIN, INT64_MIN};
    return {draft_steps_[draft].group, draft_steps_[draft].number};
  }
  bool IsKept(const StepKey& key) const { return !last_left_out_ || key > *last_left_out_; }

  // The nodes from `first` on that are not kept. What waited for one of them begins when it was
  // recorded to.
  void LeaveOut(NodeId first) {
    std::vector<NodeId> number(graph_.nodes_.size() - first, kNoNode);
    const auto now = [&](NodeId node) {
      return node == kNoNode || node < first ? node : number[node - first];
    };
    NodeId kept = first;
    std::uint32_t edges = first < graph_.nodes_.size() ? graph_.nodes_[first].first_edge : 0;
    for (NodeId node = first; node < graph_.nodes_.size(); ++node) {
      if (!IsKept(KeyOf(graph_.step_[node]))) continue;
      const std::span<const NodeEdge> of_node = graph_.EdgesOf(node);
      Node moved = graph_.nodes_[node];
      moved.previous = now(moved.previous);
      moved.first_edge = edges;
      for (NodeEdge edge : of_node) {
        edge.from = now(edge.from);
        if (edge.from != kNoNode) graph_.edges_[edges++] = edge;
      }
      number[node - first] = kept;
      graph_.nodes_[kept] = moved;
      graph_.step_[kept] = graph_.step_[node];
      graph_.place_[kept] = graph_.place_[node];
      graph_.event_[kept] = graph_.event_[node];
      graph_.flags_[kept] = graph_.flags_[node];
      if (!graph_.site_.empty()) graph_.site_[kept] = graph_.site_[node];
      begin_[kept] = begin_[node];
      end_[kept] = end_[node];
      ++kept;
    }
    if (kept < graph_.nodes_.size()) graph_.edges_.resize(edges);
    graph_.nodes_.resize(kept);
    graph_.step_.resize(kept);
    graph_.place_.resize(kept);
    graph_.event_.resize(kept);
    graph_.flags_.resize(kept);
    if (!graph_.site_.empty()) graph_.site_.resize(kept);
    begin_.resize(kept);
    end_.resize(kept);
    NodeId last = 0;
    for (CaptureNodes& capture : graph_.captures_) {
      NodeId count = 0;
      for (NodeId node = capture.first; node < capture.last; ++node) count += now(node) != kNoNode;
      capture.first = last;
      last = capture.last = last + count;
    }
    boost::unordered::erase_if(communication_,
                               [&](auto& entry) { return now(entry.second) == kNoNode; });
    for (auto& [event, node] : communication_) node = now(node);
  }

  std::vector<std::uint32_t> AddKinds(ViewOf<NodeKindPartial> table) {
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
      kind.shapes = text(row, columns.shapes);
      kind.dtype = text(row, columns.dtype);
      kind.flops = table.Known(row, columns.flops).value_or(-1);
      kind.bytes = table.Known(row, columns.bytes).value_or(-1);
      const auto key =
          std::tuple(work, kernel_class, kind.phase, kind.name, kind.op, kind.shapes, kind.flops);
      const auto [found, is_new] =
          kinds_.try_emplace(key, static_cast<std::uint32_t>(graph_.kinds_.size()));
      if (is_new) graph_.kinds_.push_back(std::move(kind));
      numbers.push_back(found->second);
    }
    return numbers;
  }

  // Of the nodes from `first` on.
  Status AddSites(const std::vector<Table>& tables, const Capture& capture, NodeId first) {
    const auto& columns = SchemaOf<NodeSitePartial>();
    const ViewOf<NodeSitePartial> table = tables[4];
    const ViewOf<NodePartial> nodes = tables[1];
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
      numbers.push_back(found->second);
    }
    graph_.site_.resize(graph_.nodes_.size(), kNoSite);
    for (NodeId node = first; node < graph_.nodes_.size(); ++node) {
      const auto site = nodes.Known(node - first, SchemaOf<NodePartial>().site);
      if (!site) continue;
      if (*site < 0 || static_cast<std::uint64_t>(*site) >= numbers.size()) return Damaged(capture);
      graph_.site_[node] = numbers[static_cast<std::size_t>(*site)];
    }
    return OkStatus();
  }

  // Of a step on a rank, in the job's clock.
  struct RankWindow {
    std::uint32_t step = 0;
    std::uint32_t rank = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  struct RankStep {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    bool complete = false;
    bool follows_host = false;
    bool has_window = false;
  };

  // The steps by number in the order of the table, and each rank's ends.
  std::vector<std::uint32_t> AddSteps(ViewOf<NodeStepPartial> table, const Capture& capture,
                                      std::uint32_t rank) {
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
        step.recorded_begin_ns = INT64_MIN;
        step.recorded_end_ns = INT64_MIN;
        draft_steps_.push_back(step);
      }
      const bool follows_host = table.Bool(row, columns.follows_host);
      const std::int64_t begin = table.Int(row, columns.begin_ns);
      const std::int64_t end = table.Int(row, columns.end_ns);
      const bool has_window = follows_host || end > begin;
      Step& step = draft_steps_[found->second];
      step.complete = step.complete && (!has_window || table.Bool(row, columns.complete));
      if (has_window)
        windows_.push_back({found->second, rank, Relative(rank, begin), Relative(rank, end)});
      rank_steps_.push_back(
          {begin, end, table.Bool(row, columns.complete), follows_host, has_window});
      numbers.push_back(found->second);
    }
    return numbers;
  }

  // In the job's clock, from its origin.
  std::int64_t Relative(std::uint32_t rank, std::int64_t t) const {
    return SaturatingSubtract(across_.Aligned(rank, t), graph_.origin_ns_);
  }

  Status AddNodes(const std::vector<Table>& tables, std::size_t capture, std::uint32_t rank,
                  const std::vector<std::uint32_t>& kinds,
                  const std::vector<std::uint32_t>& steps) {
    const auto& of_node = SchemaOf<NodePartial>();
    const auto& of_edge = SchemaOf<NodeEdgePartial>();
    const ViewOf<NodePartial> nodes = tables[1];
    const ViewOf<NodeEdgePartial> edges = tables[2];
    const auto first = static_cast<NodeId>(graph_.nodes_.size());
    const std::size_t count = nodes.row_count();
    const auto is_below = [](std::int64_t value, std::size_t limit) {
      return value >= 0 && static_cast<std::uint64_t>(value) < limit;
    };
    std::vector<Work> work(count);
    for (std::size_t row = 0; row < count; ++row) {
      const std::int64_t kind = nodes.Int(row, of_node.kind);
      const std::optional<std::int64_t> previous = nodes.Known(row, of_node.previous);
      const std::optional<std::int64_t> step = nodes.Known(row, of_node.step);
      if (!is_below(kind, kinds.size()) || (previous && !is_below(*previous, row)) ||
          (step && !is_below(*step, steps.size())))
        return Damaged(job_.captures[capture]);
      work[row] = graph_.kinds_[kinds[static_cast<std::size_t>(kind)]].work;
    }
    std::vector<RowEdge> local;
    for (std::size_t row = 0; row < edges.row_count(); ++row) {
      const std::int64_t from = edges.Int(row, of_edge.from);
      const std::int64_t to = edges.Int(row, of_edge.to);
      if (!is_below(from, count) || !is_below(to, count)) return Damaged(job_.captures[capture]);
      if (from >= to) continue;
      local.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to),
                       static_cast<std::int32_t>(std::clamp<std::int64_t>(
                           edges.Int(row, of_edge.lag_ns), INT32_MIN, INT32_MAX)),
                       static_cast<DependencyKind>(
                           std::clamp<std::int64_t>(edges.Int(row, of_edge.kind), 0, 5))});
    }
    const WaitedUntil waited_until = InferWaits(nodes, work, local);
    std::vector<std::uint32_t> edge_count(count + 1, 0);
    for (const RowEdge& edge : local) ++edge_count[edge.to + 1];
    std::partial_sum(edge_count.begin(), edge_count.end(), edge_count.begin());
    const auto first_edge = static_cast<std::uint32_t>(graph_.edges_.size());
    graph_.edges_.resize(first_edge + edge_count[count]);
    std::vector<std::uint32_t> next(edge_count.begin(), edge_count.end() - 1);
    for (const RowEdge& edge : local)
      graph_.edges_[first_edge + next[edge.to]++] = {first + edge.from, edge.lag_ns, edge.kind};
    for (std::size_t row = 0; row < count; ++row) {
      const std::optional<std::int64_t> previous = nodes.Known(row, of_node.previous);
      const std::optional<std::int64_t> step = nodes.Known(row, of_node.step);
      const std::int64_t recorded = nodes.Int(row, of_node.begin_ns);
      const std::int64_t end = SaturatingAdd(recorded, nodes.Int(row, of_node.duration_ns));
      const auto waited = waited_until.find(row);
      const std::int64_t begin = waited == waited_until.end() ? recorded : waited->second;
      Node node;
      node.previous = previous ? first + static_cast<NodeId>(*previous) : kNoNode;
      node.first_edge = first_edge + edge_count[row];
      node.kind = kinds[static_cast<std::size_t>(nodes.Int(row, of_node.kind))];
      const bool on_device = IsDevice(work[row]);
      std::uint8_t flags = 0;
      if (step) {
        const RankStep& window = rank_steps_[static_cast<std::size_t>(*step)];
        if (window.has_window && on_device != window.follows_host && end <= window.end)
          flags |= kEndsStep;
      }
      begin_.push_back(Relative(rank, begin));
      end_.push_back(std::max(begin_.back(), Relative(rank, end)));
      if (graph_.kinds_[node.kind].work == Work::kCommunication) {
        if (const auto event = nodes.Known(row, of_node.event))
          communication_[{rank, *event, begin}] = static_cast<NodeId>(graph_.nodes_.size());
      }
      graph_.nodes_.push_back(node);
      graph_.step_.push_back(step ? steps[static_cast<std::size_t>(*step)] : kNoStep);
      graph_.place_.push_back(static_cast<std::uint64_t>(nodes.Int(row, of_node.place)));
      // Files have fewer events (RankTrace); a forged partial could say anything.
      const std::int64_t event = nodes.Known(row, of_node.event).value_or(-1);
      graph_.event_.push_back(is_below(event, JobGraph::kNoEvent)
                                  ? static_cast<std::uint32_t>(event)
                                  : JobGraph::kNoEvent);
      graph_.flags_.push_back(flags);
    }
    graph_.captures_.push_back({capture, rank, first, static_cast<NodeId>(graph_.nodes_.size())});
    return OkStatus();
  }

  // Steps in the order of (group, number).
  void NumberSteps() {
    for (const auto& [key, draft] : step_numbers_) graph_.steps_left_out_ += IsKept(key) ? 0 : 1;
    for (const RankWindow& window : windows_) {
      Step& step = draft_steps_[window.step];
      const std::int64_t shift = ShiftOf(window.rank);
      step.recorded_begin_ns = std::max(step.recorded_begin_ns, window.begin + shift);
      step.recorded_end_ns = std::max(step.recorded_end_ns, window.end + shift);
    }
    std::vector<std::uint32_t> number(draft_steps_.size());
    const Step* before = nullptr;
    for (const auto& [key, draft] : step_numbers_) {
      number[draft] = static_cast<std::uint32_t>(graph_.steps_.size());
      Step& step = draft_steps_[draft];
      if (step.recorded_end_ns == INT64_MIN) step.complete = false;
      step.follows_recorded = before != nullptr && before->group == step.group &&
                              before->number + 1 == step.number &&
                              before->recorded_end_ns != INT64_MIN;
      // Clocks that are not known to each other could let a step end before it begins.
      if (step.follows_recorded) {
        step.recorded_end_ns = std::max(step.recorded_end_ns, before->recorded_end_ns);
        step.recorded_begin_ns = before->recorded_end_ns;
      }
      step.recorded_begin_ns = std::min(step.recorded_begin_ns, step.recorded_end_ns);
      before = &step;
      if (!IsKept(key)) continue;
      step.follows_recorded = step.follows_recorded && !graph_.steps_.empty();
      graph_.steps_.push_back(step);
    }
    for (std::uint32_t& step : graph_.step_) {
      if (step != kNoStep) step = number[step];
    }
  }

  NodeId NodeOf(const CollectiveEvent& event) const {
    const auto found = communication_.find({event.rank, event.source, event.start_ns});
    return found == communication_.end() ? kNoNode : found->second;
  }

  void Join() {
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

  // Stages exchange with one before or behind them (in a ring, when chunks are interleaved). How
  // far the ends of one exchange may lie apart by the two clocks; nullopt: they are no neighbours.
  std::optional<std::int64_t> ToleranceBetween(std::uint32_t a, std::uint32_t b) const {
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

  // Sends and receives in one kernel (batch_isend_irecv) state no peer. Both sides of such an
  // exchange end together: those whose ends lie closest to each other, on ranks of one pipeline,
  // are one, when they ran at the same time.
  void JoinCoalesced() {
    struct End {
      std::int64_t t = 0;
      NodeId node = kNoNode;
    };
    const JobCollectives& all = across_.collectives();
    std::map<std::uint32_t, std::vector<End>> by_rank;
    for (const CollectiveEvent& event : all.events()) {
      const bool is_exchange = event.op == CollectiveOp::kSendReceive && event.peer < 0;
      const NodeId node = is_exchange ? NodeOf(event) : kNoNode;
      if (node != kNoNode && graph_.nodes_[node].rendezvous == kNoRendezvous)
        by_rank[event.rank].push_back({end_[node], node});
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
        auto near = std::lower_bound(ends.begin(), ends.end(), end_[node] - *most,
                                     [](const End& end, std::int64_t t) { return end.t < t; });
        for (; near != ends.end() && near->t <= end_[node] + *most; ++near) {
          const bool overlap =
              begin_[near->node] < end_[node] + *most && begin_[node] < near->t + *most;
          const std::int64_t off = std::abs(near->t - end_[node]);
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

  std::uint32_t ComponentOf(std::uint32_t rank) const {
    const std::uint32_t component = across_.clocks().clocks()[rank].component;
    return component == RankClock::kNone ? rank : component;
  }
  std::int64_t ShiftOf(std::uint32_t rank) const {
    const auto found = shift_.find(ComponentOf(rank));
    return found == shift_.end() ? 0 : found->second;
  }

  // Clocks that sends alone link are open by what these leave; the ends of exchanges in both
  // directions, which both sides see at once, say it exactly.
  void RefineClocks(const std::vector<std::pair<NodeId, NodeId>>& exchanges) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::int64_t>> differences;
    for (const auto& [a, b] : exchanges) {
      const std::uint32_t from = ComponentOf(graph_.RankOf(a));
      const std::uint32_t to = ComponentOf(graph_.RankOf(b));
      if (from == to) continue;
      differences[{from, to}].push_back(end_[a] - end_[b]);
      differences[{to, from}].push_back(end_[b] - end_[a]);
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
      for (NodeId node = capture.first; node < capture.last; ++node) {
        begin_[node] += shift;
        end_[node] += shift;
      }
    }
  }
  static constexpr std::int64_t kSameEndNs = 50'000;

  void Meet(const std::vector<NodeId>& nodes, std::uint32_t collective) {
    const bool is_whole = std::all_of(nodes.begin(), nodes.end(), [&](NodeId node) {
      return node != kNoNode && graph_.nodes_[node].rendezvous == kNoRendezvous;
    });
    if (!is_whole) return;
    const auto number = static_cast<std::uint32_t>(graph_.meetings_.size());
    for (const NodeId node : nodes) graph_.nodes_[node].rendezvous = number;
    graph_.meetings_.push_back({static_cast<std::uint32_t>(graph_.members_.size()),
                                static_cast<std::uint32_t>(nodes.size()), collective});
    graph_.members_.insert(graph_.members_.end(), nodes.begin(), nodes.end());
  }

  void SetGaps() {
    for (NodeId i = 0; i < graph_.nodes_.size(); ++i) {
      Node& node = graph_.nodes_[i];
      std::int64_t ready = INT64_MIN;
      if (node.previous != kNoNode) ready = end_[node.previous];
      for (const NodeEdge& edge : graph_.EdgesOf(i))
        ready = std::max(ready, SaturatingAdd(end_[edge.from], edge.lag_ns));
      node.gap_ns = SaturatingSubtract(begin_[i], ready == INT64_MIN ? 0 : ready);
      node.duration_ns = end_[i] - begin_[i];
    }
    for (const Meeting& meeting : graph_.meetings_) {
      std::int64_t last = INT64_MIN;
      for (const NodeId node : graph_.MembersOf(meeting)) last = std::max(last, begin_[node]);
      for (const NodeId node : graph_.MembersOf(meeting)) {
        if (end_[node] < last) {
          graph_.flags_[node] |= kEager;
        } else {
          graph_.nodes_[node].duration_ns = end_[node] - last;
        }
      }
    }
  }

  const JobContext& job_;
  const AcrossFacts& across_;
  const std::size_t most_nodes_;
  std::map<StepKey, std::size_t> nodes_of_step_;  // of all that came
  std::optional<StepKey> last_left_out_;
  JobGraph graph_;
  std::map<std::int64_t, std::uint32_t> dense_;
  std::map<std::tuple<Work, KernelClass, Phase, std::string, std::string, std::string, double>,
           std::uint32_t>
      kinds_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> site_numbers_;
  std::map<StepKey, std::uint32_t> step_numbers_;
  std::vector<Step> draft_steps_;
  std::vector<RankStep> rank_steps_;  // of the capture at hand
  std::vector<RankWindow> windows_;
  std::map<std::uint32_t, std::int64_t> shift_;  // by component of clocks
  std::vector<std::int64_t> begin_, end_;
  boost::unordered_flat_map<std::tuple<std::uint32_t, std::int64_t, std::int64_t>, NodeId>
      communication_;
};

std::uint32_t JobGraph::RankOf(NodeId node) const { return CaptureOf(node).rank; }

const JobGraph::CaptureNodes& JobGraph::CaptureOf(NodeId node) const {
  return *(std::partition_point(captures_.begin(), captures_.end(),
                                [&](const CaptureNodes& of) { return of.last <= node; }));
}

void JobGraph::CountSteps() {
  std::vector<bool> has_end(steps_.size(), false);
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    if (EndsStep(node)) has_end[StepOf(node)] = true;
  }
  std::vector<std::size_t> all;
  for (std::size_t step = 0; step < steps_.size(); ++step) {
    const bool begins = !steps_[step].follows_recorded || (step > 0 && has_end[step - 1]);
    if (!has_end[step] || !begins) continue;
    all.push_back(step);
    if (steps_[step].complete) counted_steps_.push_back(step);
  }
  if (counted_steps_.empty()) counted_steps_ = std::move(all);
}

Result<std::shared_ptr<const JobGraph>> BuildJobGraph(PartialStream& partials,
                                                      const JobContext& job,
                                                      const AcrossFacts& across,
                                                      std::size_t most_nodes) {
  return JobGraph::Builder(job, across, most_nodes).Build(partials);
}

}  // namespace rankscope
