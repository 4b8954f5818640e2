#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <optional>
#include <tuple>

#include "base/saturating.h"
#include "facts/trace_facts.h"
#include "hta/analyses.h"
#include "hta/frame.h"
#include "hta/iterations.h"
#include "hta/options.h"
#include "hta/short_name.h"
#include "schemas/hta_diff.h"
#include "stage/reducer.h"
#include "table/move_tables.h"

namespace rankscope::hta {
namespace {

std::vector<Table> Map(const RankTrace& trace, const MapOptions& options) {
  const Frame frame = LoadFrame(trace);
  const Iterations iterations(frame);
  const EventsByIndex by_index(frame);
  const bool is_short = FlagOf(options.values, "use_short_name");
  const auto iteration_of = [&](const Event& event) {
    if (!event.on_stream()) return iterations.At(event.ts);
    const Event* const launch = event.partner > 0 ? by_index.Find(event.partner) : nullptr;
    return launch == nullptr ? kNone : iterations.At(launch->ts);
  };
  struct Sum {
    std::int64_t counts = 0;
    std::int64_t duration = 0;
  };
  std::map<std::tuple<std::int64_t, bool, std::string>, Sum> sums;
  boost::unordered_flat_map<StringId, std::string> names;
  for (const Event& event : frame.events) {
    const auto [name, is_new] = names.try_emplace(trace.name[event.row]);
    if (is_new) name->second = is_short ? ShortName(frame.NameOf(event)) : frame.NameOf(event);
    Sum& sum = sums[{iteration_of(event), event.on_stream(), name->second}];
    ++sum.counts;
    AddSaturating(sum.duration, event.dur);
  }
  const auto& columns = SchemaOf<HtaOpsSummary>();
  auto table = columns.NewPartial("ops_summary");
  for (const auto& [key, sum] : sums) {
    const auto& [iteration, is_device, name] = key;
    table.Add({columns.iteration = iteration, columns.device_type = is_device ? "GPU" : "CPU",
               columns.name = name, columns.counts = sum.counts,
               columns.total_duration = sum.duration});
  }
  return MoveTables(std::move(table));
}

// As in HTA the last recording of a rank counts.
struct OpsSummaryState {
  explicit OpsSummaryState(const Options&) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    Keep(capture.rank, capture.index, TableOf<HtaOpsSummary>(std::move(tables.front())));
    return OkStatus();
  }
  void Merge(OpsSummaryState&& other) {
    for (auto& [rank, kept] : other.by_rank) Keep(rank, kept.first, std::move(kept.second));
  }
  Result<Table> Finish(const JobContext&) {
    const auto& columns = SchemaOf<HtaOpsSummary>();
    auto table = columns.NewTable(std::string(HtaOpsSummary::kName));
    for (auto& [rank, kept] : by_rank) {
      kept.second.Fill(columns.rank, rank);
      table.Append(kept.second);
    }
    return table;
  }

  void Keep(std::int64_t rank, std::int64_t capture, TableOf<HtaOpsSummary> table) {
    const auto found = by_rank.find(rank);
    if (found == by_rank.end() || capture > found->second.first)
      by_rank.insert_or_assign(rank, std::pair(capture, std::move(table)));
  }

  std::map<std::int64_t, std::pair<std::int64_t, TableOf<HtaOpsSummary>>>
      by_rank;  // by rank: capture and rows
};

}  // namespace

const Analysis& OpsSummary() {
  static const Analysis kAnalysis = {
      .name = std::string(HtaOpsSummary::kName),
      .group = Group::kCompat,
      .size = Size::kDetail,
      .summary = "HTA's LabeledTrace.get_ops_summary: events by name, of each iteration",
      .definition =
          "Every event that HTA loads, on host and device, the last profiler step among them: "
          "count and sum of durations by rank, iteration, device type and name. Whatever has a "
          "stream is of the device, and of the iteration of its launch. What hta.trace_diff and "
          "hta.ops_diff of rankscope diff compare.",
      .example = "rankscope table hta.ops_summary traces/ --format csv",
      .columns = SchemaOf<HtaOpsSummary>().columns(),
      .mapper = {.name = std::string(HtaOpsSummary::kName),
                 .version = 2,
                 .options = {UseShortName()},
                 .tables = {SchemaOf<HtaOpsSummary>().BareColumns()},
                 .map = Map},
      .reducer = ReduceBy<OpsSummaryState>(),
      .check = CheckOptions,
  };
  return kAnalysis;
}

}  // namespace rankscope::hta
