#include "job/across_facts.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "job/collective_partial.h"

namespace rankscope {
namespace {

// What the partials say beside collectives, by global rank.
struct Collected {
  std::vector<std::pair<std::int64_t, Exposed>> exposed;
  std::map<std::int64_t, RankWork> work;
};

// Of which neither an exchange with others nor the work of a device was recorded.
bool IsOfHostAlone(const Partial& partial) {
  return partial.tables[1].row_count() == 0 &&
         RankWorkFromTable(partial.tables[3]).device_rows == 0;
}

Status Collect(const Capture& capture, const Partial& partial, JobCollectives& collectives,
               Collected& to) {
  RS_RETURN_IF_ERROR(collectives.Add(capture, partial.tables));
  to.work[capture.rank] += RankWorkFromTable(partial.tables[3]);
  const ViewOf<ExposedPartial> stretches = partial.tables[2];
  const auto& columns = SchemaOf<ExposedPartial>();
  for (std::size_t row = 0; row < stretches.row_count(); ++row) {
    to.exposed.push_back(
        {capture.rank,
         {.begin_ns = stretches.Int(row, columns.begin_ns),
          .end_ns = stretches.Int(row, columns.end_ns),
          .step = stretches.Known(row, columns.step).value_or(CollectiveEvent::kNoStep)}});
  }
  return OkStatus();
}

}  // namespace

Result<std::shared_ptr<const AcrossFacts>> AcrossFacts::Build(PartialStream& partials,
                                                              const JobContext& job) {
  auto facts = std::make_shared<AcrossFacts>();
  Collected collected;
  std::vector<Partial> of_hosts_alone;
  std::int64_t world_size = -1;
  while (true) {
    Partial partial;
    RS_ASSIGN_OR_RETURN(const bool more, partials.Next(partial));
    if (!more) break;
    const Capture& capture = job.captures[partial.capture];
    world_size = std::max(world_size, capture.world_size);
    if (IsOfHostAlone(partial))
      of_hosts_alone.push_back(std::move(partial));
    else
      RS_RETURN_IF_ERROR(Collect(capture, partial, facts->collectives_, collected));
  }
  const bool has_devices =
      std::ranges::any_of(collected.work, [](const auto& of) { return of.second.device_rows > 0; });
  for (const Partial& partial : of_hosts_alone) {
    const Capture& capture = job.captures[partial.capture];
    if (!has_devices || collected.work.contains(capture.rank))
      RS_RETURN_IF_ERROR(Collect(capture, partial, facts->collectives_, collected));
  }
  auto& [exposed, work] = collected;
  facts->collectives_.Match();
  std::sort(exposed.begin(), exposed.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second.begin_ns) < std::tie(b.first, b.second.begin_ns);
  });
  const std::vector<JobRank>& ranks = facts->collectives_.ranks();
  std::uint32_t rank = 0;
  for (auto& [global, stretch] : exposed) {
    while (ranks[rank].rank != global) ++rank;
    stretch.rank = rank;
    facts->exposed_.push_back(stretch);
  }
  facts->clocks_ =
      ClockFit(facts->collectives_.ClockSamples(), static_cast<std::uint32_t>(ranks.size()),
               facts->collectives_.ClockMessages());
  facts->FindWaits();
  facts->FindWaitsOfMessages();
  std::vector<RankWork> work_of_ranks;
  work_of_ranks.reserve(work.size());
  for (const auto& [global, of_rank] : work) work_of_ranks.push_back(of_rank);
  // Where nothing states it, a group of more ranks than were seen says that some are missing.
  const std::int64_t least = facts->collectives_.LeastWorldSize();
  if (world_size < 0 && least > static_cast<std::int64_t>(ranks.size())) world_size = least;
  facts->layout_ = LayoutOf(facts->collectives_, work_of_ranks, world_size);
  return std::shared_ptr<const AcrossFacts>(std::move(facts));
}

void AcrossFacts::FindWaits() {
  const std::vector<CollectiveEvent>& events = collectives_.events();
  waits_.assign(events.size(), kUnknownWait);
  times_.resize(collectives_.collectives().size());
  for (std::size_t c = 0; c < times_.size(); ++c) {
    const JobCollective& collective = collectives_.collectives()[c];
    const auto members = collectives_.MembersOf(collective);
    CollectiveTimes& times = times_[c];
    const std::uint32_t first_rank = events[members.front()].rank;
    times.is_known = collective.agrees && members.size() > 1 &&
                     std::all_of(members.begin(), members.end(), [&](std::uint32_t member) {
                       return clocks_.AreLinkedByCollectives(first_rank, events[member].rank);
                     });
    std::int64_t before_last = INT64_MIN;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const CollectiveEvent& event = events[members[i]];
      const std::int64_t start = Aligned(event.rank, event.start_ns);
      const std::int64_t end = SaturatingAdd(start, event.dur_ns);
      if (i == 0) {
        times.first_start_ns = times.last_start_ns = start;
        times.last_end_ns = end;
        times.last_member = members[i];
        continue;
      }
      times.first_start_ns = std::min(times.first_start_ns, start);
      times.last_end_ns = std::max(times.last_end_ns, end);
      if (start > times.last_start_ns) {
        before_last = times.last_start_ns;
        times.last_start_ns = start;
        times.last_member = members[i];
      } else {
        before_last = std::max(before_last, start);
      }
    }
    if (!times.is_known) continue;
    times.lead_ns = SaturatingSubtract(times.last_start_ns, before_last);
    const std::uint32_t last_rank = events[times.last_member].rank;
    for (const std::uint32_t member : members) {
      const CollectiveEvent& event = events[member];
      const std::int64_t before =
          SaturatingSubtract(times.last_start_ns, Aligned(event.rank, event.start_ns));
      waits_[member] = std::clamp<std::int64_t>(before, 0, event.dur_ns);
      times.is_tie |=
          event.rank != last_rank &&
          static_cast<double>(before) <= clocks_.Between(last_rank, event.rank).value_or(0);
    }
  }
}

// A kernel that sends runs until the receiver has taken the data, one that receives until they are
// there: both wait for the later one's begin. Where sends alone link the clocks, these leave more
// open, and a short kernel may be either.
void AcrossFacts::FindWaitsOfMessages() {
  for (const SendReceive& pair : collectives_.pairs()) {
    const CollectiveEvent& send = collectives_.events()[pair.send];
    const CollectiveEvent& receive = collectives_.events()[pair.receive];
    const std::int64_t longest = std::max(send.dur_ns, receive.dur_ns);
    if (!clocks_.AreAlignedFor(send.rank, receive.rank, longest)) continue;
    const std::int64_t later = SaturatingSubtract(Aligned(receive.rank, receive.start_ns),
                                                  Aligned(send.rank, send.start_ns));
    waits_[pair.send] = std::clamp<std::int64_t>(later, 0, send.dur_ns);
    waits_[pair.receive] =
        std::clamp<std::int64_t>(SaturatingSubtract(0, later), 0, receive.dur_ns);
  }
}

}  // namespace rankscope
