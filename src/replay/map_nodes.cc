#include "replay/map_nodes.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/op_models/modelled_ops.h"
#include "base/hash.h"
#include "base/saturating.h"
#include "facts/gloo_transfer.h"
#include "facts/launch_parts.h"
#include "facts/path_charges.h"
#include "facts/places/code_places.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "graph/innermost_rows.h"
#include "op_cost/base/op_inputs.h"
#include "replay/host_work.h"
#include "replay/node_partial.h"
#include "table/move_tables.h"
#include "trace/row_names.h"
#include "trace/step_filter.h"

namespace rankscope {
namespace {

constexpr std::uint32_t kNone = UINT32_MAX;

class NodesOfTrace {
 public:
  explicit NodesOfTrace(const TraceFacts& facts)
      : facts_(facts),
        trace_(facts.trace()),
        graph_(facts.graph()),
        ops_(trace_),
        windows_(Windows::OfHost(facts, std::nullopt)),
        parts_(trace_, windows_),
        is_optimizer_(trace_.strings.size(), 0),
        recomputed_(facts.recomputed()),
        host_(facts),
        kinds_(SchemaOf<NodeKindPartial>().NewPartial("node_kinds")),
        nodes_(SchemaOf<NodePartial>().NewPartial("nodes")),
        edges_(SchemaOf<NodeEdgePartial>().NewPartial("node_edges")),
        steps_(SchemaOf<NodeStepPartial>().NewPartial("node_steps")),
        sites_(SchemaOf<NodeSitePartial>().NewPartial("node_sites")) {
    if (HasPythonFrames(trace_)) code_.emplace(trace_);
  }

  std::vector<Table> Run() {
    SumOwners();
    for (StringId id = 0; id < is_optimizer_.size(); ++id) {
      const std::string_view name = trace_.strings.Get(id);
      is_optimizer_[id] = name.starts_with("Optimizer.step") || name.starts_with("## optimizer");
    }
    FindAnchors();
    FindWaits();
    SliceHost();
    AddNodes();
    AddEdges();
    AddSteps();
    AddSites();
    return MoveTables(std::move(kinds_), std::move(nodes_), std::move(edges_), std::move(steps_),
                      std::move(sites_));
  }

 private:
  // A row that runs for so long on its own is a node of its own, with its name.
  static constexpr std::int64_t kLongPieceNs = 100'000;

  // A stretch of a host segment of one kind of work.
  struct Slice {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    Row row = kNoRow;  // the innermost one of its longest piece
    Work work = Work::kPython;
    std::int32_t step = -1;  // in which it begins; none goes on into another, where rows tell them
    std::int64_t longest = 0;     // that piece
    Row around = kNoRow;          // the innermost one that all of its pieces are in
    Row last_row = kNoRow;        // of its last piece
    std::int64_t last_begin = 0;  // of that
  };

  Slice SliceOf(Interval part, Row row, Work work) const {
    return {.begin = part.begin,
            .end = part.end,
            .row = row,
            .work = work,
            .step = StepOfCall(trace_, part.begin),
            .longest = part.end - part.begin,
            .around = row,
            .last_row = row,
            .last_begin = part.begin};
  }

  // What a slice is called by: the row that takes most of it, else what all of it is in. A range of
  // the profiler says nothing.
  Row NameOf(const Slice& slice) const {
    if (2 * slice.longest >= slice.end - slice.begin || slice.around == kNoRow ||
        trace_.name_of(slice.around).starts_with("ProfilerStep"))
      return slice.row;
    return slice.around;
  }

  // The innermost row that both are in.
  Row AroundBoth(Row a, Row b) const {
    if (b == kNoRow) return kNoRow;
    const auto end_of = [&](Row row) {
      return SaturatingAdd(trace_.ts_ns[row], std::max<std::int64_t>(trace_.dur_ns[row], 0));
    };
    while (a != kNoRow && (trace_.ts_ns[a] > trace_.ts_ns[b] || end_of(a) < end_of(b)))
      a = trace_.parent[a];
    return a;
  }

  // The first work that a host segment launches at its end names its place in the program.
  void FindAnchors() {
    anchor_.assign(graph_.segments.size(), kNoRow);
    for (const Dependency& edge : graph_.dependencies) {
      if (edge.kind == DependencyKind::kLaunch && anchor_[edge.from] == kNoRow)
        anchor_[edge.from] = graph_.segments[edge.to].first_row;
    }
  }

  // What a slice leaves: a node, or two where the last of them waits.
  struct Piece {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    Row row = kNoRow;       // that names it
    Row long_row = kNoRow;  // of a long one, that names its place
    std::int32_t step = -1;
    Work work = Work::kPython;
  };
  static_assert(sizeof(Piece) == 32);
  void SliceHost() {
    piece_count_.assign(graph_.segments.size(), 0);
    pieces_.resize(trace_.tracks.size());
    std::vector<std::vector<SegmentId>> of_track(trace_.tracks.size());
    for (SegmentId i = 0; i < graph_.segments.size(); ++i) {
      if (!graph_.segments[i].on_device()) of_track[graph_.segments[i].track].push_back(i);
    }
    for (std::uint32_t track = 0; track < of_track.size(); ++track) {
      if (!of_track[track].empty()) SliceThread(track, of_track[track]);
    }
  }

  // Calls visit(piece, is_exchange): of a collective of gloo its exchange with other ranks is
  // apart.
  template <typename Visit>
  void DivideByExchange(Interval part, Row row, const Visit& visit) const {
    if (row == kNoRow || !IsCollectiveOfGloo(trace_, row)) {
      visit(part, false);
      return;
    }
    const Interval exchange = ExchangeOfGloo(trace_, row);
    const std::int64_t begin = std::clamp(exchange.begin, part.begin, part.end);
    const std::int64_t end = std::clamp(exchange.end, begin, part.end);
    if (part.begin < begin) visit(Interval{part.begin, begin}, false);
    if (begin < end) visit(Interval{begin, end}, true);
    if (end < part.end) visit(Interval{end, part.end}, false);
  }

  void SliceThread(std::uint32_t track, const std::vector<SegmentId>& segments) {
    std::size_t next = 0;
    SegmentId open = kNoSegment;
    host_.Begin(track);
    ForEachInnermost(trace_, track, [&](std::int64_t begin, std::int64_t end, Row row) {
      while (next < segments.size() && graph_.segments[segments[next]].end_ns <= begin) ++next;
      for (std::size_t i = next; i < segments.size(); ++i) {
        const Segment& segment = graph_.segments[segments[i]];
        if (segment.begin_ns >= end) break;
        const std::int64_t from = std::max(begin, segment.begin_ns);
        const std::int64_t until = std::min(end, segment.end_ns);
        if (from >= until) continue;
        if (segments[i] != open) ClosePieces(std::exchange(open, segments[i]));
        host_.Divide({from, until}, row, [&](Interval part, Work work) {
          DivideByExchange(part, row, [&](Interval piece, bool is_exchange) {
            AddSlice(slices_, SliceOf(piece, row, is_exchange ? Work::kCommunication : work));
          });
        });
      }
    });
    ClosePieces(open);
  }

  // Slices are those of this segment, and all of it.
  void ClosePieces(SegmentId id) {
    if (id == kNoSegment) return;
    std::deque<Piece>& pieces = pieces_[graph_.segments[id].track];
    const auto add = [&](const Slice& slice, Row row, std::int64_t begin, std::int64_t end) {
      const bool is_long = slice.longest >= kLongPieceNs;
      ++piece_count_[id];
      pieces.push_back({.begin = begin,
                        .end = end,
                        .row = row,
                        .long_row = is_long ? slice.row : kNoRow,
                        .step = slice.step,
                        .work = slice.work});
    };
    for (const Slice& slice : slices_) {
      // What waits for the device is the op at the end, whatever took longest before.
      const bool is_last = &slice == &slices_.back();
      const Row waiting = is_last && waits_behind_[id] ? OpAround(slice.last_row) : kNoRow;
      if (waiting == kNoRow) {
        add(slice, NameOf(slice), slice.begin, slice.end);
        continue;
      }
      if (slice.begin < slice.last_begin) add(slice, NameOf(slice), slice.begin, slice.last_begin);
      add(slice, waiting, slice.last_begin, slice.end);
    }
    slices_.clear();
  }

  void AddSlice(std::vector<Slice>& slices, const Slice& slice) const {
    const auto is_long = [](const Slice& one) {
      return one.longest >= kLongPieceNs || one.work == Work::kCommunication;
    };
    if (slices.empty() || slices.back().work != slice.work || slices.back().step != slice.step ||
        is_long(slice) || is_long(slices.back())) {
      slices.push_back(slice);
      return;
    }
    Slice& last = slices.back();
    last.end = slice.end;
    last.around = AroundBoth(last.around, slice.row);
    last.last_row = slice.row;
    last.last_begin = slice.begin;
    if (slice.longest > last.longest) {
      last.longest = slice.longest;
      last.row = slice.row;
    }
  }

  // Of a long piece its name, so that what one rank alone does stands at a place of its own.
  std::uint64_t NameKeyOf(const Piece& piece) const {
    if (piece.long_row == kNoRow) return 0;
    const std::string_view name = trace_.name_of(piece.long_row);
    return name.starts_with("ProfilerStep") ? 0 : XxhOf(NameWithoutNumbers(name));
  }

  // The innermost op that the row is, or is in.
  Row OpAround(Row row) const {
    while (row != kNoRow && trace_.kind[row] != EventKind::kCpuOp) row = trace_.parent[row];
    return row;
  }

  // Host segments behind which their thread waits for a device.
  void FindWaits() {
    waits_behind_.assign(graph_.segments.size(), false);
    for (const Dependency& edge : graph_.dependencies) {
      const SegmentId before = graph_.segments[edge.to].previous;
      if (edge.kind == DependencyKind::kSync && before != kNoSegment) waits_behind_[before] = true;
    }
  }

  // What is known of a kind of device work beside its name.
  struct Details {
    std::string_view op, shapes, launch_shape, dtype, cost_family;
    std::optional<std::int64_t> kernel_class, phase;
    std::optional<double> flops, bytes;
    bool recomputed = false;
  };
  std::uint32_t KindOf(Work work, std::string_view name, const Details& details) {
    std::string key =
        fmt::format("{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}", static_cast<int>(work), name,
                    details.op, details.shapes, details.launch_shape, details.phase.value_or(-1),
                    details.flops.value_or(-1), static_cast<int>(details.recomputed));
    const auto [found, is_new] =
        kind_of_.try_emplace(std::move(key), static_cast<std::uint32_t>(kind_of_.size()));
    if (is_new) {
      const auto& columns = SchemaOf<NodeKindPartial>();
      const auto text = [](std::string_view value) {
        return value.empty() ? Value(kNull) : Value(value);
      };
      kinds_.Add({columns.work = static_cast<std::int64_t>(work),
                  columns.kernel_class = details.kernel_class, columns.name = name,
                  columns.op = text(details.op), columns.shapes = text(details.shapes),
                  columns.launch_shape = text(details.launch_shape), columns.phase = details.phase,
                  columns.flops = details.flops, columns.bytes = details.bytes,
                  columns.dtype = text(details.dtype),
                  columns.cost_family = text(details.cost_family),
                  columns.recomputed = details.recomputed});
    }
    return found->second;
  }

  std::uint32_t KindOfHost(Row row, Work work) {
    const std::string_view name = row == kNoRow ? "" : trace_.name_of(row);
    const bool recomputed = IsRecomputed(row);
    const std::uint64_t key =
        (static_cast<std::uint64_t>(row == kNoRow ? kEmptyString : trace_.name[row]) << 8) |
        static_cast<std::uint64_t>(work) << 1 | static_cast<std::uint64_t>(recomputed);
    const auto [found, is_new] = host_kinds_.try_emplace(key, kNone);
    if (is_new) found->second = KindOf(work, name, {.recomputed = recomputed});
    return found->second;
  }

  bool IsRecomputed(Row row) const {
    return !recomputed_.empty() && row != kNoRow && recomputed_[row] != 0;
  }

  // The op that launched a work: the outermost one with a cost, else the innermost.
  Row OpOf(Row work) const {
    if (const Row owner = ops_.OwnerOf(work); owner != kNoRow) return owner;
    Row at = trace_.link[work];
    while (at != kNoRow && trace_.kind[at] != EventKind::kCpuOp) at = trace_.parent[at];
    return at;
  }

  std::uint32_t KindOfWork(Row row) {
    const KernelClass kernel_class = facts_.classes().ClassOf(row);
    const Row op = OpOf(row);
    StringId shapes = kEmptyString, types = kEmptyString;
    if (op != kNoRow && trace_.aux[op] != kNoAux && trace_.kind[op] == EventKind::kCpuOp) {
      shapes = trace_.ops[trace_.aux[op]].input_dims;
      types = trace_.ops[trace_.aux[op]].input_types;
    }
    const std::uint32_t sharing = SharingOf(row);
    const Phase phase = PhaseOf(row);
    const KernelArgs* const args = ArgsOf(row);
    const bool recomputed = IsRecomputed(trace_.link[row]);
    const auto key =
        std::tuple(trace_.name[row], op == kNoRow ? kEmptyString : trace_.name[op], shapes, types,
                   static_cast<std::uint8_t>(trace_.kind[row]), static_cast<std::uint8_t>(phase),
                   sharing, HashOfShape(args), recomputed);
    const auto [found, is_new] = work_kinds_.try_emplace(key, kNone);
    if (is_new) {
      const WorkClass work = WorkOf(kernel_class);
      const Work as = work == WorkClass::kCommunication ? Work::kCommunication
                      : work == WorkClass::kCopy        ? Work::kCopy
                                                        : Work::kCompute;
      Details details{.op = op == kNoRow ? "" : trace_.name_of(op),
                      .shapes = trace_.strings.Get(shapes),
                      .launch_shape = {},
                      .dtype = {},
                      .cost_family = {},
                      .kernel_class = static_cast<std::int64_t>(kernel_class),
                      .phase = static_cast<std::int64_t>(phase),
                      .flops = {},
                      .bytes = {},
                      .recomputed = recomputed};
      if (sharing > 0) {
        const OpCost& cost = ops_.CostOfOwner(ops_.OwnerOf(row));
        details.dtype = cost.dtype;
        details.cost_family = ToString(cost.family);
        details.flops = cost.flops / sharing;
        details.bytes = cost.bytes / sharing;
      }
      if (ComputesInDouble(details.op, details.shapes, trace_.strings.Get(types)))
        details.dtype = "double";
      const std::string launch_shape = args == nullptr ? "" : TextOfShape(*args);
      details.launch_shape = launch_shape;
      found->second = KindOf(as, trace_.name_of(row), details);
    }
    return found->second;
  }

  // Whatever the other inputs are: they are promoted. A copy converts, and computes nothing.
  static bool ComputesInDouble(std::string_view op, std::string_view shapes,
                               std::string_view types) {
    if (types.find("double") == std::string_view::npos || op == "aten::copy_" ||
        !op.starts_with("aten::"))
      return false;
    const auto inputs = ParseInputs(shapes, types, "");
    return inputs && std::any_of(inputs->begin(), inputs->end(), [](const OpInput& input) {
             return input.is_tensor() &&
                    (input.dtype == "double" || input.dtype == "c10::complex<double>");
           });
  }

  // Of a kernel whose blocks and threads are known; else null.
  const KernelArgs* ArgsOf(Row row) const {
    if (trace_.kind[row] != EventKind::kKernel || trace_.aux[row] == kNoAux) return nullptr;
    const KernelArgs& args = trace_.kernels[trace_.aux[row]];
    // How wide a collective runs is the library's choice.
    const bool is_collective = args.collective != kNoAux;
    return is_collective || args.grid[0] < 0 || args.block[0] < 0 ? nullptr : &args;
  }
  static std::uint64_t HashOfShape(const KernelArgs* args) {
    if (args == nullptr) return 0;
    const std::array<std::array<std::int32_t, 3>, 2> both = {args->grid, args->block};
    return XXH3_64bits(both.data(), sizeof both);
  }
  static std::string TextOfShape(const KernelArgs& args) {
    const auto& [grid, block] = std::tie(args.grid, args.block);
    return fmt::format("[{},{},{}] x [{},{},{}]", grid[0], grid[1], grid[2], block[0], block[1],
                       block[2]);
  }

  // How many kernels share the cost of the op that owns this one: those of the class in which the
  // op spends most; 0 for others, and without a cost.
  std::uint32_t SharingOf(Row row) const {
    const Row owner = ops_.OwnerOf(row);
    if (owner == kNoRow) return 0;
    const auto found = owners_.find(owner);
    if (found == owners_.end()) return 0;
    const MainKernels& main = found->second;
    return main.of_class == facts_.classes().ClassOf(row) ? main.count : 0;
  }

  // The kernels of an op that are of the class in which it spends most.
  struct MainKernels {
    KernelClass of_class = KernelClass::kOther;
    std::uint32_t count = 0;
  };
  void SumOwners() {
    struct Owned {
      Row owner = kNoRow;
      KernelClass of_class = KernelClass::kOther;
      std::int64_t ns = 0;
    };
    std::vector<Owned> owned;
    for (const DeviceTime& device : facts_.devices()) {
      for (const Row row : device.work) {
        const KernelClass kernel_class = facts_.classes().ClassOf(row);
        const Row owner = ops_.OwnerOf(row);
        if (owner == kNoRow || WorkOf(kernel_class) != WorkClass::kCompute) continue;
        owned.push_back({owner, kernel_class, std::max<std::int64_t>(trace_.dur_ns[row], 0)});
      }
    }
    std::sort(owned.begin(), owned.end(),
              [](const Owned& a, const Owned& b) { return a.owner < b.owner; });
    for (std::size_t first = 0; first < owned.size();) {
      std::array<std::int64_t, kKernelClassCount> ns{};
      std::array<std::uint32_t, kKernelClassCount> count{};
      std::size_t last = first;
      for (; last < owned.size() && owned[last].owner == owned[first].owner; ++last) {
        const auto of_class = static_cast<std::size_t>(owned[last].of_class);
        AddSaturating(ns[of_class], owned[last].ns);
        ++count[of_class];
      }
      const auto largest = std::max_element(ns.begin(), ns.end()) - ns.begin();
      owners_[owned[first].owner] = {static_cast<KernelClass>(largest),
                                     count[static_cast<std::size_t>(largest)]};
      first = last;
    }
  }

  Phase PhaseOf(Row work) const {
    const Row call = trace_.link[work];
    for (Row at = call; at != kNoRow; at = trace_.parent[at]) {
      if (is_optimizer_[trace_.name[at]] != 0) return Phase::kOptimizer;
    }
    const std::size_t window = windows_.OfRow(work);
    if (window == Windows::kNone) return Phase::kForward;
    switch (parts_.Of(call, window)) {
      case StepPart::kBackward:
        return Phase::kBackward;
      case StepPart::kAfter:
        return Phase::kAfter;
      default:
        return Phase::kForward;
    }
  }

  // What has the same number here is the same on every rank, whatever its shapes.
  std::uint64_t ProgramKeyOf(Row work) {
    if (work == kNoRow) return 0;
    const Row op = OpOf(work);
    const std::uint64_t name = XxhOf(trace_.name_of(work));
    return XXH3_64bits_withSeed(&name, sizeof name, op == kNoRow ? 0 : XxhOf(trace_.name_of(op)));
  }
  static std::uint64_t XxhOf(std::string_view text) {
    return XXH3_64bits(text.data(), text.size());
  }

  StepPhase PhaseOf(std::int32_t step) const {
    const bool in_step = step >= 0 && static_cast<std::size_t>(step) < trace_.steps.size();
    return in_step ? trace_.steps[static_cast<std::size_t>(step)].phase : StepPhase::kNone;
  }

  // The k-th of these in a step of that phase has a place of its own.
  std::int64_t PlaceOf(std::uint64_t key, Work work, std::int32_t step) {
    const std::array<std::uint64_t, 3> what = {key, static_cast<std::uint64_t>(work),
                                               static_cast<std::uint64_t>(step)};
    const std::uint64_t count = occurrences_[XXH3_64bits(what.data(), sizeof what)]++;
    const std::array<std::uint64_t, 4> place = {key, static_cast<std::uint64_t>(work), count,
                                                static_cast<std::uint64_t>(PhaseOf(step))};
    return static_cast<std::int64_t>(XXH3_64bits(place.data(), sizeof place));
  }

  void AddNodes() {
    first_.resize(graph_.segments.size());
    last_.resize(graph_.segments.size());
    for (SegmentId i = 0; i < graph_.segments.size(); ++i) {
      const Segment& segment = graph_.segments[i];
      const std::uint32_t before = segment.previous == kNoSegment ? kNone : last_[segment.previous];
      first_[i] = static_cast<std::uint32_t>(nodes_.row_count());
      if (segment.on_device()) {
        AddDeviceNodes(segment, before);
      } else {
        AddHostNodes(i, before);
      }
      last_[i] = static_cast<std::uint32_t>(nodes_.row_count()) - 1;
    }
  }

  void AddDeviceNodes(const Segment& segment, std::uint32_t before) {
    for (Row row = segment.first_row; row < segment.first_row + segment.row_count; ++row) {
      if (!IsDeviceWork(trace_.kind[row])) continue;
      const std::int32_t step = facts_.launch_steps()[row];
      AddNode({.kind = KindOfWork(row),
               .track = segment.track,
               .previous = before,
               .begin = trace_.ts_ns[row],
               .duration = std::max<std::int64_t>(trace_.dur_ns[row], 0),
               .step = step,
               .row = row,
               .place = PlaceOf(ProgramKeyOf(row), Work::kCompute, step)});
      before = static_cast<std::uint32_t>(nodes_.row_count()) - 1;
    }
  }

  void AddHostNodes(SegmentId id, std::uint32_t before) {
    const Segment& segment = graph_.segments[id];
    const std::uint64_t anchor = ProgramKeyOf(anchor_[id]);
    const auto add = [&](const Piece& piece) {
      AddNode({.kind = KindOfHost(piece.row, piece.work),
               .track = segment.track,
               .previous = before,
               .begin = piece.begin,
               .duration = piece.end - piece.begin,
               .step = piece.step,
               .row = piece.row,
               .place = PlaceOf(anchor ^ NameKeyOf(piece), piece.work, piece.step)});
      before = static_cast<std::uint32_t>(nodes_.row_count()) - 1;
    };
    for (std::uint32_t left = piece_count_[id]; left > 0; --left) {
      add(pieces_[segment.track].front());
      pieces_[segment.track].pop_front();
    }
    if (piece_count_[id] == 0)
      add({.begin = segment.begin_ns,
           .end = segment.end_ns,
           .step = StepOfCall(trace_, segment.begin_ns)});
  }

  struct NewNode {
    std::uint32_t kind, track, previous;
    std::int64_t begin, duration;
    std::int32_t step;
    Row row;
    std::int64_t place;
  };
  void AddNode(const NewNode& node) {
    const auto& columns = SchemaOf<NodePartial>();
    const bool in_step =
        trace_.steps.empty() ||
        (node.step >= 0 && static_cast<std::size_t>(node.step) < trace_.steps.size());
    nodes_.Add({columns.kind = std::int64_t{node.kind}, columns.track = std::int64_t{node.track},
                columns.previous =
                    node.previous == kNone ? Value(kNull) : Value(std::int64_t{node.previous}),
                columns.begin_ns = SaturatingAdd(trace_.meta.base_ns, node.begin),
                columns.duration_ns = node.duration,
                columns.step = in_step ? Value(std::int64_t{std::max(node.step, 0)}) : Value(kNull),
                columns.event = node.row == kNoRow ? Value(kNull)
                                                   : Value(std::int64_t{trace_.source[node.row]}),
                columns.place = node.place, columns.site = SiteOf(node.row)});
  }

  Value SiteOf(Row row) {
    if (!code_ || row == kNoRow) return kNull;
    const Row call = IsDeviceWork(trace_.kind[row]) ? trace_.link[row] : row;
    const std::uint32_t site = call == kNoRow ? CodePlaces::kNone : code_->At(call);
    return site == CodePlaces::kNone ? Value(kNull) : Value(std::int64_t{site});
  }

  void AddSites() {
    if (!code_) return;
    const auto& columns = SchemaOf<NodeSitePartial>();
    const auto text = [](std::string_view value) {
      return value.empty() ? Value(kNull) : Value(value);
    };
    for (const CodePlace& place : code_->places())
      sites_.Add({columns.module = text(place.module),
                  columns.function = text(trace_.strings.Get(place.function))});
  }

  void AddEdges() {
    const auto& columns = SchemaOf<NodeEdgePartial>();
    for (const Dependency& edge : graph_.dependencies)
      edges_.Add({columns.from = std::int64_t{last_[edge.from]},
                  columns.to = std::int64_t{first_[edge.to]},
                  columns.lag_ns = std::int64_t{edge.lag_ns},
                  columns.kind = static_cast<std::int64_t>(edge.kind)});
  }

  void AddSteps() {
    const auto& columns = SchemaOf<NodeStepPartial>();
    const DeviceSteps& steps = facts_.rank_steps();
    if (trace_.steps.empty() && nodes_.row_count() > 0) {
      std::int64_t begin = trace_.begin_ns;
      for (const DeviceTime& device : facts_.devices()) {
        if (!device.not_observed.empty() &&
            device.not_observed[0].end <= trace_.ts_ns[device.work.front()])
          begin = std::max(begin, device.not_observed[0].end);
      }
      steps_.Add({columns.number = std::int64_t{0},
                  columns.begin_ns = SaturatingAdd(trace_.meta.base_ns, begin),
                  columns.end_ns = SaturatingAdd(trace_.meta.base_ns, trace_.finish_ns),
                  columns.complete = true, columns.follows_host = facts_.devices().empty(),
                  columns.phase = static_cast<std::int64_t>(StepPhase::kNone)});
    }
    // Where no thread is known to drive the devices, their work ends the steps.
    const bool has_host = std::any_of(graph_.segments.begin(), graph_.segments.end(),
                                      [](const Segment& segment) { return !segment.on_device(); });
    const bool follows_host = steps.follows_host && (has_host || facts_.devices().empty());
    for (std::size_t i = 0; i < trace_.steps.size(); ++i)
      steps_.Add(
          {columns.number = trace_.steps[i].number,
           columns.begin_ns = SaturatingAdd(trace_.meta.base_ns, steps.steps[i].window.begin),
           columns.end_ns = SaturatingAdd(trace_.meta.base_ns, steps.steps[i].window.end),
           columns.complete = steps.steps[i].complete, columns.follows_host = follows_host,
           columns.phase = static_cast<std::int64_t>(trace_.steps[i].phase)});
  }

  const TraceFacts& facts_;
  const RankTrace& trace_;
  const DependencyGraph& graph_;
  const ModelledOps ops_;
  const Windows windows_;
  const LaunchParts parts_;
  std::vector<std::uint8_t> is_optimizer_;              // by name
  const std::vector<std::uint8_t>& recomputed_;         // by row; empty: none is
  boost::unordered_flat_map<Row, MainKernels> owners_;  // of ops with a cost
  HostWork host_;
  TableOf<NodeKindPartial> kinds_;
  TableOf<NodePartial> nodes_;
  TableOf<NodeEdgePartial> edges_;
  TableOf<NodeStepPartial> steps_;
  TableOf<NodeSitePartial> sites_;
  std::optional<CodePlaces> code_;           // of traces with frames
  std::vector<Row> anchor_;                  // of host segments
  std::vector<bool> waits_behind_;           // host segments
  std::vector<Slice> slices_;                // of the segment that is sliced
  std::vector<std::deque<Piece>> pieces_;    // by track, in the order of its segments
  std::vector<std::uint32_t> piece_count_;   // of segments
  std::vector<std::uint32_t> first_, last_;  // nodes of each segment
  boost::unordered_flat_map<std::string, std::uint32_t> kind_of_;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> host_kinds_;
  boost::unordered_flat_map<std::tuple<StringId, StringId, StringId, StringId, std::uint8_t,
                                       std::uint8_t, std::uint32_t, std::uint64_t, bool>,
                            std::uint32_t>
      work_kinds_;
  boost::unordered_flat_map<std::uint64_t, std::uint64_t> occurrences_;
};

std::vector<Table> Map(const TraceFacts& facts, const MapOptions&) {
  return NodesOfTrace(facts).Run();
}

}  // namespace

const Mapper& NodesMapper() {
  static const Mapper kMapper = {
      .name = "replay_nodes",
      .version = 17,
      .tables = {SchemaOf<NodeKindPartial>().BareColumns(), SchemaOf<NodePartial>().BareColumns(),
                 SchemaOf<NodeEdgePartial>().BareColumns(),
                 SchemaOf<NodeStepPartial>().BareColumns(),
                 SchemaOf<NodeSitePartial>().BareColumns()},
      .uses = {kGraphComponent, kOpCostComponent},
      .map = Map,
      .is_large = true,
  };
  return kMapper;
}

}  // namespace rankscope
