// exposed_by_rank: how the exposed communication of each rank divides, over its complete steps.
#include <map>
#include <set>
#include <utility>

#include "analysis/across/analyses.h"
#include "analysis/steps/analyses.h"
#include "analysis/steps/breakdown_parts.h"
#include "base/saturating.h"
#include "schemas/across.h"
#include "schemas/steps.h"
#include "statistics/statistics.h"

namespace rankscope {
namespace {

struct ExposedByRankSum {
  std::int64_t exposed_ns = 0;
  std::int64_t transfer_ns = 0;
  std::int64_t wait_ns = 0;

  void Add(const ExposedByRankSum& other) {
    AddSaturating(exposed_ns, other.exposed_ns);
    AddSaturating(transfer_ns, other.transfer_ns);
    AddSaturating(wait_ns, other.wait_ns);
  }
  std::int64_t unknown_ns() const { return exposed_ns - transfer_ns - wait_ns; }
};

// Of the devices of a rank, or of all.
struct DeviceTimes {
  std::int64_t whole_ns = 0;
  std::int64_t exposed_ns = 0;
};

// By rank; INT64_MAX stands for all together.
constexpr std::int64_t kAllRanks = INT64_MAX;

std::map<std::int64_t, DeviceTimes> TimesOfDevices(ViewOf<TimeBreakdown> breakdown,
                                                   ViewOf<StepTimes> steps) {
  constexpr std::size_t kExposed = 1;
  static_assert(kParts[kExposed].id == "exposed_communication");
  std::map<std::int64_t, DeviceTimes> times;
  for (const auto& [key, device] : SumBreakdown(breakdown, steps)) {
    for (const std::int64_t rank : {key.first, kAllRanks}) {
      AddSaturating(times[rank].whole_ns, device.duration_ns);
      AddSaturating(times[rank].exposed_ns, device.parts[kExposed]);
    }
  }
  return times;
}

// The complete steps of each rank that has any.
std::map<std::int64_t, std::set<std::int64_t>> CompleteSteps(ViewOf<StepTimes> steps) {
  const auto& columns = SchemaOf<StepTimes>();
  std::map<std::int64_t, std::set<std::int64_t>> complete;
  for (std::size_t row = 0; row < steps.row_count(); ++row) {
    if (steps.Bool(row, columns.complete))
      complete[steps.Int(row, columns.rank)].insert(steps.Int(row, columns.step));
  }
  return complete;
}

Result<Table> DeriveExposedByRank(const InputTables& inputs, const JobContext&, const Options&) {
  const ViewOf<ExposedCommunication> exposed = inputs.Of<ExposedCommunication>();
  const auto& of = SchemaOf<ExposedCommunication>();
  const auto complete = CompleteSteps(inputs.Of<StepTimes>());
  std::map<std::int64_t, ExposedByRankSum> sums;
  for (std::size_t row = 0; row < exposed.row_count(); ++row) {
    const std::int64_t rank = exposed.Int(row, of.rank);
    const auto steps = complete.find(rank);
    const auto step = exposed.Known(row, of.step);
    if (steps != complete.end() && !(step && steps->second.contains(*step))) continue;
    const ExposedByRankSum sum{exposed.Int(row, of.exposed_ns), exposed.Int(row, of.transfer_ns),
                               exposed.Int(row, of.wait_ns)};
    sums[rank].Add(sum);
    sums[kAllRanks].Add(sum);
  }
  const auto times = TimesOfDevices(inputs.Of<TimeBreakdown>(), inputs.Of<StepTimes>());
  const auto& columns = SchemaOf<ExposedByRank>();
  auto table = columns.NewTable(std::string(ExposedByRank::kName));
  for (const auto& [rank, sum] : sums) {
    const auto found = times.find(rank);
    const auto share = [&, of_rank = sum](std::int64_t part_ns) -> Value {
      if (found == times.end() || of_rank.exposed_ns == 0) return kNull;
      const auto [whole_ns, exposed_ns] = found->second;
      return 100.0 * static_cast<double>(exposed_ns) / static_cast<double>(whole_ns) *
             static_cast<double>(part_ns) / static_cast<double>(of_rank.exposed_ns);
    };
    table.Add({columns.rank = rank == kAllRanks ? Value(kNull) : Value(rank),
               columns.exposed_ns = sum.exposed_ns, columns.wait_ns = sum.wait_ns,
               columns.transfer_ns = sum.transfer_ns, columns.unknown_ns = sum.unknown_ns(),
               columns.wait_share_pct = share(sum.wait_ns),
               columns.transfer_share_pct = share(sum.transfer_ns),
               columns.unknown_share_pct = share(sum.unknown_ns())});
  }
  return table;
}

}  // namespace

const Analysis& ExposedByRankAnalysis() {
  static const Analysis kAnalysis = {
      .name = "exposed_by_rank",
      .summary = "exposed communication of each rank: waiting for others, transfer, unknown",
      .definition =
          "exposed_communication summed over the complete steps of a rank; of a rank that has "
          "none, over the whole recording. waiting + transfer + unknown = exposed. Shares divide "
          "the exposed_communication of rank_breakdown, and of job_breakdown in the row of all "
          "ranks: that share * wait_ns / exposed_ns, and so on.",
      .example = "rankscope table exposed_by_rank traces/",
      .columns = SchemaOf<ExposedByRank>().columns(),
      .inputs = {&ExposedCommunicationAnalysis(), &TimeBreakdownAnalysis(), &StepTimesAnalysis()},
      .derive = DeriveExposedByRank,
  };
  return kAnalysis;
}

}  // namespace rankscope
