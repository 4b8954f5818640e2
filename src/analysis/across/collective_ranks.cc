// collective_ranks and exposed_communication: which ranks wait, and which let the others wait.
#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "analysis/across/across_fact.h"
#include "analysis/across/analyses.h"
#include "base/interval.h"
#include "base/saturating.h"
#include "schemas/across.h"
#include "statistics/statistics.h"

namespace rankscope {
namespace {

struct RankSum {
  std::int64_t collectives = 0;
  std::int64_t device_ns = 0;
  std::int64_t wait_ns = 0;
  std::int64_t last_count = 0;
  std::int64_t lead_ns = 0;
  std::int64_t caused_wait_ns = 0;
  std::int64_t unmatched = 0;
};

// Who of several late members came last is chance.
void ShareOut(const AcrossFacts& facts, std::span<const std::uint32_t> members,
              const CollectiveTimes& times, std::int64_t wait, std::vector<RankSum>* sums) {
  const std::vector<CollectiveEvent>& events = facts.collectives().events();
  const std::uint32_t last = events[times.last_member].rank;
  const auto is_late = [&](std::uint32_t member) {
    const CollectiveEvent& event = events[member];
    const double margin = std::max(facts.clocks().Between(last, event.rank).value_or(0),
                                   0.05 * static_cast<double>(times.skew_ns()));
    return static_cast<double>(SaturatingSubtract(
               times.last_start_ns, facts.Aligned(event.rank, event.start_ns))) <= margin;
  };
  const std::int64_t late = std::count_if(members.begin(), members.end(), is_late);
  for (const std::uint32_t member : members) {
    if (!is_late(member)) continue;
    RankSum& sum = (*sums)[events[member].rank];
    AddSaturating(sum.caused_wait_ns, wait / late);
    // What does not divide falls to the last, so that nothing is lost.
    if (member == times.last_member) AddSaturating(sum.caused_wait_ns, wait % late);
  }
}

Result<Table> ReduceCollectiveRanks(const InputTables&, const JobContext& job, const Options&) {
  const AcrossFacts& facts = AcrossOf(job);
  const JobCollectives& all = facts.collectives();
  std::vector<RankSum> sums(all.ranks().size());
  for (std::size_t c = 0; c < all.collectives().size(); ++c) {
    const CollectiveTimes& times = facts.TimesOf(c);
    std::int64_t wait = 0;
    for (const std::uint32_t member : all.MembersOf(all.collectives()[c])) {
      const CollectiveEvent& event = all.events()[member];
      RankSum& sum = sums[event.rank];
      if (!times.is_known) {
        ++sum.unmatched;
        continue;
      }
      ++sum.collectives;
      AddSaturating(sum.device_ns, event.dur_ns);
      AddSaturating(sum.wait_ns, facts.WaitOf(member));
      AddSaturating(wait, facts.WaitOf(member));
    }
    if (!times.is_known) continue;
    if (times.HasLast()) {
      RankSum& last = sums[all.events()[times.last_member].rank];
      ++last.last_count;
      AddSaturating(last.lead_ns, times.lead_ns);
    }
    ShareOut(facts, all.MembersOf(all.collectives()[c]), times, wait, &sums);
  }
  const auto& columns = SchemaOf<CollectiveRanks>();
  auto table = columns.NewTable("collective_ranks");
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const RankSum& sum = sums[i];
    table.Add({columns.rank = all.ranks()[i].rank, columns.collectives = sum.collectives,
               columns.device_ns = sum.device_ns, columns.wait_ns = sum.wait_ns,
               columns.transfer_ns = sum.device_ns - sum.wait_ns,
               columns.wait_pct = Percent(sum.wait_ns, sum.device_ns),
               columns.last_count = sum.last_count,
               columns.last_pct = Percent(sum.last_count, sum.collectives),
               columns.lead_ns = sum.lead_ns, columns.caused_wait_ns = sum.caused_wait_ns,
               columns.unmatched = sum.unmatched});
  }
  return table;
}

// By event, of collectives.
std::vector<bool> LackMembers(const JobCollectives& all) {
  std::vector<bool> lacks(all.events().size(), false);
  for (const JobCollective& collective : all.collectives()) {
    if (!all.LacksMembers(collective)) continue;
    for (const std::uint32_t member : all.MembersOf(collective)) lacks[member] = true;
  }
  return lacks;
}

Result<Table> ReduceExposed(const InputTables&, const JobContext& job, const Options&) {
  const AcrossFacts& facts = AcrossOf(job);
  const JobCollectives& all = facts.collectives();
  std::vector<std::vector<Interval>> transfers(all.ranks().size());
  std::vector<std::vector<Interval>> waits(all.ranks().size());
  const std::vector<bool> lack_members = LackMembers(all);
  for (std::uint32_t i = 0; i < all.events().size(); ++i) {
    const CollectiveEvent& event = all.events()[i];
    const std::int64_t wait = facts.WaitOf(i);
    if (wait == AcrossFacts::kUnknownWait) continue;
    waits[event.rank].push_back({event.start_ns, event.start_ns + wait});
    // Behind the last one that was recorded it may wait for others still.
    if (!lack_members[i]) transfers[event.rank].push_back({event.start_ns + wait, event.end_ns()});
  }
  std::map<std::pair<std::uint32_t, std::int64_t>, std::vector<Interval>> exposed;
  for (const Exposed& stretch : facts.exposed()) {
    // Behind all steps stands what lies outside of them.
    const std::int64_t step = stretch.step == CollectiveEvent::kNoStep ? INT64_MAX : stretch.step;
    exposed[{stretch.rank, step}].push_back({stretch.begin_ns, stretch.end_ns});
  }
  const auto& columns = SchemaOf<ExposedCommunication>();
  auto table = columns.NewTable("exposed_communication");
  std::uint32_t rank = UINT32_MAX;
  IntervalSet of_transfer;
  IntervalSet of_wait;
  for (auto& [key, stretches] : exposed) {
    if (key.first != rank) {
      rank = key.first;
      of_transfer = Normalise(std::move(transfers[rank]));
      of_wait = Subtract(Normalise(std::move(waits[rank])), of_transfer);
    }
    const IntervalSet set = Normalise(std::move(stretches));
    const std::int64_t all_ns = Total(set);
    const std::int64_t transfer_ns = Total(Intersect(set, of_transfer));
    const std::int64_t wait_ns = Total(Intersect(set, of_wait));
    table.Add({columns.rank = all.ranks()[rank].rank,
               columns.step = key.second == INT64_MAX ? Value(kNull) : Value(key.second),
               columns.exposed_ns = all_ns, columns.transfer_ns = transfer_ns,
               columns.wait_ns = wait_ns, columns.unknown_ns = all_ns - transfer_ns - wait_ns,
               columns.wait_pct = Percent(wait_ns, all_ns)});
  }
  return table;
}

}  // namespace

const Analysis& CollectiveRanksAnalysis() {
  static const Analysis kAnalysis = {
      .name = "collective_ranks",
      .summary = "which ranks wait in collectives, and which ones the others wait for",
      .definition =
          "Sums over collectives (see there) whose members' clocks are aligned. A rank that comes "
          "late waits little and lets the others wait; lead_ns is what its lateness alone costs, "
          "since without it the collective would begin with the next to last. Where members came "
          "last within what the clocks leave open (clocks), nobody did: a tie.",
      .example = "rankscope table collective_ranks traces/",
      .columns = SchemaOf<CollectiveRanks>().columns(),
      .facts = {&AcrossFact()},
      .derive = ReduceCollectiveRanks,
  };
  return kAnalysis;
}

const Analysis& ExposedCommunicationAnalysis() {
  static const Analysis kAnalysis = {
      .name = "exposed_communication",
      .summary = "communication that computing does not hide: waiting for others, or transfer",
      .definition =
          "Exposed communication as in time_breakdown, of all devices of the rank together. Each "
          "instant is transfer when any collective of the rank has all its members by then, or "
          "any message both its send and its receive, else waiting when one is known to lack "
          "some that come later, else unknown, as behind the last recorded member of a collective "
          "of which other ranks were not recorded; the three sum to it exactly. Of a message it is "
          "known where both "
          "sides were recorded and their clocks are linked by collectives, or by sends that leave "
          "open at most 2% of the longer side.",
      .example = "rankscope table exposed_communication traces/",
      .columns = SchemaOf<ExposedCommunication>().columns(),
      .facts = {&AcrossFact()},
      .derive = ReduceExposed,
  };
  return kAnalysis;
}

}  // namespace rankscope
