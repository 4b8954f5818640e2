// critical_path_ops and critical_path_modules: the path by cause and by whose work it is.
#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/critical_path/analyses.h"
#include "analysis/ops/frame_sums.h"
#include "base/saturating.h"
#include "facts/path_charges.h"
#include "facts/places/forward_ops.h"
#include "facts/places/module_paths.h"
#include "facts/window_pieces.h"
#include "facts/windows.h"
#include "schemas/columns.h"
#include "schemas/words.h"
#include "stage/reducer.h"
#include "statistics/statistics.h"
#include "table/move_tables.h"
#include "table/schema.h"
#include "trace/call_tree.h"

namespace rankscope {
namespace {

constexpr std::uint32_t kNoGroup = UINT32_MAX;

struct PathSumPartial : Schema<PathSumPartial> {
  StringColumn part = Text("part");
  StringColumn name = Text("name", "of the op or module");
  IntColumn time_ns = Int("time_ns", "ns");
  IntColumn parts = Int("parts", "", "stretches of the path");
};

struct PathStepsPartial : Schema<PathStepsPartial> {
  IntColumn complete =
      Int("complete", "", "complete steps; 0: the sums are of the whole recording");
};

// The table: the path by cause and by what `name` is.
struct PathSums : Schema<PathSums> {
  StringColumn part =
      Text("part",
           "host, data_loading, launch, kernel_gap, compute, communication, copy or "
           "unexplained (critical_path)");
  StringColumn name;
  IntColumn ranks = Int("ranks", "", "ranks on whose path it is");
  IntColumn time_ns =
      Int("time_ns", "ns", "time on the critical paths of all ranks, in complete steps");
  RealColumn share_pct =
      Real("share_pct", "%", "time_ns as a part of the critical paths of all ranks");
  IntColumn parts = Int("parts", "", "stretches of the paths");
  IntColumn most_rank = Int("most_rank", "", "the rank on whose path it takes the most time");
  IntColumn most_ns = Int("most_ns", "ns", "that rank's time");

 protected:
  PathSums(const std::string& what, const std::string& doc) : name(Text(what, doc)) {}
};

struct CriticalPathOps : Schema<CriticalPathOps, PathSums> {
  static constexpr std::string_view kName = "critical_path_ops";

  CriticalPathOps()
      : Schema("op", "name of the op; (no op): no op is open, or nothing is known to be launched") {
  }
};

struct CriticalPathModules : Schema<CriticalPathModules, PathSums> {
  static constexpr std::string_view kName = "critical_path_modules";

  CriticalPathModules() : Schema("module", "path of the module, as in modules") {}
};

struct PathSum {
  std::int64_t time_ns = 0;
  std::int64_t parts = 0;

  void Add(const PathSum& other) {
    AddSaturating(time_ns, other.time_ns);
    AddSaturating(parts, other.parts);
  }
};

// Sums over groups, which the analyses make of the host row of a charge.
class GroupSums {
 public:
  void Add(ChargeCause cause, std::uint32_t group, std::int64_t length) {
    PathSum& sum = sums_[std::uint64_t{group} << 8 | static_cast<std::uint64_t>(cause)];
    sum.time_ns += length;
    ++sum.parts;
  }

  // Rows (cause, name, time_ns, parts): the `most` longest, and one for the rest of each cause.
  template <typename NameOf>
  Table Rows(std::int64_t most, std::string_view none, const NameOf& name_of) const {
    std::vector<std::pair<std::uint64_t, PathSum>> sorted(sums_.begin(), sums_.end());
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
      return a.second.time_ns != b.second.time_ns ? a.second.time_ns > b.second.time_ns
                                                  : a.first < b.first;
    });
    const auto& columns = SchemaOf<PathSumPartial>();
    auto table = columns.NewPartial("path_sums");
    const auto add = [&](std::size_t cause, std::string_view name, const PathSum& sum) {
      table.Add({columns.part = kPathParts[cause].id, columns.name = name,
                 columns.time_ns = sum.time_ns, columns.parts = sum.parts});
    };
    std::array<PathSum, kChargeCauseCount> others;
    std::string text;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const auto cause = static_cast<std::size_t>(sorted[i].first & 0xFF);
      const auto group = static_cast<std::uint32_t>(sorted[i].first >> 8);
      const PathSum& sum = sorted[i].second;
      if (static_cast<std::int64_t>(i) >= most) {
        others[cause].time_ns += sum.time_ns;
        others[cause].parts += sum.parts;
        continue;
      }
      text = group == kNoGroup ? std::string(none) : name_of(group);
      add(cause, text, sum);
    }
    for (std::size_t cause = 0; cause < others.size(); ++cause) {
      if (others[cause].parts > 0) add(cause, kOtherFrames, others[cause]);
    }
    return table;
  }

 private:
  boost::unordered_flat_map<std::uint64_t, PathSum> sums_;
};

std::int64_t CompleteSteps(const TraceFacts& facts, const StepFilter& wanted) {
  const auto& steps = facts.trace().steps;
  std::int64_t complete = 0;
  for (std::size_t i = 0; i < steps.size(); ++i)
    complete += Wants(wanted, steps[i].number) && facts.rank_steps().steps[i].complete;
  return complete;
}

// Of the complete steps, of all windows where there is none. group_of(host row) is a group or
// kNoGroup.
template <typename GroupOf>
GroupSums SumPath(const TraceFacts& facts, const StepFilter& steps, const GroupOf& group_of) {
  const bool only_complete = CompleteSteps(facts, steps) > 0;
  const Windows windows = Windows::OfRank(facts, steps);
  const auto counts = [&](const Window& window) {
    return !only_complete || (window.step && window.complete);
  };
  WindowPieces pieces(windows);
  GroupSums sums;
  for (const Charge& charge : facts.path()) {
    const Row row = HostRowOf(facts.trace(), charge);
    const std::uint32_t group = row == kNoRow ? kNoGroup : group_of(row);
    std::int64_t inside = 0;
    pieces.Divide({charge.begin_ns, charge.end_ns}, [&](std::size_t window, std::int64_t length) {
      if (counts(windows[window])) inside += length;
    });
    if (inside > 0) sums.Add(charge.cause, group, inside);
  }
  return sums;
}

std::vector<Table> Partial(Table sums, const TraceFacts& facts, const MapOptions& options) {
  const auto& columns = SchemaOf<PathStepsPartial>();
  auto steps = columns.NewPartial("path_steps");
  steps.Add({columns.complete = CompleteSteps(facts, options.steps)});
  return MoveTables(std::move(sums), std::move(steps));
}

std::vector<Table> MapOps(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  const FrameTree ops(trace, [&](Row row) { return trace.kind[row] == EventKind::kCpuOp; });
  const GroupSums sums = SumPath(facts, options.steps, [&](Row row) {
    const std::uint32_t op = ops.at(row);
    return op == FrameTree::kNone ? kNoGroup : trace.name[ops.row(op)];
  });
  return Partial(
      sums.Rows(CountOption(options.values, "names"), kNoOp,
                [&](std::uint32_t name) { return std::string(trace.strings.Get(name)); }),
      facts, options);
}

std::vector<Table> MapModules(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  const FrameTree modules(trace, [&](Row row) { return IsModule(trace, row); });
  if (modules.size() == 0)
    return Partial(GroupSums().Rows(0, kNoModule, [](auto) { return ""; }), facts, options);
  const ModulePaths paths = ModulePathsOf(trace, modules);
  const std::vector<Row> forward = ForwardOpsOf(trace);
  const GroupSums sums = SumPath(facts, options.steps, [&](Row row) {
    std::uint32_t module = modules.at(row);
    if (module == FrameTree::kNone && !forward.empty() && forward[row] != kNoRow)
      module = modules.at(forward[row]);
    return module == FrameTree::kNone ? kNoGroup : paths.groups.of_frame[module];
  });
  return Partial(sums.Rows(CountOption(options.values, "names"), kNoModule,
                           [&](std::uint32_t path) { return ModulePathText(trace, paths, path); }),
                 facts, options);
}

// Of one cause and name, by rank.
struct SumOfRanks {
  std::map<std::int64_t, PathSum> of_rank;

  void Merge(const SumOfRanks& other) {
    for (const auto& [rank, sum] : other.of_rank) of_rank[rank].Add(sum);
  }
};

// Of all ranks, by cause and name.
struct JobSums {
  std::map<std::pair<std::string, std::string>, SumOfRanks> sums;

  void Add(std::int64_t rank, ViewOf<PathSumPartial> table) {
    const auto& columns = SchemaOf<PathSumPartial>();
    for (std::size_t row = 0; row < table.row_count(); ++row) {
      sums[{std::string(table.String(row, columns.part)),
            std::string(table.String(row, columns.name))}]
          .of_rank[rank]
          .Add({table.Int(row, columns.time_ns), table.Int(row, columns.parts)});
    }
  }
  void Merge(JobSums&& other) {
    sums.merge(other.sums);  // leaves those that are in both
    for (const auto& [key, sum] : other.sums) sums.at(key).Merge(sum);
  }
};

template <typename Rows>
struct SumsByNameState {
  explicit SumsByNameState(const Options& options) : top(CountOption(options, "top")) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    const auto& columns = SchemaOf<PathStepsPartial>();
    const ViewOf<PathStepsPartial> steps = tables[1];
    const bool is_complete = steps.row_count() > 0 && steps.Int(0, columns.complete) > 0;
    (is_complete ? complete : whole).Add(capture.rank, tables.front());
    if (is_complete) ranks_with_complete.insert(capture.rank);
    return OkStatus();
  }

  void Merge(SumsByNameState&& other) {
    complete.Merge(std::move(other.complete));
    whole.Merge(std::move(other.whole));
    ranks_with_complete.merge(other.ranks_with_complete);
  }

  Result<Table> Finish(const JobContext&) {
    for (auto& [key, sum] : whole.sums) {
      std::erase_if(sum.of_rank,
                    [&](const auto& entry) { return ranks_with_complete.contains(entry.first); });
    }
    complete.Merge(std::move(whole));
    std::int64_t all = 0;
    for (const auto& [key, sum] : complete.sums) {
      for (const auto& [rank, of_rank] : sum.of_rank) AddSaturating(all, of_rank.time_ns);
    }
    const auto& columns = SchemaOf<Rows>();
    auto table = columns.NewTable(std::string(Rows::kName));
    for (const auto& [key, sum] : complete.sums) {
      if (sum.of_rank.empty()) continue;
      PathSum of_all;
      for (const auto& [rank, of_rank] : sum.of_rank) of_all.Add(of_rank);
      const auto most = std::max_element(
          sum.of_rank.begin(), sum.of_rank.end(),
          [](const auto& a, const auto& b) { return a.second.time_ns < b.second.time_ns; });
      table.Add({columns.part = key.first, columns.name = key.second,
                 columns.ranks = static_cast<std::int64_t>(sum.of_rank.size()),
                 columns.time_ns = of_all.time_ns, columns.share_pct = Percent(of_all.time_ns, all),
                 columns.parts = of_all.parts, columns.most_rank = most->first,
                 columns.most_ns = most->second.time_ns});
    }
    table.SortBy({{columns.time_ns, true}, {columns.part}, {columns.name}});
    if (top > 0) table.Truncate(static_cast<std::size_t>(top));
    return table;
  }

  std::int64_t top = 0;
  // A rank counts with its complete steps, or with its recordings when none has any: as
  // CountedWindows says.
  JobSums complete, whole;
  std::set<std::int64_t> ranks_with_complete;
};

OptionSpec Names() { return {"names", "200", "so many rows per rank", OptionType::kCount}; }
OptionSpec Top() { return {"top", "0", "keep the longest rows; 0 = all", OptionType::kCount}; }

constexpr std::string_view kSums =
    " The complete steps of all ranks are summed, as in job_critical_path: of those asked for, and "
    "all of a rank's recording when it has none. Per rank the `names` longest rows are kept, the "
    "rest is (others).";

}  // namespace

const Analysis& CriticalPathOpsAnalysis() {
  static const Analysis kAnalysis = {
      .name = "critical_path_ops",
      .summary = "what decides how long the program runs, by cause and op",
      .definition =
          std::string(kPathDefinition) +
          " Device work, launches and gaps before device work count with the op that launched the "
          "work, host time with the innermost op that is open." +
          std::string(kSums),
      .example = "rankscope table critical_path_ops traces/ --set top=20",
      .columns = SchemaOf<CriticalPathOps>().columns(),
      .options = {Top()},
      .mapper = {.name = "critical_path_ops",
                 .version = 3,
                 .options = {Names()},
                 .tables = {SchemaOf<PathSumPartial>().BareColumns(),
                            SchemaOf<PathStepsPartial>().BareColumns()},
                 .map = MapOps},
      .reducer = ReduceBy<SumsByNameState<CriticalPathOps>>(),
  };
  return kAnalysis;
}

const Analysis& CriticalPathModulesAnalysis() {
  static const Analysis kAnalysis = {
      .name = "critical_path_modules",
      .summary = "what decides how long the program runs, by cause and nn.Module",
      .definition = std::string(kPathDefinition) +
                    " What lies in no module, but in a backward op that autograd's links join to "
                    "an op in one, counts with that module. Traces without modules have no rows." +
                    std::string(kSums),
      .example = "rankscope table critical_path_modules traces/ --set top=20",
      .columns = SchemaOf<CriticalPathModules>().columns(),
      .options = {Top()},
      .mapper = {.name = "critical_path_modules",
                 .version = 3,
                 .options = {Names()},
                 .tables = {SchemaOf<PathSumPartial>().BareColumns(),
                            SchemaOf<PathStepsPartial>().BareColumns()},
                 .map = MapModules},
      .reducer = ReduceBy<SumsByNameState<CriticalPathModules>>(),
  };
  return kAnalysis;
}

}  // namespace rankscope
