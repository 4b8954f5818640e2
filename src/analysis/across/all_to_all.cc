// all_to_all: who sends how much to whom.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/across/across_fact.h"
#include "analysis/across/analyses.h"
#include "job/split_sizes.h"
#include "schemas/across.h"

namespace rankscope {
namespace {

struct AllToAllSum {
  std::int64_t count = 0;
  double bytes = 0;
  double least = 0;
  double most = 0;
};

// The all-to-alls of a source in groups of a kind, as numbers of events, and to whom it sends.
using OfSource = std::map<std::pair<std::string, std::int64_t>, std::vector<std::uint32_t>>;

OfSource AllToAllsOf(const JobCollectives& all) {
  OfSource sources;
  for (std::uint32_t i = 0; i < all.events().size(); ++i) {
    const CollectiveEvent& event = all.events()[i];
    if (event.op != CollectiveOp::kAllToAll) continue;
    sources[{all.groups()[event.group].Kind(), all.ranks()[event.rank].rank}].push_back(i);
  }
  return sources;
}

std::map<std::int64_t, AllToAllSum> SumsByDestination(const JobCollectives& all,
                                                      const std::vector<std::uint32_t>& events) {
  std::map<std::int64_t, AllToAllSum> sums;
  for (const std::uint32_t i : events) {
    const CollectiveEvent& event = all.events()[i];
    const JobGroup& group = all.groups()[event.group];
    const std::vector<double> sent = BytesSent(all, event);
    if (sent.size() != group.ranks.size()) continue;
    for (std::size_t to = 0; to < sent.size(); ++to) {
      AllToAllSum& sum = sums[group.ranks[to]];
      sum.least = sum.count == 0 ? sent[to] : std::min(sum.least, sent[to]);
      sum.most = std::max(sum.most, sent[to]);
      sum.bytes += sent[to];
      ++sum.count;
    }
  }
  return sums;
}

Result<Table> ReduceAllToAll(const InputTables&, const JobContext& job, const Options& options) {
  const JobCollectives& all = AcrossOf(job).collectives();
  const std::int64_t limit = CountOption(options, "rows");
  const auto most = static_cast<std::size_t>(limit == 0 ? INT64_MAX : limit);
  const auto& columns = SchemaOf<AllToAll>();
  auto table = columns.NewTable("all_to_all");
  std::int64_t left_out = 0;
  for (const auto& [key, events] : AllToAllsOf(all)) {
    const auto& [kind, source] = key;
    const std::map<std::int64_t, AllToAllSum> sums = SumsByDestination(all, events);
    // Whole sources: a share is of all that its source sends.
    const bool is_full = table.row_count() > 0 && table.row_count() + sums.size() > most;
    if (left_out > 0 || is_full) {
      left_out += static_cast<std::int64_t>(sums.size());
      continue;
    }
    double of_source = 0;
    for (const auto& [destination, sum] : sums) of_source += sum.bytes;
    for (const auto& [destination, sum] : sums) {
      table.Add(
          {columns.groups = kind, columns.source_rank = source,
           columns.destination_rank = destination, columns.count = sum.count,
           columns.bytes = sum.bytes,
           columns.share_pct = of_source > 0 ? Value(100 * sum.bytes / of_source) : Value(kNull),
           columns.min_bytes = sum.least, columns.max_bytes = sum.most, columns.left_out = 0});
    }
  }
  table.Fill(columns.left_out, left_out);
  return table;
}

}  // namespace

const Analysis& AllToAllAnalysis() {
  static const Analysis kAnalysis = {
      .name = "all_to_all",
      .size = Size::kDetail,
      .summary = "matrix of all-to-alls: who sends how much to whom",
      .definition =
          "Split sizes in the trace are rows per member of the group, in its order; their share of "
          "the buffer is what is sent. Without split sizes all members get the same. Those that "
          "the trace cuts off (behind 30 numbers) are left out. Rows grow with the square of the "
          "ranks, so the table ends with the last source that fits in `rows`, or with the first; "
          "left_out counts the rest.",
      .example = "rankscope table all_to_all traces/",
      .columns = SchemaOf<AllToAll>().columns(),
      .options = {{"rows", "1000000", "so many rows at most; 0 = all", OptionType::kCount}},
      .facts = {&AcrossFact()},
      .derive = ReduceAllToAll,
  };
  return kAnalysis;
}

}  // namespace rankscope
