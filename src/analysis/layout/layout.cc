// layout and layout_ranks: along which dimensions a job is parallel, and where each rank stands.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/across/across_fact.h"
#include "analysis/layout/analyses.h"
#include "job/job_layout.h"
#include "job/named_layout.h"
#include "schemas/layout.h"
#include "table/or_null.h"

namespace rankscope {
namespace {

// What a rank's file, its folder, process and host are called, by dense number of the rank.
std::vector<std::vector<std::string>> NamesOfRanks(const JobContext& job) {
  const AcrossFacts& facts = AcrossOf(job);
  std::vector<std::vector<std::string>> names(facts.collectives().ranks().size());
  for (const Capture& capture : job.captures) {
    const auto number = facts.collectives().NumberOf(capture.rank);
    if (!capture.selected || !number) continue;
    const std::filesystem::path path(capture.path);
    auto& of_rank = names[*number];
    of_rank.push_back(path.filename().string());
    of_rank.push_back(path.parent_path().filename().string());
    of_rank.push_back(facts.layout().processes[*number]);
    of_rank.push_back(capture.host);
  }
  return names;
}

JobLayout LayoutOf(const JobContext& job) {
  std::int64_t world_size = -1;
  for (const Capture& capture : job.captures) {
    if (capture.selected) world_size = std::max(world_size, capture.world_size);
  }
  return WithGuesses(AcrossOf(job).layout(), NamesOfRanks(job), world_size);
}

Result<Table> ReduceLayout(const InputTables&, const JobContext& job, const Options&) {
  const auto& columns = SchemaOf<Layout>();
  auto table = columns.NewTable("layout");
  for (const RoleLayout& role : LayoutOf(job).roles) {
    for (int i = 0; i < kDimensionCount; ++i) {
      const DimensionFit& fit = role.dimensions[static_cast<std::size_t>(i)];
      const std::string conflicts = fmt::format("{}", fmt::join(fit.conflicts, "; "));
      table.Add({columns.role = ToString(role.role),
                 columns.dimension = ToString(static_cast<Dimension>(i)),
                 columns.degree = fit.degree, columns.source = ToString(fit.source),
                 columns.confidence = fit.confidence,
                 columns.groups = static_cast<std::int64_t>(fit.groups.size()),
                 columns.traffic = TextOrNull(fit.traffic), columns.ranks_seen = role.seen,
                 columns.ranks = role.ranks, columns.partial = role.is_partial(),
                 columns.conflicts = TextOrNull(conflicts)});
    }
  }
  return table;
}

Result<Table> ReduceLayoutRanks(const InputTables&, const JobContext& job, const Options&) {
  const auto& columns = SchemaOf<LayoutRanks>();
  auto table = columns.NewTable("layout_ranks");
  const std::vector<JobRank>& ranks = AcrossOf(job).collectives().ranks();
  const JobLayout layout = LayoutOf(job);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const RankPlace& place = layout.places[i];
    const auto at = [&](Dimension dimension) {
      const std::int32_t coordinate = place.at[static_cast<std::size_t>(dimension)];
      return coordinate >= 0 ? Value(std::int64_t{coordinate}) : Value(kNull);
    };
    table.Add({columns.rank = ranks[i].rank, columns.host = TextOrNull(ranks[i].host),
               columns.role = ToString(place.role), columns.tp = at(Dimension::kTensor),
               columns.cp = at(Dimension::kContext), columns.ep = at(Dimension::kExpert),
               columns.pp = at(Dimension::kPipeline), columns.dp = at(Dimension::kData)});
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
          "reduced in forward and backward alike (tp), sends between neighbours (pp) or round a "
          "ring (cp), all-to-all of tokens (ep) or of sequences (cp), gradients reduced in or "
          "behind "
          "the backward, parameters gathered and gradients scattered (dp). Names of files, "
          "processes and hosts like ep64_tp1 are asked last, and marked as a guess. See "
          "docs/layout.md.",
      .example = "rankscope table layout traces/",
      .columns = SchemaOf<Layout>().columns(),
      .facts = {&AcrossFact()},
      .derive = ReduceLayout,
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
      .columns = SchemaOf<LayoutRanks>().columns(),
      .facts = {&AcrossFact()},
      .derive = ReduceLayoutRanks,
  };
  return kAnalysis;
}

}  // namespace rankscope
