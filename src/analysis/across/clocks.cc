// clocks: how the ranks' clocks differ.
#include <cmath>

#include "analysis/across/across_fact.h"
#include "analysis/across/analyses.h"
#include "base/saturating.h"
#include "schemas/columns.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = {
      column::Rank(),
      column::Text("host", "host name; null when the trace does not state it"),
      {"aligned", ColumnType::kBool, "",
       "false: the rank shares no collective with another one, so its clock is taken as it is"},
      column::Int("reference_rank", "",
                  "the rank whose clock counts for this one, the lowest that collectives link it "
                  "with; null when not aligned, as all that follows"),
      column::Int("offset_ns", "ns", "its clock less the reference's, in the middle of the job"),
      column::Real("drift_ppm", "ppm",
                   "how much faster its clock runs; 0 when that is not "
                   "significant"),
      column::Int("uncertainty_ns", "ns",
                  "95 % of single ends of collectives lie within this of the fit"),
      column::Int("collectives", "", "that the fit goes through"),
      column::Int("violations", "",
                  "collectives that it ends, by these clocks, before their last member begins, by "
                  "more than both uncertainties"),
      column::Int("worst_violation_ns", "ns", "by how much at most; null without any"),
      column::Int("send_violations", "",
                  "its sends and receives of which the receive ends, by these clocks, before the "
                  "send begins, by more than both uncertainties"),
  };
  return kColumns;
}

// By dense number of the rank. Clocks are not fitted to sends, so that these are a check of them.
std::vector<std::int64_t> SendViolations(const AcrossFacts& facts) {
  const JobCollectives& all = facts.collectives();
  std::vector<std::int64_t> violations(all.ranks().size());
  for (const SendReceive& pair : all.pairs()) {
    const CollectiveEvent& send = all.events()[pair.send];
    const CollectiveEvent& receive = all.events()[pair.receive];
    const RankClock& of_send = facts.clocks().clocks()[send.rank];
    const RankClock& of_receive = facts.clocks().clocks()[receive.rank];
    if (!of_send.is_aligned() || of_send.component != of_receive.component) continue;
    const std::int64_t sent = facts.Aligned(send.rank, send.start_ns);
    const std::int64_t received =
        SaturatingAdd(facts.Aligned(receive.rank, receive.start_ns), receive.dur_ns);
    if (static_cast<double>(SaturatingSubtract(sent, received)) <=
        of_send.uncertainty_ns + of_receive.uncertainty_ns)
      continue;
    ++violations[send.rank];
    ++violations[receive.rank];
  }
  return violations;
}

Result<Table> Reduce(std::span<const Table* const>, const JobContext& job, const Options&) {
  Table table("clocks", Columns());
  const AcrossFacts& facts = AcrossOf(job);
  const std::vector<JobRank>& ranks = facts.collectives().ranks();
  const std::vector<std::int64_t> send_violations = SendViolations(facts);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const RankClock& clock = facts.clocks().clocks()[i];
    std::vector<Value> row = {
        ranks[i].rank,
        ranks[i].host.empty() ? Value(kNull) : Value(std::string_view(ranks[i].host)),
        clock.is_aligned()};
    if (clock.is_aligned()) {
      row.insert(row.end(),
                 {ranks[clock.component].rank, std::llround(clock.offset_ns), clock.drift * 1e6,
                  std::llround(clock.uncertainty_ns), clock.collectives, clock.violations,
                  clock.violations > 0 ? Value(clock.worst_violation_ns) : Value(kNull),
                  send_violations[i]});
    }
    row.resize(Columns().size(), kNull);
    table.AddRow(row);
  }
  return table;
}

}  // namespace

const Analysis& ClocksAnalysis() {
  static const Analysis kAnalysis = {
      .name = "clocks",
      .summary = "how the clocks of the ranks differ, from the ends of their collectives",
      .definition =
          "A collective in which every member needs data of every other (all-reduce, all-gather, "
          "reduce-scatter, even all-to-all, barrier) ends on all of them together, so differences "
          "of its ends are differences of clocks. Per rank a robust line (Huber weights) through "
          "its differences to the median end of each collective gives offset and drift; a drift "
          "that is not significant (4 standard errors, more of few collectives) or above 200 ppm "
          "is "
          "taken as none. Ranks linked by collectives share the "
          "lowest of them as reference. The uncertainty is 2 * 1.4826 * the median distance of the "
          "rank's differences from its line, of the process group where it is largest, with the "
          "reference's in squares: it does not shrink with their number, for all ends may be off "
          "alike. Every time across ranks is in the reference's clock.",
      .example = "rankscope table clocks traces/",
      .columns = Columns(),
      .facts = {&AcrossFact()},
      .derive = Reduce,
  };
  return kAnalysis;
}

}  // namespace rankscope
