// collective_members and collectives: event-sized tables.
#include "analysis/across/across_fact.h"
#include "analysis/across/analyses.h"
#include "analysis/across/collective_events.h"
#include "schemas/columns.h"

namespace rankscope {
namespace {

constexpr std::string_view kDefinition =
    "Kernels of communication (ops of Gloo) of all ranks, matched by process group and order: by "
    "sequence numbers where all have one, else by the step of the launching call and their order "
    "in it; where records are missing, or recordings begin or end at other times, by op, dtype and "
    "size, and among those alike by their ends, which lie on the line of the clocks. Never by name "
    "alone: what stands alone between matches and differs in op, dtype or (but for all-to-all) "
    "size is kept together, marked, and not judged. Kernels of sends and receives in one, which "
    "state no peer, are matched with none. Arguments are the kernel's own, else those of "
    "record_param_comms around its "
    "launch; in traces without them the op around the launch says what it is, and the one stream "
    "of communication is one group (of several it is not known whom they join, and nothing is "
    "matched). Times are aligned (clocks). waiting = time from a member's begin to the last "
    "member's begin, at most its duration; transfer = the rest.";

Value Relative(const JobContext& job, std::int64_t t) {
  return SaturatingSubtract(t, job.origin_ns);
}

Value StepOf(const CollectiveEvent& event) {
  return event.step == CollectiveEvent::kNoStep ? Value(kNull) : Value(event.step);
}

const std::vector<ColumnSpec>& MemberColumns() {
  static const std::vector<ColumnSpec> kColumns = {
      column::Text("group", "name of the process group, or the stream in traces without metadata"),
      column::Int("ordinal", "", "number of the collective in its group, from 0"),
      column::Rank(),
      column::Text("op", "all_reduce, all_gather, ...; sends and receives are in point_to_point"),
      column::StepOfLaunch(),
      column::Int("start_ns", "ns", "begin of its kernel from the job's origin, aligned"),
      column::Int("duration_ns", "ns", "of its kernel"),
      column::Int("wait_ns", "ns",
                  "part before the last member came; null for a collective of one known member, of "
                  "members that do not agree or whose clocks are not known"),
      column::Int("transfer_ns", "ns", "the rest of its duration; null as wait_ns"),
      {"is_last", ColumnType::kBool, "",
       "it came last; false for all when the clocks do not tell who did"},
      column::Int("event", "", "index of the event in its file"),
      column::Int("collective", "", "number of the collective over all groups"),
  };
  return kColumns;
}

Result<Table> ReduceMembers(std::span<const Table* const>, const JobContext& job, const Options&) {
  Table table("collective_members", MemberColumns());
  const AcrossFacts& facts = AcrossOf(job);
  const JobCollectives& all = facts.collectives();
  for (std::size_t c = 0; c < all.collectives().size(); ++c) {
    const JobCollective& collective = all.collectives()[c];
    const CollectiveTimes& times = facts.TimesOf(c);
    for (const std::uint32_t member : all.MembersOf(collective)) {
      const CollectiveEvent& event = all.events()[member];
      const std::int64_t wait = facts.WaitOf(member);
      const bool is_known = wait != AcrossFacts::kUnknownWait;
      table.AddRow({std::string_view(all.groups()[collective.group].name), collective.ordinal,
                    all.ranks()[event.rank].rank, ToString(event.op), StepOf(event),
                    Relative(job, facts.Aligned(event.rank, event.start_ns)), event.dur_ns,
                    is_known ? Value(wait) : Value(kNull),
                    is_known ? Value(event.dur_ns - wait) : Value(kNull),
                    is_known ? Value(times.HasLast() && times.last_member == member) : Value(kNull),
                    std::int64_t{event.source}, static_cast<std::int64_t>(c)});
    }
  }
  return table;
}

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = {
      column::Text("group", "name of the process group, or the stream in traces without metadata"),
      column::Text("description", "what the program says it is for; null when it does not"),
      column::Int("ordinal", "", "number of the collective in its group, from 0"),
      column::Text("op", "all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, ..."),
      column::Text("dtype", "of its elements; null when not known"),
      column::Int("bytes", "bytes",
                  "the full buffer, as nccl-tests count it; of an uneven all-to-all the largest "
                  "share; null when not known or members do not agree"),
      column::StepOfLaunch(),
      column::Int("members", "", "ranks on which it was found"),
      column::Int("missing", "", "ranks of the group on which it was not"),
      {"agrees", ColumnType::kBool, "", "members have the same op, dtype and size"},
      column::Int("start_ns", "ns", "the first member's begin from the job's origin, aligned"),
      column::Int("skew_ns", "ns",
                  "from the first member's begin to the last one's; null when clocks are not "
                  "known, or for one member, as what follows"),
      column::Int("last_rank", "",
                  "the one that came last; null when another one came so shortly before that the "
                  "clocks do not tell (a tie: uncertainty_ns of clocks)"),
      column::Int("lead_ns", "ns",
                  "how much later than the one before it: what would be saved if it alone were on "
                  "time; null in a tie"),
      column::Int("wait_ns", "ns", "sum of the waiting of its members"),
      column::Int("transfer_ns", "ns", "from the last begin to the last end"),
      column::Real("algorithm_bandwidth", "bytes/s", "bytes / transfer_ns"),
      column::Real("bus_bandwidth", "bytes/s",
                   "that times 2 (n - 1) / n for all-reduce, (n - 1) / n for all-gather, "
                   "reduce-scatter and all-to-all, 1 for the rest: what the links carry"),
  };
  return kColumns;
}

Result<Table> Reduce(std::span<const Table* const>, const JobContext& job, const Options&) {
  Table table("collectives", Columns());
  const AcrossFacts& facts = AcrossOf(job);
  const JobCollectives& all = facts.collectives();
  for (std::size_t c = 0; c < all.collectives().size(); ++c) {
    const JobCollective& collective = all.collectives()[c];
    const JobGroup& group = all.groups()[collective.group];
    const CollectiveTimes& times = facts.TimesOf(c);
    const CollectiveEvent& first = all.events()[all.MembersOf(collective).front()];
    const auto bytes = all.BytesOf(collective);
    const std::int64_t size = all.SizeOf(collective);
    const std::string_view dtype = all.text(first.dtype);
    std::vector<Value> row = {
        std::string_view(group.name),
        group.description.empty() ? Value(kNull) : Value(std::string_view(group.description)),
        collective.ordinal,
        ToString(collective.op),
        dtype.empty() ? Value(kNull) : Value(dtype),
        bytes ? Value(*bytes) : Value(kNull),
        StepOf(first),
        std::int64_t{collective.count},
        size - collective.count,
        collective.agrees,
        Relative(job, times.first_start_ns)};
    if (times.is_known) {
      std::int64_t wait = 0;
      for (const std::uint32_t member : all.MembersOf(collective))
        AddSaturating(wait, facts.WaitOf(member));
      const std::int64_t transfer = times.transfer_ns();
      const std::int64_t last = all.ranks()[all.events()[times.last_member].rank].rank;
      row.insert(row.end(), {times.skew_ns(), times.is_tie ? Value(kNull) : Value(last),
                             times.is_tie ? Value(kNull) : Value(times.lead_ns), wait, transfer});
      if (bytes && transfer > 0) {
        const double rate = static_cast<double>(*bytes) / static_cast<double>(transfer) * 1e9;
        row.insert(row.end(), {rate, rate * BusFactor(collective.op, size)});
      }
    }
    row.resize(Columns().size(), kNull);
    table.AddRow(row);
  }
  return table;
}

}  // namespace

const Analysis& CollectiveMembersAnalysis() {
  static const Analysis kAnalysis = {
      .name = "collective_members",
      .size = Size::kDetail,
      .summary = "every rank's part in every collective: when it came, how long it waited",
      .definition = std::string(kDefinition),
      .example = "rankscope table collective_members traces/ --format csv",
      .columns = MemberColumns(),
      .facts = {&AcrossFact()},
      .derive = ReduceMembers,
  };
  return kAnalysis;
}

const Analysis& CollectivesAnalysis() {
  static const Analysis kAnalysis = {
      .name = "collectives",
      .size = Size::kDetail,
      .summary = "every collective over ranks: skew, last rank, waiting, transfer, bandwidth",
      .definition = std::string(kDefinition),
      .example = "rankscope table collectives traces/ --steps 3",
      .columns = Columns(),
      .facts = {&AcrossFact()},
      .derive = Reduce,
  };
  return kAnalysis;
}

}  // namespace rankscope
