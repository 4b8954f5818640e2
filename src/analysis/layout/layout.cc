// layout and layout_ranks: along which dimensions a job is parallel, and where each rank stands.
#include <fmt/core.h>

#include <string>

#include "analysis/across/across_fact.h"
#include "analysis/layout/analyses.h"
#include "job/job_layout.h"
#include "schemas/columns.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = {
      column::Text("role",
                   "trainer; generator (no backward and no optimizer where other ranks have them); "
                   "inference (no rank trains); unknown without ops of the host"),
      column::Text("dimension",
                   "tp tensor, cp context or sequence, ep expert, pp pipeline, dp data parallel, "
                   "sharded or not"),
      column::Int("degree", "",
                  "ranks along it; tp x cp x pp x dp are the ranks of the role, ep divides dp"),
      column::Text("source",
                   "names: descriptions of process groups; traffic: what groups exchange; rest: "
                   "what the others leave; absent: no such group was seen"),
      column::Real("confidence", "",
                   "0 to 1, a judgement of the source (docs/layout.md), less with every conflict"),
      column::Int("groups", "", "process groups of this dimension that were seen"),
      column::Text("traffic", "what they exchange; null without groups"),
      column::Int("ranks_seen", "", "of the role, in the recordings"),
      column::Int("ranks", "", "of the role, by the metadata"),
      {"partial", ColumnType::kBool, "", "true when ranks are missing"},
      column::Text("conflicts", "what speaks against it; null when nothing does"),
  };
  return kColumns;
}

std::string Joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : "; ") + sentence;
  return text;
}

Result<Table> Reduce(std::span<const Table* const>, const JobContext& job, const Options&) {
  const auto text = [](std::string_view value) {
    return value.empty() ? Value(kNull) : Value(value);
  };
  Table table("layout", Columns());
  for (const RoleLayout& role : AcrossOf(job).layout().roles) {
    for (int i = 0; i < kDimensionCount; ++i) {
      const DimensionFit& fit = role.dimensions[static_cast<std::size_t>(i)];
      const std::string conflicts = Joined(fit.conflicts);
      table.AddRow({ToString(role.role), ToString(static_cast<Dimension>(i)), fit.degree,
                    ToString(fit.source), fit.confidence,
                    static_cast<std::int64_t>(fit.groups.size()), text(fit.traffic), role.seen,
                    role.ranks, role.is_partial(), text(conflicts)});
    }
  }
  return table;
}

const std::vector<ColumnSpec>& RankColumns() {
  static const std::vector<ColumnSpec> kColumns = {
      column::Rank(),
      column::Text("host", "null when not stated"),
      column::Text("role", "as in layout"),
      column::Int("tp", "", "tensor parallel coordinate; null when not known, as what follows"),
      column::Int("cp", "", "context parallel coordinate"),
      column::Int("ep", "", "expert parallel coordinate"),
      column::Int("pp", "", "pipeline stage"),
      column::Int("dp", "", "data parallel coordinate"),
  };
  return kColumns;
}

Result<Table> ReduceRanks(std::span<const Table* const>, const JobContext& job, const Options&) {
  Table table("layout_ranks", RankColumns());
  const std::vector<JobRank>& ranks = AcrossOf(job).collectives().ranks();
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const RankPlace& place = AcrossOf(job).layout().places[i];
    std::vector<Value> row = {
        ranks[i].rank,
        ranks[i].host.empty() ? Value(kNull) : Value(std::string_view(ranks[i].host)),
        ToString(place.role)};
    for (const std::int32_t at : place.at)
      row.push_back(at >= 0 ? Value(std::int64_t{at}) : Value(kNull));
    table.AddRow(row);
  }
  return table;
}

}  // namespace

const Analysis& LayoutAnalysis() {
  static const Analysis kAnalysis = {
      .name = "layout",
      .summary = "the job's parallel dimensions: degree, how it is known, what speaks against it",
      .definition =
          "Process groups are told apart by their descriptions (Megatron-LM, DeviceMesh and names "
          "like tp, pp, dp), and where these say nothing by what they exchange: activations "
          "reduced "
          "in forward and backward alike (tp), sends between neighbours (pp) or round a ring (cp), "
          "all-to-all of tokens (ep), gradients reduced in or behind the backward, parameters "
          "gathered and gradients scattered (dp). See docs/layout.md.",
      .example = "rankscope table layout traces/",
      .columns = Columns(),
      .facts = {&AcrossFact()},
      .derive = Reduce,
  };
  return kAnalysis;
}

const Analysis& LayoutRanksAnalysis() {
  static const Analysis kAnalysis = {
      .name = "layout_ranks",
      .summary =
          "where each rank stands: role, tensor, context, expert, pipeline, data coordinates",
      .definition =
          "A rank's coordinate in a dimension is its place, by rank, in its process group of that "
          "dimension (layout). Null where its group is not known.",
      .example =
          "rankscope query traces/ \"SELECT pp, avg(wait_ns) FROM analysis.layout_ranks JOIN "
          "analysis.collective_ranks USING (rank) GROUP BY pp\"",
      .columns = RankColumns(),
      .facts = {&AcrossFact()},
      .derive = ReduceRanks,
  };
  return kAnalysis;
}

}  // namespace rankscope
