// collective_timeline: the collectives of one representative step, over ranks and in one clock.
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include "analysis/across/across_fact.h"
#include "analysis/across/analyses.h"
#include "base/saturating.h"
#include "schemas/columns.h"
#include "table/schema.h"

namespace rankscope {
namespace {

struct CollectiveTimeline : Schema<CollectiveTimeline> {
  static constexpr std::string_view kName = "collective_timeline";

  IntColumn rank = Int(column::Rank());
  StringColumn groups = Text("groups", "the process group's description and size");
  StringColumn group = Text("group", "its name");
  StringColumn op = Text("op", "all_reduce, all_gather, ...");
  IntColumn ordinal = Int("ordinal", "", "number of the collective in its group, from 0");
  IntColumn collective =
      Int("collective", "",
          "number of the collective in this table, from 0: parts of one have the same");
  IntColumn step = Int("step", "", "the step; null where the traces have none");
  IntColumn start_ns = Int("start_ns", "ns", "begin of its kernel from the job's origin, aligned");
  IntColumn duration_ns = Int("duration_ns", "ns", "of its kernel");
  IntColumn wait_ns =
      Int("wait_ns", "ns",
          "part before the last member came; null for a collective of one known member, or "
          "of members that do not agree");
  FlagColumn is_last = Flag("is_last", "it came last, by more than the clocks leave open");
  IntColumn lead_ns =
      Int("lead_ns", "ns", "how much later than the one before it; null for all but the last");
  IntColumn bytes = Int("bytes", "bytes", "as in collectives");
  IntColumn left_out =
      Int("left_out", "",
          "parts of these ranks in this step that the table does not have, in every row "
          "the same");
};

using Numbers = std::vector<std::uint32_t>;

// The ranks of the reference that most ranks have, ascending: between others times mean nothing.
Numbers RanksOfOneClock(const AcrossFacts& facts) {
  const std::vector<RankClock>& clocks = facts.clocks().clocks();
  std::map<std::uint32_t, Numbers> components;
  for (std::uint32_t rank = 0; rank < clocks.size(); ++rank) {
    if (clocks[rank].component != RankClock::kNone)
      components[clocks[rank].component].push_back(rank);
  }
  const auto largest = std::max_element(
      components.begin(), components.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  return largest == components.end() ? Numbers{} : largest->second;
}

struct StepSpan {
  std::int64_t step = 0;
  std::int64_t parts = 0;
  std::int64_t begin_ns = INT64_MAX;
  std::int64_t end_ns = INT64_MIN;
  std::int64_t length_ns() const { return SaturatingSubtract(end_ns, begin_ns); }
};

// Of the steps with as many parts as half of the steps have, or more (what a recording cuts off has
// fewer), the one whose collectives span the median time. Time outside of steps only where there is
// nothing else.
std::optional<std::int64_t> MedianStep(const AcrossFacts& facts,
                                       const std::vector<bool>& is_aligned) {
  const JobCollectives& all = facts.collectives();
  std::map<std::int64_t, StepSpan> spans;
  for (const JobCollective& collective : all.collectives()) {
    const auto members = all.MembersOf(collective);
    const std::int64_t step = all.events()[members.front()].step;
    for (const std::uint32_t member : members) {
      const CollectiveEvent& event = all.events()[member];
      if (!is_aligned[event.rank]) continue;
      StepSpan& span = spans[step];
      span.step = step;
      ++span.parts;
      const std::int64_t start = facts.Aligned(event.rank, event.start_ns);
      span.begin_ns = std::min(span.begin_ns, start);
      span.end_ns = std::max(span.end_ns, SaturatingAdd(start, event.dur_ns));
    }
  }
  if (spans.size() > 1) spans.erase(CollectiveEvent::kNoStep);
  if (spans.empty()) return std::nullopt;
  std::vector<StepSpan> steps;
  steps.reserve(spans.size());
  for (const auto& [step, span] : spans) steps.push_back(span);
  std::sort(steps.begin(), steps.end(),
            [](const StepSpan& a, const StepSpan& b) { return a.parts > b.parts; });
  const std::int64_t median_parts = steps[steps.size() / 2].parts;
  std::erase_if(steps, [&](const StepSpan& span) { return span.parts < median_parts; });
  std::sort(steps.begin(), steps.end(), [](const StepSpan& a, const StepSpan& b) {
    return std::pair(a.length_ns(), a.step) < std::pair(b.length_ns(), b.step);
  });
  return steps[(steps.size() - 1) / 2].step;
}

// At most `most` of `ranks`: those that the others would gain most from, were they on time in the
// whole job, a quarter at most and none that costs little beside the worst; else evenly among the
// rest.
Numbers ChooseRanks(const AcrossFacts& facts, const Numbers& ranks, std::size_t most) {
  if (ranks.size() <= most) return ranks;
  const JobCollectives& all = facts.collectives();
  std::vector<std::int64_t> lead(all.ranks().size());
  for (std::size_t c = 0; c < all.collectives().size(); ++c) {
    const CollectiveTimes& times = facts.TimesOf(c);
    if (times.HasLast()) AddSaturating(lead[all.events()[times.last_member].rank], times.lead_ns);
  }
  Numbers rest = ranks;
  std::stable_sort(rest.begin(), rest.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return lead[a] > lead[b]; });
  const double least = 0.05 * static_cast<double>(lead[rest.front()]);
  std::size_t late = 0;
  while (late < (most + 3) / 4 && lead[rest[late]] > 0 &&
         static_cast<double>(lead[rest[late]]) >= least)
    ++late;
  Numbers chosen(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(late));
  rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(late));
  std::sort(rest.begin(), rest.end());
  const std::size_t even = most - late;
  for (std::size_t i = 0; i < even; ++i)
    chosen.push_back(rest[even == 1 ? 0 : i * (rest.size() - 1) / (even - 1)]);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

// The parts of one collective on the ranks that were chosen.
struct Shown {
  std::size_t collective = 0;
  Numbers members;
  std::int64_t device_ns = 0;
};

std::vector<Shown> ShownIn(const AcrossFacts& facts, std::int64_t step,
                           const std::vector<bool>& is_chosen) {
  const JobCollectives& all = facts.collectives();
  std::vector<Shown> found;
  for (std::size_t c = 0; c < all.collectives().size(); ++c) {
    const auto members = all.MembersOf(all.collectives()[c]);
    if (all.events()[members.front()].step != step) continue;
    Shown shown{.collective = c};
    for (const std::uint32_t member : members) {
      if (!is_chosen[all.events()[member].rank]) continue;
      shown.members.push_back(member);
      AddSaturating(shown.device_ns, all.events()[member].dur_ns);
    }
    if (!shown.members.empty()) found.push_back(std::move(shown));
  }
  return found;
}

// Leaves those with most device time that have `most` parts together at most; returns how many
// parts are left out.
std::int64_t KeepLongest(std::vector<Shown>& shown, std::size_t most) {
  std::stable_sort(shown.begin(), shown.end(),
                   [](const Shown& a, const Shown& b) { return a.device_ns > b.device_ns; });
  std::size_t parts = 0;
  const auto first_left_out = std::find_if(shown.begin(), shown.end(), [&](const Shown& one) {
    parts += one.members.size();
    return parts > most;
  });
  std::int64_t left_out = 0;
  for (auto one = first_left_out; one != shown.end(); ++one)
    left_out += static_cast<std::int64_t>(one->members.size());
  shown.erase(first_left_out, shown.end());
  return left_out;
}

Result<Table> ReduceCollectiveTimeline(const InputTables&, const JobContext& job,
                                       const Options& options) {
  const auto& columns = SchemaOf<CollectiveTimeline>();
  auto table = columns.NewTable(std::string(CollectiveTimeline::kName));
  const AcrossFacts& facts = AcrossOf(job);
  const JobCollectives& all = facts.collectives();
  const Numbers aligned = RanksOfOneClock(facts);
  std::vector<bool> is_chosen(all.ranks().size());
  for (const std::uint32_t rank : aligned) is_chosen[rank] = true;
  const std::optional<std::int64_t> step = MedianStep(facts, is_chosen);
  if (!step) return table;
  const auto most_ranks = static_cast<std::size_t>(CountOption(options, "ranks"));
  is_chosen.assign(is_chosen.size(), false);
  for (const std::uint32_t rank : ChooseRanks(facts, aligned, most_ranks)) is_chosen[rank] = true;
  std::vector<Shown> shown = ShownIn(facts, *step, is_chosen);
  const std::int64_t left_out =
      KeepLongest(shown, static_cast<std::size_t>(CountOption(options, "rows")));
  std::sort(shown.begin(), shown.end(),
            [](const Shown& a, const Shown& b) { return a.collective < b.collective; });
  for (std::size_t number = 0; number < shown.size(); ++number) {
    const JobCollective& collective = all.collectives()[shown[number].collective];
    const CollectiveTimes& times = facts.TimesOf(shown[number].collective);
    const JobGroup& group = all.groups()[collective.group];
    const std::string kind = group.Kind();
    const auto bytes = all.BytesOf(collective);
    for (const std::uint32_t member : shown[number].members) {
      const CollectiveEvent& event = all.events()[member];
      const bool is_last = times.HasLast() && times.last_member == member;
      table.Add({columns.rank = all.ranks()[event.rank].rank, columns.groups = kind,
                 columns.group = group.name, columns.op = ToString(collective.op),
                 columns.ordinal = collective.ordinal,
                 columns.collective = static_cast<std::int64_t>(number),
                 columns.step = *step == CollectiveEvent::kNoStep ? Value(kNull) : Value(*step),
                 columns.start_ns =
                     SaturatingSubtract(facts.Aligned(event.rank, event.start_ns), job.origin_ns),
                 columns.duration_ns = event.dur_ns,
                 columns.wait_ns = times.is_known ? Value(facts.WaitOf(member)) : Value(kNull),
                 columns.is_last = times.is_known ? Value(is_last) : Value(kNull),
                 columns.lead_ns = is_last ? Value(times.lead_ns) : Value(kNull),
                 columns.bytes = bytes, columns.left_out = left_out});
    }
  }
  table.SortBy({{columns.rank}, {columns.groups}, {columns.start_ns}, {columns.collective}});
  return table;
}

}  // namespace

const Analysis& CollectiveTimelineAnalysis() {
  static const Analysis kAnalysis = {
      .name = "collective_timeline",
      .size = Size::kDetail,
      .summary = "the collectives of one typical step, over ranks and in one clock",
      .definition =
          "Collectives as in collectives. The step: of those with no fewer parts than half of the "
          "steps have, the one in which the time from the first begin to the last end is the "
          "median; --steps chooses another. The ranks: those whose clocks have one reference (the "
          "one of most ranks); of more than `ranks` of them those with the largest lead_ns in "
          "collective_ranks (a quarter at most, and at least 5% of the largest) and others evenly "
          "between. Of more than `rows` parts those of the collectives with most device time are "
          "kept; left_out counts the rest.",
      .example = "rankscope table collective_timeline traces/ --steps 3",
      .columns = SchemaOf<CollectiveTimeline>().columns(),
      .options = {{"ranks", "64", "ranks at most", OptionType::kCount},
                  {"rows", "6000", "rows at most", OptionType::kCount}},
      .facts = {&AcrossFact()},
      .derive = ReduceCollectiveTimeline,
  };
  return kAnalysis;
}

}  // namespace rankscope
