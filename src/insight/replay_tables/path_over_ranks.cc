#include "insight/replay_tables/path_over_ranks.h"

#include <map>
#include <string>
#include <tuple>

#include "analysis/across/across_fact.h"
#include "replay/replay_fact.h"
#include "replay/scenario/job_path.h"
#include "schemas/critical_path.h"

namespace rankscope {
namespace {

struct Sum {
  std::int64_t pieces = 0;
  std::int64_t ns = 0;
};

Result<Table> DerivePathOverRanks(const InputTables&, const JobContext& job, const Options&) {
  const JobGraph& graph = GraphOf(job);
  std::map<std::tuple<std::int64_t, std::string_view, std::string_view>, Sum> sums;
  std::int64_t whole = 0;
  for (const JobPathPiece& piece : ReplayedOf(job).path()) {
    const NodeKind& kind = graph.KindOf(piece.node);
    const std::int64_t rank = AcrossOf(job).collectives().ranks()[graph.RankOf(piece.node)].rank;
    Sum& sum = sums[{rank, PartOf(graph, piece), kind.op.empty() ? kind.name : kind.op}];
    ++sum.pieces;
    sum.ns += piece.end_ns - piece.begin_ns;
    whole += piece.end_ns - piece.begin_ns;
  }
  const auto& columns = SchemaOf<PathOverRanks>();
  auto table = columns.NewTable(std::string(PathOverRanks::kName));
  for (const auto& [key, sum] : sums) {
    const auto& [rank, part, name] = key;
    table.Add({columns.rank = rank, columns.part = part,
               columns.name = name.empty() ? Value(kNull) : Value(name),
               columns.pieces = sum.pieces, columns.total_ns = sum.ns,
               columns.share_pct = 100 * static_cast<double>(sum.ns) /
                                   static_cast<double>(std::max<std::int64_t>(whole, 1))});
  }
  table.SortBy({{columns.total_ns, true}, {columns.rank, false}});
  return table;
}

}  // namespace

const Analysis& PathOverRanksAnalysis() {
  static const auto& columns = SchemaOf<PathOverRanks>();
  static const Analysis kAnalysis = {
      .name = "path_over_ranks",
      .summary = "the critical path through all ranks: which rank, doing what, decides the steps",
      .definition =
          "From the end of the last complete step back through what each stretch of work waited "
          "for; through a collective, or a send and its receive, to the member that arrived last. "
          "It covers every instant of the complete steps once, so the rows sum to them. A stretch "
          "on the path is not worth its time: what is nearly as long would take over (gains).",
      .example = "rankscope table path_over_ranks traces/",
      .columns = columns.columns(),
      .facts = {&AcrossFact(), &ReplayFact()},
      .inputs = {},
      .derive = DerivePathOverRanks,
  };
  return kAnalysis;
}

}  // namespace rankscope
