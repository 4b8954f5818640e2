#include "replay/recording/map_nodes.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/saturating.h"
#include "facts/places/code_places.h"
#include "facts/places/sampled_code.h"
#include "facts/trace_facts.h"
#include "replay/recording/host_pieces.h"
#include "replay/recording/node_kinds.h"
#include "replay/recording/node_partial.h"
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
        kinds_(facts),
        pieces_(facts),
        nodes_(SchemaOf<NodePartial>().NewPartial("nodes")),
        edges_(SchemaOf<NodeEdgePartial>().NewPartial("node_edges")),
        steps_(SchemaOf<NodeStepPartial>().NewPartial("node_steps")),
        sites_(SchemaOf<NodeSitePartial>().NewPartial("node_sites")) {
    if (HasPythonFrames(trace_)) code_.emplace(trace_);
    if (SampledCode sampled(trace_); !sampled.empty()) sampled_ = std::move(sampled);
  }

  std::vector<Table> Run() {
    FindAnchors();
    AddNodes();
    AddEdges();
    AddSteps();
    AddSites();
    return MoveTables(kinds_.Take(), std::move(nodes_), std::move(edges_), std::move(steps_),
                      std::move(sites_));
  }

 private:
  // The first work that a host segment launches at its end names its place in the program.
  void FindAnchors() {
    anchor_.assign(graph_.segments.size(), kNoRow);
    for (const Dependency& edge : graph_.dependencies) {
      if (edge.kind == DependencyKind::kLaunch && anchor_[edge.from] == kNoRow)
        anchor_[edge.from] = graph_.segments[edge.to].first_row;
    }
  }

  // Of a long piece its name, so that what one rank alone does stands at a place of its own.
  std::uint64_t NameKeyOf(const HostPiece& piece) const {
    if (piece.long_row == kNoRow) return 0;
    const std::string_view name = trace_.name_of(piece.long_row);
    return name.starts_with("ProfilerStep") ? 0 : XxhOf(NameWithoutNumbers(name));
  }

  // What has the same number here is the same on every rank, whatever its shapes.
  std::uint64_t ProgramKeyOf(Row work) {
    if (work == kNoRow) return 0;
    const Row op = kinds_.OpOf(work);
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
      AddNode({.kind = kinds_.OfDevice(row),
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
    of_segment_.clear();
    if (pieces_.CountOf(id) > 0) {
      pieces_.Take(id, segment.track,
                   [&](const HostPiece& piece) { of_segment_.push_back(piece); });
    } else {
      of_segment_.push_back({.begin = segment.begin_ns,
                             .end = segment.end_ns,
                             .step = StepOfCall(trace_, segment.begin_ns)});
    }
    const std::uint64_t anchor = ProgramKeyOf(anchor_[id]);
    for (std::size_t first = 0; first < of_segment_.size();) {
      std::size_t last = first;
      while (last < of_segment_.size() && of_segment_[last].step == of_segment_[first].step) ++last;
      before = AddPieces(std::span(of_segment_).subspan(first, last - first), anchor, segment.track,
                         before);
      first = last;
    }
  }

  // Of a segment, in one step. Returns the last node.
  //
  // Of those without a name that do the same work the longest has a place apart: what rounding
  // leaves between the last op of a range and its end is a piece in some steps and none in others,
  // and must not set what follows apart from its like.
  std::uint32_t AddPieces(std::span<const HostPiece> pieces, std::uint64_t anchor,
                          std::uint32_t track, std::uint32_t before) {
    std::array<const HostPiece*, kWorkCount> longest{};
    names_.clear();
    for (const HostPiece& piece : pieces) {
      names_.push_back(NameKeyOf(piece));
      const HostPiece*& most = longest[static_cast<std::size_t>(piece.work)];
      if (names_.back() == 0 &&
          (most == nullptr || piece.end - piece.begin > most->end - most->begin))
        most = &piece;
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const HostPiece& piece = pieces[i];
      const bool is_shorter =
          names_[i] == 0 && longest[static_cast<std::size_t>(piece.work)] != &piece;
      const std::uint64_t key = anchor ^ names_[i] ^ (is_shorter ? kShorter : 0);
      AddNode({.kind = kinds_.OfHost(piece.row, piece.work),
               .track = track,
               .previous = before,
               .begin = piece.begin,
               .duration = piece.end - piece.begin,
               .step = piece.step,
               .row = piece.row,
               .place = PlaceOf(key, piece.work, piece.step)});
      before = static_cast<std::uint32_t>(nodes_.row_count()) - 1;
    }
    return before;
  }

  static constexpr std::uint64_t kShorter = 0xA24BAED4963EE407ULL;

  // Of samples its function's string, of frames its number in CodePlaces.
  using Site = std::pair<bool, std::uint32_t>;

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
                columns.place = node.place, columns.site = SiteOf(node)});
  }

  // By the frames around it, else by the thread's samples.
  Value SiteOf(const NewNode& node) {
    const bool is_of_device = node.row != kNoRow && IsDeviceWork(trace_.kind[node.row]);
    const Row call = is_of_device ? trace_.link[node.row] : node.row;
    const std::uint32_t place = code_ && call != kNoRow ? code_->At(call) : CodePlaces::kNone;
    if (place != CodePlaces::kNone) return NumberOf({false, place});
    if (!sampled_ || is_of_device) return kNull;
    const StringId function = sampled_->At(trace_.tracks[node.track].second,
                                           {node.begin, SaturatingAdd(node.begin, node.duration)});
    return function == kEmptyString ? Value(kNull) : NumberOf({true, function});
  }

  Value NumberOf(const Site& site) {
    const auto [found, is_new] =
        site_numbers_.try_emplace(site, static_cast<std::uint32_t>(site_numbers_.size()));
    if (is_new) used_sites_.push_back(site);
    return std::int64_t{found->second};
  }

  void AddSites() {
    const auto& columns = SchemaOf<NodeSitePartial>();
    const auto text = [](std::string_view value) {
      return value.empty() ? Value(kNull) : Value(value);
    };
    for (const auto& [is_sampled, number] : used_sites_) {
      const CodePlace place =
          is_sampled ? CodePlace{.module = {}, .function = number} : code_->places()[number];
      sites_.Add({columns.module = text(place.module),
                  columns.function = text(trace_.strings.Get(place.function)),
                  columns.is_sampled = is_sampled});
    }
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
  NodeKinds kinds_;
  HostPieces pieces_;
  std::vector<HostPiece> of_segment_;  // the segment at hand
  std::vector<std::uint64_t> names_;   // of its pieces in a step
  TableOf<NodePartial> nodes_;
  TableOf<NodeEdgePartial> edges_;
  TableOf<NodeStepPartial> steps_;
  TableOf<NodeSitePartial> sites_;
  std::optional<CodePlaces> code_;      // of traces with frames
  std::optional<SampledCode> sampled_;  // of traces with samples
  std::map<Site, std::uint32_t> site_numbers_;
  std::vector<Site> used_sites_;             // by number
  std::vector<Row> anchor_;                  // of host segments
  std::vector<std::uint32_t> first_, last_;  // nodes of each segment
  boost::unordered_flat_map<std::uint64_t, std::uint64_t> occurrences_;
};

std::vector<Table> Map(const TraceFacts& facts, const MapOptions&) {
  return NodesOfTrace(facts).Run();
}

}  // namespace

const Mapper& NodesMapper() {
  static const Mapper kMapper = {
      .name = "replay_nodes",
      .version = 28,
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
