#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/across/analyses.h"
#include "base/saturating.h"
#include "facts/places/work_places.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "schemas/across.h"
#include "stage/reducer.h"
#include "statistics/statistics.h"
#include "table/move_tables.h"
#include "table/or_null.h"

namespace rankscope {
namespace {

// Of one rank; empty texts are unknown.
struct GroupPartial : Schema<GroupPartial> {
  StringColumn group = Text("group");
  StringColumn op = Text("op");
  IntColumn count = Int("count");
  IntColumn total_ns = Int("total_ns", "ns");
  IntColumn exposed_ns = Int("exposed_ns", "ns");
};

struct ExposedByGroupSum {
  std::int64_t count = 0;
  std::int64_t total_ns = 0;
  std::int64_t exposed_ns = 0;
  std::set<std::int64_t> ranks;

  void Add(const ExposedByGroupSum& other) {
    AddSaturating(count, other.count);
    AddSaturating(total_ns, other.total_ns);
    AddSaturating(exposed_ns, other.exposed_ns);
    ranks.insert(other.ranks.begin(), other.ranks.end());
  }
};

using ExposedByGroupKey = std::pair<std::string, std::string>;  // group, op
using ExposedByGroupSums = std::map<ExposedByGroupKey, ExposedByGroupSum>;

// What the collective calls itself; of a kernel that states none, the kernel's name.
std::string_view OpOf(const RankTrace& trace, Row kernel) {
  if (trace.kind[kernel] == EventKind::kKernel && trace.aux[kernel] != kNoAux) {
    const std::uint32_t index = trace.kernels[trace.aux[kernel]].collective;
    if (index != kNoAux && trace.collectives[index].name != kEmptyString)
      return trace.strings.Get(trace.collectives[index].name);
  }
  return trace.name_of(kernel);
}

// Every exposed instant belongs to the communication that began first of what runs then.
void AddDevice(const TraceFacts& facts, const DeviceTime& device, const StepFilter& steps,
               ExposedByGroupSums& sums) {
  const RankTrace& trace = facts.trace();
  const Windows windows = Windows::OfDevice(facts, device, steps);
  IntervalSet wanted;
  for (const Window& window : windows) wanted = Unite(wanted, window.intervals);
  const IntervalSet exposed = Intersect(device.exposed_communication, wanted);
  std::int64_t taken = INT64_MIN;
  for (const Row work : device.work) {
    if (facts.classes().Of(work) != WorkClass::kCommunication) continue;
    const std::int64_t begin = std::max(taken, trace.ts_ns[work]);
    const std::int64_t end = std::max(trace.end_ns(work), begin);
    taken = std::max(taken, end);
    const ExposedByGroupSum one = {windows.OfWork(work) == Windows::kNone ? 0 : 1,
                                   Total(Clip(wanted, {trace.ts_ns[work], trace.end_ns(work)})),
                                   Total(Clip(exposed, {begin, end})),
                                   {}};
    if (one.count == 0 && one.total_ns == 0) continue;
    const std::string_view group = trace.strings.Get(ProcessGroupOf(trace, work));
    sums[{std::string(group), std::string(OpOf(trace, work))}].Add(one);
  }
}

std::vector<Table> MapExposedByGroup(const TraceFacts& facts, const MapOptions& options) {
  ExposedByGroupSums sums;
  for (const DeviceTime& device : facts.devices()) AddDevice(facts, device, options.steps, sums);
  const auto& columns = SchemaOf<GroupPartial>();
  auto table = columns.NewPartial("exposed_by_group");
  for (const auto& [key, sum] : sums) {
    table.Add({columns.group = key.first, columns.op = key.second, columns.count = sum.count,
               columns.total_ns = sum.total_ns, columns.exposed_ns = sum.exposed_ns});
  }
  return MoveTables(std::move(table));
}

struct ExposedByGroupState {
  explicit ExposedByGroupState(const Options&) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    const ViewOf<GroupPartial> table = tables.front();
    const auto& columns = SchemaOf<GroupPartial>();
    for (std::size_t row = 0; row < table.row_count(); ++row) {
      sums[{std::string(table.String(row, columns.group)),
            std::string(table.String(row, columns.op))}]
          .Add({table.Int(row, columns.count),
                table.Int(row, columns.total_ns),
                table.Int(row, columns.exposed_ns),
                {capture.rank}});
    }
    return OkStatus();
  }

  void Merge(ExposedByGroupState&& other) {
    for (const auto& [key, sum] : other.sums) sums[key].Add(sum);
  }

  Result<Table> Finish(const JobContext&) {
    std::int64_t all_ns = 0;
    for (const auto& [key, sum] : sums) AddSaturating(all_ns, sum.exposed_ns);
    const auto& columns = SchemaOf<ExposedByGroup>();
    auto table = columns.NewTable(std::string(ExposedByGroup::kName));
    for (const auto& [key, sum] : sums) {
      table.Add({columns.group = TextOrNull(key.first), columns.op = key.second,
                 columns.ranks = static_cast<std::int64_t>(sum.ranks.size()),
                 columns.count = sum.count, columns.total_ns = sum.total_ns,
                 columns.exposed_ns = sum.exposed_ns,
                 columns.share_pct = Percent(sum.exposed_ns, all_ns),
                 columns.exposed_pct = Percent(sum.exposed_ns, sum.total_ns)});
    }
    table.SortBy({{columns.exposed_ns, true}, {columns.group}, {columns.op}});
    return table;
  }

  ExposedByGroupSums sums;
};

}  // namespace

const Analysis& ExposedByGroupAnalysis() {
  static const Analysis kAnalysis = {
      .name = std::string(ExposedByGroup::kName),
      .size = Size::kDetail,
      .summary = "communication that computing does not hide, by process group and op",
      .definition =
          "Exposed communication as in time_breakdown, of all ranks together, by the process group "
          "(as described, else its name) and the collective's name. Of communication at once an "
          "exposed instant belongs to what began first, so the rows sum to all exposed "
          "communication. count and total_ns are of what the chosen steps launched; exposed_ns "
          "lies "
          "in the devices' windows.",
      .example = "rankscope table exposed_by_group traces/",
      .columns = SchemaOf<ExposedByGroup>().columns(),
      .mapper = {.name = "exposed_by_group",
                 .tables = {SchemaOf<GroupPartial>().BareColumns()},
                 .map = MapExposedByGroup},
      .reducer = ReduceBy<ExposedByGroupState>(),
  };
  return kAnalysis;
}

}  // namespace rankscope
