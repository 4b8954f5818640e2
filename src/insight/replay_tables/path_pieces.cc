#include "insight/replay_tables/path_pieces.h"

#include "analysis/across/across_fact.h"
#include "replay/replay_fact.h"
#include "replay/scenario/job_path.h"
#include "schemas/critical_path.h"

namespace rankscope {
namespace {

Result<Table> DerivePathPieces(const InputTables&, const JobContext& job, const Options&) {
  const JobGraph& graph = GraphOf(job);
  const auto& columns = SchemaOf<PathPieces>();
  auto table = columns.NewTable(std::string(PathPieces::kName));
  for (const JobPathPiece& piece : ReplayedOf(job).path()) {
    const NodeKind& kind = graph.KindOf(piece.node);
    const Capture& capture = job.captures[graph.CaptureOf(piece.node).capture];
    const std::uint32_t step = graph.StepOf(piece.node);
    const std::int64_t event = graph.EventOf(piece.node);
    const std::string_view name = kind.name.empty() ? kind.op : kind.name;
    table.Add({columns.start_ns = piece.begin_ns,
               columns.duration_ns = piece.end_ns - piece.begin_ns, columns.rank = capture.rank,
               columns.capture = capture.index,
               columns.step = step == kNoStep ? Value(kNull) : Value(graph.steps()[step].number),
               columns.part = PartOf(graph, piece),
               columns.name = name.empty() ? Value(kNull) : Value(name),
               columns.event = event < 0 ? Value(kNull) : Value(event)});
  }
  return table;
}

}  // namespace

const Analysis& PathPiecesAnalysis() {
  static const auto& columns = SchemaOf<PathPieces>();
  static const Analysis kAnalysis = {
      .name = "path_pieces",
      .size = Size::kDetail,
      .summary = "the critical path through all ranks, stretch by stretch in time",
      .definition =
          "The stretches that path_over_ranks sums: each begins where the one before it ends, and "
          "together they cover the complete steps. Times are those of the replayed recording, "
          "which are the recorded ones but for what replay_fidelity states.",
      .example = "rankscope table path_pieces traces/ --format csv",
      .columns = columns.columns(),
      .facts = {&AcrossFact(), &ReplayFact()},
      .derive = DerivePathPieces,
  };
  return kAnalysis;
}

}  // namespace rankscope
