// all_to_all: who sends how much to whom.
#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/across/across_fact.h"
#include "analysis/across/analyses.h"
#include "job/split_sizes.h"
#include "schemas/across.h"

namespace rankscope {
namespace {

struct Sum {
  std::int64_t count = 0;
  double bytes = 0;
  double least = 0;
  double most = 0;
};

Result<Table> Reduce(std::span<const Table* const>, const JobContext& job, const Options&) {
  const JobCollectives& all = AcrossOf(job).collectives();
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, Sum> sums;
  std::map<std::pair<std::string, std::int64_t>, double> by_source;
  for (const CollectiveEvent& event : all.events()) {
    if (event.op != CollectiveOp::kAllToAll) continue;
    const JobGroup& group = all.groups()[event.group];
    const std::vector<double> sent = BytesSent(all, event);
    if (sent.empty() || sent.size() != group.ranks.size()) continue;
    const std::string kind = group.Kind();
    const std::int64_t source = all.ranks()[event.rank].rank;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      Sum& sum = sums[{kind, source, group.ranks[i]}];
      sum.least = sum.count == 0 ? sent[i] : std::min(sum.least, sent[i]);
      sum.most = std::max(sum.most, sent[i]);
      sum.bytes += sent[i];
      ++sum.count;
      by_source[{kind, source}] += sent[i];
    }
  }
  const auto& columns = SchemaOf<AllToAll>();
  Table table = columns.NewTable("all_to_all");
  for (const auto& [key, sum] : sums) {
    const auto& [kind, source, destination] = key;
    const double of_source = by_source[{kind, source}];
    table.Add(
        {columns.groups = kind, columns.source_rank = source,
         columns.destination_rank = destination, columns.count = sum.count,
         columns.bytes = sum.bytes,
         columns.share_pct = of_source > 0 ? Value(100 * sum.bytes / of_source) : Value(kNull),
         columns.min_bytes = sum.least, columns.max_bytes = sum.most});
  }
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
          "the trace cuts off (behind 30 numbers) are left out.",
      .example = "rankscope table all_to_all traces/",
      .columns = SchemaOf<AllToAll>().columns(),
      .facts = {&AcrossFact()},
      .derive = Reduce,
  };
  return kAnalysis;
}

}  // namespace rankscope
