#include "analysis/ops/analyses.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <limits>
#include <map>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "base/saturating.h"
#include "facts/device_time.h"
#include "facts/places/code_places.h"
#include "facts/places/phase_times.h"
#include "facts/trace_facts.h"
#include "facts/window_pieces.h"
#include "facts/windows.h"
#include "schemas/work.h"
#include "stage/reducer.h"
#include "table/move_tables.h"
#include "trace/call_tree.h"
#include "trace/stack_tree.h"

namespace rankscope {
namespace {

constexpr std::uint32_t kNoNode = UINT32_MAX;
constexpr std::uint32_t kMostLevels = 64;
constexpr std::string_view kStepMark = "ProfilerStep";

// Parts in the order of their numbers: work by its class, idle time by its cause, and the rest.
constexpr std::string_view kPartNames[] = {"compute",      "exposed_communication",
                                           "exposed_copy", "idle_host",
                                           "idle_data",    "idle_sync",
                                           "idle_launch",  "idle_gap",
                                           "idle_stream",  "unknown",
                                           "not_observed", kHostWork};
constexpr std::uint8_t kFirstIdle = kWorkClassCount;
constexpr std::uint8_t kNotObservedPart = kFirstIdle + kIdleCauseCount;
constexpr std::uint8_t kHostPart = kNotObservedPart + 1;
static_assert(std::size(kPartNames) == kHostPart + 1);

// What tells the rows of a window apart. All but `name` is where in the program.
struct StepWorkPlace {
  std::uint8_t part = 0;
  std::uint8_t phase = kPhaseCount;  // a HostPhase; kPhaseCount: no call is known
  std::uint8_t kernel_class = kKernelClassCount;
  std::uint32_t node = kNoNode;  // of the path
  std::uint32_t module = CodePlaces::kNone;
  StringId shapes = kEmptyString;
  StringId name = kEmptyString;
  friend bool operator==(const StepWorkPlace&, const StepWorkPlace&) = default;
  friend std::size_t hash_value(const StepWorkPlace& place) {
    std::uint64_t hash = std::uint64_t{place.node} << 32 | place.module;
    hash = (hash ^ (std::uint64_t{place.shapes} << 32 | place.name)) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 31;
    return static_cast<std::size_t>(
        (hash ^ (place.part << 16U | place.phase << 8U | place.kernel_class)) * 0xD6E8FEB86659FD93);
  }
};

struct StepWorkSum {
  std::int64_t count = 0;
  std::int64_t duration_ns = 0;
  std::int64_t busy_ns = 0;
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();

  void Add(const StepWorkSum& other) {
    AddSaturating(count, other.count);
    AddSaturating(duration_ns, other.duration_ns);
    AddSaturating(busy_ns, other.busy_ns);
    first_ns = std::min(first_ns, other.first_ns);
  }
};

// How long behind the begin of its window; work may begin before that of the step that launched it.
std::int64_t Behind(const Window& window, std::int64_t t) {
  return std::max<std::int64_t>(SaturatingSubtract(t, window.intervals.front().begin), 0);
}

bool IsIn(const IntervalSet& set, std::int64_t t) {
  const auto next = std::upper_bound(
      set.begin(), set.end(), t, [](std::int64_t at, const Interval& i) { return at < i.begin; });
  return next != set.begin() && t < std::prev(next)->end;
}

// Where host rows stand: frames by name, levels of them merged, with the inputs of the innermost
// op.
class HostPlaces {
 public:
  explicit HostPlaces(const TraceFacts& facts, const Windows& host)
      : trace_(facts.trace()),
        frames_(trace_, [this](Row row) { return IsFrame(row); }),
        code_(trace_),
        phases_(PhaseTimes(facts, host)) {
    node_of_frame_.reserve(frames_.size());
    shapes_of_frame_.reserve(frames_.size());
    for (std::uint32_t frame = 0; frame < frames_.size(); ++frame) {
      const std::uint32_t around = frames_.around(frame);
      const bool is_top = around == FrameTree::kNone;
      const Row row = frames_.row(frame);
      StringId shapes = is_top ? kEmptyString : shapes_of_frame_[around];
      if (trace_.kind[row] == EventKind::kCpuOp && trace_.aux[row] != kNoAux &&
          trace_.ops[trace_.aux[row]].input_dims != kEmptyString)
        shapes = trace_.ops[trace_.aux[row]].input_dims;
      shapes_of_frame_.push_back(shapes);
      node_of_frame_.push_back(NodeOf(is_top ? kNoNode : node_of_frame_[around], trace_.name[row]));
    }
  }

  const FrameTree& frames() const { return frames_; }

  // The place of a call on the host, without what it launches.
  StepWorkPlace At(Row row) {
    StepWorkPlace place;
    if (row == kNoRow) return place;
    const std::uint32_t frame = frames_.at(row);
    if (frame != FrameTree::kNone) {
      place.node = node_of_frame_[frame];
      place.shapes = shapes_of_frame_[frame];
    }
    place.phase = PhaseAt(trace_.ts_ns[row]);
    place.module = code_.At(row);
    if (place.module != CodePlaces::kNone) place.module = ModuleOf(place.module);
    return place;
  }

  std::string PathText(std::uint32_t node) const {
    std::vector<std::uint32_t> up;
    for (; node != kNoNode; node = nodes_[node].around) up.push_back(node);
    std::string text;
    for (auto level = up.rbegin(); level != up.rend(); ++level) {
      if (!text.empty()) text += StepWork::kBetween;
      text += StackFrameName(trace_.strings.Get(nodes_[*level].name));
    }
    return text;
  }
  // Of a Place::module.
  std::string_view ModuleText(std::uint32_t module) const {
    return module == CodePlaces::kNone ? std::string_view() : modules_[module];
  }

 private:
  struct Node {
    std::uint32_t around = kNoNode;
    StringId name = kEmptyString;
    std::uint32_t level = 0;
  };

  bool IsFrame(Row row) const {
    const EventKind kind = trace_.kind[row];
    if (kind == EventKind::kCpuOp) return true;
    // The mark of a step is no place in the program, and is on one of its threads alone.
    return kind == EventKind::kUserAnnotation && !trace_.name_of(row).starts_with(kStepMark);
  }

  // Deeper frames count with the one around them.
  std::uint32_t NodeOf(std::uint32_t around, StringId name) {
    const std::uint32_t level = around == kNoNode ? 0 : nodes_[around].level + 1;
    if (level >= kMostLevels) return around;
    const auto [place, is_new] =
        known_.emplace(std::pair(around, name), static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) nodes_.push_back({around, name, level});
    return place->second;
  }

  std::uint8_t PhaseAt(std::int64_t t) const {
    for (std::uint8_t phase = 0; phase < kPhaseCount; ++phase) {
      if (IsIn(phases_[phase], t)) return phase;
    }
    return static_cast<std::uint8_t>(HostPhase::kOther);
  }

  // Places of code differ in lines, too; modules are what is asked for here.
  std::uint32_t ModuleOf(std::uint32_t code_place) {
    const std::string& module = code_.places()[code_place].module;
    if (module.empty()) return CodePlaces::kNone;
    const auto [place, is_new] =
        number_of_module_.emplace(module, static_cast<std::uint32_t>(modules_.size()));
    if (is_new) modules_.push_back(module);
    return place->second;
  }

  const RankTrace& trace_;
  FrameTree frames_;
  CodePlaces code_;
  std::array<IntervalSet, kPhaseCount> phases_;
  std::vector<Node> nodes_;
  boost::unordered_flat_map<std::pair<std::uint32_t, StringId>, std::uint32_t> known_;
  std::vector<std::uint32_t> node_of_frame_;
  std::vector<StringId> shapes_of_frame_;
  std::vector<std::string> modules_;
  std::map<std::string, std::uint32_t> number_of_module_;
};

// Calls charge(work index, its time): every busy instant of a device once, to the first of compute,
// communication and copies, and of these to the one that began first. In the order of time.
template <typename Charge>
void ChargeBusy(const TraceFacts& facts, const DeviceTime& device, const Charge& charge) {
  const RankTrace& trace = facts.trace();
  using Running = std::pair<WorkClass, std::size_t>;
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running;
  std::int64_t now = 0;
  const auto run_until = [&](std::int64_t t) {
    while (!running.empty() && now < t) {
      const std::size_t work = running.top().second;
      const std::int64_t end = trace.end_ns(device.work[work]);
      if (end <= now) {
        running.pop();
        continue;
      }
      const std::int64_t until = std::min(end, t);
      charge(work, Interval{now, until});
      now = until;
    }
  };
  for (std::size_t work = 0; work < device.work.size(); ++work) {
    const Row row = device.work[work];
    if (trace.dur_ns[row] <= 0) continue;
    run_until(trace.ts_ns[row]);
    now = trace.ts_ns[row];
    running.push({facts.classes().Of(row), work});
  }
  run_until(std::numeric_limits<std::int64_t>::max());
}

// The sums of a capture: of every place in every window, which are known by their step and by
// whether they are complete.
class StepWorkSums {
 public:
  StepWorkSum& Of(const Window& window, const StepWorkPlace& place) {
    const auto [found, is_new] =
        places_.emplace(place, static_cast<std::uint32_t>(place_list_.size()));
    if (is_new) place_list_.push_back(place);
    return sums_[{window.step, window.complete, found->second}];
  }

  std::vector<Table> Tables(const RankTrace& trace, const HostPlaces& host) const;

 private:
  using Key = std::tuple<std::optional<std::int64_t>, bool, std::uint32_t>;
  boost::unordered_flat_map<StepWorkPlace, std::uint32_t> places_;
  std::vector<StepWorkPlace> place_list_;
  std::map<Key, StepWorkSum> sums_;
};

void AddDevice(const TraceFacts& facts, const DeviceTime& device, const Windows& windows,
               HostPlaces& host, StepWorkSums& sums) {
  const RankTrace& trace = facts.trace();
  std::vector<StepWorkPlace> places;
  places.reserve(device.work.size());
  std::vector<std::int64_t> begins;
  begins.reserve(device.work.size());
  for (const Row row : device.work) {
    StepWorkPlace place = host.At(trace.link[row]);
    begins.push_back(trace.ts_ns[row]);
    place.part = static_cast<std::uint8_t>(facts.classes().Of(row));
    place.kernel_class = static_cast<std::uint8_t>(facts.classes().ClassOf(row));
    place.name = trace.name[row];
    places.push_back(place);
    const std::size_t window = windows.OfWork(row);
    if (window == Windows::kNone || !windows[window].HasExtent()) continue;
    StepWorkSum& sum = sums.Of(windows[window], place);
    sum.Add({.count = 1,
             .duration_ns = 0,
             .busy_ns = std::max<std::int64_t>(trace.dur_ns[row], 0),
             .first_ns = Behind(windows[window], trace.ts_ns[row])});
  }
  WindowPieces pieces(windows);
  ChargeBusy(facts, device, [&](std::size_t work, Interval span) {
    pieces.Divide(span, [&](std::size_t window, std::int64_t length) {
      AddSaturating(sums.Of(windows[window], places[work]).duration_ns, length);
    });
  });
  // Idle time belongs to the place of the work that ended it.
  const auto add_gaps = [&](const IntervalSet& gaps, std::uint8_t part, bool has_place) {
    WindowPieces of_gaps(windows);
    for (const Interval& gap : gaps) {
      const auto next = std::lower_bound(begins.begin(), begins.end(), gap.begin);
      StepWorkPlace place;
      if (has_place && next != begins.end())
        place = places[static_cast<std::size_t>(next - begins.begin())];
      place.part = part;
      place.kernel_class = kKernelClassCount;
      place.name = kEmptyString;
      std::int64_t count = 1;  // a gap counts where it begins
      of_gaps.DivideInPlace(gap, [&](std::size_t window, Interval piece) {
        sums.Of(windows[window], place)
            .Add({.count = std::exchange(count, 0),
                  .duration_ns = piece.end - piece.begin,
                  .busy_ns = 0,
                  .first_ns = Behind(windows[window], piece.begin)});
      });
    }
  };
  for (std::uint8_t cause = 0; cause < kIdleCauseCount; ++cause)
    add_gaps(device.idle[cause], kFirstIdle + cause, true);
  add_gaps(device.not_observed, kNotObservedPart, false);
}

void AddHost(const RankTrace& trace, const Windows& windows, HostPlaces& host, StepWorkSums& sums) {
  for (std::uint32_t frame = 0; frame < host.frames().size(); ++frame) {
    const Row row = host.frames().row(frame);
    const std::size_t window = windows.At(trace.ts_ns[row]);
    if (window == Windows::kNone || !windows[window].HasExtent()) continue;
    StepWorkPlace place = host.At(row);
    place.part = kHostPart;
    sums.Of(windows[window], place)
        .Add({.count = 1,
              .duration_ns = host.frames().self_ns(frame),
              .busy_ns = 0,
              .first_ns = Behind(windows[window], trace.ts_ns[row])});
  }
}

struct PlacePartial : Schema<PlacePartial> {
  IntColumn part = Int("part");
  IntColumn phase = Int("phase");
  IntColumn kernel_class = Int("kernel_class");
  StringColumn module = Text("module");
  StringColumn path = Text("path");
  StringColumn shapes = Text("shapes");
  StringColumn name = Text("name");
};
struct SumPartial : Schema<SumPartial> {
  IntColumn step = Int("step");
  FlagColumn complete = Flag("complete");
  IntColumn place = Int("place", "", "row of PlacePartial");
  IntColumn count = Int("count");
  IntColumn duration_ns = Int("duration_ns", "ns");
  IntColumn busy_ns = Int("busy_ns", "ns");
  IntColumn first_ns = Int("first_ns", "ns");
};

std::vector<Table> StepWorkSums::Tables(const RankTrace& trace, const HostPlaces& host) const {
  const auto& of_place = SchemaOf<PlacePartial>();
  auto places = of_place.NewPartial("places");
  std::map<std::uint32_t, std::string> paths;
  for (const StepWorkPlace& place : place_list_) {
    const auto [path, is_new] = paths.try_emplace(place.node);
    if (is_new && place.node != kNoNode) path->second = host.PathText(place.node);
    places.Add({of_place.part = place.part, of_place.phase = place.phase,
                of_place.kernel_class = place.kernel_class,
                of_place.module = host.ModuleText(place.module), of_place.path = path->second,
                of_place.shapes = trace.strings.Get(place.shapes),
                of_place.name = trace.strings.Get(place.name)});
  }
  const auto& of_sum = SchemaOf<SumPartial>();
  auto sums = of_sum.NewPartial("sums");
  for (const auto& [key, sum] : sums_) {
    const auto& [step, complete, place] = key;
    sums.Add({of_sum.step = step, of_sum.complete = complete, of_sum.place = place,
              of_sum.count = sum.count, of_sum.duration_ns = sum.duration_ns,
              of_sum.busy_ns = sum.busy_ns, of_sum.first_ns = sum.first_ns});
  }
  return MoveTables(std::move(places), std::move(sums));
}

std::vector<Table> MapStepWork(const TraceFacts& facts, const MapOptions& options) {
  const Windows of_host = Windows::OfHost(facts, options.steps);
  HostPlaces host(facts, of_host);
  StepWorkSums sums;
  for (const DeviceTime& device : facts.devices())
    AddDevice(facts, device, Windows::OfDevice(facts, device, options.steps), host, sums);
  AddHost(facts.trace(), of_host, host, sums);
  return sums.Tables(facts.trace(), host);
}

// Places of all ranks by their texts.
using PlaceTexts = std::tuple<std::int64_t, std::int64_t, std::string, std::string, std::string,
                              std::string, std::int64_t>;

struct StepWorkState {
  explicit StepWorkState(const Options& options) : by_rank(CountOption(options, "ranks") != 0) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    const auto& of_place = SchemaOf<PlacePartial>();
    const auto& of_sum = SchemaOf<SumPartial>();
    const ViewOf<PlacePartial> places = tables[0];
    const ViewOf<SumPartial> rows = tables[1];
    std::vector<std::map<PlaceTexts, Windows>::iterator> known;
    known.reserve(places.row_count());
    for (std::size_t row = 0; row < places.row_count(); ++row) {
      const std::int64_t part = places.Int(row, of_place.part);
      const std::int64_t phase = places.Int(row, of_place.phase);
      const std::int64_t kernel_class = places.Int(row, of_place.kernel_class);
      // Only work has a class.
      const std::int64_t last_class = part < kFirstIdle ? kKernelClassCount - 1 : kKernelClassCount;
      if (part < 0 || part > kHostPart || phase < 0 || phase > kPhaseCount || kernel_class < 0 ||
          kernel_class > last_class)
        return Damaged();
      PlaceTexts texts{part,
                       phase,
                       places.String(row, of_place.module),
                       places.String(row, of_place.path),
                       places.String(row, of_place.shapes),
                       places.String(row, of_place.name),
                       kernel_class};
      known.push_back(sums.try_emplace(std::move(texts)).first);
    }
    for (std::size_t row = 0; row < rows.row_count(); ++row) {
      const std::int64_t place = rows.Int(row, of_sum.place);
      if (place < 0 || place >= std::ssize(known)) return Damaged();
      known[static_cast<std::size_t>(place)]
          ->second[{capture.group, rows.Known(row, of_sum.step),
                    by_rank ? std::optional(capture.rank) : std::nullopt,
                    rows.Bool(row, of_sum.complete)}]
          .Add({.count = rows.Int(row, of_sum.count),
                .duration_ns = rows.Int(row, of_sum.duration_ns),
                .busy_ns = rows.Int(row, of_sum.busy_ns),
                .first_ns = rows.Int(row, of_sum.first_ns)});
    }
    return OkStatus();
  }
  void Merge(StepWorkState&& other) {
    for (auto& [place, windows] : other.sums) {
      auto& mine = sums[place];
      for (const auto& [window, sum] : windows) mine[window].Add(sum);
    }
  }
  Result<Table> Finish(const JobContext&) {
    const auto& columns = SchemaOf<StepWork>();
    auto table = columns.NewTable(std::string(StepWork::kName));
    const auto text = [](std::string_view value) {
      return value.empty() ? Value(kNull) : Value(value);
    };
    for (const auto& [place, windows] : sums) {
      const auto& [part, phase, module, path, shapes, name, kernel_class] = place;
      const bool is_work = part < kFirstIdle;
      for (const auto& [window, sum] : windows) {
        const auto& [group, step, rank, complete] = window;
        table.Add(
            {columns.group = group, columns.step = step, columns.rank = rank,
             columns.complete = complete, columns.part = kPartNames[static_cast<std::size_t>(part)],
             columns.phase = phase == kPhaseCount ? Value(kNull)
                                                  : Value(ToString(static_cast<HostPhase>(phase))),
             columns.module = text(module), columns.path = text(path),
             columns.shapes = text(shapes), columns.name = is_work ? Value(name) : Value(kNull),
             columns.class_ =
                 is_work ? Value(ToString(static_cast<KernelClass>(kernel_class))) : Value(kNull),
             columns.count = sum.count, columns.duration_ns = sum.duration_ns,
             columns.busy_ns = is_work ? Value(sum.busy_ns) : Value(kNull),
             columns.first_ns = sum.count == 0 ? Value(kNull) : Value(sum.first_ns)});
      }
    }
    table.SortBy({{columns.group, false},
                  {columns.step, false},
                  {columns.rank, false},
                  {columns.duration_ns, true}});
    return table;
  }

 private:
  using WindowKey = std::tuple<std::int64_t, std::optional<std::int64_t>,
                               std::optional<std::int64_t>, bool>;  // group, step, rank, complete
  using Windows = std::map<WindowKey, StepWorkSum>;

  static Status Damaged() {
    return Error(StatusCode::kBadData, "a cached partial of step_work is damaged");
  }

  bool by_rank = false;
  std::map<PlaceTexts, Windows> sums;
};

}  // namespace

const Analysis& StepWorkAnalysis() {
  static const Analysis kAnalysis = {
      .name = "step_work",
      .size = Size::kDetail,
      .summary = "the time of devices by place in the program: phase, module, op, shapes, kernel",
      .definition =
          "Every window of every device (time_breakdown) is divided without remainder, and the "
          "rows of a window add up to it: busy time among kernels, where of work at once the "
          "instant belongs to the first of compute, communication and copies, and among these to "
          "the one that began first; idle time by its cause, with the place of the work that "
          "ended it. A place is the phase, the classes of the modules, the annotations and ops "
          "around the launching call, and the shapes of the inputs of the innermost op that "
          "states any; the marks of steps, numbers of module instances and addresses are left "
          "out. Counts and busy_ns belong to the step that launched the work. Rows with the part "
          "host are the time of host threads, of every instant the innermost annotation or op, by "
          "the host's windows; they are in no sum of device time. All ranks are added up, unless "
          "ranks is 1. What rankscope diff compares.",
      .example = "rankscope table step_work traces/ --steps 12",
      .columns = SchemaOf<StepWork>().columns(),
      .options = {{"ranks", "0", "1: rows of their own for every rank", OptionType::kCount}},
      .mapper = {.name = "step_work",
                 .version = 3,
                 .tables = {SchemaOf<PlacePartial>().BareColumns(),
                            SchemaOf<SumPartial>().BareColumns()},
                 .map = MapStepWork},
      .reducer = ReduceBy<StepWorkState>(),
  };
  return kAnalysis;
}

}  // namespace rankscope
