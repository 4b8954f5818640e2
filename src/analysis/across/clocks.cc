// clocks: how the ranks' clocks differ.
#include <cmath>

#include "analysis/across/across_fact.h"
#include "analysis/across/analyses.h"
#include "base/saturating.h"
#include "schemas/across.h"

namespace rankscope {
namespace {

// By dense number of the rank, of those that collectives link: their clocks are not fitted to
// sends, so that these are a check of them.
std::vector<std::int64_t> SendViolations(const AcrossFacts& facts) {
  const JobCollectives& all = facts.collectives();
  std::vector<std::int64_t> violations(all.ranks().size());
  for (const SendReceive& pair : all.pairs()) {
    const CollectiveEvent& send = all.events()[pair.send];
    const CollectiveEvent& receive = all.events()[pair.receive];
    if (!facts.clocks().AreLinkedByCollectives(send.rank, receive.rank)) continue;
    const RankClock& of_send = facts.clocks().clocks()[send.rank];
    const RankClock& of_receive = facts.clocks().clocks()[receive.rank];
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

Result<Table> ReduceClocks(const InputTables&, const JobContext& job, const Options&) {
  const auto& columns = SchemaOf<Clocks>();
  auto table = columns.NewTable("clocks");
  const AcrossFacts& facts = AcrossOf(job);
  const std::vector<JobRank>& ranks = facts.collectives().ranks();
  const std::vector<std::int64_t> send_violations = SendViolations(facts);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const RankClock& clock = facts.clocks().clocks()[i];
    const std::string_view host = ranks[i].host;
    const Value host_or_null = host.empty() ? Value(kNull) : Value(host);
    if (!clock.is_aligned()) {
      table.Add(
          {columns.rank = ranks[i].rank, columns.host = host_or_null, columns.aligned = false});
      continue;
    }
    const bool is_reference = clock.reference == i;
    const Value drift_ppm = is_reference           ? Value(0.0)
                            : clock.is_drift_known ? Value(clock.drift * 1e6)
                                                   : Value(kNull);
    table.Add({columns.rank = ranks[i].rank, columns.host = host_or_null, columns.aligned = true,
               columns.reference_rank = ranks[clock.reference].rank,
               columns.linked_by = clock.component == clock.reference ? "collectives" : "sends",
               columns.offset_ns = std::llround(clock.offset_ns), columns.drift_ppm = drift_ppm,
               columns.uncertainty_ns = std::llround(clock.uncertainty_ns),
               columns.collectives = clock.collectives, columns.violations = clock.violations,
               columns.worst_violation_ns =
                   clock.violations > 0 ? Value(clock.worst_violation_ns) : Value(kNull),
               columns.send_violations = send_violations[i]});
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
          "that is not significant (4 standard errors, more of few collectives), makes less over "
          "the recording than ends scatter, or is above 200 ppm is taken as none. Ranks linked by "
          "collectives share the lowest of them as reference. The uncertainty is 2 * 1.4826 * the "
          "median distance of the rank's differences from its line, of the process group where it "
          "is largest, with the reference's in squares: it does not shrink with their number, for "
          "all ends may be off alike. It is 2 us at least: a rank that always ends a hop later "
          "than the others looks like one whose clock is behind. Ranks that only send to each "
          "other, in both directions, are linked by that a receive ends behind its send's begin: "
          "the middle between the bounds, with half their distance as uncertainty. Every time "
          "across ranks is in the reference's clock.",
      .example = "rankscope table clocks traces/",
      .columns = SchemaOf<Clocks>().columns(),
      .facts = {&AcrossFact()},
      .derive = ReduceClocks,
  };
  return kAnalysis;
}

}  // namespace rankscope
