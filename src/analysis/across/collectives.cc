// collective_members and collectives: event-sized tables.
#include "analysis/across/across_fact.h"
#include "analysis/across/analyses.h"
#include "analysis/across/collective_events.h"
#include "schemas/across.h"
#include "schemas/columns.h"
#include "table/or_null.h"

namespace rankscope {
namespace {

constexpr std::string_view kCollectivesDefinition =
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

Result<Table> ReduceCollectiveMembers(const InputTables&, const JobContext& job, const Options&) {
  const auto& columns = SchemaOf<CollectiveMembers>();
  auto table = columns.NewTable(std::string(CollectiveMembers::kName));
  const AcrossFacts& facts = AcrossOf(job);
  const JobCollectives& all = facts.collectives();
  for (std::size_t c = 0; c < all.collectives().size(); ++c) {
    const JobCollective& collective = all.collectives()[c];
    const CollectiveTimes& times = facts.TimesOf(c);
    for (const std::uint32_t member : all.MembersOf(collective)) {
      const CollectiveEvent& event = all.events()[member];
      const std::int64_t wait = facts.WaitOf(member);
      const bool is_known = wait != AcrossFacts::kUnknownWait;
      table.Add({columns.group = all.groups()[collective.group].name,
                 columns.ordinal = collective.ordinal, columns.rank = all.ranks()[event.rank].rank,
                 columns.op = ToString(event.op), columns.step = StepOf(event),
                 columns.start_ns = Relative(job, facts.Aligned(event.rank, event.start_ns)),
                 columns.duration_ns = event.dur_ns,
                 columns.wait_ns = is_known ? Value(wait) : Value(kNull),
                 columns.transfer_ns = is_known && !all.LacksMembers(collective)
                                           ? Value(event.dur_ns - wait)
                                           : Value(kNull),
                 columns.is_last = is_known ? Value(times.HasLast() && times.last_member == member)
                                            : Value(kNull),
                 columns.event = std::int64_t{event.source},
                 columns.collective = static_cast<std::int64_t>(c)});
    }
  }
  return table;
}

struct Collectives : Schema<Collectives> {
  StringColumn group =
      Text("group", "name of the process group, or the stream in traces without metadata");
  StringColumn description =
      Text("description", "what the program says it is for; null when it does not");
  IntColumn ordinal = Int("ordinal", "", "number of the collective in its group, from 0");
  StringColumn op =
      Text("op", "all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, ...");
  StringColumn dtype = Text("dtype", "of its elements; null when not known");
  IntColumn bytes =
      Int("bytes", "bytes",
          "the full buffer, as nccl-tests count it; of an uneven all-to-all the largest "
          "share; null when not known or members do not agree");
  IntColumn step = Int(column::StepOfLaunch());
  IntColumn members = Int("members", "", "ranks on which it was found");
  IntColumn missing = Int("missing", "", "ranks of the group on which it was not");
  FlagColumn agrees = Flag("agrees", "members have the same op, dtype and size");
  IntColumn start_ns =
      Int("start_ns", "ns", "the first member's begin from the job's origin, aligned");
  IntColumn skew_ns =
      Int("skew_ns", "ns",
          "from the first member's begin to the last one's; null when clocks are not "
          "known, or for one member, as what follows");
  IntColumn last_rank =
      Int("last_rank", "",
          "the one that came last; null when another one came so shortly before that the "
          "clocks do not tell (a tie: uncertainty_ns of clocks)");
  IntColumn lead_ns =
      Int("lead_ns", "ns",
          "how much later than the one before it: what would be saved if it alone were on "
          "time; null in a tie");
  IntColumn wait_ns = Int("wait_ns", "ns", "sum of the waiting of its members");
  IntColumn transfer_ns = Int("transfer_ns", "ns",
                              "from the last begin to the last end; with ranks missing the most "
                              "that it can be, and bandwidths the least");
  RealColumn algorithm_bandwidth = Real("algorithm_bandwidth", "bytes/s", "bytes / transfer_ns");
  RealColumn bus_bandwidth =
      Real("bus_bandwidth", "bytes/s",
           "that times 2 (n - 1) / n for all-reduce, (n - 1) / n for all-gather, "
           "reduce-scatter and all-to-all, 1 for the rest: what the links carry");
};

Result<Table> ReduceCollectives(const InputTables&, const JobContext& job, const Options&) {
  const auto& columns = SchemaOf<Collectives>();
  auto table = columns.NewTable("collectives");
  const AcrossFacts& facts = AcrossOf(job);
  const JobCollectives& all = facts.collectives();
  for (std::size_t c = 0; c < all.collectives().size(); ++c) {
    const JobCollective& collective = all.collectives()[c];
    const JobGroup& group = all.groups()[collective.group];
    const CollectiveTimes& times = facts.TimesOf(c);
    const CollectiveEvent& first = all.events()[all.MembersOf(collective).front()];
    const auto bytes = all.BytesOf(collective);
    const std::int64_t size = all.SizeOf(collective);
    const std::int64_t transfer = times.transfer_ns();
    const auto known = [&](Value value) { return times.is_known ? value : Value(kNull); };
    const auto told = [&](Value value) { return times.is_tie ? Value(kNull) : known(value); };
    std::int64_t wait = 0, last = 0;
    if (times.is_known) {
      for (const std::uint32_t member : all.MembersOf(collective))
        AddSaturating(wait, facts.WaitOf(member));
      last = all.ranks()[all.events()[times.last_member].rank].rank;
    }
    std::optional<double> rate, bus_rate;
    if (times.is_known && bytes && transfer > 0) {
      rate = static_cast<double>(*bytes) / static_cast<double>(transfer) * 1e9;
      bus_rate = *rate * BusFactor(collective.op, size);
    }
    table.Add({columns.group = group.name, columns.description = TextOrNull(group.description),
               columns.ordinal = collective.ordinal, columns.op = ToString(collective.op),
               columns.dtype = TextOrNull(all.text(first.dtype)), columns.bytes = bytes,
               columns.step = StepOf(first), columns.members = std::int64_t{collective.count},
               columns.missing = size - collective.count, columns.agrees = collective.agrees,
               columns.start_ns = Relative(job, times.first_start_ns),
               columns.skew_ns = known(times.skew_ns()), columns.last_rank = told(last),
               columns.lead_ns = told(times.lead_ns), columns.wait_ns = known(wait),
               columns.transfer_ns = known(transfer), columns.algorithm_bandwidth = rate,
               columns.bus_bandwidth = bus_rate});
  }
  return table;
}

}  // namespace

const Analysis& CollectiveMembersAnalysis() {
  static const Analysis kAnalysis = {
      .name = "collective_members",
      .size = Size::kDetail,
      .summary = "every rank's part in every collective: when it came, how long it waited",
      .definition = std::string(kCollectivesDefinition),
      .example = "rankscope table collective_members traces/ --format csv",
      .columns = SchemaOf<CollectiveMembers>().columns(),
      .facts = {&AcrossFact()},
      .derive = ReduceCollectiveMembers,
  };
  return kAnalysis;
}

const Analysis& CollectivesAnalysis() {
  static const Analysis kAnalysis = {
      .name = "collectives",
      .size = Size::kDetail,
      .summary = "every collective over ranks: skew, last rank, waiting, transfer, bandwidth",
      .definition = std::string(kCollectivesDefinition),
      .example = "rankscope table collectives traces/ --steps 3",
      .columns = SchemaOf<Collectives>().columns(),
      .facts = {&AcrossFact()},
      .derive = ReduceCollectives,
  };
  return kAnalysis;
}

}  // namespace rankscope
